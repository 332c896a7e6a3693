"""``brr calibrate``: the setting of a mechanism that meets a goal.

The shares and losses are of one sample of words, drawn by Zipf's law on the ranks, and from the
same random numbers at every setting. The best possible attacker reckons with all words. A mechanism
with known weights is computed, not drawn. A goal is met where the whole 95% interval meets it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import EPSILON_MAX, EPSILON_MIN, check_cap
from brrkit.mechanisms import check_name
from brrkit.mechanisms.exponential import check_base
from brrkit.setting import DEFAULT_MECHANISM, Estimate, Measured, Setting
from brrkit_toolchain.calibrate.goals import AttackSuccess, Goal, Unchanged, exceeds
from brrkit_toolchain.calibrate.limits import (
    SMALLEST,
    Family,
    cap_of,
    most_meaning,
    smallest_cap,
    weight_of,
)
from brrkit_toolchain.calibrate.roots import crossing, rounded_down, rounded_to_meet
from brrkit_toolchain.channel import certify, default_parameters
from brrkit_toolchain.channel.privacy_loss.distances import metric_of, stated_distance
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.word_sample import SAMPLE, sample_words
from brrkit_toolchain.utility.curves import MeasuredSetting, measured_setting
from brrkit_toolchain.utility.mechanism import MechanismEvaluator
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy, task_texts


@dataclass(frozen=True)
class Calibration:
    """A setting that meets a goal.

    Attributes:
        goal: what was sought.
        setting: the setting, with what was measured of it and, for ``exponential``, its
            certificate for the bundle's vocabulary. ``write_recommended`` puts it into a bundle.
        row: all that it gives, as tables show it.
        tasks: what classifiers reach at it; nothing without task bits, or texts for them.
    """

    goal: Goal
    setting: Setting
    row: MeasuredSetting
    tasks: tuple[TaskAccuracy, ...] = ()

    @property
    def reached(self) -> Estimate:
        """What the goal limits: the attacker's success over all words, or the unchanged words."""
        unchanged = isinstance(self.goal, Unchanged)
        return self.row.unchanged if unchanged else self.row.attack_success

    @property
    def exceeds(self) -> float:
        """By how much the upper end of that, or ``worst``, exceeds its limit; 0 where met."""
        limit = self.goal.worst if isinstance(self.goal, AttackSuccess) else None
        if limit is None or self.row.worst is None:
            return exceeds(self.reached, self.goal.target)
        least = exceeds(Estimate.exact(self.row.worst), limit)
        return max(exceeds(self.reached, self.goal.target), least)


def calibrate(
    bundle: WordBundle,
    goal: AttackSuccess | Unchanged = AttackSuccess(),  # noqa: B008 - frozen
    *,
    mechanism: str = DEFAULT_MECHANISM,
    base: str | None = None,
    cap: float | None = None,
    task_weight: int | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    progress: bool = False,
) -> Calibration:
    """Find the setting of a mechanism that meets a goal, with the largest epsilon.

    Under a limit on the attacker, ``exponential``'s radius is chosen too (``limits``).

    Args:
        bundle: an opened bundle.
        goal: what has to be reached.
        mechanism: a name from ``brrkit.mechanisms.MECHANISMS``.
        base: of ``exponential``, the base measure; by default the last that the bundle has.
        cap: of ``exponential``; by default, under a limit on the attacker, the smallest that costs
            little, and otherwise none.
        task_weight: of ``exponential``; by default 1.
        sample: number of typed words that are drawn.
        seed: of the sample and the draws.
        progress: show bars on standard error.

    Raises:
        ParameterError: there is no such mechanism, it can't reach the goal, or the sample is too
            small.
        BundleError: the manifest has no usable distances.
    """
    check_mechanism(mechanism, goal)
    evaluator = MechanismEvaluator(
        bundle,
        sample_words(np.arange(len(bundle)), sample, seed),
        seed=seed,
    )
    parameters = default_parameters(mechanism, bundle.word_bits)
    if mechanism == DEFAULT_MECHANISM:
        base = check_base(base, bundle.masses)
        cap = None if cap is None else check_cap(cap)
        parameters |= {"base": base, **cap_of(cap), **weight_of(task_weight)}
    elif (base, cap, task_weight) != (None, None, None):
        raise ParameterError(
            f"a base, a cap and a task weight are of {DEFAULT_MECHANISM!r}; leave them out"
        )
    with Progress(desc=f"{goal}", unit=" settings", progress=progress) as bar:
        if mechanism == DEFAULT_MECHANISM and isinstance(goal, AttackSuccess):
            family = Family.of(bundle, str(base), bar.update, task_weight)
            found = most_meaning(family, goal.attacker, goal.target, goal.worst)
            epsilon = rounded_down(found.epsilon)
            if cap is None:
                lost = partial(family.utility_loss, epsilon, found.radius, goal.attacker)
                if bundle.task_bits:  # typed words have more of them than others
                    unrelated = family.utility_loss(SMALLEST, found.radius, goal.attacker)
                else:
                    average = metric_of(family.some.setting, bundle).average
                    unrelated = average / family.some.everything.bits
                cap = smallest_cap(lost, unrelated)
            parameters = {
                "radius": found.radius,
                "base": base,
                "cap": cap,
                **weight_of(task_weight),
            }
        else:

            def measured(epsilon: float) -> float:
                bar.update()
                tried = Setting(epsilon, mechanism, parameters)
                if isinstance(goal, AttackSuccess):
                    return evaluator.attack(tried, goal.attacker).success.high
                return evaluator.outcome(tried).support.unchanged.high

            epsilon = _largest_epsilon(measured, goal, smallest_epsilon(bundle))
    setting = Setting(epsilon, mechanism, parameters)
    return calibration(bundle, evaluator, goal, setting, progress=progress)


def check_mechanism(mechanism: str, goal: Goal) -> None:
    """Refuse a mechanism that isn't there, or of which a goal's limit isn't computed.

    Raises:
        ParameterError: it can't be calibrated to this goal.
    """
    check_name(mechanism)
    if isinstance(goal, AttackSuccess) and goal.worst and mechanism != DEFAULT_MECHANISM:
        raise ParameterError(
            "how often a mechanism's least protected words are named is computed for "
            f"{DEFAULT_MECHANISM!r} only; take that, or leave out worst"
        )


def smallest_epsilon(bundle: WordBundle) -> float:
    """Return the epsilon that searches start from: E = 1.

    Raises:
        BundleError: the manifest has no usable distances.
    """
    return min(max(EPSILON_MIN, 1 / stated_distance(bundle, "hamming", "average")), EPSILON_MAX)


def calibration(
    bundle: WordBundle,
    evaluator: MechanismEvaluator,
    goal: Goal,
    setting: Setting,
    *,
    progress: bool,
) -> Calibration:
    """Return a setting that was found, measured and, if it is ``exponential``'s, certified."""
    average = metric_of(setting, bundle).average
    row = measured_setting(evaluator, average, goal.attacker, setting)
    certificate = None
    if setting.mechanism == DEFAULT_MECHANISM:
        certificate = certify(bundle, setting, progress=progress)
    worst = None if row.worst is None else Estimate.exact(row.worst)
    measured = Measured(goal.attacker, "all", None, row.unchanged, row.attack_success, worst)
    setting = replace(setting, goal=str(goal), certificate=certificate, measured=measured)
    labelled = task_texts(bundle)
    tasks: tuple[TaskAccuracy, ...] = ()
    if labelled is not None:
        channel = evaluator.channel(setting)
        tasks = labelled.measure(channel.releaser(np.random.default_rng(evaluator.seed)))
    return Calibration(goal, setting, row, tasks)


def unreached(goal: Goal, epsilon: float, value: float) -> ParameterError:
    """Return the error that a goal isn't met where it should be."""
    return ParameterError(
        f"{goal} can't be reached: what is sure at epsilon {epsilon:.3g} is {value:.3g}; a larger "
        "sample makes more sure"
    )


def _largest_epsilon(
    measured: Callable[[float], float], goal: AttackSuccess | Unchanged, smallest: float
) -> float:
    """Return the largest epsilon at which a measure that grows with it is within the goal."""
    least, most = measured(smallest), measured(EPSILON_MAX)
    if least > goal.target:
        raise unreached(goal, smallest, least)
    if most <= goal.target:
        raise unreached(goal, EPSILON_MAX, most)
    found = crossing(lambda epsilon: measured(epsilon) - goal.target, smallest, EPSILON_MAX)
    return rounded_to_meet(lambda epsilon: measured(epsilon) <= goal.target, found, down=True)
