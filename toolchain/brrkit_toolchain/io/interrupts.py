"""Ctrl-C, SIGTERM and a closed terminal end a command at once, from wherever it is.

Their handler raises nothing. An exception from a handler comes between any two bytecodes: inside a
lock that a library has just taken, so that whoever wants it next waits for ever; in a callback,
whose exceptions are dropped; under an ``except`` that carries on (scikit-learn's networks take
KeyboardInterrupt for "trained enough"). So the handler tidies up, prints a line and leaves without
unwinding anything; threads, pools and their locks end with the process. What there is to tidy up,
whoever makes it says with ``cleanup_on_signal``.

The handler runs in the main thread, which reads and waits stop for. Only a library's C code ends
first: a moment for a product of matrices, up to seconds while TensorFlow is loaded.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

EXIT_CODE = 130

_SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # Windows has the last and no SIGHUP
_SIGNALS = [getattr(signal, name) for name in _SIGNAL_NAMES if hasattr(signal, name)]
_tidies: list[Callable[[], object]] = []


def end_on_signals() -> None:
    """From now on, end the process with a line and ``EXIT_CODE`` when it is asked to stop.

    A signal that is ignored stays so, as behind ``nohup``.
    """
    message = b"Interrupted.\n"
    try:
        stderr = os.dup(2)  # while TensorFlow is loaded, 2 is something else
        if os.isatty(stderr):
            message = b"\n" + message  # a progress bar may stand in the line
    except OSError:  # it is closed
        stderr = -1
    process = os.getpid()
    ending = False

    def end(_number: int, _frame: FrameType | None) -> None:
        nonlocal ending
        if os.getpid() != process:  # a fork: the rest is its parent's business
            os._exit(EXIT_CODE)
        if ending:  # a second signal: the first one's handler goes on
            return
        ending = True
        for tidy in reversed(_tidies):
            with suppress(Exception):
                tidy()
        with suppress(OSError):
            os.write(stderr, message)
        os._exit(EXIT_CODE)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


def ignore_signals() -> None:
    """From now on the work is done, and its exit code stands."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def cleanup_on_signal(tidy: Callable[[], object]) -> Iterator[None]:
    """Call ``tidy`` when the body of the ``with`` statement ends, by a signal, too.

    Args:
        tidy: finds things in any state that the body leaves them in, its own work half done
            included.
    """
    _tidies.append(tidy)
    try:
        yield
    finally:
        try:
            tidy()
        finally:
            _tidies.remove(tidy)
