"""Randomized response over words, for many words at once, and for its attackers.

The output for a symbol x is y with probability K(y|x) = a [x = y] + (1 - a) / k, for k symbols: the
words by their ids, and after them one symbol for all unknown words. ``brrkit.counts`` draws it
exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log1p

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ApproximateResponse:
    """K, in floating point: for estimates, attacks and experiments.

    Attributes:
        kept: a, above 0 and at most 1.
        symbols: k.
    """

    kept: float
    symbols: int

    @classmethod
    def of_cap(cls, cap: float, symbols: int) -> ApproximateResponse:
        """Return the response whose loss between any two symbols is ``cap``."""
        # Equal to (e^cap - 1) / (e^cap - 1 + k), which would overflow.
        return cls(1 / (1 + symbols / expm1(min(cap, 700.0))), symbols)

    @property
    def loss(self) -> float:
        """The privacy loss between any two symbols, the cap."""
        return log1p(self.symbols * self.kept / (1 - self.kept))

    @property
    def drawn(self) -> float:
        """The probability (1 - a) / k that chance draws a given symbol."""
        return (1 - self.kept) / self.symbols

    def draw(
        self, symbols: NDArray[np.integer], generator: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the output [t] for each of ``symbols`` [t]; for experiments."""
        kept = generator.random(len(symbols)) < self.kept
        return np.where(kept, symbols, generator.integers(0, self.symbols, len(symbols)))

    def likelihoods(
        self,
        outputs: NDArray[np.integer],
        _before: NDArray[np.integer] | None = None,
        room: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Return K(y|x) float32[t, k] for each of ``outputs`` [t], independent of earlier outputs.

        The result is written into ``room``, float32[t, k], if given.
        """
        result = np.empty((len(outputs), self.symbols), np.float32) if room is None else room
        result[:] = self.drawn
        result[np.arange(len(outputs)), outputs] += np.float32(self.kept)
        return result

    def success(self, prior: NDArray[np.float64]) -> float:
        """Return the attack success of an attacker who knows ``prior`` and sees one report.

        By Bayes' rule, exactly: they guess the reported symbol, or the most probable other one.

        Args:
            prior: float64[k], the probability of each symbol; sums to 1.
        """
        second, first = np.sort(np.partition(prior, -2)[-2:])
        others = np.full(self.symbols, first)
        others[np.argmax(prior)] = second
        own = prior * (self.kept + self.drawn)
        return float(np.maximum(own, others * self.drawn).sum())

    def reports_needed(self, share: float, within: float = 0.2) -> float:
        """Return the number of reports that show a share with a relative error of ``within``.

        This holds with 95% confidence.

        Args:
            share: share of the typed symbols, above 0.
            within: largest relative error.
        """
        seen = self.drawn + self.kept * share
        return (1.96 / (within * self.kept * share)) ** 2 * seen * (1 - seen)
