"""The kept rows of an embedding file in any format, and the skipped ones, by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.writing import Writing

from .formats.rows import RowBatch
from .untypable_words import UntypableWords, looks_untypable
from .usable_words import Skip, usable_word

Cut = Callable[[Sequence[str]], Collection[str]]
"""Returns those of the words, given in their order, that are cut in texts by the others."""


@dataclass(frozen=True)
class WordFilter:
    """The choice of words; the fields are arguments of ``read_embeddings``."""

    writing: Writing
    allowed: frozenset[str] | None
    unwanted: Mapping[str, Skip]
    limit: int | None
    cut: Cut | None


class WordSelection:
    """The kept words of a file, and the number of skipped rows, by reason."""

    def __init__(self, wanted: WordFilter) -> None:
        self._filter = wanted
        self._words: dict[str, bool] = {}  # whether it is kept; cut words aren't
        self._count = 0
        self._vectors: list[NDArray[np.float32]] = []
        self._skips: Counter[Skip] = Counter()
        self.untypable = UntypableWords()

    def __len__(self) -> int:
        return self._count

    @property
    def words(self) -> list[str]:
        """The words, in the order of the file."""
        return [word for word, kept in self._words.items() if kept]

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The words' vectors, float32[words, dimensions]; at least one."""
        vectors = np.concatenate(self._vectors)
        return vectors if len(vectors) == self._count else vectors[list(self._words.values())]

    @property
    def skipped(self) -> dict[str, int]:
        """The number of unused rows, by reason."""
        return {skip.value: self._skips[skip] for skip in Skip if self._skips[skip]}

    def add(self, batch: RowBatch) -> bool:
        """Add the usable rows of a batch; return whether there are enough words."""
        finite = np.asarray(np.isfinite(batch.vectors).all(axis=1))
        nonzero = np.asarray(batch.vectors.any(axis=1))
        used: list[int] = []
        enough = False
        for row, raw in enumerate(batch.words):
            skip = self._skip(raw, bool(finite[row]), bool(nonzero[row]))
            if skip is not None:
                self._skips[skip] += 1
                continue
            used.append(row)
            if self._count == self._filter.limit and self.settled():
                enough = True
                break
        if used:
            self._vectors.append(batch.vectors[used])
        return enough

    def settled(self) -> bool:
        """Leave out the words that the others cut; return whether there were none."""
        if self._filter.cut is None or not (cut := self._filter.cut(self.words)):
            return True
        self._words.update(dict.fromkeys(cut, False))
        self._skips[Skip.CUT] += len(cut)
        self._count -= len(cut)
        return False

    def _skip(self, raw: bytes, finite: bool, nonzero: bool) -> Skip | None:
        """Add a row's word, or return the reason for which the row isn't used."""
        self.untypable.rows += 1
        word = usable_word(raw, self._filter.writing)
        if word is Skip.SIGNS or (isinstance(word, str) and looks_untypable(word)):
            self.untypable.add(raw)
        if isinstance(word, Skip):
            return word
        wanted, unwanted = self._filter, self._filter.unwanted
        reasons = (
            (wanted.allowed is not None and word not in wanted.allowed, Skip.NOT_LISTED),
            (word in unwanted, unwanted.get(word)),
            (word.strip("'") in unwanted, unwanted.get(word.strip("'"))),
            (word in self._words, Skip.DUPLICATE),
            (not finite, Skip.NOT_FINITE),
            (not nonzero, Skip.ZERO),
        )
        for applies, skip in reasons:
            if applies:
                return skip
        self._words[word] = True
        self._count += 1
        return None
