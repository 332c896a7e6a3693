"""``brr calibrate``: find the setting of a mechanism that meets a goal.

Shares and losses are measured on one sample of words, drawn by Zipf's law on the ranks, with the
same random numbers at every setting. The best possible attacker considers all words. A mechanism
with known weights is computed, not sampled. A goal is met if the whole 95% interval meets it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import EPSILON_MAX, EPSILON_MIN
from brrkit.mechanisms import check_name
from brrkit.mechanisms.exponential import UNIFORM
from brrkit.setting import DEFAULT_MECHANISM, Estimate, Measured, Setting
from brrkit_toolchain.calibrate.goals import (
    AttackSuccess,
    Goal,
    Unchanged,
    exceeds,
    word_attacker,
)
from brrkit_toolchain.calibrate.limits import (
    FLATTEST_EPSILON,
    SettingGrid,
    most_meaning,
    smallest_cap,
)
from brrkit_toolchain.calibrate.parameters import FixedParameters
from brrkit_toolchain.calibrate.roots import crossing, round_down, round_to_meet
from brrkit_toolchain.channel import certify, default_parameters
from brrkit_toolchain.channel.privacy_loss.distances import metric_of, stated_distance
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.word_sample import SAMPLE, sample_words
from brrkit_toolchain.utility.curves import MeasuredSetting, measure_setting
from brrkit_toolchain.utility.mechanism import MechanismEvaluator
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy, task_texts


@dataclass(frozen=True)
class Calibration:
    """A setting that meets a goal.

    Attributes:
        goal: the goal.
        setting: the setting, with its measured results and, for ``exponential``, its certificate
            for the bundle's vocabulary. ``write_recommended`` writes it into a bundle.
        row: all its results, as tables show them.
        tasks: accuracy of classifiers at this setting; empty without task bits, or texts for them.
    """

    goal: Goal
    setting: Setting
    row: MeasuredSetting
    tasks: tuple[TaskAccuracy, ...] = ()

    @property
    def reached(self) -> Estimate:
        """The limited quantity, attack success over all words or the share of unchanged words."""
        unchanged = isinstance(self.goal, Unchanged)
        return self.row.unchanged if unchanged else self.row.attack_success

    @property
    def exceeds(self) -> float:
        """The excess of its upper end, or of ``worst``, over the limit; 0 if the goal is met."""
        limit = self.goal.worst if isinstance(self.goal, AttackSuccess) else None
        if limit is None or self.row.worst is None:
            return exceeds(self.reached, self.goal.target)
        least = exceeds(Estimate.exact(self.row.worst), limit)
        return max(exceeds(self.reached, self.goal.target), least)


def calibrate_words(
    bundle: WordBundle,
    goal: AttackSuccess | Unchanged = AttackSuccess(),  # noqa: B008 - frozen
    *,
    mechanism: str = DEFAULT_MECHANISM,
    fixed: FixedParameters = FixedParameters(),  # noqa: B008
    sample: int = SAMPLE,
    seed: int = 0,
    progress: bool = False,
) -> Calibration:
    """Find a mechanism's most useful setting for words that are typed one at a time.

    Running text is more exposed: see ``calibrate_text``.

    Args:
        bundle: an opened bundle.
        goal: the goal; the result has the largest epsilon that meets it.
        mechanism: ``exponential``, ``brr`` or ``vickrey``.
        fixed: fixed parameters of ``exponential``.
        sample: number of measured words.
        seed: seed of the sample and the draws.
        progress: show bars on standard error, if that is a terminal.

    Raises:
        ParameterError: a number is out of range, or the mechanism can't reach the goal.
        BundleError: the manifest has no usable distances.
    """
    check_mechanism(mechanism, goal)
    if mechanism == DEFAULT_MECHANISM:
        fixed = fixed.checked(bundle)
    elif fixed != FixedParameters():
        raise ParameterError(
            f"a base, a cap and a task weight are parameters of {DEFAULT_MECHANISM!r}; leave them "
            "out"
        )
    goal = replace(goal, attacker=word_attacker(goal.attacker, fixed.base or UNIFORM))
    evaluator = MechanismEvaluator(
        bundle, sample_words(np.arange(len(bundle)), sample, seed), seed=seed
    )
    with Progress(desc=f"{goal}", unit=" settings", progress=progress) as bar:
        if mechanism == DEFAULT_MECHANISM and isinstance(goal, AttackSuccess):
            setting = _computed_setting(bundle, goal, fixed, bar.update)
        else:
            parameters = default_parameters(mechanism, bundle.word_bits) | fixed.parameters
            start = Setting(smallest_epsilon(bundle), mechanism, parameters)
            setting = _measured_setting(evaluator, goal, start, bar.update)
    return make_calibration(bundle, evaluator, goal, setting, progress=progress)


def _computed_setting(
    bundle: WordBundle, goal: AttackSuccess, fixed: FixedParameters, on_try: Callable[[], object]
) -> Setting:
    """Return the most useful setting of ``exponential`` under a limit on the attacker."""
    attacker = word_attacker(goal.attacker)
    grid = SettingGrid.of(bundle, str(fixed.base), on_try, fixed.task_weight)
    found = most_meaning(grid, attacker, goal.target, goal.worst)
    epsilon = round_down(found.epsilon)
    cap = fixed.cap
    if cap is None:
        if bundle.task_bits:  # typed words have more task bits than other words
            unrelated = grid.utility_loss(FLATTEST_EPSILON, found.radius, attacker)
        else:
            average = metric_of(grid.channel.setting, bundle).average
            unrelated = average / grid.channel.everything.bits
        cap = smallest_cap(partial(grid.utility_loss, epsilon, found.radius, attacker), unrelated)
    chosen = replace(fixed, cap=cap)
    return Setting(epsilon, parameters={"radius": found.radius, **chosen.parameters})


def _measured_setting(
    evaluator: MechanismEvaluator,
    goal: AttackSuccess | Unchanged,
    start: Setting,
    on_try: Callable[[], object],
) -> Setting:
    """Return ``start``, which has the smallest epsilon, with the largest that meets the goal."""
    attacker = word_attacker(goal.attacker)

    def measure(epsilon: float) -> float:
        on_try()
        tried = replace(start, epsilon=epsilon)
        if isinstance(goal, AttackSuccess):
            return evaluator.attack(tried, attacker).success.high
        return evaluator.outcome(tried).support.unchanged.high

    return replace(start, epsilon=_largest_epsilon(measure, goal, start.epsilon))


def check_mechanism(mechanism: str, goal: Goal) -> None:
    """Refuse an unknown mechanism, or one for which a goal's limit isn't computed.

    Raises:
        ParameterError: the mechanism can't be calibrated to this goal.
    """
    check_name(mechanism)
    if isinstance(goal, AttackSuccess) and goal.worst and mechanism != DEFAULT_MECHANISM:
        raise ParameterError(
            f"the success on the least protected words is computed only for the mechanism "
            f"{DEFAULT_MECHANISM!r}; use that one, or leave out worst"
        )


def smallest_epsilon(bundle: WordBundle) -> float:
    """Return the epsilon that searches start from: E = 1.

    Raises:
        BundleError: the manifest has no usable distances.
    """
    return min(max(EPSILON_MIN, 1 / stated_distance(bundle, "hamming", "average")), EPSILON_MAX)


def make_calibration(
    bundle: WordBundle,
    evaluator: MechanismEvaluator,
    goal: Goal,
    setting: Setting,
    *,
    progress: bool,
) -> Calibration:
    """Return the found setting, measured and, for ``exponential``, certified."""
    attacker = word_attacker(goal.attacker)
    average = metric_of(setting, bundle).average
    row = measure_setting(evaluator, average, attacker, setting)
    certificate = None
    if setting.mechanism == DEFAULT_MECHANISM:
        certificate = certify(bundle, setting, progress=progress)
    worst = None if row.worst is None else Estimate.exact(row.worst)
    measured = Measured(attacker, "all", None, row.unchanged, row.attack_success, worst)
    setting = replace(setting, goal=str(goal), certificate=certificate, measured=measured)
    held_out = task_texts(bundle)
    tasks: tuple[TaskAccuracy, ...] = ()
    if held_out is not None:
        channel = evaluator.channel(setting)
        tasks = held_out.measure(channel.releaser(np.random.default_rng(evaluator.seed)))
    return Calibration(goal, setting, row, tasks)


def unreached_error(goal: Goal, epsilon: float, value: float) -> ParameterError:
    """Return the error for a goal that isn't met."""
    return ParameterError(
        f"{goal} can't be reached: only {value:.3g} is certain at epsilon {epsilon:.3g}; use a "
        "larger sample"
    )


def _largest_epsilon(
    measure: Callable[[float], float], goal: AttackSuccess | Unchanged, smallest: float
) -> float:
    """Return the largest epsilon at which ``measure``, which grows with it, is within the goal."""
    least, most = measure(smallest), measure(EPSILON_MAX)
    if least > goal.target:
        raise unreached_error(goal, smallest, least)
    if most <= goal.target:
        raise unreached_error(goal, EPSILON_MAX, most)
    found = crossing(lambda epsilon: measure(epsilon) - goal.target, smallest, EPSILON_MAX)
    return round_to_meet(lambda epsilon: measure(epsilon) <= goal.target, found, down=True)
