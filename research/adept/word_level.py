"""Word-level mechanisms on sentences, for comparison: each word by itself, in the same order.

Their guarantee differs: epsilon times the sum of the words' distances for two sentences of equally
many words, and none for others, whose numbers of words distinguish them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.setting import Setting
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of

WORD_MECHANISMS = ("exponential", "brr")

PAIRS = 10_000
"""Number of pairs of sentences of equally many words, for sums of distances."""


class WordLevel:
    """A bundle's words, and the mechanisms on them."""

    def __init__(self, bundle: WordBundle) -> None:
        """Take an opened bundle; the exponential mechanism's radius is the recommended one."""
        self._codes = bundle.codes
        self._tokenizer = bundle.tokenizer
        self._words = list(bundle.vocabulary)
        self._radius = recommended_radius(bundle)

    def rewrite(
        self, texts: Sequence[str], mechanism: str, epsilon: float, generator: np.random.Generator
    ) -> list[str]:
        """Return sentences of privatized words.

        Args:
            texts: sentences.
            mechanism: one of ``WORD_MECHANISMS``.
            epsilon: epsilon per bit.
            generator: source of the noise.
        """
        sentences = self._ids(texts, generator)
        ids, places = np.unique(np.concatenate(sentences), return_inverse=True)
        order = np.argsort(places, kind="stable")
        # All of a word's draws stand together: its row of distances is computed once.
        own = mechanism == "exponential" and self._radius is not None
        parameters: dict[str, Any] = {"radius": self._radius} if own else {}
        release = Channel(bundle_of(self._codes), Setting(epsilon, mechanism, parameters)).releaser(
            generator
        )
        released = np.empty(len(places), np.int64)
        released[order] = release(ids[places[order]])
        ends = np.cumsum([len(sentence) for sentence in sentences])[:-1]
        return [
            " ".join(self._words[word] for word in sentence)
            for sentence in np.split(released, ends)
        ]

    def distances(self, texts: Sequence[str], generator: np.random.Generator) -> NDArray[np.int64]:
        """Return the sums of distances int64[m], in bits, for pairs of equally long sentences.

        m is ``PAIRS``; 0 if no two sentences have equally many words.
        """
        groups: dict[int, list[NDArray[np.intp]]] = {}
        for sentence in self._ids(texts, generator):
            groups.setdefault(len(sentence), []).append(sentence)
        lengths = [length for length, group in groups.items() if len(group) > 1]
        if not lengths:
            return np.empty(0, np.int64)
        pairs = np.array([len(groups[length]) * (len(groups[length]) - 1) for length in lengths])
        counts = generator.multinomial(PAIRS, pairs / pairs.sum())
        sums = []
        for length, count in zip(lengths, counts, strict=True):
            group = np.array(groups[length])
            first = generator.integers(len(group), size=count)
            second = (first + generator.integers(1, len(group), size=count)) % len(group)
            differing = self._codes[group[first]] ^ self._codes[group[second]]
            sums.append(np.bitwise_count(differing).astype(np.int64).sum(axis=(1, 2)))
        return np.concatenate(sums)

    def _ids(self, texts: Sequence[str], generator: np.random.Generator) -> list[NDArray[np.intp]]:
        """Return the words' ids, with unknown words replaced like in the runtime."""
        count = len(self._words)
        sentences = []
        for text in texts:
            found = [token.word_id for token in self._tokenizer.read(text)]
            drawn = generator.integers(count, size=len(found))
            ids = [
                int(any_) if known is None else known
                for known, any_ in zip(found, drawn, strict=True)
            ]
            sentences.append(np.array(ids, np.intp))
        return sentences


def recommended_radius(bundle: WordBundle) -> int | None:
    """Return the radius of a bundle's recommended setting; None if it has none."""
    found = {} if bundle.recommended is None else bundle.recommended.parameters
    return found.get("radius")
