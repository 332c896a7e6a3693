"""Files of words for a policy."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from brrkit.errors import ParameterError
from brrkit.normal_form import normalize
from brrkit.tokenizer import tokenize
from brrkit.writing import Writing
from brrkit_toolchain.io.files import text_lines

_LONGEST_WORD = 64  # code points
_LONGEST_NAME = 64
_COMPRESSED = (".gz", ".xz")
_NO_NAME = re.compile("[^a-z0-9_-]")


@dataclass(frozen=True)
class ListFile:
    """The words of a file, one a line.

    Attributes:
        path: path of the file.
        name: name of the list: the file's name without its suffix.
        line_of: line number of each normalized word, in the order of the file.
    """

    path: Path
    name: str
    line_of: Mapping[str, int]

    def at(self, word: str) -> str:
        """Return a word's place, for messages."""
        return f"{self.path}: line {self.line_of[word]}"


def read_list_file(path: str | os.PathLike[str], writing: Writing) -> ListFile:
    """Read a file of words: UTF-8, one a line; lines that begin with ``#`` are comments.

    Args:
        path: path of the file, which may be compressed.
        writing: the vocabulary's rules for normalizing and cutting words.

    Raises:
        ParameterError: the file can't be read or has no words, or a line isn't one word.
    """
    path = Path(path)
    line_of: dict[str, int] = {}
    for number, line in enumerate(text_lines(path, "the list of words"), start=1):
        word = normalize(line.strip(), writing)
        if not word or word.startswith("#"):
            continue
        if tokenize(word, writing) != [word]:
            raise ParameterError(
                f"{path}: line {number} isn't one word; write one word per line, without signs "
                "and spaces that cut it"
            )
        if len(word) > _LONGEST_WORD:
            raise ParameterError(
                f"{path}: line {number} has more than {_LONGEST_WORD} characters; leave it out"
            )
        line_of.setdefault(word, number)
    if not line_of:
        raise ParameterError(f"{path}: the list has no words; write one word per line")
    return ListFile(path, _name(path), line_of)


def read_list_files(
    paths: Sequence[str | os.PathLike[str]], writing: Writing, *, first: bool = False
) -> list[ListFile]:
    """Read the files of several lists, so that no word is in two of them.

    Args:
        paths: paths of the files.
        writing: as for ``read_list_file``.
        first: keep a word on the first of its lists; otherwise, a word on two is an error.

    Raises:
        ParameterError: as for ``read_list_file``; or two lists have one name or one word.
    """
    files: dict[str, ListFile] = {}
    owners: dict[str, ListFile] = {}
    for path in paths:
        file = read_list_file(path, writing)
        if file.name in files:
            raise ParameterError(
                f"{file.path}: its list is named {file.name}, like that of "
                f"{files[file.name].path}; rename one of the files"
            )
        own = {}
        for word, number in file.line_of.items():
            owner = owners.setdefault(word, file)
            if owner is file:
                own[word] = number
            elif not first:
                raise ParameterError(
                    f"{file.at(word)} is on the list {owner.at(word)}, too; keep it on one, or "
                    "give first to keep it on the first"
                )
        files[file.name] = ListFile(file.path, file.name, own)
    return list(files.values())


def _name(path: Path) -> str:
    bare = path.with_suffix("") if path.suffix in _COMPRESSED else path
    name = _NO_NAME.sub("-", bare.stem.lower())
    if len(name) > _LONGEST_NAME:
        raise ParameterError(
            f"{path}: a list is named after its file, in {_LONGEST_NAME} characters at most; "
            "rename the file"
        )
    return name
