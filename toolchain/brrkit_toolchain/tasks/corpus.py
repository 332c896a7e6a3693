"""Labeled texts as ids of vocabulary words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.tokenizer import Tokenizer
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.texts import TextIds
from brrkit_toolchain.tasks.dataset import Dataset


@dataclass(frozen=True)
class Corpus:
    """Texts as word ids, one text after the other.

    Attributes:
        ids: intp[total]; words outside the vocabulary are left out.
        offsets: intp[n + 1]; text i is ``ids[offsets[i]:offsets[i + 1]]``, never empty.
        labels: intp[n].
        testing: bool[n], whether each text is for testing; None for a random split.
        unknown: number of texts left out because they had no word of the vocabulary.
    """

    ids: NDArray[np.intp]
    offsets: NDArray[np.intp]
    labels: NDArray[np.intp]
    testing: NDArray[np.bool_] | None
    unknown: int

    def counts(self, words: int) -> NDArray[np.int64]:
        """Return the number of occurrences of each of the ``words`` ids."""
        return np.bincount(self.ids, minlength=words)

    def start(self, texts: NDArray[np.intp], tokens: int | None) -> Texts:
        """Return the first ``tokens`` words (None for all) of each of ``texts`` [m]."""
        begins, ends = self.offsets[texts], self.offsets[texts + 1]
        return _cut(self.ids, begins, ends, self.labels[texts], tokens)


@dataclass(frozen=True)
class Texts:
    """Some texts: word ids [total], offsets [m + 1] and labels [m], as in ``Corpus``."""

    ids: NDArray[np.intp]
    offsets: NDArray[np.intp]
    labels: NDArray[np.intp]

    def start(self, tokens: int) -> Texts:
        """Return the first ``tokens`` words of each text."""
        return _cut(self.ids, self.offsets[:-1], self.offsets[1:], self.labels, tokens)


def _cut(
    ids: NDArray[np.intp],
    begins: NDArray[np.intp],
    ends: NDArray[np.intp],
    labels: NDArray[np.intp],
    tokens: int | None,
) -> Texts:
    if tokens is not None:
        ends = np.minimum(ends, begins + tokens)
    lengths = ends - begins
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], lengths)
    return Texts(ids[places], offsets, labels)


def read_corpus(dataset: Dataset, tokenizer: Tokenizer, *, progress: bool = False) -> Corpus:
    """Cut the texts into tokens like the device, and look these up in the vocabulary.

    Raises:
        ParameterError: no text has a word of the vocabulary.
    """
    convert = TextIds(tokenizer)
    texts: list[NDArray[np.intp]] = []
    kept: list[int] = []
    shown = Progress(
        dataset.texts,
        desc="Words of the texts",
        unit=" texts",
        progress=progress,
    )
    for number, text in enumerate(shown):
        ids = convert(text).ids
        found = ids[ids < convert.unknown]
        if len(found):
            texts.append(found.astype(np.intp))
            kept.append(number)
    if not texts:
        raise ParameterError(
            f"{dataset.name}: no text has a word of the bundle's vocabulary; check "
            "the column and the language"
        )
    convert.coverage.warn(dataset.name, tokenizer.writing)
    return Corpus(
        ids=np.concatenate(texts),
        offsets=np.concatenate([[0], np.cumsum([len(text) for text in texts])]),
        labels=dataset.labels[kept],
        testing=None if dataset.testing is None else dataset.testing[kept],
        unknown=len(dataset.texts) - len(kept),
    )
