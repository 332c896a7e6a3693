"""The exponential mechanism's setting that keeps most meaning under limits on the best attacker.

At one success of the attacker a larger radius keeps more meaning and protects the least protected
words less (``benchmarks/results/frontier.md`` has the evidence). So the radius is the largest one
at which these stay within their limit, and epsilon the largest one at which the success does.
Without a limit of their own they may be named about twice as often as all words are. What is kept
is told by the bundle alone: the expected Hamming distance from input to output falls as the cosine
of the vectors grows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log

import numpy as np

from brrkit.bundle import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import CAP_MAX, EPSILON_MAX
from brrkit.mechanisms.exponential import check_radius
from brrkit.setting import Setting
from brrkit_toolchain.attackers.one_word import (
    WordAttacker,
    WordSuccess,
    make_prior,
    weighted_success,
)
from brrkit_toolchain.calibrate.roots import crossing
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.codes.scans import most_probable

SMALLEST = 2e-3
"""Epsilon at which what comes out hardly depends on what was typed."""

_LARGEST = EPSILON_MAX
_ACCURACY = 2e-3  # of a success, relative
_CORRECTIONS = 6
_OUTPUTS = 4_000  # that a first look at a success is taken at
_KEPT = 0.98  # of the meaning, at least, where a cap is chosen
_TWICE = 2.1  # times the success: what least protected words may be named by default


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Family:
    """The channels of ``exponential`` with one base and task weight on one bundle.

    Attributes:
        some: one of them; the others share its scan.
        tried: called whenever a setting is looked at.
    """

    some: Channel
    tried: Callable[[], object] = _nothing

    @classmethod
    def of(
        cls,
        bundle: WordBundle,
        base: str,
        tried: Callable[[], object] = _nothing,
        task_weight: int | None = None,
    ) -> Family:
        """Return the channels on ``bundle`` that have ``base`` and, if given, a weight."""
        parameters = {"base": base} | weight_of(task_weight)
        return cls(Channel(bundle, Setting(1.0, parameters=parameters)), tried)

    def weighing(self, task_weight: int | None) -> Family:
        """Return the channels with another task weight; None for the default one."""
        parameters = {**self.some.setting.parameters}
        parameters.pop("task_weight", None)
        setting = Setting(1.0, parameters=parameters | weight_of(task_weight))
        return replace(self, some=self.some.at(setting))

    @property
    def bits(self) -> int:
        """Length of a code without its task bits, in which a radius is."""
        return self.some.bundle.word_bits

    @property
    def usual_radius(self) -> int:
        """What keeps most of a text: twice as far where some words come out more readily."""
        measure = self.some.everything.measure
        return check_radius(None, self.bits) * (1 if measure.max() == measure.min() else 2)

    def at(self, epsilon: float, radius: int, cap: float | None = None) -> Channel:
        """Return the channel of a setting."""
        parameters = {**self.some.setting.parameters, "radius": radius}
        return self.some.at(Setting(epsilon, parameters=parameters | cap_of(cap)))

    def success(self, epsilon: float, radius: int, attacker: WordAttacker) -> WordSuccess:
        """Return the best possible attacker's success, exactly."""
        self.tried()
        return weighted_success(
            self.at(epsilon, radius), make_prior(attacker, len(self.some.bundle))
        )

    def glimpse(self, epsilon: float, radius: int, attacker: WordAttacker) -> float:
        """Return the success, from some outputs if there are many."""
        codes = self.some.codes
        count = len(codes)
        if count <= 2 * _OUTPUTS:
            return self.success(epsilon, radius, attacker).mean
        self.tried()
        channel = self.at(epsilon, radius)
        scales = make_prior(attacker, count) / channel.totals
        # Evenly over the ranks; the most frequent words, which matter most in text, all of them.
        front = _OUTPUTS // 2
        some = np.unique(np.r_[:front, np.linspace(0, count - 1, front).astype(int)])
        best, _ = most_probable(codes[some], codes, channel.weights.astype(np.float64), scales)
        best *= channel.everything.measure[some]
        rest = best[some >= front]
        return float(best[some < front].sum() + rest.mean() * (count - front))

    def utility_loss(
        self, epsilon: float, radius: int, attacker: WordAttacker, cap: float | None = None
    ) -> float:
        """Return the expected distance from a typed word to its output, divided by the largest."""
        channel = self.at(epsilon, radius, cap)
        expected = channel.everything.distance(channel.weights)
        return float(make_prior(attacker, len(expected)) @ expected) / channel.everything.bits


def cap_of(cap: float | None) -> dict[str, float]:
    """Return a cap as a parameter, if there is one."""
    return {} if cap is None else {"cap": cap}


def weight_of(task_weight: int | None) -> dict[str, int]:
    """Return a task weight as a parameter, if there is one."""
    return {} if task_weight is None else {"task_weight": task_weight}


@dataclass(frozen=True)
class Found:
    """A setting within the limits.

    Attributes:
        epsilon: per bit of Hamming distance.
        radius: in bits.
        success: the best possible attacker's.
    """

    epsilon: float
    radius: int
    success: WordSuccess


def steepest(family: Family, attacker: WordAttacker, radius: int, success: float) -> Found:
    """Return the steepest table of a radius, to a few thousandths, under a limit on the success.

    Raises:
        ParameterError: even the flattest weights exceed it.
    """
    aim = (1 - _ACCURACY) * success
    best: Found | None = None
    for _ in range(_CORRECTIONS):
        target = logit(aim)

        def gap(epsilon: float, target: float = target) -> float:
            return logit(family.glimpse(epsilon, radius, attacker)) - target

        epsilon = crossing(gap, SMALLEST, _LARGEST)
        found = Found(epsilon, radius, family.success(epsilon, radius, attacker))
        ratio = found.success.mean / success
        if ratio <= 1:
            best = found
        if 1 - 2 * _ACCURACY <= ratio <= 1 or not 2 * SMALLEST < found.epsilon < _LARGEST / 2:
            break
        aim *= (1 - _ACCURACY) / ratio  # a glimpse is wrong by much the same factor everywhere
    if best is None:
        raise ParameterError(
            f"attack-success {success:g} can't be reached: with a radius of {radius} bits and the "
            f"flattest weights it is {family.success(SMALLEST, radius, attacker).mean:.3g}"
        )
    return best


def most_meaning(
    family: Family, attacker: WordAttacker, success: float, worst: float | None
) -> Found:
    """Return the setting that keeps most under limits on the success, mean and least protected.

    Args:
        family: of the base.
        attacker: who names the words.
        success: limit for the mean.
        worst: limit for the least protected words. None for 2.1 times ``success``, or half way from
            it to 1 if that is less; where no radius keeps that, the radius is 0. In running text,
            where the most frequent words are named whatever the radius is, None is the usual
            radius.

    Raises:
        ParameterError: no setting keeps them.
    """
    if worst is None and attacker == "frequencies":
        return steepest(family, attacker, family.usual_radius, success)
    limit = min(_TWICE * success, (1 + success) / 2) if worst is None else worst
    feasible = []
    low, high = -1, family.bits // 4
    while high - low > 1:
        radius = (low + high) // 2
        found = steepest(family, attacker, radius, success)
        if found.success.worst <= limit:
            low = radius
            feasible.append(found)
        else:
            high = radius
            least = found
    if not feasible and worst is None:
        return least  # the search ended at radius 0
    if not feasible:
        raise ParameterError(
            f"worst {limit:g} can't be reached: at attack-success {success:g} the least protected "
            f"words are named with {least.success.worst:.3g}, radius {least.radius}; allow more of "
            "it, or less attack-success"
        )
    return min(
        feasible, key=lambda found: family.utility_loss(found.epsilon, found.radius, attacker)
    )


def smallest_cap(lost: Callable[[float | None], float], unrelated: float) -> float:
    """Return the smallest cap, in quarters, that costs at most 2% of the meaning that is kept.

    Args:
        lost: the expected distance from a typed word to its output, with a cap and without.
        unrelated: that of two words that have nothing in common.
    """
    enough = _KEPT * (unrelated - lost(None))
    steps = range(4, int(4 * CAP_MAX) + 1)
    first = bisect_left(steps, True, key=lambda step: unrelated - lost(step / 4) >= enough)
    return steps[first] / 4 if first < len(steps) else CAP_MAX


def logit(share: float) -> float:
    """Return the log odds of ``share``, which a success follows nearly evenly in log epsilon."""
    share = min(max(share, 1e-6), 1 - 1e-6)
    return log(share / (1 - share))
