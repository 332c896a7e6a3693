"""The replacement of an unknown word: a word of the vocabulary, drawn by its mass.

This is the runtime's policy ``random``, for any mechanism and base. Proof:
``docs/explanation/proofs.md``, "Words outside the vocabulary".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit.masses import LEVELS, Masses
from brrkit.randomness import RandomSource
from brrkit_toolchain.channel.drawing.random_numbers import uniform_below


def stand_in_shares(masses: Masses) -> NDArray[np.float64]:
    """Return the probability that each word replaces an unknown word, float64[n] with the sum 1."""
    shares: NDArray[np.float64] = LEVELS[masses.words] / masses.total
    return shares


def draw_stand_ins(masses: Masses, count: int, random: RandomSource) -> NDArray[np.intp]:
    """Return the ids [count] of words that replace unknown words."""
    until = masses.cumulative
    numbers = uniform_below(np.full(count, until[-1]), random).astype(np.int64)
    found: NDArray[np.intp] = until.searchsorted(numbers, side="right")
    return found
