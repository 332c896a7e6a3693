"""The channel from typed to released words, as a linear map whose matrix is never stored.

For a known word x, y is released with probability K(y|x) = m(y) W[d(x, y)] / N(x), where N(x) is
the sum of m(.) W[d(x, .)] over the vocabulary. This is the mechanism ``exponential`` with the base
measure m, and each word is a text of its own. A word of the vocabulary, drawn in proportion to the
masses, replaces an unknown word, so its row is a mean of all rows. The n + 1 sources are the n
words, in the order of their ids, and then ``unknown``. A bundle's policy may type x as another
word, or let it pass (``typed_as``); the replacement of an unknown word doesn't pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.channel.typed_as import TypedAs
from brrkit_toolchain.codes.scans import distances, nearest, over_rows, scan
from brrkit_toolchain.io.compiled import compiled

_ONE_THREAD_UP_TO = 1_000
_WORDS_IN_CACHE = 1_024  # the weights of these words fit into a core's first-level cache


@dataclass(frozen=True)
class Linear:
    """K, from its codes and weights; safe to share between threads.

    Attributes:
        planes: uint64[bits / 64, n], the codes, in the form of ``HammingIndex``.
        weights: float64[bits + 1], the mechanism's integers, divided by the largest.
        measure: float64[n], m divided by its mean.
        totals: float64[n], N(x) in the same unit.
        stand_ins: float64[n], probability that each word replaces an unknown word.
        typed: the words that words are typed as, and the passing words.
    """

    planes: NDArray[np.uint64]
    weights: NDArray[np.float64]
    measure: NDArray[np.float64]
    totals: NDArray[np.float64]
    stand_ins: NDArray[np.float64]
    typed: TypedAs

    def __len__(self) -> int:
        return int(self.planes.shape[1])

    @cached_property
    def unknown(self) -> NDArray[np.float64]:
        """The output distribution float64[n] for an unknown word."""
        unknown: NDArray[np.float64] = self.measure * self._weigh(self.stand_ins / self.totals)
        return unknown

    @cached_property
    def diagonal(self) -> NDArray[np.float64]:
        """K(x|x) float64[n], of each known word."""
        diagonal: NDArray[np.float64] = self.measure * self.weights[0] / self.totals
        for word in self.typed.members.tolist():
            diagonal[word] = self._drawn(np.array([word]), word)[0]
        shares = self.typed.shares
        return (1 - shares) * diagonal + shares

    def forward(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the frequency of each released word, float64[n, ...], by linearity.

        Args:
            shares: float64[n + 1, ...]: frequency of each source.
        """
        known = self._as_typed(shares[:-1] * _rows(1 - self.typed.shares, shares))
        out = self._weigh(known / _rows(self.totals, shares)) * _rows(self.measure, shares)
        out += _rows(self.typed.shares, shares) * shares[:-1]
        if np.any(shares[-1]):  # otherwise, the distribution for unknown words isn't needed
            out += _rows(self.unknown, shares) * shares[-1]
        return out

    def backward(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of ``values`` float64[n, ...] of the output, for each source.

        float64[n + 1, ...]: the transpose of ``forward``.
        """
        drawn = self._weigh(_rows(self.measure, values) * values) / _rows(self.totals, values)
        passing = _rows(self.typed.shares, values)
        known = (1 - passing) * drawn[self.typed.ids] + passing * values
        return np.concatenate([known, (self.stand_ins @ drawn)[None]])

    def between(self, outputs: NDArray[np.intp], source: int) -> NDArray[np.float64]:
        """Return K(y|x) for some ``outputs`` y and a known ``source`` x, float64[outputs]."""
        share = self.typed.shares[source]
        found: NDArray[np.float64] = (1 - share) * self._drawn(outputs, source)
        found[outputs == source] += share
        return found

    def _drawn(self, outputs: NDArray[np.intp], source: int) -> NDArray[np.float64]:
        """Return the result of ``between`` for the mechanism's draws."""
        own = self.typed.ids[source]
        away = distances(self.planes, self.planes[:, own])
        drawn: NDArray[np.float64] = (
            self.measure[outputs] * self.weights[away[outputs]] / self.totals[own]
        )
        return drawn

    def into(self, sources: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return K(y|x) for all outputs and some known ``sources``, float64[n, sources]."""
        everywhere = np.arange(len(self))
        return np.column_stack([self.between(everywhere, source) for source in sources.tolist()])

    def nearest(self, word: int, count: int) -> NDArray[np.intp]:
        """Return the ids of the ``count`` words, at most n, nearest to ``word``.

        They include the word itself. At equal distance, the lowest ids come first.
        """
        ids, _ = nearest(self.planes, self.planes[:, word][None], min(count, len(self)))
        found: NDArray[np.intp] = ids[0]
        return found

    def moments(
        self, outputs: NDArray[np.intp], variances: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sums over x of v(x) K(y|x), and of v(x) K(y|x) K(z|x), for some y and z.

        float64[outputs] and float64[outputs, outputs].

        Args:
            outputs: ids of the y and z.
            variances: float64[n + 1], v of each source; not negative.
        """
        drawn = 1 - self.typed.shares  # for words that a coin doesn't let pass, K = (1 - p) M
        roots = np.sqrt(self._as_typed(variances[:-1] * drawn**2))
        second, first = np.empty((len(outputs), len(outputs))), np.empty(len(outputs))
        scales = roots / self.totals
        _moments(self.planes, self.weights, scales, roots / drawn, outputs, first, second)
        measure = self.measure[outputs]
        first *= measure
        second *= np.outer(measure, measure)
        self._add_passing(outputs, variances[:-1], first, second)
        unknown = self.unknown[outputs]
        first += variances[-1] * unknown
        second += variances[-1] * np.outer(unknown, unknown)
        return first, second

    def _add_passing(
        self,
        outputs: NDArray[np.intp],
        variances: NDArray[np.float64],
        first: NDArray[np.float64],
        second: NDArray[np.float64],
    ) -> None:
        """Add the coins of passing words to ``moments``, in these words' rows and columns."""
        for place in np.flatnonzero(self.typed.passing[outputs]).tolist():
            word = int(outputs[place])
            share, variance = self.typed.shares[word], variances[word]
            drawn = (1 - share) * self._drawn(outputs, word)
            first[place] += variance * share
            second[place] += variance * share * drawn
            second[:, place] += variance * share * drawn
            second[place, place] += variance * share**2

    def _as_typed(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the frequencies of the mechanism's input words for ``shares`` float64[n, ...]."""
        members = self.typed.members
        if not len(members):
            return shares
        typed: NDArray[np.float64] = shares.copy()
        np.add.at(typed, self.typed.ids[members], shares[members])
        typed[members] = 0
        return typed

    def _weigh(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return weigh(self.planes, self.weights, values)


def linear_map(
    codes: NDArray[np.uint64],
    weights: NDArray[np.int64],
    measure: NDArray[np.int64],
    stand_ins: NDArray[np.float64],
    typed: TypedAs | None = None,
) -> Linear:
    """Return the map.

    Args:
        codes: uint64[n, bits / 64].
        weights: W int64[bits + 1].
        measure: m int64[n].
        stand_ins: float64[n], probability that each word replaces an unknown word.
        typed: the words that words are typed as, and the passing words; by default no policy.
    """
    typed = TypedAs.nothing(len(codes)) if typed is None else typed
    planes = codes.T.copy()
    scaled, masses = weights / float(weights[0]), measure / measure.mean()
    totals = weigh(planes, scaled, masses)
    return Linear(planes, scaled, masses, totals, stand_ins, typed)


def weigh(
    planes: NDArray[np.uint64], weights: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sum over x of W[d(x, y)] values[x], for each y, float64[n, ...].

    In float64 throughout. If no value is negative, the relative error of a sum of n of them in
    blocks of B is at most (B + n / B + 1) 2^-53 in any order: 10^-13 for 50,000 words.

    Args:
        planes: uint64[bits / 64, n].
        weights: float64[bits + 1].
        values: float64[n] or float64[n, k].
    """
    n = planes.shape[1]
    columns = np.ascontiguousarray(values.reshape(n, -1).T)
    result = np.zeros_like(columns)

    def rows(start: int, stop: int) -> None:
        _weigh(planes, weights, columns, start, stop, result)

    if n <= _ONE_THREAD_UP_TO:  # starting threads would take longer
        rows(0, n)
    else:
        over_rows(rows, n, description="", progress=False)
    summed: NDArray[np.float64] = result.T.reshape(values.shape)
    return summed


def _rows(vector: NDArray[np.float64], like: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``vector`` [n] so that it multiplies the rows of ``like``."""
    return vector.reshape(-1, *[1] * (like.ndim - 1))


# The compiler vectorizes the following if each loop is over whole arrays of one dimension, and sums
# may be taken in any order.
_ANY_ORDER = {"reassoc", "contract"}


@compiled
def _look_up(
    weights: NDArray[np.float64], away: NDArray[np.uint64], row: NDArray[np.float64]
) -> None:
    for j in range(len(row)):
        row[j] = weights[away[j]]


@partial(compiled, fastmath=_ANY_ORDER)
def _dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


@compiled
def _weigh(
    planes: NDArray[np.uint64],
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    start: int,
    stop: int,
    result: NDArray[np.float64],
) -> None:
    """Add W[d(x, y)] values[k, x] over x to result[k, y], for y from ``start`` to ``stop``."""
    n = planes.shape[1]
    room, buffer = np.empty(_WORDS_IN_CACHE, np.uint64), np.empty(_WORDS_IN_CACHE)
    for first in range(0, n, _WORDS_IN_CACHE):
        last = min(first + _WORDS_IN_CACHE, n)
        away, row = room[: last - first], buffer[: last - first]
        for i in range(start, stop):
            scan(planes, planes[:, i], first, away)
            _look_up(weights, away, row)
            for k in range(len(values)):
                result[k, i] += _dot(row, values[k, first:last])


@compiled
def _moments(
    planes: NDArray[np.uint64],
    weights: NDArray[np.float64],
    scales: NDArray[np.float64],
    roots: NDArray[np.float64],
    outputs: NDArray[np.intp],
    first_moments: NDArray[np.float64],
    second_moments: NDArray[np.float64],
) -> None:
    """Compute ``Linear.moments`` without a policy: scales = sqrt(v) / N, roots = sqrt(v)."""
    n, m = planes.shape[1], len(outputs)
    room, buffer = np.empty(_WORDS_IN_CACHE, np.uint64), np.empty((m, _WORDS_IN_CACHE))
    first_moments[:] = 0
    second_moments[:] = 0
    for first in range(0, n, _WORDS_IN_CACHE):
        last = min(first + _WORDS_IN_CACHE, n)
        away = room[: last - first]
        buffer[:, last - first :] = 0
        for y in range(m):
            row = buffer[y, : last - first]
            scan(planes, planes[:, outputs[y]], first, away)
            _look_up(weights, away, row)
            scale, root = scales[first:last], roots[first:last]
            for j in range(len(row)):
                row[j] *= scale[j]
            first_moments[y] += _dot(row, root)
        second_moments += np.dot(buffer, buffer.T)
