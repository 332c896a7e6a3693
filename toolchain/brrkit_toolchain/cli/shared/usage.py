"""What is said of a wrong call: in options, and never what was typed in it, which may be a text."""

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
    """Return a function's message with the options of ``command`` for the parameters it names.

    A name with an underscore is one wherever it stands. Another is where a message names what is
    wrong, first, or what to do: ``seed must be ...``, ``give force to ...``. A message that begins
    with one of ``paths`` names that, and not an option of the same name.
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
