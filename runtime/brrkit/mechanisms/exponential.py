"""The exponential mechanism on Hamming distance, exact in integers.

Pr[y | w] = m(y) W[d(w, y)] / sum over the vocabulary of m(.) W[d(w, .)]. d is the Hamming distance,
in which each task bit counts ``task_weight`` times. The integer weights of ``exact.weight_table``
fall gently up to a radius. The base measure m has positive integers, and can depend on the word
released before. This is metric DP with epsilon / 2 from the weight, and epsilon / 2 from the
normalizer (McSherry and Talwar 2007, section 3).
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import (
    check_cap,
    check_epsilon,
    weight_table,
    weights_epsilon,
)
from brrkit.hamming import HammingIndex, weigh_codes
from brrkit.masses import LEVELS, Masses
from brrkit.mechanisms.parameter import Parameter
from brrkit.parts import Parts
from brrkit.premises import check_weights
from brrkit.randomness import RandomSource, uniform_below
from brrkit.setting import MOST_TASK_WEIGHT

UNIFORM, UNIGRAM, BIGRAM = BASES = ("uniform", "unigram", "bigram")
"""Base measures: equal for all words, a mass for each, and gains for some after others."""

_Following = tuple[NDArray[np.intp], NDArray[np.int64]]
"""Words, with their gains after the word released before."""

_Prepared = tuple[NDArray[np.integer], NDArray[np.int64], NDArray[np.int64]]
"""Each word's distance as ``Parts.scan`` returns it, each part's base measure at each distance, and
the distances' cumulative weights."""

_NONE_FOLLOW: _Following = (np.zeros(0, np.intp), np.zeros(0, np.int64))

_DEFAULT_RADIUS_DIVISOR = 8  # divisor of the number of bits


def check_radius(radius: int | None, bits: int) -> int:
    """Return ``radius``; for None, the default, ``bits / 8``. Task bits don't count as bits here.

    Raises:
        ParameterError: it isn't an integer from 0 to ``bits``.
    """
    if radius is None:
        return bits // _DEFAULT_RADIUS_DIVISOR
    if not isinstance(radius, int | np.integer) or isinstance(radius, bool):
        raise ParameterError(f"radius must be an integer from 0 to {bits} (bits)")
    if not 0 <= radius <= bits:
        raise ParameterError(f"radius must be an integer from 0 to {bits} (bits), not {radius}")
    return int(radius)


def check_task_weight(weight: int | None, task_bits: int) -> int:
    """Return ``weight``; for None, the default, 1.

    Raises:
        ParameterError: it isn't an integer from 0 to 16, or there are no task bits.
    """
    if weight is None:
        return 1
    if not isinstance(weight, int | np.integer) or isinstance(weight, bool):
        raise ParameterError(f"task_weight must be an integer from 0 to {MOST_TASK_WEIGHT}")
    if not 0 <= weight <= MOST_TASK_WEIGHT:
        raise ParameterError(
            f"task_weight must be an integer from 0 to {MOST_TASK_WEIGHT}, not {weight}"
        )
    if not task_bits:
        raise ParameterError(
            "parameter task_weight needs task bits, and the bundle has none; build it with tasks"
        )
    return int(weight)


def check_base(base: str | None, masses: Masses) -> str:
    """Return ``base``; for None, ``bigram`` if the bundle has bigrams, or else ``unigram``.

    Raises:
        ParameterError: it isn't one of ``BASES``, or the bundle has no bigrams for it.
    """
    if base is None:
        return BIGRAM if masses.bigrams else UNIGRAM
    if base not in BASES:
        raise ParameterError(f"there is no such base; choose one of: {', '.join(BASES)}")
    if base == BIGRAM and not masses.bigrams:
        raise ParameterError(
            "base 'bigram' needs bigrams, and the bundle has none; choose 'unigram', or build the "
            "bundle with --text"
        )
    return base


class Exponential:
    """Draws a distance, then a word at that distance: one scan of the codes, no noised code.

    Proof: ``docs/explanation/proofs.md``, "exponential".
    """

    parameters = (
        Parameter(
            "radius",
            int,
            "words within this many bits of the typed word are nearly as likely as it is. "
            "Default: an eighth of the bits.",
        ),
        Parameter(
            "base",
            str,
            "which words are more likely outputs: uniform (none), unigram (frequent ones) or "
            "bigram (those that follow the last output). Default: the last that the bundle "
            "supports.",
            choices=BASES,
        ),
        Parameter(
            "cap",
            float,
            "limit on the privacy loss between any two words. Default: none.",
        ),
        Parameter(
            "task_weight",
            int,
            "how many times a differing task bit counts, from 0 to 16. Default: 1, like any bit.",
        ),
    )

    def __init__(
        self,
        bundle: WordBundle,
        epsilon: float,
        radius: int | None = None,
        base: str | None = None,
        cap: float | None = None,
        task_weight: int | None = None,
    ) -> None:
        """Compute the weight table.

        Args:
            bundle: an opened bundle.
            epsilon: privacy parameter per bit of Hamming distance.
            radius: radius in bits: words within it are nearly as likely as the word itself. By
                default, an eighth of the bits; 0 keeps the most meaning at the same epsilon.
            base: base measure: ``uniform``; ``unigram``, a mass for each word; or ``bigram``, with
                gains for words that follow the word released before. By default, the last of these
                that the bundle has.
            cap: largest privacy loss between any two words at any distance; by default, only
                epsilon times their distance limits it.
            task_weight: weight of a differing task bit, from 0 to 16; by default, 1. Only for
                bundles with task bits.

        Raises:
            ParameterError: a parameter is out of range, or the bundle has no such base.
        """
        self.epsilon = check_epsilon(epsilon)
        self.radius = check_radius(radius, bundle.word_bits)
        self.task_weight = check_task_weight(task_weight, bundle.task_bits)
        self.codes = weigh_codes(bundle.codes, bundle.task_bits, self.task_weight)
        self.base = check_base(base, bundle.masses)
        self.cap = None if cap is None else check_cap(cap)
        self.model = bundle.masses
        alike = self.base == UNIFORM
        if self.base == BIGRAM:
            most = self.model.most
        else:
            most = len(bundle) if alike else self.model.total
        largest = 64 * self.codes.shape[1]
        weights = weight_table(self.epsilon, largest, most, self.radius, self.cap)
        check_weights(weights, self.epsilon, largest, most, self.cap)
        self.weights = np.array(weights, np.int64)
        self.effective_epsilon = weights_epsilon(weights)
        self.setting = (
            b"exponential",
            hashlib.sha256(self.weights.astype("<i8").tobytes()).digest()
            + (b"\0" if alike else b"\1"),
        )
        self._masses = np.ones(len(bundle), np.int64) if alike else LEVELS[self.model.words]
        self._task_bits = bundle.task_bits
        self._index = bundle.index if self.codes is bundle.codes else HammingIndex(self.codes)
        self._parts = Parts(self._index, self._masses)

    def __call__(
        self, codes: NDArray[np.uint64], random: RandomSource, before: int | None = None
    ) -> NDArray[np.intp]:
        """Return an id for each code; two uniform integers each.

        Each word has its own scan, even equal words; otherwise the duration of a text would reveal
        its number of different words.
        """
        ids = np.empty(len(codes), np.intp)
        weighed = self.weigh(codes)
        for row in range(len(weighed)):  # faster than iterating over the array
            following = self._following(before)
            scanned, sums, cumulative = self.prepare(weighed[row], following)
            number = uniform_below(int(cumulative[-1]), random)
            distance = int(cumulative.searchsorted(number, side="right"))
            until = np.add.accumulate(sums[:, distance]).tolist()
            number = uniform_below(until[-1], random)
            ids[row] = before = self._word_at(scanned, distance, number, until, following)
        return ids

    def prepare(self, code: NDArray[np.uint64], following: _Following) -> _Prepared:
        """Return what draws for a code depend on, besides random bytes.

        ``brr audit`` draws several times from one result. It is valid until this thread's next
        call.

        Args:
            code: uint64[bits / 64], as ``weigh`` returns it.
            following: the words that gain after the word released before.
        """
        scanned = self._parts.scan(code)
        return scanned, *self._histogram(scanned, following)

    def measure(self, before: int | None = None) -> NDArray[np.int64]:
        """Return the base measure int64[n], after the word ``before``; None is a text's start."""
        measure: NDArray[np.int64] = self._masses.copy()
        after, gains = self._following(before)
        measure[after] += gains
        return measure

    def distribution(self, code: NDArray[np.uint64], before: int | None = None) -> list[Fraction]:
        """Return the exact probability of every id, for an input ``code`` uint64[bits / 64]."""
        distances = self._index.distances(self.weigh(code[None])[0])
        weights = (self.measure(before) * self.weights[distances]).tolist()
        total = sum(weights)
        return [Fraction(weight, total) for weight in weights]

    def weigh(self, codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return ``codes`` uint64[m, bits / 64] in the form of ``self.codes``."""
        return weigh_codes(codes, self._task_bits, self.task_weight)

    def _following(self, before: int | None) -> _Following:
        if before is None or self.base != BIGRAM:
            return _NONE_FOLLOW
        return self.model.following(before)

    def _histogram(
        self, scanned: NDArray[np.integer], following: _Following
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return each part's base measure [parts, d] at each distance, and the cumulative weights.

        The latter are sums over all parts of the measure times W.
        """
        measures = self._parts.measures(scanned, *following)
        # Below 2^63 by the choice of W[0], so exact in int64.
        whole = np.add.reduce(measures, axis=0)
        whole *= self.weights
        return measures, np.add.accumulate(whole, out=whole)

    def _word_at(
        self,
        scanned: NDArray[np.integer],
        distance: int,
        number: int,
        until: list[int],
        following: _Following,
    ) -> int:
        """Return the word at ``distance`` for a number below the base measure of these words.

        ``until`` is the base measure at this distance up to the end of each part.
        """
        part = bisect_right(until, number)
        first, there, measure = self._parts.words_at(scanned, part, distance)
        if following is not _NONE_FOLLOW:
            after, gains = following
            behind = after - first
            nearest = there.searchsorted(behind)
            gaining = there.take(nearest, mode="clip") == behind
            measure[nearest[gaining]] += gains[gaining]
        number -= until[part - 1] if part else 0
        return first + int(there[np.add.accumulate(measure).searchsorted(number, side="right")])
