"""The additional privacy loss of other words because of passing words.

    K(y|x) <= e^min(epsilon d(x, x'), cap) / (1 - p) K(y|x')

for a word x that doesn't pass and a passing word x'. The bound is one-sided, because a passing word
may show that it was typed. Proof: ``docs/explanation/proofs.md``, "Passing words".
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log1p, nextafter

from brrkit.policy import Policy


@dataclass(frozen=True)
class PassingLoss:
    """Passing words, and the additional privacy loss.

    Attributes:
        words: number of passing words.
        probability: p, the probability that a word passes, without a draw of the mechanism.
        loss: -ln(1 - p), rounded up: the additional privacy loss of another word against a passing
            word, beyond that of their distance.
    """

    words: int
    probability: float
    loss: float


def passing_loss(policy: Policy) -> PassingLoss | None:
    """Return the additional loss from a policy's passing words; None if it has none."""
    passing = policy.passing
    if passing is None:
        return None
    probability = passing.threshold / 2**63  # exact: a double
    # At most the last digit of the logarithm is wrong.
    loss = nextafter(nextafter(-log1p(-probability), inf), inf)
    return PassingLoss(len(passing.words), probability, loss)
