"""A command's output paths, and their checks before it runs."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from brrkit.errors import BrrError
from brrkit_toolchain.cli.shared import NamedPath
from brrkit_toolchain.cli.shared.usage import in_options


class Written(NamedPath):
    """A path that a command writes; it reads all other paths.

    Attributes:
        role: role of the path for ``check_outputs``.
    """

    def __init__(self, role: str, **options: Any) -> None:
        super().__init__(path_type=Path, **options)
        self.role = role


class Source(click.types.StringParamType):
    """Embeddings: a file, a member of an archive, or a data set's name."""


SOURCE = Source()

OUTPUT = Written("files")
"""A file to write; replaces an existing file."""

OUTPUT_FOLDER = Written("folders")
"""A folder to write; replaces an existing folder only with ``--force``."""

KEPT_FILE = Written("places", dir_okay=False)
"""A file to which a command adds."""


def check_outputs_first(command: click.Command) -> click.Command:
    """Make ``command`` first refuse outputs that are also inputs, or that can't be written.

    Messages name the command's options. For a group, this applies to each of its commands.
    """
    if isinstance(command, click.Group):
        for each in command.commands.values():
            check_outputs_first(each)
        return command
    run = command.callback
    assert run is not None

    @functools.wraps(run)
    def check_and_run(**values: Any) -> Any:
        from brrkit_toolchain.io.outputs import check_outputs

        paths: dict[str, list[Path]] = defaultdict(list)
        given = set()
        for parameter in command.params:
            for role, path in _paths(parameter.type, values[str(parameter.name)]):
                paths[role].append(path)
                given.add(str(path))
        try:
            check_outputs(paths.pop("inputs", []), paths.pop("files", []), **paths)
            return run(**values)
        except BrrError as error:
            error.args = (in_options(str(error), command, given), *error.args[1:])
            raise

    command.callback = check_and_run
    return command


def _paths(kind: click.ParamType[Any], value: Any) -> Iterator[tuple[str, Path]]:
    """Yield the paths in an option's value, with their roles."""
    if isinstance(value, tuple):
        kinds = kind.types if isinstance(kind, click.Tuple) else [kind] * len(value)
        for each, part in zip(kinds, value, strict=True):
            yield from _paths(each, part)
    elif isinstance(kind, NamedPath) and value is not None:
        if not (kind.allow_dash and value == Path("-")):
            yield kind.role if isinstance(kind, Written) else "inputs", value
    elif isinstance(kind, Source) and value:
        archive = Path(value.rpartition(":")[0])
        yield "inputs", archive if archive.is_file() else Path(value)
