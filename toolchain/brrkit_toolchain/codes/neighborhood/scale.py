"""One of the two losses, near or far: its temperature, its weight, and the learned gain."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from brrkit_toolchain.codes.portable import exponential

from .targets import Floats, temperature_of

LEAST_SHARE = 0.01
"""Smallest share of a new value in a running mean, which then covers about the last hundred."""

_FIRST_GAIN = -0.6931471805599453  # logarithm of the gain
_GAIN_RATE = 0.01
_TINY = 1e-12  # keeps a quotient finite
_LEAST_WEIGHT = 1e-30  # keeps the sum of a word's weights above 0


class Scale:
    """One of the losses: its temperature, its weight, and the gain of codes' inner products."""

    def __init__(self, groups: Sequence[Floats], perplexity: float, weight: float) -> None:
        """Choose the temperature for ``groups`` of cosines float32[m, m]."""
        self.temperature = temperature_of(groups, perplexity)
        self.weight = weight
        self._log_gain = _FIRST_GAIN
        self._square = 0.0  # running mean square of its slopes
        self._steps = 0

    @property
    def gain(self) -> float:
        """The factor of inner products, g / T."""
        return exponential(self._log_gain) / self.temperature

    def weights(self, bits: int) -> Floats:
        """Return the weight of a word by its distance, float32[bits + 2].

        It is 1 at 0, and 0 at ``bits`` + 1, which stands for the distance of a word from itself.
        """
        falls = np.full(bits + 1, exponential(-2 * self.gain / bits))
        falls[0] = 1
        weights = np.zeros(bits + 2, np.float32)
        weights[:-1] = np.maximum(np.multiply.accumulate(falls), _LEAST_WEIGHT)
        return weights

    def improve_gain(self, excess: float, words: int, bits: int) -> None:
        """Take a step of the gain, given the sum of (q - p) times the distances."""
        slope = -2 / bits * self.gain * excess / words
        self._steps += 1
        share = max(1 / self._steps, LEAST_SHARE)
        self._square += share * (slope * slope - self._square)
        self._log_gain -= _GAIN_RATE * slope / (sqrt(self._square) + _TINY)
