"""The exponential mechanism on Hamming distance, exact in integers.

Pr[y | w] = W[d(w, y)] / sum over the vocabulary of W[d(w, .)], with the integer weights of
``exact.weight_table``, which fall gently up to a radius: metric DP with epsilon / 2 from the weight
and epsilon / 2 from the normalizer (McSherry and Talwar 2007).
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import check_epsilon, weight_table, weights_epsilon
from brrkit.mechanisms.parameter import Parameter
from brrkit.randomness import RandomSource, uniform_below

_SHARE = 8  # the default radius is the number of bits divided by this


def check_radius(radius: int | None, bits: int) -> int:
    """Return ``radius``; for None the default, ``bits / 8``.

    Raises:
        ParameterError: it isn't an integer from 0 to ``bits``.
    """
    if radius is None:
        return bits // _SHARE
    if not isinstance(radius, int | np.integer) or isinstance(radius, bool):
        raise ParameterError(f"radius must be an integer from 0 to {bits} (bits)")
    if not 0 <= radius <= bits:
        raise ParameterError(f"radius must be an integer from 0 to {bits} (bits), not {radius}")
    return int(radius)


class Exponential:
    """Draws a distance, then a word at that distance: one scan of the codes, no noised code.

    Proof: ``docs/privacy.md``, "exponential".
    """

    parameters = (
        Parameter(
            "radius",
            int,
            "words within so many bits of a word are nearly as likely as itself. "
            "Default: an eighth of the bits.",
        ),
    )

    def __init__(self, bundle: WordBundle, epsilon: float, radius: int | None = None) -> None:
        """Compute the weight table.

        Args:
            bundle: an opened bundle.
            epsilon: privacy parameter per bit of Hamming distance.
            radius: in bits: words within it are nearly as likely to come out as the word itself. By
                default an eighth of the bits; 0 has the most meaning at the same epsilon.

        Raises:
            ParameterError: epsilon or the radius is out of range.
        """
        self.epsilon = check_epsilon(epsilon)
        self.radius = check_radius(radius, bundle.bits)
        weights = weight_table(self.epsilon, bundle.bits, len(bundle), self.radius)
        self.weights = np.array(weights, np.int64)
        self.effective_epsilon = weights_epsilon(weights)
        self.setting = (
            b"exponential",
            hashlib.sha256(self.weights.astype("<i8").tobytes()).digest(),
        )
        self._index = bundle.index

    def __call__(self, codes: NDArray[np.uint64], random: RandomSource) -> NDArray[np.intp]:
        """Return an id for each code; two uniform integers each.

        A code that comes again is drawn from the histogram that its first scan gave, and scanned
        once more in all, when its distances are known.
        """
        ids = np.empty(len(codes), np.intp)
        different, numbers = _distinct(codes)
        histograms: dict[int, tuple[list[int], list[int]]] = {}
        again: dict[int, list[tuple[int, int, int]]] = {}
        scans = self._index.scans(different)
        for row, number in enumerate(numbers):
            new = number not in histograms
            if new:
                distances = next(scans)
                counts = np.bincount(distances, minlength=len(self.weights))
                # Below 2^63 by the choice of W[0], so exact in int64.
                cumulative = np.cumsum(counts * self.weights)
                histograms[number] = counts.tolist(), cumulative.tolist()
            words_at, weights_to = histograms[number]
            distance = bisect_right(weights_to, uniform_below(weights_to[-1], random))
            position = uniform_below(words_at[distance], random)
            if new:
                ids[row] = np.flatnonzero(distances == distance)[position]
            else:
                again.setdefault(number, []).append((distance, position, row))
        if not again:
            return ids
        for draws, distances in zip(
            again.values(), self._index.scans(different[list(again)]), strict=True
        ):
            for distance, group in groupby(sorted(draws), key=itemgetter(0)):
                _, positions, rows = zip(*group, strict=True)
                ids[list(rows)] = np.flatnonzero(distances == distance)[list(positions)]
        return ids

    def distribution(self, code: NDArray[np.uint64]) -> list[Fraction]:
        """Return the exact probability of every id, for an input ``code`` uint64[bits / 64]."""
        weights = self.weights[self._index.distances(code)].tolist()
        total = sum(weights)
        return [Fraction(weight, total) for weight in weights]


def _distinct(codes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], list[int]]:
    """Return the different codes in the order of their first places, and each code's number."""
    seen: dict[bytes, int] = {}
    numbers = [seen.setdefault(code.tobytes(), len(seen)) for code in codes]
    firsts = dict(zip(reversed(numbers), range(len(codes) - 1, -1, -1), strict=True))
    return codes[[firsts[number] for number in range(len(seen))]], numbers
