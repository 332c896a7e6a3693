"""Vickrey over Hamming distance: randomized response, then one of the nearest words at random.

The algorithms printed in the paper (Xu et al. 2021, Algorithms 1 and 3) leave the input word out
of the candidates. That would break the guarantee: Pr[M(w) = w] = 0 while Pr[M(w') = w] > 0. Its
proof has no such exclusion, and neither has this module: the candidates are the nearest codes of
the whole vocabulary, and everything after the randomizer is post-processing.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import as_number, decay
from brrkit.mechanisms.brr import BRR
from brrkit.mechanisms.parameter import Parameter
from brrkit.randomness import RandomSource, uniform_below
from brrkit.setting import MOST_CANDIDATES

DEFAULT_T = 0.5
"""Default for t."""

_ONE = 1 << 32


class Vickrey:
    """Chooses between the two nearest words (a number t), or among k (a list t_1 ... t_k).

    For any t: the choice is post-processing. Proof: ``docs/explanation/proofs.md``, "vickrey".
    """

    parameters = (
        Parameter(
            "t",
            float,
            f"a number from 0 to 1, or, given k times, t_1 ... t_k. Default: {DEFAULT_T}.",
            several=True,
        ),
    )

    def __init__(
        self,
        bundle: WordBundle,
        epsilon: float,
        t: float | Sequence[float] = DEFAULT_T,
        k: int | None = None,
    ) -> None:
        """Prepare the randomizer.

        Args:
            bundle: an opened bundle.
            epsilon: privacy parameter per bit of Hamming distance.
            t: a number in [0, 1]: the nearest word is chosen with probability (1 - t) d2 / (t d1 +
                (1 - t) d2), where d1 and d2 are the distances from the noised code to the two
                nearest (Algorithm 1); 0 is BRR, and 1 always chooses the second. Or at most 64
                numbers >= 0, k in all: the r-th nearest is chosen with a probability proportional
                to exp(-t_r d_r) (Algorithm 3).
            k: number of candidates; redundant, since t implies it.

        Raises:
            ParameterError: a parameter is out of range, or k doesn't fit t.
        """
        self._brr = BRR(bundle, epsilon)
        self.threshold = self._brr.threshold
        self._index = bundle.index
        self.epsilon = self._brr.epsilon
        self.effective_epsilon = self._brr.effective_epsilon
        several = isinstance(t, Sequence) and not isinstance(t, str)
        values = _checked(t, several)
        candidates = len(values) if several else 2
        if k is not None and k != candidates:
            raise ParameterError(
                f"k is {k!r}, but t gives {candidates} candidates; for another k, give t as a list "
                "of k numbers"
            )
        if candidates > len(bundle):
            raise ParameterError(
                f"k = {candidates} is larger than the vocabulary of {len(bundle)} words"
            )
        self.k = candidates
        self.t = values if several else values[0]
        self._rates = [Fraction(value) for value in values] if several else None
        # t in units of 2^-32, exact in every language.
        self._second = 0 if several else round(values[0] * _ONE)
        choice = struct.pack(f"<{len(values)}d", *values) if several else None
        self.setting = (
            b"vickrey",
            self._brr.threshold.to_bytes(8, "little")
            + (b"\0" + self._second.to_bytes(8, "little") if choice is None else b"\1" + choice),
        )

    def __call__(
        self,
        codes: NDArray[np.uint64],
        random: RandomSource,
        before: int | None = None,  # noqa: ARG002 - without a base measure, words are independent
    ) -> NDArray[np.intp]:
        """Return an id for each code: 4 * bits random bytes each, then a uniform integer each."""
        ids, distances = self._index.nearest(self._brr.randomizer(codes, random), self.k)
        chosen = [self._choose(row, random) for row in distances.tolist()]
        return ids[np.arange(len(ids)), chosen]

    def _choose(self, distances: list[int], random: RandomSource) -> int:
        weights = self.choice_weights(distances)
        number = uniform_below(sum(weights), random)
        rank = 0
        while number >= weights[rank]:
            number -= weights[rank]
            rank += 1
        return rank

    def choice_weights(self, distances: Sequence[int]) -> list[int]:
        """Return the integer weights of the k nearest words, which are at ``distances`` [k]."""
        if self._rates is None:
            first, second = (_ONE - self._second) * distances[1], self._second * distances[0]
            # 0 : 0 only if the nearest code is the noised one; t = 1 still means the second.
            return [first, second] if first + second else [_ONE - self._second, self._second]
        exponents = [rate * d for rate, d in zip(self._rates, distances, strict=True)]
        least = min(exponents)
        return [decay(exponent - least) for exponent in exponents]


def _checked(t: float | Sequence[float], several: bool) -> list[float]:
    """Return the numbers of ``t``, of which there may be several."""
    given = t if isinstance(t, Sequence) else [t]
    if len(given) > MOST_CANDIDATES:
        raise ParameterError(f"t has {len(given)} numbers; give at most {MOST_CANDIDATES}")
    # True and "0.5" would count as numbers.
    values = [math.nan if isinstance(v, bool | str) else as_number(v) for v in given]
    in_range = all(0 <= value < math.inf for value in values)
    if not values or not in_range or (not several and values[0] > 1):
        raise ParameterError(
            f"t must be a number from 0 to 1, or a list of k numbers >= 0, not {values}"
        )
    return values
