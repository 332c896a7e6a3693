"""Messages about a wrong call, which name options, and never repeat its values, such as text."""

from __future__ import annotations

import re
from collections.abc import Collection

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
    return error.format_message().replace(
        error.message, _REPEATED.sub("it is not ", error.message), 1
    )


def in_options(message: str, command: click.Command, paths: Collection[str] = ()) -> str:
    """Return a function's message, with options of ``command`` instead of parameters.

    A parameter's name with an underscore is replaced everywhere. Another name is replaced at the
    start of a message, or in its remedy: ``seed must be ...``, ``give force to ...``. If a message
    begins with one of ``paths``, that isn't an option of the same name.
    """
    options = {
        str(option.name).strip("_"): max(option.opts, key=len)
        for option in command.params
        if isinstance(option, click.Option)
    }
    names = {
        some: "|".join(name for name in options if ("_" in name) == some) or "(?!)"
        for some in (True, False)
    }
    for pattern in _PATTERNS_OF_NAMES:
        message = re.sub(
            pattern.format(long=names[True], plain=names[False]),
            lambda found: (
                found[0]
                if found.start() == 0 and found["name"] in paths
                else (found["before"] or "") + options[found["name"]]
            ),
            message,
        )
    return message


_PATTERNS_OF_NAMES = (
    r"(?P<before>)(?:^parameter )?(?<![\w'/.-])(?P<name>{long})(?![\w'/.=-])",
    r"(?P<before>\b(?:[Gg]ive|leave out|or no|or allow more) )(?:an? |the )?(?P<name>{plain})\b"
    r"(?! that|\w|-)",
    r"(?P<before>^)(?:parameter )?(?P<name>{plain})(?= must| needs|: | ')",
    r"(?P<before>^--[\w-]+(?:, with |, and | and |, | or ))(?P<name>{plain})\b",
)

_REPEATED = re.compile(r"""^(?P<quote>["']).*(?P=quote) is not (?=a valid |one of )""", re.DOTALL)
