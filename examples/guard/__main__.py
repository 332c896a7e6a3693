"""``python -m examples.guard``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brrkit_toolchain.__main__ import main as run

if TYPE_CHECKING:
    import click


def main() -> None:
    """Run the guard and exit."""
    run("python -m examples.guard", _command)


def _command() -> click.Command:
    from brrkit_toolchain.cli.shared.outputs import check_outputs_first
    from examples.guard.command import guard

    return check_outputs_first(guard)


if __name__ == "__main__":
    main()
