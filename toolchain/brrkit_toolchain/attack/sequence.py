"""What the outputs of a whole text tell of each of its words: forward-backward over all words.

The typed text is a hidden Markov chain: its transitions are a bigram model's, its emissions those
of the mechanism (Rabiner 1989, section III). No candidate is left out: a step of the chain is one
pass over the bigrams that were seen, and all others share their backoff's factor. It is as if there
were one more state between two words, to which every word leads by its backoff, and which leads to
every word by its continuation.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapreplace
from math import ceil
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from brrkit_toolchain.attack.lanes import LANES, add_row, to_lanes, to_rows
from brrkit_toolchain.language.bigrams import Bigrams

Floats = NDArray[np.float32]
Matrix = tuple[NDArray[np.int64], NDArray[np.int32], Floats]
"""The starts of its rows, columns and values."""

_BLOCK = 1_024  # words whose lanes fit a core's nearest cache
_STEPS = 160  # of a lane: 500 MB for all lanes at 50,000 words


class SentenceReader:
    """Knows the language and all outputs of a text. Safe to share between threads."""

    def __init__(self, language: Bigrams) -> None:
        """Lay the model out for the loops below, in float32."""
        states = language.start
        backoff, seen = language.backoff[:states], language.seen[:states]
        continuation = language.continuation
        self._first = (
            language.seen[[states]].toarray()[0] + language.backoff[states] * continuation
        ).astype(np.float32)
        every = np.arange(states, dtype=np.int32)
        self._forward = (
            _matrix(seen.T, continuation[:, None]),
            (every, backoff.astype(np.float32), np.ones(states, np.float32)),
        )
        self._backward = (
            _matrix(seen, backoff[:, None]),
            (every, continuation.astype(np.float32), np.ones(states, np.float32)),
        )

    def __call__(
        self,
        likelihoods: Sequence[Floats],
        lengths: Sequence[Sequence[int]],
        room: Floats | None = None,
    ) -> Floats:
        """Return Pr[x_t = x | y_1 ... y_T] float32[t, LANES, s] of texts that are read together.

        They are in lanes, one text behind the other: a bigram is looked up once for all lanes.
        What is found of a text doesn't depend on the others. Behind a lane's end is anything.

        Args:
            likelihoods: Pr[y_t | x] float32[t, s] of the texts of each lane, ``LANES`` at most,
                with any positive factor in each row. So has the result.
            lengths: of the texts of each lane.
            room: for the result, the second of ``room_for``; by default new.
        """
        states, steps = len(self._first), max(map(len, likelihoods))
        padding = [np.empty((0, states), np.float32)] * (LANES - len(likelihoods))
        seen = (*likelihoods, *padding)
        scales, begins = (
            np.zeros((LANES, steps), np.float32),
            np.zeros((LANES, steps + 1), np.bool_),
        )
        for lane, (own, texts) in enumerate(zip(likelihoods, lengths, strict=True)):
            scales[lane, : len(own)] = 1 / own.max(axis=1)
            begins[lane, np.cumsum([0, *texts])] = True
        found = np.empty((steps, LANES * states), np.float32) if room is None else room[:steps]
        _forward(seen, scales, begins, self._first, *self._forward, found)
        _backward(seen, scales, begins, *self._backward, found)
        _turn_all(found)
        return found.reshape(steps, LANES, states)


def side_by_side(lengths: Sequence[int]) -> list[list[list[int]]]:
    """Return the numbers of texts of such ``lengths``, by group and lane, to be read together.

    Lanes are about as long, and groups an even number, for two threads.
    """
    groups = 2 * ceil(sum(lengths) / (2 * LANES * _STEPS))
    lanes: list[list[int]] = [[] for _ in range(groups * LANES)]
    filled = [(0, lane) for lane in range(len(lanes))]  # a heap
    for text in sorted(range(len(lengths)), key=lambda text: -lengths[text]):
        length, lane = filled[0]
        heapreplace(filled, (length + lengths[text], lane))
        lanes[lane].append(text)
    order = [lane for _, lane in sorted(filled, reverse=True) if lanes[lane]]
    starts = range(0, len(order), LANES)
    return [[lanes[lane] for lane in order[start : start + LANES]] for start in starts]


def room_for(
    states: int, lengths: Sequence[int], groups: Sequence[Sequence[Sequence[int]]]
) -> tuple[Floats, Floats]:
    """Return room for the likelihoods and for the beliefs of any of ``side_by_side``'s ``groups``.

    They are float32[t, s], one lane behind the other, and float32[t, LANES * s].
    """
    lanes = [[sum(lengths[text] for text in lane) for lane in group] for group in groups]
    tokens, steps = max(map(sum, lanes)), max(map(max, lanes))
    return (
        np.empty((tokens, states), np.float32),
        np.empty((steps, LANES * states), np.float32),
    )


def parts_of(lengths: Sequence[int]) -> list[slice]:
    """Return where the texts of a lane are, which have such ``lengths``."""
    ends = np.cumsum(lengths).tolist()
    return [slice(end - length, end) for length, end in zip(lengths, ends, strict=True)]


def _matrix(*columns: Any) -> Matrix:
    rows = sparse.hstack(columns, format="csr")
    rows.sort_indices()
    return parts_of_rows(rows)


def parts_of_rows(matrix: sparse.csr_array) -> Matrix:
    """Return the starts of rows, columns and values of ``matrix``, as the loops take them."""
    return (
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float32),
    )


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _step(
    matrix: Matrix, between: tuple[NDArray[np.int32], Floats, Floats], now: Floats, then: Floats
) -> None:
    """Write the product of ``matrix`` and ``now`` [s + 1, lanes] into ``then`` [s, lanes].

    The last of ``now``, that of the state between two words, is written first.
    """
    starts, words, values = matrix
    states = len(then)
    now[states] = 0
    add_row(now, between[0], between[1], 0, states, now, states)
    for x in range(states):
        then[x] = 0
        add_row(now, words, values, starts[x], starts[x + 1], then, x)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _over_means(
    between: tuple[NDArray[np.int32], Floats, Floats], rows: Floats, result: Floats
) -> None:
    """Write 1 over the mean of ``rows`` [s, lanes] into ``result`` [1, lanes]; 1 where it is 0."""
    states = len(between[0])
    result[0] = 0
    add_row(rows, between[0], between[2], 0, states, result, 0)
    for b in range(LANES):
        result[0, b] = np.float32(states) / result[0, b] if result[0, b] > 0 else np.float32(1)


@njit(inline="always")  # type: ignore[untyped-decorator]
def _seen(
    likelihoods: tuple[Floats, ...],
    scales: Floats,
    unit: Floats,
    t: int,
    start: int,
    rows: Floats,
    lanes: Floats,
) -> None:
    """Write the likelihoods of words from ``start`` on into ``lanes`` [block, lanes]."""
    for b in range(LANES):
        row = rows[b]
        if t >= len(likelihoods[b]):
            row[:] = 0
            continue
        own, scale = likelihoods[b][t, start : start + len(row)], scales[b, t] * unit[0, b]
        for x in range(len(own)):
            row[x] = own[x] * scale
    to_lanes(rows, lanes)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _forward(
    likelihoods: tuple[Floats, ...],
    scales: Floats,
    begins: NDArray[np.bool_],
    first: Floats,
    matrix: Matrix,
    between: tuple[NDArray[np.int32], Floats, Floats],
    filtered: Floats,
) -> None:
    """Write Pr[x_t | y_1 ... y_t] into ``filtered`` [t, s * lanes], but for a factor of each."""
    states = len(first)
    rows, lanes = np.zeros((LANES, _BLOCK), np.float32), np.empty((_BLOCK, LANES), np.float32)
    now, predicted = (
        np.empty((states + 1, LANES), np.float32),
        np.zeros((states, LANES), np.float32),
    )
    unit = np.ones((1, LANES), np.float32)
    for t in range(len(filtered)):
        for b in range(LANES):
            if begins[b, t]:
                predicted[:, b], unit[0, b] = first, 1
        for start in range(0, states, _BLOCK):
            _seen(likelihoods, scales, unit, t, start, rows, lanes)
            part = slice(LANES * start, LANES * min(start + _BLOCK, states))
            before, seen = predicted.reshape(-1)[part], lanes.reshape(-1)
            result, kept = now.reshape(-1)[part], filtered[t, part]
            for i in range(len(before)):
                product = before[i] * seen[i]
                result[i] = product
                kept[i] = product
        if t + 1 < len(filtered):
            _over_means(between, now, unit)
            _step(matrix, between, now, predicted)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _backward(
    likelihoods: tuple[Floats, ...],
    scales: Floats,
    begins: NDArray[np.bool_],
    matrix: Matrix,
    between: tuple[NDArray[np.int32], Floats, Floats],
    posterior: Floats,
) -> None:
    """Make Pr[x_t | y_1 ... y_T] of what ``_forward`` wrote, but for a factor of each."""
    states = len(between[0])
    rows, lanes = np.zeros((LANES, _BLOCK), np.float32), np.empty((_BLOCK, LANES), np.float32)
    now, later = np.empty((states + 1, LANES), np.float32), np.ones((states, LANES), np.float32)
    unit = np.ones((1, LANES), np.float32)
    for t in range(len(posterior) - 1, 0, -1):
        for start in range(0, states, _BLOCK):
            _seen(likelihoods, scales, unit, t, start, rows, lanes)
            part = slice(LANES * start, LANES * min(start + _BLOCK, states))
            after, seen, result = later.reshape(-1)[part], lanes.reshape(-1), now.reshape(-1)[part]
            for i in range(len(after)):
                result[i] = after[i] * seen[i]
        _step(matrix, between, now, later)
        for b in range(LANES):
            if begins[b, t]:  # after the end of a text nothing comes
                later[:, b] = 1
        _over_means(between, later, unit)
        found, factors = posterior[t - 1], later.reshape(-1)
        for i in range(len(found)):
            found[i] *= factors[i]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _turn_all(posterior: Floats) -> None:
    """Make each [s, lanes] of ``posterior`` [t, s * lanes] a [lanes, s], in its place."""
    states = posterior.shape[1] // LANES
    rows, lanes = np.empty((LANES, _BLOCK), np.float32), np.empty((_BLOCK, LANES), np.float32)
    copied = np.empty(posterior.shape[1], np.float32)
    for t in range(len(posterior)):
        copied[:] = posterior[t]
        for start in range(0, states, _BLOCK):
            size = min(_BLOCK, states - start)
            lanes.reshape(-1)[: LANES * size] = copied[LANES * start : LANES * (start + size)]
            to_rows(lanes, rows)
            for b in range(LANES):
                posterior[t, states * b + start : states * b + start + size] = rows[b, :size]
