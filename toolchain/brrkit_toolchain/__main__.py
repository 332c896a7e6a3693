"""The command ``brr``: one line and a non-zero exit code for every error, never a traceback."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from brrkit_toolchain.io.interrupts import end_on_signals, ignore_signals

if TYPE_CHECKING:
    import click

_TOOLCHAIN = (
    "click",
    "faiss",
    "gensim",
    "numba",
    "pyarrow",
    "scipy",
    "threadpoolctl",
    "tqdm",
)
_BROUGHT_BY = {
    **dict.fromkeys(_TOOLCHAIN, "toolchain"),
    **dict.fromkeys(("jinja2", "matplotlib", "sklearn"), "evaluate"),
    **dict.fromkeys(("anyio", "starlette", "uvicorn"), "receiver"),
    **dict.fromkeys(("pandas", "pyspark"), "spark"),
    "ai_edge_litert": "tflite",
}
"""The extra of brrkit with each library."""


def brr() -> click.Command:
    """Return the command with its subcommands; their imports happen here."""
    from brrkit_toolchain.cli import cli

    return cli


def main(name: str = "brr", load: Callable[[], click.Command] = brr) -> None:
    """Run the command ``name``, which ``load`` returns, and exit."""
    end_on_signals()  # before slow imports, such as that of NumPy by brrkit
    _open_closed_streams()
    message, code = _outcome(name, load)
    if message:
        with suppress(OSError):
            print(message, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        _flush(stream)
    ignore_signals()
    sys.exit(code)


def _outcome(name: str, load: Callable[[], click.Command]) -> tuple[str, int]:
    """Run the command; return its message, if it failed, and the exit code."""
    from brrkit.errors import BrrError
    from brrkit.messages import one_line

    try:
        if sys.stdout is None:
            raise BrrError("standard output is closed; send it to /dev/null if nobody reads it")
        return _run(name, load)
    except BrrError as error:
        problem = str(error)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _BROUGHT_BY and library != "tensorflow":
            raise
        problem = f"{library} is missing; run: {_install(_BROUGHT_BY.get(library))}"
    except BrokenPipeError:
        return "", 1  # the reader has ended (``brr privatize ... | head``), which isn't an error
    except MemoryError:
        problem = "this takes more RAM than there is; use a smaller input or sample"
    except OSError as error:
        # Opening and writing a file set a name in the error; printing doesn't.
        file, check = error.filename or "standard output", "path" if error.filename else "output"
        problem = f"{file}: {error.strerror or error}; check the {check}"
    return f"Error: {one_line(problem)}", 1


def _install(extra: str | None) -> str:
    """Return the command that installs the missing library, from this installation's source."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    if extra is None:
        return "pip install brrkit-adept"
    try:
        origin = distribution("brrkit").read_text("direct_url.json")
    except PackageNotFoundError:
        origin = None
    stated = {} if origin is None else json.loads(origin)
    local = "dir_info" in stated and str(stated["url"]).startswith("file:")
    source = unquote(urlsplit(stated["url"]).path) if local else "brrkit"
    return f"pip install '{source}[{extra}]'"


def _run(name: str, load: Callable[[], click.Command]) -> tuple[str, int]:
    import click

    from brrkit.messages import one_line
    from brrkit_toolchain.cli.shared.usage import usage_message

    warnings.formatwarning = _warning
    try:
        return "", load()(prog_name=name, standalone_mode=False) or 0
    except click.ClickException as error:
        # Without arguments, click's error contains the whole help text.
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            return error.format_message(), error.exit_code
        return f"Error: {one_line(' '.join(usage_message(error).split()))}", error.exit_code


def _warning(message: Warning | str, *_: object, **__: object) -> str:
    """Format a warning like an error: one line, without the place in the code."""
    from brrkit.messages import one_line

    return f"Warning: {one_line(str(message))}\n"


def _open_closed_streams() -> None:
    """Redirect closed standard streams to the null device; no opened file gets their number.

    Otherwise, a library's messages would be written into such a file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number, this one
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _flush(stream: TextIO | None) -> None:
    """Flush a stream, or drop its content, so that the interpreter prints no error at its end."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
