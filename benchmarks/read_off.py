"""A mechanism's values where an attacker reaches a goal, read off between two strengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from benchmarks.reviews import Measured
from brrkit_toolchain.calibrate.limits import logit

GOALS = {"content": (0.1, 0.2, 0.3), "all": (0.2, 0.3, 0.4)}
"""Success of the sentence attacker, by the words that it is counted over."""

REACH = 3  # strengths to either side of the first


@dataclass(frozen=True)
class Point:
    """A mechanism where the sentence attacker is right so often.

    Attributes:
        contender: its label.
        over: the words that success is counted over.
        goal: the success.
        epsilon: per unit of the mechanism's metric.
        values: what it has there, by name; None for what wasn't measured.
    """

    contender: str
    over: str
    goal: float
    epsilon: float
    values: Mapping[str, float | None]


Curve = Sequence[tuple[float, Measured]]
"""Epsilons, rising, and what was measured at each."""

VALUES: dict[str, Callable[[Measured, str], float | None]] = {
    "cosine": lambda found, over: found.cosine[over],
    "sentiment": lambda found, _: found.sentiment,
    "worst 1%": lambda found, _: found.worst,
    "perplexity": lambda found, _: found.perplexity,
    "isolated": lambda found, over: found.isolated[over],
}


def around_goals(at: Callable[[int], Measured]) -> dict[int, Measured]:
    """Return what is measured at steps from 0 on, down and up until no goal lies beyond.

    At most ``REACH`` steps to either side: a mechanism may never have a goal.
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
    # From strength to strength it changes by factors.
    logarithm = at([log(f.perplexity) for f in found])
    assert logarithm is not None
    values["perplexity"] = exp(logarithm)
    return Point(name, over, goal, epsilon, values)


def not_reached(name: str, curve: Curve, over: str, goal: float) -> str:
    """Return what is told of a goal that isn't between any strengths."""
    (low, first), (high, last) = curve[0], curve[-1]
    return (
        f"{name}: no strength with {goal:g} over {over} words; "
        f"from {first.sentence[over].value:.3f} at epsilon {low:.3g} "
        f"to {last.sentence[over].value:.3f} at {high:.3g}"
    )
