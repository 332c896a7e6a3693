"""The command line: a command is a module, which reads options, calls the toolchain, and prints."""

from __future__ import annotations

from importlib.metadata import entry_points, version
from typing import Any

import click

from brrkit.errors import BrrError, NoSettingError, ParameterError
from brrkit_toolchain.cli.audit import audit
from brrkit_toolchain.cli.build import build
from brrkit_toolchain.cli.calibrate import calibrate
from brrkit_toolchain.cli.evaluate import evaluate
from brrkit_toolchain.cli.guess import guess
from brrkit_toolchain.cli.inspect import inspect
from brrkit_toolchain.cli.lists import lists
from brrkit_toolchain.cli.measure import measure
from brrkit_toolchain.cli.neighbors import neighbors
from brrkit_toolchain.cli.privatize import privatize
from brrkit_toolchain.cli.report import report
from brrkit_toolchain.cli.shared.outputs import check_outputs_first
from brrkit_toolchain.cli.vectors import vectors
from brrkit_toolchain.cli.verify import verify

ADDED_COMMANDS = "brrkit.commands"
"""The group of entry points for commands of other distributions."""

_DISTRIBUTIONS = {"adept": "brrkit-adept"}


class _Commands(click.Group):
    """The toolchain's commands and added commands, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the sorted names of all commands."""
        return sorted({*super().list_commands(ctx), *entry_points(group=ADDED_COMMANDS).names})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name, if there is one.

        Raises:
            BrrError: its distribution isn't installed.
        """
        if cmd_name not in self.commands:
            for added in entry_points(group=ADDED_COMMANDS, name=cmd_name):
                self.add_command(check_outputs_first(added.load()))
        if cmd_name in _DISTRIBUTIONS and cmd_name not in self.commands:
            raise BrrError(
                f"brr {cmd_name} is a separate distribution; run: pip install "
                f"{_DISTRIBUTIONS[cmd_name]}"
            )
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; if it lacks a setting, name the option in the message."""
        try:
            return super().invoke(ctx)
        except NoSettingError:
            raise ParameterError(
                "the bundle recommends no setting; give --epsilon, or write one into the bundle "
                "with 'brr calibrate --write'"
            ) from None


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(version("brrkit"), prog_name="brr")
def cli() -> None:
    """Build, verify and use bundles for on-device text privatization."""


for command in (
    build,
    inspect,
    verify,
    measure,
    calibrate,
    audit,
    report,
    privatize,
    guess,
    lists,
    vectors,
    neighbors,
    evaluate,
):
    cli.add_command(check_outputs_first(command))
