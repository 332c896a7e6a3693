"""What words that a policy lets pass add to the privacy loss of the others.

    K(y|x) <= e^min(epsilon d(x, x'), cap) / (1 - p) K(y|x')

for a word x that doesn't pass and an x' that does: one-sided, for a passing word may show that it
was typed. Proof: ``docs/explanation/proofs.md``, "Passing words".
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log1p, nextafter

from brrkit.policy import Policy


@dataclass(frozen=True)
class PassingLoss:
    """Passing words, and what they add.

    Attributes:
        words: how many there are.
        probability: p, of coming out as typed whatever the mechanism draws.
        loss: -ln(1 - p), rounded up: what a word that doesn't pass loses more against one that does
            than by their distance.
    """

    words: int
    probability: float
    loss: float


def passing_loss(policy: Policy) -> PassingLoss | None:
    """Return what the passing words of a policy add; None if it has none."""
    passing = policy.passing
    if passing is None:
        return None
    probability = passing.threshold / 2**63  # exact: a double
    # Of the logarithm at most the last digit is wrong.
    loss = nextafter(nextafter(-log1p(-probability), inf), inf)
    return PassingLoss(len(passing.words), probability, loss)
