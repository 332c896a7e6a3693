"""Pr[y | x] for the words y that came out and every word x: what an attacker makes of one output.

Columns only: all words times all words would be 20 GB at 50,000.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from brrkit_toolchain.codes.scans import distances
from brrkit_toolchain.measure.distribution import Surroundings

Levels = Callable[[NDArray[np.int64]], NDArray[np.uint16]]
"""Ids [t] in; out, for each, its distance from every word, uint16[t, n], in some whole unit."""

_UNITS = 256  # steps of Euclidean distances
_ROWS = 64  # outputs at a time
_WORDS = 2_000  # that stand for all, where a normalizer is estimated


@dataclass(frozen=True)
class Channel:
    """A mechanism whose probabilities depend on the distance from input to output.

    Attributes:
        levels: the distances.
        table: float64, by distance; in any unit.
        scales: float64[n], for each input x; table[d(x, y)] * scales[x] is in proportion to
            Pr[y | x], for each y.
        exact: the probabilities are the mechanism's own; else they were estimated from draws.
    """

    levels: Levels
    table: NDArray[np.float64]
    scales: NDArray[np.float64]
    exact: bool

    def likelihoods(self, outputs: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return float32[t, n + 1], in proportion to Pr[y | x] for each of ``outputs`` [t].

        The last column is of the unknown words, in whose place the mechanism gets a uniformly drawn
        one (the policy ``random``).
        """
        result = np.empty((len(outputs), len(self.scales) + 1), np.float32)
        table = (self.table / self.table.max()).astype(np.float32)
        scales = (self.scales / self.scales.max()).astype(np.float32)
        for start in range(0, len(outputs), _ROWS):
            part = slice(start, start + _ROWS)
            _weigh(self.levels(outputs[part]), table, scales, result[part])
        return result


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _weigh(
    levels: NDArray[np.uint16],
    table: NDArray[np.float32],
    scales: NDArray[np.float32],
    result: NDArray[np.float32],
) -> None:
    farthest = len(table) - 1
    for t in range(len(levels)):
        total = 0.0
        for x in range(len(scales)):
            value = table[min(levels[t, x], farthest)] * scales[x]
            result[t, x] = value
            total += value
        result[t, len(scales)] = total / len(scales)


def weighted_channel(near: Surroundings, weights: NDArray[np.int64]) -> Channel:
    """Return the channel of a mechanism with Pr[y | x] = W[d(x, y)] / N(x).

    Args:
        near: of all words.
        weights: W int64[bits + 1].
    """
    scales = near.totals(weights)[0] / near.totals(weights)
    return Channel(hamming_levels(near.codes), weights.astype(np.float64), scales, exact=True)


def drawn_channel(
    levels: Levels, words: int, inputs: NDArray[np.int64], outputs: NDArray[np.int64]
) -> Channel:
    """Estimate the channel of a mechanism from draws.

    The estimate takes outputs at a distance to be as probable for every word, but for the word's
    normalizer, and nearer ones never less probable. An attacker may know better: what one reaches
    with this is a lower bound.

    Args:
        levels: the distances that the mechanism goes by.
        words: n.
        inputs: ids [m] of words that were drawn uniformly.
        outputs: ids [m] of what came out for them.
    """
    some = np.random.default_rng(0).permutation(words)[:_WORDS]
    seen = np.zeros(1 << 16)
    possible = np.zeros(1 << 16)
    for start in range(0, len(outputs), _ROWS):
        part = slice(start, start + _ROWS)
        rows = levels(outputs[part])
        seen += np.bincount(rows[np.arange(len(rows)), inputs[part]], minlength=len(seen))
    for start in range(0, len(some), _ROWS):
        possible += np.bincount(levels(some[start : start + _ROWS]).ravel(), minlength=len(seen))
    possible *= len(outputs) / len(some)
    size = int(np.flatnonzero(seen + possible)[-1]) + 1
    # Half a draw at every distance: nothing is impossible because it wasn't seen. Nearer is never
    # less probable; a distance that few pairs have says little beside its neighbors.
    there = np.flatnonzero(possible[:size])
    fitted = isotonic_regression(
        (seen[there] + 0.5) / possible[there], weights=possible[there], increasing=False
    )
    table = np.interp(np.arange(size), there, fitted.x)
    totals = np.zeros(words)
    for start in range(0, len(some), _ROWS):
        totals += table.take(levels(some[start : start + _ROWS]), mode="clip").sum(axis=0)
    return Channel(levels, np.append(table, table[-1]), 1 / totals, exact=False)


def hamming_levels(codes: NDArray[np.uint64]) -> Levels:
    """Return the Hamming distances of ``codes`` uint64[n, bits / 64]."""
    planes = np.ascontiguousarray(codes.T)
    return lambda ids: np.stack([distances(planes, codes[i]) for i in ids])


def euclidean_levels(vectors: NDArray[np.float32]) -> Levels:
    """Return the Euclidean distances of ``vectors`` float32[n, d], in steps."""
    squares = np.einsum("nd,nd->n", vectors, vectors)
    unit = np.float32(_UNITS / (2 * np.sqrt(squares.max())))

    def levels(ids: NDArray[np.int64]) -> NDArray[np.uint16]:
        products = vectors[ids] @ vectors.T
        far = np.sqrt(np.maximum(squares[ids][:, None] + squares - 2 * products, 0))
        steps: NDArray[np.uint16] = (far * unit).astype(np.uint16)
        return steps

    return levels
