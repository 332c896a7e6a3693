"""Help that fits a screen, with common options only, and help with all options."""

from __future__ import annotations

from typing import Any

import click

_ALL = "--help-all"


class ShortHelp(click.Command):
    """A command with common options in ``--help``, and all options in ``--help-all``."""

    def __init__(self, *args: Any, common: tuple[str, ...], **settings: Any) -> None:
        """Declare the command.

        Args:
            args: arguments of ``click.Command``.
            common: the options in ``--help``, such as ``--text``.
            settings: keyword arguments of ``click.Command``.
        """
        super().__init__(*args, **settings)
        self.common = common

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's parameters, and the options that show help."""
        show_all = click.Option(
            [_ALL],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Show all options and exit.",
        )
        return [*super().get_params(ctx), show_all]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options, or all options."""
        common = {*self.common, *ctx.help_option_names, _ALL}
        shown = [
            record
            for option in self.get_params(ctx)
            if (ctx.meta.get(_ALL) or common.intersection(option.opts))
            and (record := option.get_help_record(ctx)) is not None
        ]
        with formatter.section("Options" if ctx.meta.get(_ALL) else "Common options"):
            formatter.write_dl(shown)


def _show_all(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the help with all options, and end."""
    if asked and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
