"""The comparisons of ``tasks``: texts, bundles, and goals for the attack success."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Contender:
    """=The task bits that count, and their weight.

    Attributes:
        label: name in the table.
        weight: weight of task bits; 0 is equivalent to none.
        strengths: values of epsilon, around the goals.
        tasks: tasks whose bits a word keeps; None for all.
    """

    label: str
    weight: int
    strengths: tuple[float, ...]
    tasks: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Comparison:
    """=The comparison on one task of one bundle.

    Attributes:
        goals: successes of the sentence attacker over all words at which contenders are compared.
        contenders: contenders with strengths around these.
    """

    goals: tuple[float, ...]
    contenders: tuple[Contender, ...]


BOTH = ("sentiment", "intents")

COMPARISONS = {
    ("sentiment", ("sentiment",)): Comparison(
        (0.1, 0.2, 0.3),
        (
            Contender("without task bits", 0, (0.5, 0.74, 1.01)),
            Contender("task weight 1", 1, (0.36, 0.58, 0.76)),
            Contender("task weight 2", 2, (0.29, 0.48, 0.69)),
            Contender("task weight 3", 3, (0.24, 0.43, 0.61)),
        ),
    ),
    ("sentiment", BOTH): Comparison(
        (0.2, 0.3),
        (
            Contender("without task bits", 0, (0.74, 1.01)),
            Contender("task weight 1", 1, (0.44, 0.56)),
            Contender("task weight 2", 2, (0.33, 0.42)),
            Contender("task weight 3", 3, (0.26, 0.32)),
            Contender("task weight 2, bits of intents alone", 2, (0.36, 0.46), ("intents",)),
        ),
    ),
    ("intents", BOTH): Comparison(
        (0.42,),
        (
            Contender("without task bits", 0, (0.6, 0.77)),
            Contender("task weight 1", 1, (0.385, 0.48)),
            Contender("task weight 2", 2, (0.265, 0.345)),
            Contender("task weight 3", 3, (0.22, 0.275)),
            Contender("task weight 2, bits of sentiment alone", 2, (0.46, 0.63), ("sentiment",)),
            Contender("task weight 2, bits of intents alone", 2, (0.31, 0.385), ("intents",)),
        ),
    ),
    ("intents", ("intents",)): Comparison(
        (0.42,),
        (
            Contender("without task bits", 0, (0.6, 0.77)),
            Contender("task weight 1", 1, (0.33, 0.41)),
            Contender("task weight 2", 2, (0.22, 0.28)),
            Contender("task weight 3", 3, (0.16, 0.2)),
        ),
    ),
    ("atis", ("atis",)): Comparison(
        (0.5,),
        (
            Contender("without task bits", 0, (0.6, 0.77)),
            Contender("task weight 1", 1, (0.44, 0.54)),
            Contender("task weight 2", 2, (0.4, 0.48)),
            Contender("task weight 3", 3, (0.36, 0.44)),
        ),
    ),
    ("atis", ("intents",)): Comparison(
        (0.5,),
        (
            Contender("task weight 1, bits of SNIPS' intents", 1, (0.44, 0.54)),
            Contender("task weight 2, bits of SNIPS' intents", 2, (0.31, 0.385)),
        ),
    ),
    ("topics", ("topics",)): Comparison(
        (0.1, 0.2, 0.3),
        (
            Contender("without task bits", 0, (0.35, 0.62, 0.93)),
            Contender("task weight 2", 2, (0.21, 0.36, 0.54)),
        ),
    ),
    ("rating", ("rating",)): Comparison(
        (0.2, 0.3),
        (
            Contender("without task bits", 0, (0.74, 1.01)),
            Contender("task weight 1", 1, (0.58, 0.76)),
            Contender("task weight 2", 2, (0.48, 0.69)),
        ),
    ),
}
"""The comparisons, by task and by the bundle's tasks."""

WITH_AND_WITHOUT = (
    Contender("without task bits", 0, (0.68, 0.98)),
    Contender("task weight 2", 2, (0.48, 0.67)),
)
"""Contenders for bundles with sentiment, with strengths around ``GOALS``."""

GOALS = (0.2, 0.3)
"""Successes of the sentence attacker at which they are compared."""

TASKS = tuple(dict.fromkeys(task for task, _ in COMPARISONS))
