"""The most useful setting of ``exponential`` under limits on the best attacker.

At equal attack success, a larger radius keeps more meaning, and protects the least protected words
less (evidence: ``benchmarks/results/frontier.md``). So the search takes the largest radius
at which these words stay within their limit, and the largest epsilon at which the attack success
stays within its limit. By default, the limit for the least protected words is about twice the other
limit. The bundle alone measures the utility: the expected Hamming distance from input to output
falls as the cosine of the vectors grows.
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
    best_guesses,
    make_prior,
    weighted_success,
)
from brrkit_toolchain.calibrate.roots import crossing
from brrkit_toolchain.channel import Channel

FLATTEST_EPSILON = 2e-3
"""Epsilon at which the output hardly depends on the typed word."""

_SUCCESS_ACCURACY = 2e-3
"""Relative tolerance of the attack success at a chosen epsilon."""

_MOST_CORRECTIONS = 6
_GLIMPSED_OUTPUTS = 4_000
_MEANING_KEPT_BY_CAP = 0.98
_WORST_TO_MEAN = 2.1
"""Default limit for the least protected words, divided by the limit for all words."""


@dataclass(frozen=True)
class SettingGrid:
    """Settings of ``exponential`` with one base and task weight on one bundle, and their channels.

    Attributes:
        channel: channel of one of the settings; the others share its scan.
        on_try: called for every setting tried.
    """

    channel: Channel
    on_try: Callable[[], object] = lambda: None

    @classmethod
    def of(
        cls,
        bundle: WordBundle,
        base: str,
        on_try: Callable[[], object] = lambda: None,
        task_weight: int | None = None,
    ) -> SettingGrid:
        """Return the settings on ``bundle`` with ``base`` and, if given, a task weight."""
        parameters = {"base": base} | _without_none(task_weight=task_weight)
        return cls(Channel(bundle, Setting(1.0, parameters=parameters)), on_try)

    def with_task_weight(self, task_weight: int | None) -> SettingGrid:
        """Return the settings with another task weight; None for the default one."""
        parameters = {**self.channel.setting.parameters}
        parameters.pop("task_weight", None)
        setting = Setting(1.0, parameters=parameters | _without_none(task_weight=task_weight))
        return replace(self, channel=self.channel.at(setting))

    @property
    def bundle(self) -> WordBundle:
        """The bundle of the settings."""
        return self.channel.bundle

    @property
    def text_radius(self) -> int:
        """The most useful radius for texts, in bits.

        It is the default radius for the uniform base measure, and twice that for other ones.
        """
        measure = self.channel.everything.measure
        default = check_radius(None, self.bundle.word_bits)
        return default if measure.max() == measure.min() else 2 * default

    def at(self, epsilon: float, radius: int, cap: float | None = None) -> Channel:
        """Return the channel of a setting."""
        parameters = {**self.channel.setting.parameters, "radius": radius}
        return self.channel.at(Setting(epsilon, parameters=parameters | _without_none(cap=cap)))

    def success(self, epsilon: float, radius: int, attacker: WordAttacker) -> WordSuccess:
        """Return the best possible attacker's success, exactly."""
        self.on_try()
        return weighted_success(self.at(epsilon, radius), make_prior(attacker, len(self.bundle)))

    def glimpse(self, epsilon: float, radius: int, attacker: WordAttacker) -> float:
        """Return the success, from some outputs if there are many."""
        count = len(self.bundle)
        if count <= 2 * _GLIMPSED_OUTPUTS:
            return self.success(epsilon, radius, attacker).mean
        self.on_try()
        channel = self.at(epsilon, radius)
        # Evenly over the ranks, but all of the most frequent words, which matter most in text.
        front = _GLIMPSED_OUTPUTS // 2
        some = np.unique(np.r_[:front, np.linspace(0, count - 1, front).astype(int)])
        ((_, best, _),) = best_guesses([channel], make_prior(attacker, count), some)
        rest = best[some >= front]
        return float(best[some < front].sum() + rest.mean() * (count - front))

    def utility_loss(
        self, epsilon: float, radius: int, attacker: WordAttacker, cap: float | None = None
    ) -> float:
        """Return the expected distance from a typed word to its output, divided by the largest."""
        channel = self.at(epsilon, radius, cap)
        expected = channel.everything.distance(channel.weights)
        return float(make_prior(attacker, len(expected)) @ expected) / channel.everything.bits


def _without_none(**parameters: float | None) -> dict[str, float]:
    return {name: value for name, value in parameters.items() if value is not None}


@dataclass(frozen=True)
class RadiusSearchResult:
    """A setting within the limits.

    Attributes:
        epsilon: epsilon per bit of Hamming distance.
        radius: radius in bits.
        success: attack success of the best possible attacker.
    """

    epsilon: float
    radius: int
    success: WordSuccess


def steepest(
    grid: SettingGrid, attacker: WordAttacker, radius: int, success: float
) -> RadiusSearchResult:
    """Return the steepest table of a radius, to a few thousandths, under a limit on the success.

    Raises:
        ParameterError: even the flattest weights exceed it.
    """
    aim = (1 - _SUCCESS_ACCURACY) * success
    best: RadiusSearchResult | None = None
    for _ in range(_MOST_CORRECTIONS):
        target = logit(aim)

        def gap(epsilon: float, target: float = target) -> float:
            return logit(grid.glimpse(epsilon, radius, attacker)) - target

        epsilon = crossing(gap, FLATTEST_EPSILON, EPSILON_MAX)
        found = RadiusSearchResult(epsilon, radius, grid.success(epsilon, radius, attacker))
        ratio = found.success.mean / success
        if ratio <= 1:
            best = found
        if (
            1 - 2 * _SUCCESS_ACCURACY <= ratio <= 1
            or not 2 * FLATTEST_EPSILON < found.epsilon < EPSILON_MAX / 2
        ):
            break
        aim *= (
            1 - _SUCCESS_ACCURACY
        ) / ratio  # the estimate's relative error is similar everywhere
    if best is None:
        raise ParameterError(
            f"attack-success {success:g} can't be reached: with a radius of {radius} bits and the "
            f"flattest weights it is {grid.success(FLATTEST_EPSILON, radius, attacker).mean:.3g}"
        )
    return best


def most_meaning(
    grid: SettingGrid, attacker: WordAttacker, success: float, worst: float | None
) -> RadiusSearchResult:
    """Return the most useful setting under limits on attack success: mean, and least protected.

    Args:
        grid: the settings to choose from.
        attacker: name of the attacker.
        success: limit for the mean.
        worst: limit for the least protected words. None: 2.1 times ``success``, or half way from
            ``success`` to 1 if that is less; if no radius meets this limit, the radius is 0.
            Against ``frequencies``, who guesses the most frequent words at any radius, None means
            ``text_radius``.

    Raises:
        ParameterError: no setting meets the limits.
    """
    if worst is None and attacker == "frequencies":
        return steepest(grid, attacker, grid.text_radius, success)
    limit = min(_WORST_TO_MEAN * success, (1 + success) / 2) if worst is None else worst
    feasible = []
    low, high = -1, grid.bundle.word_bits // 4
    while high - low > 1:
        radius = (low + high) // 2
        found = steepest(grid, attacker, radius, success)
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
            f"words are recovered with probability {least.success.worst:.3g}, at radius "
            f"{least.radius}; raise worst, or lower attack-success"
        )
    return min(feasible, key=lambda found: grid.utility_loss(found.epsilon, found.radius, attacker))


def smallest_cap(lost: Callable[[float | None], float], unrelated: float) -> float:
    """Return the smallest cap, in quarters, that costs at most 2% of the kept meaning.

    Args:
        lost: expected distance from a typed word to its output, for a cap or none.
        unrelated: distance between two unrelated words.
    """
    enough = _MEANING_KEPT_BY_CAP * (unrelated - lost(None))
    steps = range(4, int(4 * CAP_MAX) + 1)
    first = bisect_left(steps, True, key=lambda step: unrelated - lost(step / 4) >= enough)
    return steps[first] / 4 if first < len(steps) else CAP_MAX


def logit(share: float) -> float:
    """Return the log odds of ``share``.

    Those of an attacker's success grow almost linearly with log epsilon, as searches assume.
    """
    share = min(max(share, 1e-6), 1 - 1e-6)
    return log(share / (1 - share))
