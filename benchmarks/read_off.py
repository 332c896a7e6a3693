"""A mechanism's values at an attacker's goal, interpolated between two strengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from benchmarks.reviews import Measured
from brrkit_toolchain.calibrate.limits import logit

GOALS = {"content": (0.1, 0.2, 0.3), "all": (0.2, 0.3, 0.4)}
"""Success of the sentence attacker, by the set of words."""

REACH = 3  # largest number of strengths on each side of the first


@dataclass(frozen=True)
class Point:
    """=A mechanism at a success of the sentence attacker.

    Attributes:
        contender: its label.
        over: the set of words for this success.
        goal: the success.
        epsilon: epsilon per unit of the mechanism's metric.
        values: its values there, by name; None for unmeasured ones.
    """

    contender: str
    over: str
    goal: float
    epsilon: float
    values: Mapping[str, float | None]


Curve = Sequence[tuple[float, Measured]]
"""Ascending epsilons, with the results at each."""

VALUES: dict[str, Callable[[Measured, str], float | None]] = {
    "cosine": lambda found, over: found.cosine[over],
    "sentiment": lambda found, _: found.sentiment,
    "worst 1%": lambda found, _: found.worst,
    "perplexity": lambda found, _: found.perplexity,
    "isolated": lambda found, over: found.isolated[over],
}


def around_goals(at: Callable[[int], Measured]) -> dict[int, Measured]:
    """Return the results at steps from 0, down and up until no goal is beyond.

    There are at most ``REACH`` steps on each side, because a mechanism may never reach a goal.
    """
    found = {0: at(0)}
    for side in (-1, 1):

        def beyond(measured: Measured, side: int = side) -> bool:
            return any(
                side * measured.sentence[over].value < side * goal
                for over, goals in GOALS.items()
                for goal in goals
            )

        step = 0
        while beyond(found[step]) and abs(step) < REACH:
            step += side
            found[step] = at(step)
    return found


def read_off(name: str, curve: Curve, over: str, goal: float) -> Point | None:
    """Return the point between the two strengths around a goal; None if it isn't between any."""
    found = [measured for _, measured in curve]
    reached = np.maximum.accumulate([logit(f.sentence[over].value) for f in found])
    if not reached[0] <= logit(goal) <= reached[-1]:
        return None

    def at(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        return float(np.interp(logit(goal), reached, known))

    epsilon = at([epsilon for epsilon, _ in curve])
    assert epsilon is not None
    values = {what: at([value(f, over) for f in found]) for what, value in VALUES.items()}
    # Neighboring strengths differ by factors.
    logarithm = at([log(f.perplexity) for f in found])
    assert logarithm is not None
    values["perplexity"] = exp(logarithm)
    return Point(name, over, goal, epsilon, values)


def not_reached(name: str, curve: Curve, over: str, goal: float) -> str:
    """Return the sentence about a goal that isn't between any strengths."""
    (low, first), (high, last) = curve[0], curve[-1]
    return (
        f"{name}: no strength with {goal:g} over {over} words; "
        f"from {first.sentence[over].value:.3f} at epsilon {low:.3g} "
        f"to {last.sentence[over].value:.3f} at {high:.3g}"
    )
