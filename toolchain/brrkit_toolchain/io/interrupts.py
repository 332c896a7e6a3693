"""Ctrl-C, SIGTERM and a closed terminal end a command at once.

Their handler raises no exception, because one may come between any two bytecodes. Inside a lock
that a library has just acquired, it would make all later users wait forever. In a callback, it
would be dropped. Under an ``except`` that continues, it would be ignored (scikit-learn's networks
take KeyboardInterrupt for "trained enough"). So the handler cleans up, prints a line, and ends the
process without unwinding. Threads, pools and their locks end with the process. Code that needs a
cleanup registers it with ``cleanup_on_signal``.

The handler runs in the main thread, and interrupts reads and waits. Only a library's C code ends
first, which takes a moment for a product of matrices, and up to seconds while TensorFlow is loaded.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

EXIT_CODE = 130

_SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # Windows has the last, but not SIGHUP
_SIGNALS = [getattr(signal, name) for name in _SIGNAL_NAMES if hasattr(signal, name)]
_tidies: list[Callable[[], object]] = []


def end_on_signals() -> None:
    """From now on, end the process with a line and ``EXIT_CODE`` at a signal to stop.

    An ignored signal stays ignored, such as under ``nohup``.
    """
    message = b"Interrupted.\n"
    try:
        stderr = os.dup(2)  # while TensorFlow is loaded, 2 is another file
        if os.isatty(stderr):
            message = b"\n" + message  # a progress bar may stand in the line
    except OSError:  # it is closed
        stderr = -1
    process = os.getpid()
    ending = False

    def end(_number: int, _frame: FrameType | None) -> None:
        nonlocal ending
        if os.getpid() != process:  # a fork: the parent does the rest
            os._exit(EXIT_CODE)
        if ending:  # a second signal: the first one's handler continues
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
    """From now on, the work is done, and its exit code is final."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def cleanup_on_signal(tidy: Callable[[], object]) -> Iterator[None]:
    """Call ``tidy`` when the body of the ``with`` statement ends, even by a signal.

    Args:
        tidy: function for the cleanup; must work in any state of the body, and after an interrupted
            cleanup.
    """
    _tidies.append(tidy)
    try:
        yield
    finally:
        try:
            tidy()
        finally:
            _tidies.remove(tidy)
