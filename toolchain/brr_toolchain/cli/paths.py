"""Kinds of paths in arguments and options, and what they are checked for before a command runs."""

from __future__ import annotations

import functools
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click


class NamedPath(click.Path):
    """A path that isn't the empty text, which would be the current folder.

    Attributes:
        role: what ``check_outputs`` takes it for.
    """

    def __init__(self, role: str = "inputs", **options: Any) -> None:
        super().__init__(path_type=Path, **options)
        self.role = role

    def convert(  # noqa: D102 - as click's
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if not os.fspath(value):
            self.fail("it is empty; name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


class Source(click.ParamType[str]):
    """Embeddings: a file, a member of an archive, or a data set's name."""

    name = "text"


PATH = NamedPath()
FILE = NamedPath(dir_okay=False)
TEXT = NamedPath(dir_okay=False, allow_dash=True)
"""A file to read, or - for standard input."""

SOURCE = Source()

OUTPUT = NamedPath("files")
"""A file to write. One that is there is replaced."""

OUTPUT_FOLDER = NamedPath("folders")
"""A folder to write. One that is there is replaced with ``--force`` only."""

KEPT = NamedPath("places")
"""A file or folder that a command adds to, or whose folders it makes."""

KEPT_FILE = NamedPath("places", dir_okay=False)


def checked(command: click.Command) -> click.Command:
    """Let ``command`` refuse outputs that are inputs, or can't be written, before it does anything.

    Of a group, each of its commands.
    """
    if isinstance(command, click.Group):
        for each in command.commands.values():
            checked(each)
        return command
    run = command.callback
    assert run is not None

    @functools.wraps(run)
    def check_and_run(**values: Any) -> Any:
        from brr_toolchain.system.outputs import check_outputs

        paths: dict[str, list[Path]] = defaultdict(list)
        for parameter in command.params:
            for role, path in _paths(parameter.type, values[str(parameter.name)]):
                paths[role].append(path)
        check_outputs(paths.pop("inputs", []), paths.pop("files", []), **paths)
        return run(**values)

    command.callback = check_and_run
    return command


def _paths(kind: click.ParamType[Any], value: Any) -> Iterator[tuple[str, Path]]:
    """Yield the paths in an option's value, with their roles."""
    if isinstance(value, tuple):
        kinds = kind.types if isinstance(kind, click.Tuple) else [kind] * len(value)
        for each, part in zip(kinds, value, strict=True):
            yield from _paths(each, part)
    elif isinstance(kind, NamedPath) and value not in (None, Path("-")):
        yield kind.role, value
    elif isinstance(kind, Source) and value:
        archive = Path(value.rpartition(":")[0])
        yield "inputs", archive if archive.is_file() else Path(value)
