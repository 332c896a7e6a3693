"""One of the two losses, near or far: its temperature, its weight, and the learned gain."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from brrkit_toolchain.codes.portable import exponential, logarithm

from .targets import Floats, temperature_of

LEAST_SHARE = 0.01
"""Smallest share of a new value in a running mean, which then covers about the last hundred."""

_FIRST_GAIN = -0.6931471805599453  # logarithm of g
_GAIN_RATE = 0.01
_STEEPEST = 2.0  # largest fall; the nearest codes then have nearly all of the weight
_TINY = 1e-12  # keeps a quotient finite


class Scale:
    """One of the losses.

    Attributes:
        temperature: T, of p.
        weight: factor of the loss.
        gain: the factor of inner products of codes in q, g / T.
    """

    def __init__(self, groups: Sequence[Floats], perplexity: float, weight: float) -> None:
        """Choose the temperature for ``groups`` of cosines float32[m, m]."""
        self.temperature = temperature_of(groups, perplexity)
        self.weight = weight
        self._log_gain = _FIRST_GAIN
        self.gain = exponential(_FIRST_GAIN) / self.temperature
        self._square = 0.0  # running mean square of its slopes
        self._steps = 0

    def fall(self, bits: int) -> float:
        """Return by how much each distance reduces the logarithm of a word's weight in q."""
        return 2 / bits * self.gain

    def improve_gain(self, excess: float, words: int, bits: int) -> None:
        """Take a step of the gain, given the sum of (q - p) times the distances."""
        slope = -self.fall(bits) * excess / words
        self._steps += 1
        share = max(1 / self._steps, LEAST_SHARE)
        self._square += share * (slope * slope - self._square)
        self._log_gain -= _GAIN_RATE * slope / (sqrt(self._square) + _TINY)
        # Cosines may differ more than any code's distances can, and would raise the gain forever.
        steepest = _STEEPEST * bits / 2 * self.temperature
        self._log_gain = min(self._log_gain, logarithm(steepest))
        self.gain = exponential(self._log_gain) / self.temperature
