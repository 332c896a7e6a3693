"""The command ``brr``."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from brr_runtime.errors import BrrError


def _interrupt(_signum: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the CLI: one line and a non-zero exit code for every error, never a traceback."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # it announces itself on standard error
    try:
        import click

        from brr_toolchain.cli import cli
    except ModuleNotFoundError as error:
        sys.exit(f"Error: {error.name} is missing; run: pip install 'brrkit[toolchain]'")
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        sys.exit(cli(standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrrError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # The reader has gone (``brr privatize ... | head``): not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        click.echo("\nInterrupted: nothing was written.", err=True)
        sys.exit(130)


if __name__ == "__main__":
    main()
