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
)
from brrkit_toolchain.io.compiled import compiled, inlined
from brrkit_toolchain.language.bigrams import Bigrams

_WORDS_IN_CACHE = 256  # the lanes of these words fit into a core's first-level cache
_SQUARE = LANES * LANES
_NOTHING = np.empty(0, np.float32)

Seen = Callable[[int, Floats], object]
"""Takes a step's number, and the likelihoods [LANES, s] of its outputs."""

Believed = Callable[[int, Floats, Floats], object]
"""Takes a step's number, its beliefs [LANES, s], and the likelihoods [LANES, s] of its outputs."""


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

    Attributes:
        rows: rows of a matrix [s, s]: the weights of transitions to each word, from each word.
        from_between: float32[s], weights of the transitions from the state between to each word.
        to_between: float32[s], weights of the transitions to the state between from each word.
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

    def __call__(
        self,
        released: ReleasedLanes,
        room: Floats | None = None,
        seen: Seen = lambda _t, _rows: None,
        believed: Believed = lambda _t, _beliefs, _rows: None,
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
        states, steps = len(self._first), released.steps
        # Where a lane has no word, its numbers stay 0.
        begins = np.zeros((steps + 1, LANES), np.bool_)
        begins[[0, steps]] = True
        for lane, texts in enumerate(released.lengths):
            begins[np.cumsum(texts), lane] = True
        size = LANES * states
        kept = room_for(states, steps) if room is None else room
        rows, unit = np.empty((LANES, states), np.float32), np.ones((1, LANES), np.float32)

        def reached(t: int) -> Floats:
            """Return a step's row, and the state between after it, which the next step replaces."""
            return kept[t * size : (t + 1) * size + LANES].reshape(states + 1, LANES)

        for t in range(steps):
            released.at(t, rows)
            seen(t, rows)
            before, now = reached(max(t - 1, 0)), reached(t)
            given = rows, begins[t], self._first
            _advance(self._forward, before, given, unit, now, _NOTHING, _NOTHING)
        after, now = aligned(2 * (size + LANES)).reshape(2, states + 1, LANES)
        for t in range(steps - 1, -1, -1):
            released.at(t, rows)
            found, beliefs = (kept[i * size : (i + 1) * size] for i in (t, t + 1))
            given = rows, begins[t + 1], self._ones
            _advance(self._backward, after, given, unit, now, found, beliefs)
            believed(t, beliefs.reshape(LANES, states), rows)
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
def _advance(
    step: _Step,
    before: Floats,
    given: tuple[Floats, NDArray[np.bool_], Floats],
    unit: Floats,
    now: Floats,
    found: Floats,
    beliefs: Floats,
) -> None:
    """Take a ``step`` from the state ``before`` to the state ``now``, both [s + 1, lanes].

    Words are processed in blocks that stay in the cache. The last row of a state is the state
    between.

    Args:
        step: the step.
        before: the state before; ``now`` may replace its last row.
        given: the likelihoods [lanes, s], by which words are multiplied; the lanes in which a text
            begins, bool[lanes]; and the words [s] at its beginning.
        unit: [1, lanes], factors of ``now``. They become 1 where a text begins, and at the end 1
            over the means, so that no number becomes too small.
        now: written to.
        found: [s * lanes], forward probabilities; or empty.
        beliefs: [lanes * s], written to, if ``found`` isn't empty: the products of ``found`` and of
            the words before they are multiplied by likelihoods.
    """
    rows, begins, beginning = given
    states, some, every = len(beginning), False, True
    between, sums = np.empty(LANES, np.float32), np.empty((2, LANES), np.float32)
    room, units = np.empty((_WORDS_IN_CACHE, LANES), np.float32), np.empty(_SQUARE, np.float32)
    square = np.empty(_SQUARE, np.float32)
    for b in range(LANES):
        between[b] = before[states, b]
        sums[0, b], sums[1, b] = 0, 0
        some, every = some or begins[b], every and begins[b]
        if begins[b]:
            unit[0, b] = 1
    for i in range(_SQUARE):
        units[i] = unit[0, i % LANES]
    for start in range(0, states, _WORDS_IN_CACHE):
        stop = min(start + _WORDS_IN_CACHE, states)
        then = room[: stop - start]
        if not every:
            _follow(step, before, between, start, then)
        if some:
            _begin(begins, beginning, start, then)
        if len(found):
            _combine(then, found, start, square, beliefs)
        _weigh(then, rows, start, units, square, now)
        add_rows(now, step.to_between, start, stop, sums)
    for b in range(LANES):
        now[states, b] = sums[0, b]
        unit[0, b] = np.float32(states) / sums[1, b] if sums[1, b] > 0 else np.float32(1)


@inlined
def _follow(step: _Step, before: Floats, between: Floats, start: int, then: Floats) -> None:
    """Write the sums of the transitions to the words from ``start`` into ``then``."""
    (starts, words, values), weights, _ = step
    for i in range(len(then)):
        x = start + i
        sum_row(before, words, values, starts[x], starts[x + 1], weights[x], between, then, i)


@inlined
def _begin(begins: NDArray[np.bool_], beginning: Floats, start: int, then: Floats) -> None:
    """Replace the lanes of ``then`` in which a text begins."""
    for b in range(len(begins)):  # unlike ``LANES``, not unrolled by the compiler
        if begins[b]:
            for i in range(len(then)):
                then[i, b] = beginning[start + i]


@inlined
def _combine(then: Floats, found: Floats, start: int, square: Floats, beliefs: Floats) -> None:
    """Write the products of ``then`` and ``found``, transposed, into ``beliefs``."""
    states, factors, first = len(beliefs) // LANES, then.reshape(-1), LANES * start
    whole = len(then) - len(then) % LANES
    for i in range(0, LANES * whole, _SQUARE):
        own, forward = factors[i : i + _SQUARE], found[first + i : first + i + _SQUARE]
        for k in range(_SQUARE):
            square[k] = forward[k] * own[k]
        transpose(square, 0, LANES, beliefs, start + i // LANES, states)
    for i in range(whole, len(then)):
        for b in range(LANES):
            beliefs[states * b + start + i] = found[first + LANES * i + b] * then[i, b]


@inlined
def _weigh(
    then: Floats, rows: Floats, start: int, units: Floats, square: Floats, now: Floats
) -> None:
    """Write the products of ``then``, likelihoods and units into ``now``."""
    states, factors, likely = rows.shape[1], then.reshape(-1), rows.reshape(-1)
    whole, result = len(then) - len(then) % LANES, now.reshape(-1)[LANES * start :]
    for i in range(0, LANES * whole, _SQUARE):
        transpose(likely, start + i // LANES, states, square, 0, LANES)
        own, product = factors[i : i + _SQUARE], result[i : i + _SQUARE]
        for k in range(_SQUARE):
            product[k] = own[k] * (square[k] * units[k])
    for i in range(whole, len(then)):
        for b in range(LANES):
            now[start + i, b] = then[i, b] * (rows[b, start + i] * units[b])
