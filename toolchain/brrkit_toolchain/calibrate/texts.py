"""The most useful setting of ``exponential`` for texts, under a limit on an attacker.

The attack success is counted on some texts, with the same random numbers at every setting: outputs
are drawn by inversion, from two numbers a token. The goal limits the attack success that is
expected given much text of the language, at the upper end of its interval. For each of a few radii,
the search finds the epsilon that will meet the goal on all texts. The expected Hamming distance
from typed words to their outputs, which is computed, measures the utility there. The search then
continues on all texts with the best radius. The attacker is the best of all who know no more than
the named one.

The results in the bundle's manifest are measured on other draws, as ``brr measure`` makes them, and
with the cap. If these miss the goal by chance, epsilon is lowered until they meet it.

For a bundle with task bits, this search runs for several task weights.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import exp
from pathlib import Path

import numpy as np

from brrkit import ParameterError, WordBundle
from brrkit.exact import EPSILON_MAX
from brrkit.policy import NO_POLICY
from brrkit.setting import Estimate, Measured, Setting, Shares
from brrkit_toolchain.attackers.texts.from_files import TextFiles, read_text_and_language
from brrkit_toolchain.attackers.texts.readers.sentence_reader import Rooms
from brrkit_toolchain.attackers.texts.text_attack import (
    TOKENS,
    TextAttack,
    attack_text,
)
from brrkit_toolchain.attackers.writers.labeled_texts import read_writers
from brrkit_toolchain.attackers.writers.named import WriterAttack
from brrkit_toolchain.calibrate.goals import TextAttackSuccess, WriterSuccess, exceeds
from brrkit_toolchain.calibrate.limits import FLATTEST_EPSILON, SettingGrid, logit, smallest_cap
from brrkit_toolchain.calibrate.parameters import FixedParameters
from brrkit_toolchain.calibrate.roots import LOG_ODDS_SLOPE, crossing_near, round_down
from brrkit_toolchain.calibrate.tasks import (
    TASK_SHARE,
    WeightTrial,
    check_share,
    keep_most,
    weights_to_try,
)
from brrkit_toolchain.calibrate.trial import Trial
from brrkit_toolchain.calibrate.writers import lower_to_hide_writers
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.privacy_loss.distances import metric_of
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy, task_texts

RADII = (0, 4, 8, 12, 16, 20, 24)
"""Candidates for the radius, for codes of 64 bits."""

SEARCHED_TOKENS = 2_500
"""Number of the texts' tokens on which the radius is sought."""

_SEARCHED_OF_A_TEXT = 128
"""Largest number of these tokens from one text."""

_FIRST_EPSILON = 0.7
"""Epsilon at the start of the search, for codes of 64 bits."""

_EPSILON_STEP = 1.3
"""The approximate ratio between the epsilons of neighboring radii."""

_RADIUS_ACCURACY = 0.05
"""Relative tolerance of the epsilons at which radii are compared."""

_EPSILON_ACCURACY = 0.02
"""Relative tolerance of the epsilon that is sought on all texts."""

_GOAL_TOLERANCE = 0.01
"""Tolerance of an attack success: random outputs change from one setting to the next."""

_LEAST_STEP, _LARGEST_STEP = 0.002, 0.2
"""Smallest and largest decrease of the logarithm of an epsilon that misses the goal."""


@dataclass(frozen=True)
class RadiusTrial:
    """A setting that meets the goal with one radius, measured on the first of the texts.

    Attributes:
        setting: the setting, with this radius.
        distance: mean distance from a typed word to its output, in the words' own bits.
        inside: probability that a list's word, typed by itself, is released as a word of the list;
            by the list's name.
    """

    setting: Setting
    distance: float
    inside: Mapping[str, float]


@dataclass(frozen=True)
class TextCalibration:
    """A setting of ``exponential`` that meets a goal on a text.

    Attributes:
        goal: the goal.
        setting: the setting, with its measured results and, except for the base ``bigram``, its
            certificate for the bundle's vocabulary. ``write_recommended`` writes it into a bundle.
        attack: attack success of every attacker of the text at this setting.
        tasks: accuracy of classifiers at this setting; empty without task bits, or texts for them.
        weighed: a setting for each task weight tried, measured on the first of the texts.
            ``setting`` comes from one of them. Empty without task bits.
        radii: a setting for each radius tried, with the first task weight.
        writers: probability that writers are named at this setting; None without a goal for it.
    """

    goal: TextAttackSuccess
    setting: Setting
    attack: TextAttack
    tasks: tuple[TaskAccuracy, ...] = ()
    weighed: tuple[WeightTrial, ...] = ()
    radii: tuple[RadiusTrial, ...] = ()
    writers: WriterAttack | None = None

    @property
    def reached(self) -> Estimate:
        """The limited attack success, over the goal's words and given much text of the language."""
        return self.attack.expected[self.goal.attacker][self.goal.over]

    @property
    def exceeds(self) -> float:
        """The excess of its upper end over the goal; 0 if the goal is met."""
        return exceeds(self.reached, self.goal.target)


def calibrate_text(
    bundle: WordBundle,
    text: str | os.PathLike[str] | TextFiles,
    goal: TextAttackSuccess = TextAttackSuccess(),  # noqa: B008 - frozen
    *,
    writers: WriterSuccess | None = None,
    fixed: FixedParameters = FixedParameters(),  # noqa: B008
    task_share: float = TASK_SHARE,
    seed: int = 0,
    progress: bool = False,
) -> TextCalibration:
    """Find the most useful setting of ``exponential`` under a limit on attackers of a text.

    Args:
        bundle: an opened bundle.
        text: file of texts like those that users type; some are drawn. Use a ``TextFiles`` for a
            table, or if attackers also have public texts.
        goal: the attacker, and the limit on their attack success.
        writers: a further limit on the probability that attackers name the writer of texts.
        fixed: fixed parameters.
        task_share: share of the tasks' best result at this attack success that the chosen task
            weight shall reach; above 0, at most 1.
        seed: seed of the drawn texts, and of the draws.
        progress: show bars on standard error, if that is a terminal.

    Raises:
        ParameterError: a number is out of range; a file can't be read, is too short, or is in
            another language; or the goal can't be reached.
        BundleError: the manifest has no usable distances.
    """
    files = TextFiles.of(text)
    goal = replace(goal, text=Path(files.text).name)
    written = None if writers is None else read_writers(bundle, files, writers.writer)
    texts, knows = read_text_and_language(
        bundle, files, tokens=TOKENS, seed=seed, progress=progress
    )
    fixed = fixed.checked(bundle)
    if goal.over == "ordinary" and bundle.policy == NO_POLICY:
        raise ParameterError(
            "over must be content or all: the bundle has no policy, so all its words are ordinary"
        )
    held_out, rooms = task_texts(bundle), Rooms()
    weights = weights_to_try(bundle, fixed.task_weight, measured=held_out is not None)
    check_share(task_share)

    def tasks_at(channel: Channel) -> tuple[TaskAccuracy, ...]:
        if held_out is None:
            return ()
        # The seed is that of ``measure_tasks``, for equal results.
        return held_out.measure(channel.releaser(np.random.default_rng(seed)))

    with Progress(desc=f"{goal}", unit=" settings", progress=progress) as bar:
        grid = SettingGrid.of(bundle, str(fixed.base), bar.update, weights[0])
        trial = Trial(grid, knows, goal, texts, seed, rooms)
        tried, radii = _try_weights(trial, goal, weights, tasks_at)
        setting = keep_most(tried, task_share).setting
        trial = trial.with_task_weight(setting.parameters.get("task_weight"))
        setting = _search_all_texts(trial, goal, setting)
    cap = _smallest_cap(trial, setting) if fixed.cap is None else fixed.cap
    setting = replace(setting, parameters={**setting.parameters, "cap": cap})

    def attack_at(setting: Setting) -> TextAttack:
        channel = grid.channel.at(setting)
        release, evidence = channel.release_and_evidence(np.random.default_rng(seed))
        return attack_text(
            texts, knows, evidence, release, seed=seed, progress=progress, rooms=rooms
        )

    setting, attack = _lower_to_meet(attack_at, goal, setting)
    said, named = str(goal), None
    if writers is not None and written is not None:
        met, channel = setting, grid.channel.at(setting)
        setting, named = lower_to_hide_writers(
            channel, written, writers, goal.text, seed=seed, progress=progress
        )
        attack, said = attack if setting == met else attack_at(setting), f"{goal}; {writers}"
    channel = grid.channel.at(setting)
    certificate = replace(channel, progress=progress).certificate
    measured = _to_measured(attack, goal)
    setting = replace(setting, goal=said, certificate=certificate, measured=measured)
    weighed = tuple(tried) if bundle.task_bits else ()
    return TextCalibration(goal, setting, attack, tasks_at(channel), weighed, radii, named)


def _try_weights(
    everything: Trial,
    goal: TextAttackSuccess,
    weights: Sequence[int | None],
    tasks_at: Callable[[Channel], tuple[TaskAccuracy, ...]],
) -> tuple[list[WeightTrial], tuple[RadiusTrial, ...]]:
    """Return a setting for each of ``weights``, and for each radius, found on some texts.

    Args:
        everything: all texts.
        goal: the goal.
        weights: weights of task bits; None: the default weight.
        tasks_at: function that measures classifiers' accuracy.

    Raises:
        ParameterError: the goal can't be met.
    """
    bundle, first_texts = everything.bundle, everything.first(SEARCHED_TOKENS, _SEARCHED_OF_A_TEXT)
    _check_reachable(first_texts, goal)
    radii: Sequence[int] = RADII
    start = _FIRST_EPSILON * 64 / bundle.word_bits
    tried: list[WeightTrial] = []
    found: tuple[RadiusTrial, ...] = ()
    for weight in weights:
        trial = first_texts.with_task_weight(weight)
        epsilons, of_64 = _search_radius(trial, goal, radii, everything.tokens, start)
        start, radii = epsilons[of_64], (of_64,)  # those of the first weight
        at = {each: (epsilons[each], _radius(bundle, each)) for each in sorted(epsilons)}
        if not tried:
            found = tuple(_radius_trial(trial, *each) for each in at.values())
        channel, distance = trial.channel(*at[of_64]), trial.distance(*at[of_64])
        tried.append(WeightTrial(channel.setting, distance, tasks_at(channel)))
    return tried, found


def _radius_trial(trial: Trial, epsilon: float, radius: int) -> RadiusTrial:
    channel = trial.channel(epsilon, radius)
    return RadiusTrial(channel.setting, trial.distance(epsilon, radius), channel.inside)


def _smallest_cap(trial: Trial, setting: Setting) -> float:
    """Return the smallest cap that costs at most 2% of the utility of ``setting`` on all texts."""
    radius = setting.parameters["radius"]
    if trial.bundle.task_bits:  # typed words have more task bits than other words
        unrelated = trial.expected_distance(FLATTEST_EPSILON, radius, None)
    else:
        unrelated = metric_of(setting, trial.bundle).average
    return smallest_cap(partial(trial.expected_distance, setting.epsilon, radius), unrelated)


def _check_reachable(trial: Trial, goal: TextAttackSuccess) -> None:
    """Refuse a goal that attackers exceed without any output.

    Raises:
        ParameterError: they do.
    """
    known = trial.without_outputs()
    if known > goal.target:
        raise ParameterError(
            f"attack-success {goal.target:g} can't be reached: without seeing any output, the "
            f"{goal.attacker} attacker recovers {known:.3g} of the words that count "
            f"({goal.over}) in {goal.text}; allow more"
        )


def _search_radius(
    trial: Trial, goal: TextAttackSuccess, radii: Sequence[int], tokens: int, start: float
) -> tuple[dict[int, float], int]:
    """Return the epsilon of each radius tried, and the most useful radius.

    Args:
        trial: some texts.
        goal: the goal for all texts.
        radii: candidates, for codes of 64 bits.
        tokens: number of tokens of all texts.
        start: an epsilon near that of the middle one of ``radii``.

    Raises:
        ParameterError: no setting reaches the limit on attack success.
    """
    epsilons: dict[int, float] = {}

    def epsilon(place: int) -> float:
        if place not in epsilons:
            near = min(epsilons, key=lambda other: abs(other - place), default=place)
            guess = epsilons.get(near, start) * _EPSILON_STEP ** (place - near)
            radius = _radius(trial.bundle, radii[place])
            epsilons[place] = _epsilon_at(trial, radius, goal, tokens, guess, _RADIUS_ACCURACY)
        return epsilons[place]

    def distance(place: int) -> float:
        return trial.distance(epsilon(place), _radius(trial.bundle, radii[place]))

    best = _lowest_place(cache(distance), len(radii))
    epsilon(best)  # the search doesn't try a single radius
    return {radii[place]: found for place, found in epsilons.items()}, radii[best]


def _search_all_texts(everything: Trial, goal: TextAttackSuccess, setting: Setting) -> Setting:
    """Return ``setting``, found on some texts, with the epsilon that meets the goal on all texts.

    Raises:
        ParameterError: there are too few texts.
    """
    radius, tokens = setting.parameters["radius"], everything.tokens
    epsilon = _epsilon_at(everything, radius, goal, tokens, setting.epsilon, _EPSILON_ACCURACY)
    if epsilon == FLATTEST_EPSILON and (
        everything.limit(epsilon, radius, tokens) > goal.target + _GOAL_TOLERANCE
    ):
        raise ParameterError(
            f"{goal.text}: too few words to show that attack-success {goal.target:g} is met; "
            "give more text, or allow more"
        )
    return replace(setting, epsilon=round_down(epsilon))


def _lower_to_meet(
    attack_at: Callable[[Setting], TextAttack], goal: TextAttackSuccess, setting: Setting
) -> tuple[Setting, TextAttack]:
    """Return ``setting`` with an epsilon that meets the goal if possible, and the attack success.

    Args:
        attack_at: function that measures attackers at a setting.
        goal: the goal.
        setting: a setting near the goal.
    """
    while True:
        attack = attack_at(setting)
        high = attack.expected[goal.attacker][goal.over].high
        if high <= goal.target or setting.epsilon <= FLATTEST_EPSILON:
            return setting, attack
        step = (logit(high) - logit(goal.target)) / LOG_ODDS_SLOPE
        step = min(max(step, _LEAST_STEP), _LARGEST_STEP)
        setting = replace(
            setting, epsilon=max(round_down(setting.epsilon * exp(-step)), FLATTEST_EPSILON)
        )


def _to_measured(attack: TextAttack, goal: TextAttackSuccess) -> Measured:
    """Return the measured results for a bundle's manifest."""
    expected, unknown = (
        attack.expected[goal.attacker],
        attack.attackers[goal.attacker].get("unknown"),
    )
    return Measured(
        goal.attacker,
        goal.over,
        goal.text,
        attack.unchanged[goal.over],
        expected[goal.over],
        None,
        None if goal.over == "all" else Shares(attack.unchanged["all"], expected["all"], None),
        None if unknown is None else unknown.top1,
    )


def _radius(bundle: WordBundle, of_64: int) -> int:
    """Return a radius for codes of 64 bits, scaled to the length of ``bundle``'s codes."""
    return of_64 * bundle.word_bits // 64


def _epsilon_at(
    trial: Trial,
    radius: int,
    goal: TextAttackSuccess,
    tokens: int,
    start: float,
    accuracy: float,
) -> float:
    """Return the epsilon at which this number of ``tokens`` would show that the goal is met.

    Raises:
        ParameterError: no setting reaches the limit on attack success.
    """

    def gap(epsilon: float) -> float:
        return logit(trial.limit(epsilon, radius, tokens)) - logit(goal.target)

    epsilon = crossing_near(gap, start, FLATTEST_EPSILON, EPSILON_MAX, accuracy)
    if epsilon == EPSILON_MAX:
        raise ParameterError(
            f"attack-success {goal.target:.4g} is met by every setting: if words are released as "
            f"typed, the attacker recovers {trial.success(epsilon, radius):.4g}; allow less"
        )
    return epsilon


def _lowest_place(value: Callable[[int], float], count: int) -> int:
    """Return the place of the minimum of ``value``, which falls and then rises; start midway."""
    place = count // 2
    for step in (1, -1):
        start = place
        while 0 <= place + step < count and value(place + step) < value(place):
            place += step
        if place != start:
            break
    return place
