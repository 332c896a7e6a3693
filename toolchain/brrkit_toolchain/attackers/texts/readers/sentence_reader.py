"""The probability of each word, given all outputs of its text: forward-backward over all words.

The typed text is a hidden Markov chain, with the transitions of a bigram model, and the emissions
of the mechanism (Rabiner 1989, section III). No candidate is left out. A step of the chain is one
pass over the seen bigrams; all other bigrams share their backoff's factor. That is equivalent to
one more state between two words: each word leads to it by its backoff, and it leads to each word by
its continuation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from brrkit_toolchain.attackers.texts.readers.batching import Floats, ReleasedLanes
from brrkit_toolchain.attackers.texts.readers.lanes import (
    LANES,
    add_rows,
    aligned,
    sum_row,
    transpose,
    weighted_sums,
)
from brrkit_toolchain.io.compiled import compiled, inlined
from brrkit_toolchain.language.bigrams import Bigrams

_WORDS_IN_CACHE = 256  # the lanes of these words fit into a core's first-level cache
_SQUARE = LANES * LANES
_NOTHING = np.empty(0, np.float32)
_BETWEEN = np.float32(1 << 16)
"""The state between after each step."""


class Emissions(NamedTuple):
    """The likelihoods of a step's outputs.

    Attributes:
        likelihoods: float32[r, s], those of these outputs and others.
        rows: intp[LANES], the row of each lane's output.
    """

    likelihoods: Floats
    rows: NDArray[np.intp]


Seen = Callable[[int, Emissions], object]
"""Takes a step's number, and the likelihoods of its outputs."""

Believed = Callable[[int, Floats, Emissions], object]
"""Takes a step's number, its beliefs [LANES, s], and the likelihoods of its outputs."""


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


class _Step(NamedTuple):
    """A step of the chain, from one word to the next or back.

    The words are those of seen bigrams.

    Attributes:
        rows: rows of a matrix [w, w]: the weights of transitions to each word, from each word.
        from_between: float32[w], weights of the transitions from the state between to each word.
        to_between: float32[w], weights of the transitions to the state between from each word.
    """

    rows: SparseRows
    from_between: Floats
    to_between: Floats

    @classmethod
    def of(
        cls,
        seen: sparse.csr_array,
        from_between: NDArray[np.float64],
        to_between: NDArray[np.float64],
    ) -> _Step:
        """Return the step of ``seen`` bigrams, and of all others through the state between."""
        rows = sparse.csr_array(seen)
        rows.sort_indices()
        return cls(
            SparseRows.of(rows), from_between.astype(np.float32), to_between.astype(np.float32)
        )


class SentenceReader:
    """A reader who knows the language and all outputs of a text; thread-safe.

    Words of no seen bigram, often most words, have transitions only from and to the state between.
    Their probability is the product of their likelihood and one factor for all of them, so the
    steps omit them.
    """

    def __init__(self, language: Bigrams) -> None:
        """Prepare the model for the loops below, in float32."""
        self._states = states = language.start
        backoff, seen = language.backoff[:states], language.seen[:states]
        continuation = language.continuation
        first = language.seen[[states]].toarray()[0]
        paired = (first > 0) | (np.diff(seen.indptr) > 0)
        paired[seen.indices] = True
        words = np.flatnonzero(paired)
        self._words = words.astype(np.uint64)  # signed indices take longer
        own = seen[words][:, words]
        self._forward = _Step.of(own.T, continuation[words], backoff[words])
        self._backward = _Step.of(own, backoff[words], continuation[words])
        self._first, self._ones = (
            np.append(own, between).astype(np.float32)
            for own, between in (
                (
                    (first + language.backoff[states] * continuation)[words],
                    language.backoff[states],
                ),
                (np.ones(len(words)), 1),
            )
        )
        # Weights of the other words; the first of them is usually far from frequent.
        first_other = states if paired.all() else int(paired.argmin())
        usual, at_end = (
            np.where(paired, 0, each)[first_other:].astype(np.float32)
            for each in (backoff * continuation, continuation)
        )
        self._others = usual, at_end

    def __call__(
        self,
        released: ReleasedLanes,
        room: Floats | None = None,
        seen: Seen = lambda _t, _emissions: None,
        believed: Believed = lambda _t, _beliefs, _emissions: None,
    ) -> Floats:
        """Return Pr[x_t = x | y_1 ... y_T] float32[t, LANES, s] of texts, by lane.

        The texts are read together, so a bigram is looked up once for all lanes. The result for a
        text doesn't depend on the others. Each row has any positive factor. The rows after a lane's
        end are undefined.

        Args:
            released: the outputs for the texts.
            room: memory for the result, from ``room_for``; new by default.
            seen: called for each step, in their order.
            believed: called for each step, from the last to the first; may multiply the beliefs.
        """
        states, steps = self._states, released.steps
        # Where a lane has no word, its numbers stay 0.
        begins = np.zeros((steps + 1, LANES), np.bool_)
        begins[[0, steps]] = True
        for lane, texts in enumerate(released.lengths):
            begins[np.cumsum(texts), lane] = True
        size, own = LANES * states, LANES * len(self._words)
        kept = room_for(states, steps) if room is None else room
        likelihoods = released.room(states)
        picked, products = np.empty((2, LANES, len(self._words)), np.float32)
        others = np.empty((steps, LANES, 2), np.float32)
        factors = np.empty((steps, LANES), np.float32)
        unit, between = np.ones(LANES, np.float32), np.empty(LANES, np.float32)

        def reached(t: int) -> Floats:
            """Return a step's words, and the state between after it."""
            return kept[t * size : t * size + own + LANES].reshape(-1, LANES)

        nowhere = np.zeros(LANES, np.bool_)
        for t in range(steps):
            emissions = Emissions(likelihoods, released.at(t, likelihoods))
            seen(t, emissions)
            _look_at(emissions, self._words, picked, self._others, others[t])
            before, now = reached(max(t - 1, 0)), reached(t)
            unit[begins[t]] = 1
            starting = begins[t], self._first
            _follow(self._forward, before, starting, now, between, _NOTHING, _NOTHING)
            np.multiply(between, unit, out=factors[t])
            _weigh(self._forward, picked, (nowhere, between, others[t]), unit, now)
        after, now = aligned(2 * (own + LANES)).reshape(2, -1, LANES)
        for t in range(steps - 1, -1, -1):
            found, ends = kept[t * size :][:own], begins[t + 1]
            starting = ends, self._ones
            _follow(self._backward, after, starting, now, between, found, products.reshape(-1))
            factors[t] *= between
            unit[ends] = 1
            emissions = Emissions(likelihoods, released.at(t, likelihoods))
            beliefs = kept[(t + 1) * size :][:size].reshape(LANES, states)
            others_at = self._others, ends, factors[t]
            _believe(emissions, self._words, picked, others_at, products, beliefs)
            believed(t, beliefs, emissions)
            _weigh(self._backward, picked, (ends, between, others[t]), unit, now)
            after, now = now, after
        return kept[size : (steps + 1) * size].reshape(steps, LANES, states)


def room_for(states: int, steps: int) -> Floats:
    """Return memory for the beliefs of texts in lanes of at most ``steps`` steps.

    The beliefs of a step replace those of the next one, as far as these were known without later
    outputs.
    """
    return aligned((steps + 1) * LANES * states + LANES)


class Rooms:
    """Memory for beliefs that is used again; thread-safe.

    The system clears new memory at its first use, which takes a part of a reader's time.
    """

    def __init__(self) -> None:
        self._free: list[Floats] = []

    @contextmanager
    def lend(self, states: int, steps: int) -> Iterator[Floats]:
        """Lend memory like that from ``room_for``, or more."""
        new = room_for(states, steps)  # takes no memory until its first use
        room = self._free.pop() if self._free else new
        if len(room) < len(new):
            room = new
        yield room
        self._free.append(room)


@compiled
def _look_at(
    emissions: Emissions,
    words: NDArray[np.uint64],
    picked: Floats,
    weights: tuple[Floats, Floats],
    others: Floats,
) -> None:
    """Write what a step needs of its likelihoods.

    Args:
        emissions: the likelihoods.
        words: uint64[w].
        picked: [lanes, w], written to: the likelihoods for ``words``.
        weights: two of [s - first], for the last words.
        others: [lanes, 2], written to: the sums of these words' likelihoods, times the weights.
    """
    likelihoods, rows = emissions
    sums, first = np.empty((2, LANES), np.float32), likelihoods.shape[1] - len(weights[0])
    for b in range(LANES):
        row, own = likelihoods[rows[b]], picked[b]
        weighted_sums(row[first:], weights, sums)
        others[b, 0], others[b, 1] = sums[0, 0], sums[1, 0]
        for i in range(len(words)):
            own[i] = row[words[i]]


@compiled
def _follow(
    step: _Step,
    before: Floats,
    beginning: tuple[NDArray[np.bool_], Floats],
    now: Floats,
    between: Floats,
    found: Floats,
    products: Floats,
) -> None:
    """Take a ``step`` from ``before`` to ``now``, both [w + 1, lanes], without likelihoods.

    Words are processed in blocks that stay in the cache. The last row of a state is the state
    between.

    Args:
        step: the step.
        before: the state before.
        beginning: the lanes in which a text begins, in the direction of reading, bool[lanes]; and
            the words' weights there and the other words' factor, [w + 1].
        now: written to, except for its last row.
        between: [lanes], written to: the factor of the weights of other words.
        found: [w * lanes], forward probabilities; or empty.
        products: [lanes * w], written to, if ``found`` isn't empty: the products of ``found`` and
            ``now``.
    """
    (starts, columns, values), weights, _ = step
    begins, first = beginning
    words, square = len(weights), np.empty(_SQUARE, np.float32)
    every = True
    for b in range(LANES):
        every = every and begins[b]
        between[b] = first[words] if begins[b] else before[words, b]
    for start in range(0, words, _WORDS_IN_CACHE):
        stop = min(start + _WORDS_IN_CACHE, words)
        then = now[start:stop]
        for i in range(0 if every else len(then)):
            x = start + i
            sum_row(before, columns, values, starts[x], starts[x + 1], weights[x], between, then, i)
        for b in range(len(begins)):  # unlike ``LANES``, not unrolled by the compiler
            if begins[b]:
                for i in range(len(then)):
                    then[i, b] = first[start + i]
        if len(found):
            _combine(then, found, start, square, products)


@inlined
def _combine(then: Floats, found: Floats, start: int, square: Floats, products: Floats) -> None:
    """Write the products of ``then`` and ``found``, transposed, into ``products``."""
    words, factors, first = len(products) // LANES, then.reshape(-1), LANES * start
    whole = len(then) - len(then) % LANES
    for i in range(0, LANES * whole, _SQUARE):
        own, forward = factors[i : i + _SQUARE], found[first + i : first + i + _SQUARE]
        for k in range(_SQUARE):
            square[k] = forward[k] * own[k]
        transpose(square, 0, LANES, products, start + i // LANES, words)
    for i in range(whole, len(then)):
        for b in range(LANES):
            products[words * b + start + i] = found[first + LANES * i + b] * then[i, b]


@compiled
def _weigh(
    step: _Step,
    picked: Floats,
    other: tuple[NDArray[np.bool_], Floats, Floats],
    unit: Floats,
    now: Floats,
) -> None:
    """Multiply ``now`` [w + 1, lanes], from ``_follow``, by likelihoods, and write its last row.

    Args:
        step: the step.
        picked: likelihoods [lanes, w].
        other: the lanes, bool[lanes], in which the other words have the second of their sums; their
            factors ``between``; and their sums [lanes, 2].
        unit: [lanes], further factors. At the end, they are those that bring the state between to
            ``_BETWEEN``, so that no number becomes too small.
        now: written to.
    """
    words, likely, numbers = picked.shape[1], picked.reshape(-1), now.reshape(-1)
    second, between, others = other
    units, square = np.empty(_SQUARE, np.float32), np.empty(_SQUARE, np.float32)
    sums = np.empty(LANES, np.float32)
    for b in range(LANES):
        sums[b] = between[b] * unit[b] * others[b, 1 if second[b] else 0]
    for i in range(_SQUARE):
        units[i] = unit[i % LANES]
    whole = words - words % LANES
    for start in range(0, whole, LANES):
        transpose(likely, start, words, square, 0, LANES)
        own = numbers[LANES * start : LANES * start + _SQUARE]
        for k in range(_SQUARE):
            own[k] *= square[k] * units[k]
    for i in range(whole, words):
        for b in range(LANES):
            now[i, b] *= picked[b, i] * units[b]
    add_rows(now, step.to_between, sums)
    for b in range(LANES):
        now[words, b] = sums[b]
        unit[b] = _BETWEEN / sums[b] if sums[b] > 0 else np.float32(1)


@compiled
def _believe(
    emissions: Emissions,
    words: NDArray[np.uint64],
    picked: Floats,
    others: tuple[tuple[Floats, Floats], NDArray[np.bool_], Floats],
    products: Floats,
    beliefs: Floats,
) -> None:
    """Write ``beliefs`` [lanes, s]: the ``products`` [lanes, w] of ``words``, and other words'.

    Args:
        emissions: the likelihoods.
        words: uint64[w].
        picked: [lanes, w], written to: the likelihoods for ``words``.
        others: the other words' weights, and those where a text ends, both [s - first], for the
            last words; the lanes in which a text ends, bool[lanes]; and the factors [lanes] of
            other words.
        products: [lanes, w].
        beliefs: written to.
    """
    (likelihoods, rows), (weights, ends, factors) = emissions, others
    first = likelihoods.shape[1] - len(weights[0])
    for b in range(LANES):
        own, factor = weights[1 if ends[b] else 0], factors[b]
        row, belief = likelihoods[rows[b]], beliefs[b]
        last, target = row[first:], belief[first:]
        for x in range(len(own)):
            target[x] = last[x] * (own[x] * factor)
        likely, product = picked[b], products[b]
        for i in range(len(words)):
            belief[words[i]] = product[i]
            likely[i] = row[words[i]]
