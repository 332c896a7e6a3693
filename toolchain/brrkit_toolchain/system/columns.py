"""The columns of a table of texts, by the names in its first line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from brrkit.errors import ParameterError


def place_of(path: Path, first: Sequence[str], name: str) -> int:
    """Return the place of the column ``name`` in a table's ``first`` line.

    Raises:
        ParameterError: it isn't there, or several times. The message says how many fields the line
            has, and none of them: of a table without names they are what somebody typed.
    """
    times = first.count(name)
    if times != 1:
        raise ParameterError(
            f"{path}: the first line names {'several columns' if times else 'no column'} {name!r} "
            f"among its {len(first)} fields; write the columns' names there, or name another column"
        )
    return first.index(name)
