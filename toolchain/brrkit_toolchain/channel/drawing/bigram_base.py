"""The base ``bigram`` for many texts at once: draws that depend on the word released before.

    Pr[y | x, h] = (m(y) + g_h(y)) W[d(x, y)] / (N(x) + G_h(x)),  G_h(x) = sum of g_h(.) W[d(x, .)]

is a mixture. With a probability of G_h(x) / (N(x) + G_h(x)), one of the few words with a gain after
h is drawn, otherwise a word by the base ``unigram``. The latter don't depend on h, so they are
drawn for all places at once. Then each text is processed from its start. Only exact integers
decide.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from brrkit.masses import LEVELS, Masses
from brrkit.randomness import RandomSource
from brrkit_toolchain.channel.drawing.random_numbers import random_uint64
from brrkit_toolchain.codes.scans import popcount
from brrkit_toolchain.io.compiled import compiled, inlined

_NUMBERS_PER_WORD = 3  # on average, at most two are needed


class BigramGains(NamedTuple):
    """The bigrams of a bundle, by their first word.

    Attributes:
        starts: int64[n + 1]; word h has the bigrams from ``starts[h]`` to ``starts[h + 1]``.
        after: int64[b], id of each bigram's second word.
        gains: int64[b], the bigram's addition to that word's mass.
    """

    starts: NDArray[np.int64]
    after: NDArray[np.int64]
    gains: NDArray[np.int64]

    @classmethod
    def of(cls, model: Masses) -> BigramGains:
        """Unpack the bigrams of ``model``."""
        before = model.before.unpack()
        starts = np.searchsorted(before, np.arange(len(model) + 1)).astype(np.int64)
        return cls(starts, model.after.unpack().astype(np.int64), LEVELS[model.gains])


class _Mechanism(Protocol):
    codes: NDArray[np.uint64]
    weights: NDArray[np.int64]
    model: Masses


class _Typed(NamedTuple):
    """Words to release, one text after the other.

    Attributes:
        ids: int64[m], ids of the words.
        texts: int64[m], number of each word's text, ascending.
        totals: int64[m], N of each word.
        passed: bool[m], whether each word is released as typed.
    """

    ids: NDArray[np.int64]
    texts: NDArray[np.int64]
    totals: NDArray[np.int64]
    passed: NDArray[np.bool_]


Draws = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The released ids [m] of some words, and N [m] of each word."""


class BigramReleaser:
    """Releases texts through a mechanism with the base ``bigram``."""

    def __init__(
        self,
        independent: Callable[[NDArray[np.intp]], Draws],
        mechanism: _Mechanism,
        random: RandomSource,
    ) -> None:
        """Prepare the bigrams.

        Args:
            independent: function that draws each word as a text's first, by the base ``unigram``.
            mechanism: the mechanism.
            random: source of random bytes.
        """
        self._independent, self._random = independent, random
        self._codes = mechanism.codes.copy()
        self._weights, self._gains = mechanism.weights, BigramGains.of(mechanism.model)
        self._near = np.ascontiguousarray(self._codes[self._gains.after].T)

    def __call__(
        self,
        ids: NDArray[np.intp],
        texts: NDArray[np.intp] | None,
        passed: NDArray[np.bool_],
    ) -> NDArray[np.int64]:
        """Return the released ids [m]; where ``passed`` is true, these are ``ids``.

        Args:
            ids: ids of the typed words.
            texts: as for ``BatchedMechanism``.
            passed: bool[m], whether each word passes.
        """
        released, totals = self._independent(ids)
        released = np.where(passed, ids, released)
        if texts is None:
            return released
        place = 0
        while place < len(ids):
            rest = len(ids) - place
            numbers = random_uint64(max(64, _NUMBERS_PER_WORD * min(rest, 1 << 20)), self._random)
            place = _follow(
                place,
                _Typed(ids, texts, totals, passed),
                self._codes,
                self._weights,
                self._gains,
                self._near,
                numbers,
                released,
            )
        return released


@compiled
def _follow(
    place: int,
    typed: _Typed,
    codes: NDArray[np.uint64],
    weights: NDArray[np.int64],
    gains_after: BigramGains,
    near: NDArray[np.uint64],
    numbers: NDArray[np.uint64],
    released: NDArray[np.int64],
) -> int:
    """Replace words in ``released`` by words with a gain, from ``place``.

    Returns the place where random ``numbers`` ran out, whose word isn't decided yet. ``near``,
    uint64[bits / 64, b], contains the codes of the second words.
    """
    ids, texts, totals, passed = typed
    starts, after, gains = gains_after
    used = 0
    for t in range(place, len(ids)):
        if t == 0 or texts[t] != texts[t - 1] or passed[t]:
            continue
        before = released[t - 1]
        first, last = starts[before], starts[before + 1]
        if first == last:
            continue
        query, block, gain = codes[ids[t]], near[:, first:last], gains[first:last]
        gained = np.int64(0)
        for k in range(len(gain)):
            gained += gain[k] * weights[_distance(query, block, k)]
        bound = np.uint64(totals[t] + gained)
        mask = bound - np.uint64(1)
        for shift in (1, 2, 4, 8, 16, 32):
            mask |= mask >> np.uint64(shift)
        while True:
            if used == len(numbers):
                return t
            number = numbers[used] & mask
            used += 1
            if number < bound:
                break
        left = np.int64(number)
        if left >= gained:
            continue
        for k in range(len(gain)):
            left -= gain[k] * weights[_distance(query, block, k)]
            if left < 0:
                released[t] = after[first + k]
                break
    return len(ids)


@inlined
def _distance(query: NDArray[np.uint64], planes: NDArray[np.uint64], k: int) -> int:
    distance: int = popcount(query[0] ^ planes[0, k])
    for plane in range(1, len(planes)):
        distance += popcount(query[plane] ^ planes[plane, k])
    return distance
