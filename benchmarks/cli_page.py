"""The reference of the command line, written from the commands themselves.

    python -m benchmarks.cli_page

rewrites in docs/reference/cli.md what is between ``<!-- commands -->`` and ``<!-- end -->``: of
each command its description, its examples and its options, as ``--help`` has them. Options that
several commands declare alike are described once.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator

import click

from benchmarks.provenance import ROOT
from benchmarks.reference import rewrite, with_part
from brrkit_toolchain.cli import cli

PAGE = ROOT / "docs" / "reference" / "cli.md"


def rewritten(text: str) -> str:
    """Return a page with the current commands.

    Raises:
        ValueError: the page has no place for them.
    """
    return with_part(text, "commands", described())


def described(group: click.Group = cli) -> str:
    """Return the reference of all commands of a group, in Markdown."""
    commands = list(_commands(click.Context(group, info_name="brr", **group.context_settings)))
    shared = _shared(option for context in commands for option in _options(context))
    parts = ["## Options of several commands", "\n".join(shared)]
    for context in commands:
        parts += _section(context, shared)
    return "\n\n".join(parts) + "\n"


def _commands(group: click.Context) -> Iterator[click.Context]:
    """Yield a context for each command, with groups before their commands."""
    assert isinstance(group.command, click.Group)
    for name in dict.fromkeys([*group.command.commands, *group.command.list_commands(group)]):
        command = group.command.get_command(group, name)
        assert command is not None
        context = click.Context(command, parent=group, info_name=name)
        yield context
        if isinstance(command, click.Group):
            yield from _commands(context)


def _shared(options: Iterable[click.Option]) -> list[str]:
    """Return the common lines of several commands: for each name, the most frequent one."""
    found: dict[str, str] = {}
    for (name, line), times in Counter((_name(o), _line(o)) for o in options).most_common():
        if times > 1:
            found.setdefault(name, line)
    return sorted(found.values())


def _section(context: click.Context, shared: list[str]) -> Iterator[str]:
    path = context.command_path
    yield f"{'#' * len(path.split())} {path}"
    about, *more = inspect.cleandoc(context.command.help or "").split("\n\n")
    examples = [part for part in more if part.startswith("\b")]
    yield _prose(about)
    if not isinstance(context.command, click.Group):
        usage = " ".join(context.command.collect_usage_pieces(context))
        lines = [line for part in examples for line in part.splitlines()[1:]]
        yield "\n".join(["```", f"{path} {usage}", *lines, "```"])
    yield from (_prose(part) for part in more if part not in examples)
    options = list(_options(context))
    if own := [line for line in map(_line, options) if line not in shared]:
        yield "\n".join(own)
    if others := [f"`{_name(option)}`" for option in options if _line(option) in shared]:
        yield f"[Also](#options-of-several-commands) {', '.join(others)}."


def _options(context: click.Context) -> Iterator[click.Option]:
    for parameter in context.command.params:
        if isinstance(parameter, click.Option):
            yield parameter


def _name(option: click.Option) -> str:
    return "/".join([*option.opts, *option.secondary_opts])


def _line(option: click.Option) -> str:
    """Return an option's line: its names, its argument, its effect and its default."""
    default = f" ({option.default})" if option.show_default else ""
    required = " (required)" if option.required else ""
    return f"* `{_name(option)}{_value(option)}`{default}{required}: {_prose(option.help or '')}"


def _value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        value = "|".join(map(str, option.type.choices))
    else:
        kind = "integer" if isinstance(option.type, click.IntRange) else option.type.name
        value = option.metavar or kind.upper()
    joined = option.nargs == 1 and option.opts[0].startswith("--")
    return f"{'=' if joined else ' '}{value}"


def _prose(text: str) -> str:
    """Return a help text as a paragraph of Markdown."""
    return " ".join(text.split()).replace("*", "\\*").replace("<", "\\<")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Rewrite the command line's reference from the commands."""
    rewrite(PAGE, rewritten)


if __name__ == "__main__":
    main()
