"""Pr[y | x] for the words y that came out and every word x: what an attacker makes of one output.

Columns only: all words times all words would be 20 GB at 50,000.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from brrkit_toolchain.codes.pairs import popcount


@dataclass(frozen=True)
class Channel:
    """A mechanism whose probabilities depend on the distance from input to output.

    Attributes:
        codes: uint64[n, bits / 64].
        table: float64[bits + 1], by that distance; in any unit.
        scales: float64[n], for each input; table[d(x, y)] * scales[x] is in proportion to Pr[y | x]
            for each y.
        exact: the probabilities are the mechanism's own; else they were estimated from draws.
    """

    codes: NDArray[np.uint64]
    table: NDArray[np.float64]
    scales: NDArray[np.float64]
    exact: bool

    def likelihoods(self, outputs: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return float32[t, n + 1], in proportion to Pr[y | x] for each of ``outputs`` [t].

        The last column is of the unknown words, in whose place the mechanism gets a uniformly drawn
        one (the policy ``random``).
        """
        result = np.empty((len(outputs), len(self.codes) + 1), np.float32)
        table = self.table / self.table.max()
        scales = self.scales / self.scales.max()
        _likelihoods(self.codes, outputs, table, scales, result)
        return result


def weighted_channel(
    codes: NDArray[np.uint64], weights: NDArray[np.int64], histograms: NDArray[np.int32]
) -> Channel:
    """Return the channel of a mechanism with Pr[y | x] = W[d(x, y)] / N(x).

    Args:
        codes: uint64[n, bits / 64].
        weights: W int64[bits + 1].
        histograms: int32[n, bits + 1], how many words are at each distance from each word.
    """
    table = weights / weights[0]
    return Channel(codes, table, 1 / (histograms @ table), exact=True)


def drawn_channel(
    codes: NDArray[np.uint64],
    histograms: NDArray[np.int32],
    inputs: NDArray[np.int64],
    outputs: NDArray[np.int64],
) -> Channel:
    """Estimate the channel of a mechanism from draws.

    The estimate takes the probability of an output at a distance to be the same for every word but
    for its normalizer. It is a lower bound of what an attacker can know of such a mechanism.

    Args:
        codes: uint64[n, bits / 64].
        histograms: as for ``weighted_channel``.
        inputs: ids [m] of words that were drawn uniformly.
        outputs: ids [m] of what came out for them.
    """
    bits = 64 * codes.shape[1]
    distances = np.bitwise_count(codes[inputs] ^ codes[outputs]).sum(axis=1)
    seen = np.bincount(distances.astype(np.intp), minlength=bits + 1).astype(np.float64)
    # Half a draw at every distance: nothing is impossible because it wasn't seen.
    possible = histograms[inputs].sum(axis=0, dtype=np.float64)
    table = np.divide(seen + 0.5, possible, out=np.zeros(bits + 1), where=possible > 0)
    # Farther words aren't more probable: without this, distances that few words have are noise.
    table = np.maximum.accumulate(table[::-1])[::-1]
    return Channel(codes, table, 1 / (histograms @ table), exact=False)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _likelihoods(
    codes: NDArray[np.uint64],
    outputs: NDArray[np.int64],
    table: NDArray[np.float64],
    scales: NDArray[np.float64],
    result: NDArray[np.float32],
) -> None:
    words, planes = codes.shape
    for t in range(len(outputs)):
        y, total = outputs[t], 0.0
        for x in range(words):
            d = np.uint64(0)
            for plane in range(planes):
                d += popcount(codes[x, plane] ^ codes[y, plane])
            value = table[d] * scales[x]
            total += value
            result[t, x] = value
        result[t, words] = total / words
