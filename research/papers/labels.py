"""Labels of words, and the cost of replacing a word by one with another label."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit_toolchain.io.tables.reading import rows


def mismatch(inputs: NDArray[Any], outputs: NDArray[Any]) -> NDArray[Any]:
    """Return 0 where the words are the same, else 1: the papers' d_E."""
    different: NDArray[Any] = inputs != outputs
    return different


@dataclass(frozen=True)
class Labels:
    """Labels of words, from a file.

    Attributes:
        name: name of the file.
        of: int[n], number of each word's label, by the word's id, or -1.
        names: the labels, by number.
        unknown: words of the file that are out of vocabulary.
    """

    name: str
    of: NDArray[np.int64]
    names: tuple[str, ...]
    unknown: int

    @property
    def words(self) -> NDArray[np.intp]:
        """The ids of the labeled words."""
        return np.flatnonzero(self.of >= 0)

    def loss(self, inputs: NDArray[Any], outputs: NDArray[Any]) -> NDArray[Any]:
        """Return 0 where the output has the input's label, else 1.

        An output without a label has lost it: 1. (If it cost nothing, so would pure noise, whose
        outputs are mostly unlabeled.)
        """
        return mismatch(self.of[inputs], self.of[outputs])


def read_labels(file: Path, bundle: WordBundle) -> Labels:
    """Read a table with the columns ``word`` and ``label``, by its suffix.

    Raises:
        ParameterError: the file can't be read, lacks a column, gives a word two labels, or labels
            fewer than two of the bundle's words or all alike.
    """
    numbers: dict[str, int] = {}
    seen: dict[str, str] = {}
    of = np.full(len(bundle), -1, np.int64)
    for place, fields in rows(file, ["word", "label"]):
        word, label = bundle.tokenizer.normalize(fields[0]), fields[1].strip()
        if not word or not label:
            raise ParameterError(f"{place}: a word or its label is missing; fill it in")
        if seen.setdefault(word, label) != label:
            raise ParameterError(f"{place}: the word has another label above; keep one")
        word_id = bundle.vocabulary.find(word)
        if word_id is not None:
            of[word_id] = numbers.setdefault(label, len(numbers))
    known = int((of >= 0).sum())
    if known < 2 or len(numbers) < 2:
        raise ParameterError(
            f"{file}: {known} of its {len(seen)} words are in the vocabulary, with {len(numbers)} "
            "different labels; at least two words and two labels are needed"
        )
    return Labels(file.name, of, tuple(numbers), len(seen) - known)
