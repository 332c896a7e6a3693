"""Exact results for a mechanism with known weights, computed from its distribution.

    Pr[y | x] = m(y) W[d(x, y)] / N(x), where N(x) is the sum of m(.) W[d(x, .)] over the vocabulary

depends only on distances and on the base measure m. So one scan of the codes for each word, which
sums the measure of the outputs at every distance, suffices for every epsilon and parameter. Weights
are int64[bits + 1], by distance; results are floats. ``brrkit.Privatizer.distribution`` has exact
fractions. A bundle's policy may type words as others, or let them pass: ``typed_as``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.hamming import HammingIndex
from brrkit_toolchain.channel.typed_as import TypedAs
from brrkit_toolchain.codes.histograms import all_histograms
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.codes.scans import over_rows, scan
from brrkit_toolchain.io.compiled import compiled

_OUTPUTS_AT_A_TIME = 1_024


@dataclass(frozen=True)
class Surroundings:
    """The surroundings of some words of a vocabulary.

    Attributes:
        codes: uint64[n, bits / 64], codes of all words.
        words: ids [m] of the input words.
        measure: m int64[n], the base measure; by default 1 for all words.
        progress: show a bar on standard error during scans.
        typed: the words that words are typed as, and the passing words; by default no policy.
    """

    codes: NDArray[np.uint64]
    words: NDArray[np.intp]
    measure: NDArray[np.int64] = None  # type: ignore[assignment]
    progress: bool = False
    typed: TypedAs = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.measure is None:
            object.__setattr__(self, "measure", np.ones(len(self.codes), np.int64))
        if self.typed is None:
            object.__setattr__(self, "typed", TypedAs.nothing(len(self.codes)))

    @property
    def bits(self) -> int:
        """Length of a code."""
        return 64 * int(self.codes.shape[1])

    @property
    def inputs(self) -> NDArray[np.intp]:
        """The ids [m] that ``words`` are typed as, the mechanism's inputs."""
        return self.typed.ids[self.words]

    @property
    def drawn(self) -> NDArray[np.float64]:
        """The probability [m] that each word doesn't pass, so that the mechanism draws."""
        return 1 - self.typed.shares[self.words]

    @cached_property
    def masses(self) -> NDArray[np.int64]:
        """The measure [m, bits + 1] of the words at each distance from each input."""
        return all_histograms(self.codes, self.inputs, self.measure, progress=self.progress)

    def losses(self, loss: Callable[..., NDArray[Any]]) -> NDArray[np.float64]:
        """Return the sum [m, bits + 1] of m(y) times the loss of y, at each distance."""
        everything = np.arange(len(self.codes))
        sums = np.empty(self.masses.shape)
        index = HammingIndex(self.codes)
        for row, (word, own) in enumerate(zip(self.words, self.inputs, strict=True)):
            costs = self.measure * np.asarray(loss(np.array([word]), everything), np.float64)
            sums[row] = np.bincount(index.distances(self.codes[own]), costs, self.bits + 1)
        return sums

    def totals(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return N [m], exact: below 2^63 by the choice of W[0]."""
        return self.masses @ weights

    def probabilities(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return Pr[M(x) = y] / m(y) [m, bits + 1], by the distance of y to x."""
        return weights / self.totals(weights)[:, None]

    def unchanged(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return N_w [m]."""
        return self.drawn * self.unchanged_by_draw(weights) + self.typed.shares[self.words]

    def unchanged_by_draw(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probability [m] that the mechanism draws the typed word itself."""
        away = unpack(self.codes[self.inputs] ^ self.codes[self.words]).sum(axis=1)
        rows = np.arange(len(self.words))
        unchanged: NDArray[np.float64] = (
            self.measure[self.words] * self.probabilities(weights)[rows, away]
        )
        return unchanged

    def repeats(
        self, weights: NDArray[np.int64], draws: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probability [m] that two releases of each word agree.

        Also return the expected number [m] of different outputs in ``draws`` draws.
        """
        result = np.empty((2, len(self.words)))
        kernel = partial(
            _repeats,
            self.codes.T.copy(),
            self.codes[self.inputs],
            self.probabilities(weights) * self.drawn[:, None],
            self.measure.astype(np.float64),
            (self.words, self.typed.shares[self.words]),
            draws,
            result,
        )
        over_rows(kernel, len(self.words), description="Outputs", progress=self.progress)
        return result[0], result[1]

    def distance(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected Hamming distance [m] from a word as typed to its output, in bits."""
        expected: NDArray[np.float64] = (self.masses * self.probabilities(weights)) @ np.arange(
            self.bits + 1
        )
        return self.drawn * expected

    def columns(self, weights: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
        """Yield K(y|x) [m, b], for blocks of b outputs y."""
        probabilities = self.probabilities(weights) * self.drawn[:, None]
        passing = np.flatnonzero(self.typed.passing[self.words])
        rows = np.arange(len(self.words))[:, None]
        signs = _signs(self.codes[self.inputs])
        for start in range(0, len(self.codes), _OUTPUTS_AT_A_TIME):
            block = self.codes[start : start + _OUTPUTS_AT_A_TIME]
            measure = self.measure[start : start + _OUTPUTS_AT_A_TIME]
            # Whole numbers below 2^24: exact in float32.
            distances = (self.bits - signs @ _signs(block).T) / 2
            found = probabilities[rows, distances.astype(np.intp)] * measure
            own = self.words[passing]
            here = (start <= own) & (own < start + len(block))
            found[passing[here], own[here] - start] += self.typed.shares[own[here]]
            yield found


@compiled
def _repeats(
    planes: NDArray[np.uint64],
    codes: NDArray[np.uint64],
    probabilities: NDArray[np.float64],
    measure: NDArray[np.float64],
    passing: tuple[NDArray[np.intp], NDArray[np.float64]],
    draws: int,
    result: NDArray[np.float64],
    start: int,
    stop: int,
) -> None:
    """Write both numbers for the words from ``start`` to ``stop`` into ``result`` [2, m].

    ``passing`` contains their ids [m], and the probability [m] that each passes.
    """
    distances, (words, shares) = np.empty(planes.shape[1], np.uint16), passing
    for x in range(start, stop):
        scan(planes, codes[x], 0, distances)
        agreement, distinct, own = 0.0, 0.0, probabilities[x]
        for y in range(len(distances)):
            probability = own[distances[y]] * measure[y]
            if y == words[x]:
                probability += shares[x]
            agreement += probability * probability
            distinct += 1 - max(0.0, 1 - probability) ** draws
        result[0, x], result[1, x] = agreement, distinct


def _signs(codes: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Return codes as +-1, float32[m, bits]: d = (bits - dot product) / 2."""
    return 1 - 2 * unpack(codes).astype(np.float32)
