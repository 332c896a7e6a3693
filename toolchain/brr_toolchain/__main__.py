"""The command ``brr``: one line and a non-zero exit code for every error, never a traceback."""

from __future__ import annotations

import io
import os
import signal
import sys
from types import FrameType

from brr_runtime.errors import BrrError

_TOOLCHAIN = ("click", "faiss", "gensim", "scipy", "tensorflow", "threadpoolctl", "tqdm")
_EVALUATE = ("jinja2", "matplotlib", "sklearn")


def main() -> None:
    """Run the CLI and exit."""
    try:
        _run()
    except BrrError as error:
        _fail(f"Error: {error}", 1)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in (*_TOOLCHAIN, *_EVALUATE):
            raise
        extra = "evaluate" if library in _EVALUATE else "toolchain"
        _fail(f"Error: {error.name} is missing; run: pip install 'brrkit[{extra}]'", 1)
    except BrokenPipeError:
        # The reader has gone (``brr privatize ... | head``): not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:  # a path that the system refuses
        _fail(f"Error: {error.filename}: {error.strerror}; check the path", 1)
    except KeyboardInterrupt:
        _fail("Interrupted.", 130)


def _run() -> None:
    signal.signal(signal.SIGTERM, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    import click

    from brr_toolchain.cli import cli

    try:
        sys.exit(cli(prog_name="brr", standalone_mode=False))
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        message = error.format_message()
        # Without arguments, click "fails" with the whole help text.
        if "\n\n" in message:
            _fail(message, error.exit_code)
        _fail(f"Error: {' '.join(message.split())}", error.exit_code)


def _interrupt(_signum: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _fail(message: str, exit_code: int) -> None:
    print(message, file=sys.stderr)
    sys.exit(exit_code)


if __name__ == "__main__":
    main()
