"""The probability of each word, given all outputs of its text: forward-backward over all words.

The typed text is a hidden Markov chain, with the transitions of a bigram model, and the emissions
of the mechanism (Rabiner 1989, section III). No candidate is left out. A step of the chain is one
pass over the seen bigrams; all other bigrams share their backoff's factor. That is equivalent to
one more state between two words: each word leads to it by its backoff, and it leads to each word by
its continuation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from brrkit_toolchain.attackers.texts.readers.batching import Floats, ReleasedLanes
from brrkit_toolchain.attackers.texts.readers.lanes import LANES, add_row, transpose
from brrkit_toolchain.io.compiled import compiled
from brrkit_toolchain.language.bigrams import Bigrams

_WORDS_IN_CACHE = 1_024  # the lanes of these words fit into a core's first-level cache


class SparseRows(NamedTuple):
    """The rows of a sparse matrix, for compiled loops.

    Attributes:
        starts: int64[r + 1]; row i has the places from ``starts[i]`` to ``starts[i + 1]``.
        columns: int32[k], column of each value.
        values: float32[k].
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: Floats

    @classmethod
    def of(cls, matrix: sparse.csr_array) -> SparseRows:
        """Return the rows of ``matrix``."""
        return cls(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32),
            matrix.data.astype(np.float32),
        )


class _ToBetween(NamedTuple):
    """The transitions from the words to the state between.

    Attributes:
        words: int32[s], ids of all words.
        weights: float32[s], weight of each word's transition.
        ones: float32[s], ones.
    """

    words: NDArray[np.int32]
    weights: Floats
    ones: Floats


@dataclass(frozen=True)
class _Step:
    """A step of the chain, from one word to the next or back.

    Attributes:
        rows: rows of a matrix [s, s + 1]: the weights of transitions to each word, from each word
            and, in the last column, from the state between.
        to_between: the transitions to the state between.
    """

    rows: SparseRows
    to_between: _ToBetween

    @classmethod
    def of(
        cls, seen: sparse.csr_array, between: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> _Step:
        """Return the step of seen bigrams, and of all others through the state between.

        Args:
            seen: [s, s], weights of the transitions from a column's word to a row's word.
            between: float64[s], weights of the transitions from the state between.
            weights: float64[s], weights of the transitions to the state between.
        """
        columns: list[Any] = [seen, between[:, None]]
        rows = sparse.hstack(columns, format="csr")
        rows.sort_indices()
        words, ones = np.arange(len(weights), dtype=np.int32), np.ones(len(weights), np.float32)
        return cls(SparseRows.of(rows), _ToBetween(words, weights.astype(np.float32), ones))


class SentenceReader:
    """A reader who knows the language and all outputs of a text; thread-safe."""

    def __init__(self, language: Bigrams) -> None:
        """Prepare the model for the loops below, in float32."""
        states = language.start
        backoff, seen = language.backoff[:states], language.seen[:states]
        continuation = language.continuation
        self._first = (
            language.seen[[states]].toarray()[0] + language.backoff[states] * continuation
        ).astype(np.float32)
        self._ones = np.ones(states, np.float32)
        self._forward = _Step.of(seen.T, continuation, backoff)
        self._backward = _Step.of(seen, backoff, continuation)

    def __call__(self, released: ReleasedLanes, room: Floats | None = None) -> Floats:
        """Return Pr[x_t = x | y_1 ... y_T] float32[t, LANES, s] of texts, by lane.

        The texts are read together, so a bigram is looked up once for all lanes. The result for a
        text doesn't depend on the others. Each row has any positive factor. The rows after a lane's
        end are undefined.

        Args:
            released: the outputs for the texts.
            room: memory for the result, from ``room_for``; new by default.
        """
        states, steps = len(self._first), released.steps
        begins = np.ones((LANES, steps + 1), np.bool_)
        for lane, texts in zip(begins, released.lengths, strict=False):
            lane[: sum(texts)] = False
            lane[np.cumsum([0, *texts])] = True
        anew = np.logical_and.reduce(begins)
        size = LANES * states
        kept = room_for(states, steps) if room is None else room
        found = kept[: steps * size].reshape(steps, size)
        now = np.empty((states + 1, LANES), np.float32)
        then = np.empty((states, LANES), np.float32)
        rows, unit = np.empty((LANES, states), np.float32), np.ones((1, LANES), np.float32)
        for t in range(steps):
            _restart(begins[:, t], self._first, then, unit)
            released.at(t, rows)
            # The state between follows the words; the next step overwrites it.
            reached = kept[t * size : (t + 1) * size + LANES].reshape(states + 1, LANES)
            _weigh_outputs(rows, then, self._forward.to_between, unit, reached)
            if not anew[t + 1]:
                _step(self._forward.rows, reached, then)
        for t in range(steps - 1, -1, -1):
            _restart(begins[:, t + 1], self._ones, then, unit)
            _combine(then, found[t], now)
            if t and not anew[t]:
                released.at(t, rows)
                _weigh_outputs(rows, then, self._backward.to_between, unit, now)
                _step(self._backward.rows, now, then)
        return found.reshape(steps, LANES, states)


def room_for(states: int, steps: int) -> Floats:
    """Return memory for the beliefs of texts in lanes of at most ``steps`` steps."""
    return np.empty(steps * LANES * states + LANES, np.float32)


@compiled
def _restart(begins: NDArray[np.bool_], values: Floats, then: Floats, unit: Floats) -> None:
    """Start a new text in each lane for which ``begins`` [lanes] is true.

    The lane's column of ``then`` [s, lanes] becomes ``values`` [s], and its factor in ``unit`` 1.
    """
    if not begins.any():
        return
    for x in range(len(then)):
        row, value = then[x], values[x]
        for b in range(LANES):
            row[b] = value if begins[b] else row[b]
    for b in range(LANES):
        if begins[b]:
            unit[0, b] = 1


@compiled
def _weigh_outputs(
    rows: Floats, then: Floats, to_between: _ToBetween, unit: Floats, now: Floats
) -> None:
    """Write the product of ``then`` [s, lanes] and the likelihoods ``rows`` [lanes, s].

    The product is written into ``now`` [s + 1, lanes]; the last row is the state between. It has
    the factors ``unit`` [1, lanes], which then become 1 over its means, so that no number becomes
    too small.
    """
    words, weights, ones = to_between
    states = len(then)
    whole = states - states % LANES
    square, units = np.empty(LANES * LANES, np.float32), np.empty(LANES * LANES, np.float32)
    for i in range(len(units)):
        units[i] = unit[0, i % LANES]
    between, sums = now[states:], np.zeros((1, LANES), np.float32)
    between[:] = 0
    seen, before, result = rows.reshape(-1), then.reshape(-1), now.reshape(-1)
    for start in range(0, states, _WORDS_IN_CACHE):
        stop = min(start + _WORDS_IN_CACHE, states)
        for x in range(start, min(stop, whole), LANES):
            transpose(seen, x, states, square, 0, LANES)
            part = slice(LANES * x, LANES * (x + LANES))
            own, product = before[part], result[part]
            for i in range(len(square)):
                product[i] = own[i] * (square[i] * units[i])
        for x in range(max(start, whole), stop):
            for b in range(LANES):
                now[x, b] = then[x, b] * (rows[b, x] * unit[0, b])
        add_row(now, words, weights, start, stop, between, 0)
        add_row(now, words, ones, start, stop, sums, 0)
    for b in range(LANES):
        unit[0, b] = np.float32(states) / sums[0, b] if sums[0, b] > 0 else np.float32(1)


@compiled
def _step(rows: SparseRows, now: Floats, then: Floats) -> None:
    """Write the product of ``rows`` and ``now`` [s + 1, lanes] into ``then`` [s, lanes]."""
    starts, words, values = rows
    for x in range(len(then)):
        then[x] = 0
        add_row(now, words, values, starts[x], starts[x + 1], then, x)


@compiled
def _combine(following: Floats, found: Floats, room: Floats) -> None:
    """Multiply ``found`` [s * lanes] by ``following`` [s, lanes], and transpose it to [lanes * s].

    The product is written into ``room``.
    """
    states, factors, product = len(following), following.reshape(-1), room.reshape(-1)
    for i in range(len(found)):
        product[i] = found[i] * factors[i]
    whole = states - states % LANES
    for x in range(0, whole, LANES):
        transpose(product, LANES * x, LANES, found, x, states)
    for x in range(whole, states):
        for b in range(LANES):
            found[states * b + x] = product[LANES * x + b]
