"""The outcome of an audit, for people and for CI."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from brrkit_toolchain.io.junit import junit

UNSEEN = (
    "leaks too rare to show in --samples draws",
    "an output that one particular word never has",
    "faults that occur only at the shipped epsilon",
    "random bytes that can be guessed but don't repeat",
    "side channels, such as time",
    "code that recognizes an audit",
)
"""Violations that no audit finds; ``docs/explanation/how-the-audit-works.md`` has the reasons."""

NO_POLICY_PARTS = "marks, memory and counts of lists, which the factory's callable doesn't have"

NO_TEXTS = "texts, for which the factory's callable has no method text"


@dataclass(frozen=True)
class PairTest:
    """The inequality for one pair of inputs and one event, Pr[x] <= e^claimed * Pr[x'].

    Attributes:
        first: the input x; several words are joined by spaces.
        second: the input x'.
        distance: largest distance between them, in the metric of the claim.
        claimed: epsilon * distance, the largest loss that the guarantee allows.
        event: the outputs in the event, or a half-space; chosen on separate draws.
        counts: number of draws in the event for x and for x'.
        privacy_loss: a lower confidence bound on the event's loss, at least 0.
    """

    first: str
    second: str
    distance: float
    claimed: float
    event: str
    counts: tuple[int, int]
    privacy_loss: float

    @property
    def violated(self) -> bool:
        """Whether the loss exceeds the claim."""
        return self.privacy_loss > self.claimed


@dataclass(frozen=True)
class Part:
    """One part of an audit.

    Attributes:
        name: name of the part, such as "near codes", "texts" or "fresh noise".
        epsilon: epsilon of the instance, per unit of distance.
        pairs: the pairs tested; empty if the test isn't of pairs.
        passed: whether no violation was found.
        detail: the measured result, in one line.
        seconds: wall-clock time.
    """

    name: str
    epsilon: float
    pairs: tuple[PairTest, ...]
    passed: bool
    detail: str
    seconds: float

    @property
    def worst(self) -> PairTest | None:
        """The pair with the largest difference of loss bound and claim; None without pairs."""
        return max(self.pairs, key=lambda pair: pair.privacy_loss - pair.claimed, default=None)


@dataclass(frozen=True)
class Audit:
    """The outcome of an audit.

    Attributes:
        bundle: the directory of the bundle; empty without a bundle.
        subject: the mechanism with its parameters, or the factory.
        metric: "hamming", "euclidean" or "any".
        samples: number of draws of every input that tested the events. Half as many further draws
            chose them.
        false_alarm_rate: largest probability that correct code fails.
        smallest_violation: if the loss of an event of probability 1/2 exceeds epsilon * d = 1 by
            this, the audit detects it with probability 0.99.
        parts: the parts, in the order of execution.
        unseen: violations that the audit can't find, or didn't look for.
    """

    bundle: str
    subject: str
    metric: str
    samples: int
    false_alarm_rate: float
    smallest_violation: float
    parts: tuple[Part, ...]
    unseen: tuple[str, ...] = UNSEEN

    @property
    def passed(self) -> bool:
        """Whether every part passed."""
        return all(part.passed for part in self.parts)

    @property
    def pairs(self) -> int:
        """The number of pairs tested."""
        return sum(len(part.pairs) for part in self.parts)

    @property
    def seconds(self) -> float:
        """The wall-clock time of all parts, in seconds."""
        return sum(part.seconds for part in self.parts)

    def to_json(self) -> str:
        """Return the audit as JSON: the attributes, ``passed``, ``pairs`` and ``seconds``."""
        fields = {
            **asdict(self),
            "passed": self.passed,
            "pairs": self.pairs,
            "seconds": self.seconds,
        }
        return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"

    def to_junit(self) -> str:
        """Return the audit as JUnit XML, a test case for each part."""
        return junit(f"brr audit {self.subject}", self.bundle, self.parts)
