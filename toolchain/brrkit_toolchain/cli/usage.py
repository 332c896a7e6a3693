"""What is said of a wrong call: never what was typed in it, which may be a text."""

from __future__ import annotations

import re

import click


def usage_message(error: click.ClickException) -> str:
    """Return click's message without the values, words and names that it repeats."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption):
        meant = " or ".join(error.possibilities or ())
        return "There is no such option" + (f"; did you mean {meant}?" if meant else ".")
    if error.message.startswith("No such command") and isinstance(context, click.Context):
        assert isinstance(context.command, click.Group)
        known = ", ".join(context.command.list_commands(context))
        return f"There is no such command; choose one of: {known}"
    if error.message.startswith("Got unexpected extra"):
        return "Got unexpected extra arguments; see --help"
    return error.format_message().replace(error.message, _VALUE.sub("it is not ", error.message), 1)


_VALUE = re.compile(r"""^(?P<quote>["']).*(?P=quote) is not (?=a valid |one of )""", re.DOTALL)
