"""The channel from typed to released words, of which no matrix is ever stored.

A known word x comes out as y with probability K(y|x) = W[d(x, y)] / N(x), N(x) the sum of the
weights over the vocabulary: the mechanism ``exponential``. An unknown word is a word of the
vocabulary drawn uniformly, so its row is the average of all rows. Sources are the n words, in the
order of their ids, and then ``unknown``: n + 1 of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from brr_runtime import WordBundle
from brr_runtime.errors import ParameterError
from brr_runtime.mechanisms import Mechanism
from brr_runtime.mechanisms.exponential import Exponential
from brr_toolchain.pairs import distance, over_rows

_FEW = 1_000
_BLOCK = 2_048  # words whose weights fit a core's nearest cache


@dataclass(frozen=True)
class Channel:
    """K, from its codes and weights; safe to share between threads.

    Attributes:
        codes: uint64[n, bits / 64].
        weights: float64[bits + 1], the mechanism's integers over the largest.
        totals: float64[n], N(x) in the same unit.
        unknown: float64[n], the distribution of what comes out for an unknown word.
    """

    codes: NDArray[np.uint64]
    weights: NDArray[np.float64]
    totals: NDArray[np.float64]
    unknown: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.codes)

    def forward(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how often each word comes out, float64[n, ...], by linearity.

        Args:
            shares: float64[n + 1, ...]: how often each source is typed.
        """
        known = shares[:-1] / _rows(self.totals, shares)
        out = self._weigh(known)
        out += _rows(self.unknown, shares) * shares[-1]
        return out

    def backward(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of ``values`` float64[n, ...] of the output, for each source.

        float64[n + 1, ...]: the transpose of ``forward``.
        """
        known = self._weigh(values) / _rows(self.totals, values)
        return np.concatenate([known, known.mean(axis=0, keepdims=True)])

    def among(self, outputs: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return K(y|x) for some ``outputs`` and all sources, float64[outputs, n + 1]."""
        result = np.empty((len(outputs), len(self) + 1))
        _entries(self.codes, self.weights, outputs, result)
        result[:, :-1] /= self.totals
        result[:, -1] = self.unknown[outputs]
        return result

    def into(self, sources: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return K(y|x) for all outputs and some known ``sources``, float64[n, sources]."""
        result = np.empty((len(sources), len(self) + 1))
        _entries(self.codes, self.weights, sources, result)  # a distance is that of both ways
        columns: NDArray[np.float64] = (result[:, :-1] / self.totals[sources, None]).T
        return columns

    def _weigh(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return weigh(self.codes, self.weights, values)


def open_channel(bundle: WordBundle, mechanism: Mechanism) -> Channel:
    """Return the channel of a mechanism on ``bundle``.

    Args:
        bundle: an opened bundle.
        mechanism: made for that bundle; its own table is taken, so that what is inverted is what
            ran.

    Raises:
        ParameterError: the mechanism isn't ``exponential``.
    """
    if not isinstance(mechanism, Exponential):
        raise ParameterError(
            "only reports of the mechanism 'exponential' can be estimated from: the channel of the "
            "others has no formula, and one that is only sampled would bias every frequency"
        )
    return channel_of(np.array(bundle.codes), mechanism.weights)


def channel_of(codes: NDArray[np.uint64], weights: NDArray[np.int64]) -> Channel:
    """Return the channel of ``codes`` uint64[n, bits / 64] and integers W[0..bits]."""
    scaled = weights / float(weights[0])
    totals = weigh(codes, scaled, np.ones(len(codes)))
    unknown = weigh(codes, scaled, 1 / totals) / len(codes)
    return Channel(codes, scaled, totals, unknown)


def weigh(
    codes: NDArray[np.uint64], weights: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sum over x of W[d(x, y)] values[x], for each y, float64[n, ...].

    Args:
        codes: uint64[n, bits / 64].
        weights: float64[bits + 1].
        values: float64[n] or float64[n, k].
    """
    columns = np.ascontiguousarray(values.reshape(len(codes), -1).T)
    result = np.zeros_like(columns)
    kernel = _one if len(columns) == 1 else _several

    def rows(start: int, stop: int) -> None:
        kernel(codes, weights, columns, start, stop, result)

    if len(codes) <= _FEW:  # threads would take longer to start
        rows(0, len(codes))
    else:
        over_rows(rows, len(codes), description="", progress=False)
    summed: NDArray[np.float64] = result.T.reshape(values.shape)
    return summed


def _rows(vector: NDArray[np.float64], like: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``vector`` [n] so that it multiplies the rows of ``like``."""
    return vector.reshape(-1, *[1] * (like.ndim - 1))


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _one(
    codes: NDArray[np.uint64],
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    start: int,
    stop: int,
    result: NDArray[np.float64],
) -> None:
    """Do what ``_several`` does, faster where there is but one k."""
    for i in range(start, stop):
        total = 0.0
        for j in range(len(codes)):
            total += weights[distance(codes, i, j)] * values[0, j]
        result[0, i] = total


# Sums may be taken in any order: several at a time, that is.
@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})  # type: ignore[untyped-decorator]
def _several(
    codes: NDArray[np.uint64],
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    start: int,
    stop: int,
    result: NDArray[np.float64],
) -> None:
    """Add W[d(x, y)] values[k, x] over x to result[k, y], for y from ``start`` to ``stop``."""
    row = np.empty(_BLOCK)
    for first in range(0, len(codes), _BLOCK):
        count = min(_BLOCK, len(codes) - first)
        for i in range(start, stop):
            for j in range(count):
                row[j] = weights[distance(codes, i, first + j)]
            for k in range(len(values)):
                total = 0.0
                for j in range(count):
                    total += row[j] * values[k, first + j]
                result[k, i] += total


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _entries(
    codes: NDArray[np.uint64],
    weights: NDArray[np.float64],
    outputs: NDArray[np.intp],
    result: NDArray[np.float64],
) -> None:
    for i in range(len(outputs)):
        for j in range(len(codes)):
            result[i, j] = weights[distance(codes, outputs[i], j)]
