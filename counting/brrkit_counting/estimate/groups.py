"""Groups of words with wanted totals, from files."""

from __future__ import annotations

from pathlib import Path

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.list_tokenizer import STRINGS
from brrkit_counting.estimate.options import GroupFiles
from brrkit_toolchain.io.files import text_lines
from brrkit_toolchain.io.tables.reading import rows

WORD, GROUP = "word", "group"
"""Columns of a table of groups."""


def read_group_files(files: GroupFiles, bundle: WordBundle) -> dict[str, list[str]]:
    """Return the words of each group of ``files``, normalized.

    Raises:
        ParameterError: as for ``read_group`` and ``read_groups``.
    """
    of_lists = {str(path): read_group(path, bundle) for path in files.lists}
    return of_lists | (read_groups(files.groups_file, bundle) if files.groups_file else {})


def read_groups(path: Path, bundle: WordBundle) -> dict[str, list[str]]:
    """Return the words of each group of a table, normalized, in the table's order.

    Args:
        path: a table with ``WORD`` and ``GROUP``. A word may be in several groups; words that
            aren't in the vocabulary are left out.
        bundle: the bundle with the vocabulary.

    Raises:
        ParameterError: the file can't be read, has no rows or an empty field, or a group has none
            of the vocabulary's words.
    """
    find = bundle.vocabulary.find
    groups: dict[str, list[str]] = {}
    places: dict[str, str] = {}
    for place, (written, name) in rows(path, [WORD, GROUP]):
        word, group = _spelled(written, bundle), name.strip()
        if not word or not group:
            raise ParameterError(f"{place} has an empty field; repair the row")
        places.setdefault(group, place)
        groups.setdefault(group, [])
        if find(word) is not None:
            groups[group].append(word)
    if not groups:
        raise ParameterError(f"{path}: has no groups; write a word and its group in each row")
    for group, words in groups.items():
        if not words:
            raise ParameterError(
                f"{places[group]}: none of this group's words is in the bundle's vocabulary; "
                "correct them, or leave the group out"
            )
    return groups


def read_group(path: Path, bundle: WordBundle) -> list[str]:
    """Return the words of one group, normalized.

    Args:
        path: a text with one word on each line.
        bundle: the bundle with the vocabulary.

    Raises:
        ParameterError: the file can't be read, or has no words.
    """
    lines = text_lines(path, "the word list")
    words = [_spelled(line.rstrip("\r\n"), bundle) for line in lines]
    if not any(words):
        raise ParameterError(f"{path}: the word list is empty; write a word on each line")
    return [word for word in words if word]


def _spelled(written: str, bundle: WordBundle) -> str:
    """Return a word in the vocabulary's form; surrounding spaces belong to an ``as_is`` string."""
    return bundle.tokenizer.normalize(written if bundle.list_of == STRINGS else written.strip())
