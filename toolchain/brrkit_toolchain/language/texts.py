"""Texts as ids of a vocabulary's words, the input of mechanisms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError
from brrkit.policy import NO_POLICY
from brrkit.tokenizer import Token, Tokenizer
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.io.tables.formats import TEXT, format_of
from brrkit_toolchain.io.tables.parts import Columns
from brrkit_toolchain.io.tables.reading import opened
from brrkit_toolchain.language.coverage import FREQUENT, Coverage
from brrkit_toolchain.language.run_cache import RunCache
from brrkit_toolchain.writing.scripts import is_unspaced

_MOST_UNKNOWN_KINDS = 1 << 18  # largest number of distinguished unknown tokens


@dataclass(frozen=True)
class TypedText:
    """One text, as ids.

    Attributes:
        ids: int32[t], id of each token's word; the vocabulary's size for an unknown word.
        digits: bool[t], whether the token has a digit.
        typed_as: int32[t], id of the word that each token is typed as by a bundle's policy: the
            head of a list for its members, and for its forms, which have no ids of their own. By
            default ``ids``.
    """

    ids: NDArray[np.int32]
    digits: NDArray[np.bool_]
    typed_as: NDArray[np.int32] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.typed_as is None:
            object.__setattr__(self, "typed_as", self.ids)

    def start(self, tokens: int) -> TypedText:
        """Return the text's first ``tokens`` tokens."""
        return TypedText(self.ids[:tokens], self.digits[:tokens], self.typed_as[:tokens])


class TextIds:
    """Turns texts into ids.

    The ids are those of the typed words, without a policy: attackers want to recover these words.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Store the tokenizer."""
        self.unknown = len(tokenizer.vocabulary)
        """The id for all words outside the vocabulary."""
        self._heads = {each.head for each in tokenizer.policy.lists}
        self._as_typed = replace(tokenizer, policy=NO_POLICY)
        self._seen = RunCache(tokenizer, self._number)
        self._tokens = self._unknown_tokens = 0
        self._frequent = np.zeros(min(FREQUENT, self.unknown), np.bool_)
        self._unknown_kinds: set[str] = set()

    def __call__(self, text: str) -> TypedText:
        """Return the tokens of ``text``."""
        found = np.frombuffer(self._seen.read(text), np.int64)
        typed_as, rest = np.divmod(found, 2 * (self.unknown + 1))
        ids = (rest >> 1).astype(np.int32)
        self._tokens += len(ids)
        self._unknown_tokens += int(np.count_nonzero(typed_as == self.unknown))
        return TypedText(ids, (rest & 1).astype(np.bool_), typed_as.astype(np.int32))

    @property
    def coverage(self) -> Coverage:
        """The vocabulary's coverage of the texts so far."""
        return Coverage(
            self._tokens,
            self._unknown_tokens,
            float(self._frequent.mean()),
            2 * sum(map(is_unspaced, self._unknown_kinds)) > len(self._unknown_kinds),
        )

    def _number(self, token: Token) -> int:
        """Return the id that a token is typed as, its own id, and its digit flag, as one number."""
        typed_as = word_id = token.word_id
        if word_id in self._heads:
            word_id = self._as_typed.look_up(token.text)
        if typed_as is None and len(self._unknown_kinds) < _MOST_UNKNOWN_KINDS:
            self._unknown_kinds.add(token.text)
        if word_id is not None and word_id < len(self._frequent):
            self._frequent[word_id] = True
        known, typed = (self.unknown if each is None else each for each in (word_id, typed_as))
        has_digit = any(character.isdigit() for character in token.text)
        return 2 * ((self.unknown + 1) * typed + known) + has_digit


def check_texts(path: Path, column: str | None = None) -> None:
    """Check that ``read_texts`` can open a file, and that it has the column.

    Raises:
        ParameterError: as for ``read_texts``.
    """
    file_format, column = _format_and_column(path, column)
    with opened(path, file_format, Columns([column])):
        pass


def _format_and_column(path: Path, column: str | None) -> tuple[str, str]:
    """Return a file's format, and the column of its texts."""
    file_format = format_of(path)
    if file_format == TEXT:
        if column is not None:
            raise ParameterError(f"{path}: a text file has no columns; name none")
        return file_format, TEXT
    if column is None:
        raise ParameterError(f"{path}: has columns; name the one that contains the texts")
    return file_format, column


def read_texts(path: Path, column: str | None = None, *, progress: bool = False) -> Iterator[str]:
    """Yield the texts of a file, one for each row.

    Args:
        path: a text (one text a line), CSV, TSV, JSON lines or Parquet file, by its suffix; all but
            Parquet may be compressed.
        column: column of the texts; not for a text file.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: the file can't be read, or has no such column.
    """
    file_format, column = _format_and_column(path, column)
    with (
        opened(path, file_format, Columns([column])) as table,
        Progress(
            total=table.total,
            desc=path.name,
            unit_scale=True,
            progress=progress,
        ) as bar,
    ):
        for part in table.parts:
            yield from (text for text in part.texts(column) if text is not None)
            bar.update(table.position() - bar.n)


def ids_of(texts: Iterable[str], convert: TextIds) -> list[TypedText]:
    """Return each of ``texts`` that has a token, as ids."""
    return [ids for text in texts if len((ids := convert(text)).ids)]
