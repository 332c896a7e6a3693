"""The exponential mechanism's setting that keeps most of a text under a limit on an attacker.

The attacker's success is counted on some texts, at every setting with the same random numbers: a
setting's outputs are drawn by inversion, from two numbers a token. The goal is met by the upper end
of the interval of what an attacker is expected to reach with much of the language. For each of a
few radii the epsilon is sought at which it will be met on all texts; what is kept there is told by
the expected Hamming distance from the typed words to their outputs, which is computed. The chosen
radius' epsilon is then sought on all texts, from there on. The attacker is the best of all who know
no more than the named one.

What a bundle says of the setting is measured on other draws, as ``brr measure`` makes them, and
with the cap. Where the goal is missed on these by chance, epsilon is lowered until it is met.

A bundle with task bits is searched so for several of their weights.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import exp

import numpy as np

from brrkit import ParameterError, WordBundle
from brrkit.exact import EPSILON_MAX, check_cap
from brrkit.mechanisms.exponential import check_base
from brrkit.setting import Estimate, Measured, Setting, Shares
from brrkit_toolchain.attackers.texts.from_files import TextFiles, read_text_and_language
from brrkit_toolchain.attackers.texts.text_attack import (
    TOKENS,
    TextAttack,
    attack_text,
)
from brrkit_toolchain.calibrate.goals import TextAttackSuccess, exceeds
from brrkit_toolchain.calibrate.limits import SMALLEST, Family, logit, smallest_cap
from brrkit_toolchain.calibrate.roots import SLOPE, crossing_near, rounded_down
from brrkit_toolchain.calibrate.tasks import (
    TASK_SHARE,
    Weighed,
    check_share,
    keep_most,
    weights_to_try,
)
from brrkit_toolchain.calibrate.trial import Trial
from brrkit_toolchain.channel.privacy_loss.distances import metric_of
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.texts import TypedText
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy, task_texts

RADII = (0, 4, 8, 12, 16, 20, 24)
"""Candidates for the radius, of 64 bits."""

SEARCHED = 2_500
"""Tokens that a search is on."""

_BEGINNING = 128  # tokens of a text that a search is on
_START = 0.7  # epsilon of 64 bits
_RATIO = 1.3  # from one radius' epsilon to the next one's, about
_ROUGHLY = 0.05  # relative, the last step towards an epsilon, where a radius is sought
_NEARLY = 0.02  # the same on all texts
_NEAR = 0.01  # of a goal: random outputs change from one setting to the next
_LOWERED = 0.002, 0.2  # relative: by which an epsilon that misses is lowered, at least and at most


@dataclass(frozen=True)
class TextCalibration:
    """A setting of ``exponential`` that meets a goal on a text.

    Attributes:
        goal: what was sought.
        setting: the setting, with what was measured of it and, but for the base ``bigram``, its
            certificate for the bundle's vocabulary. ``write_recommended`` puts it into a bundle.
        attack: what every attacker learns of the text at this setting.
        tasks: what classifiers reach at this setting; nothing without task bits, or texts for them.
        weighed: a setting for each task weight that was tried, as the first of the texts tell;
            ``setting`` comes from one of them. Nothing without task bits.
    """

    goal: TextAttackSuccess
    setting: Setting
    attack: TextAttack
    tasks: tuple[TaskAccuracy, ...] = ()
    weighed: tuple[Weighed, ...] = ()

    @property
    def reached(self) -> Estimate:
        """What the goal limits: the success over its words, of who knows much of the language."""
        return self.attack.expected[self.goal.attacker][self.goal.over]

    @property
    def exceeds(self) -> float:
        """By how much the upper end of that exceeds the goal; 0 where it is met."""
        return exceeds(self.reached, self.goal.target)


def calibrate_to_text(
    bundle: WordBundle,
    goal: TextAttackSuccess,
    text: str | os.PathLike[str],
    *,
    public_text: str | os.PathLike[str] | None = None,
    column: str | None = None,
    base: str | None = None,
    cap: float | None = None,
    task_weight: int | None = None,
    task_share: float = TASK_SHARE,
    seed: int = 0,
    progress: bool = False,
) -> TextCalibration:
    """Find the setting of ``exponential`` at which an attacker is right so often about a text.

    Args:
        bundle: an opened bundle.
        goal: who the attacker is, and how often they may be right.
        text: file of texts of the developer's own domain; some are drawn.
        public_text: file of public texts that attackers have besides: they know the language from
            the bundle, and from the texts of ``text`` that aren't attacked.
        column: that holds the texts, where the files are tables.
        base: the base measure; by default the last that the bundle has.
        cap: of the loss between any two words; by default the smallest that costs little.
        task_weight: of task bits; by default the one that keeps most of the words' other meaning
            and ``task_share`` of what their tasks can have.
        task_share: above 0, up to 1.
        seed: of the texts that are drawn, and of the draws.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: a file can't be read, is too short or of another language, or the goal can't
            be reached.
    """
    files = TextFiles(text, public_text, column)
    texts, knows = read_text_and_language(
        bundle, files, tokens=TOKENS, seed=seed, progress=progress
    )
    base = check_base(base, bundle.masses)
    cap = None if cap is None else check_cap(cap)
    labelled = task_texts(bundle)
    weights = weights_to_try(bundle, task_weight, measured=labelled is not None)
    check_share(task_share)
    with Progress(desc=f"{goal}", unit=" settings", progress=progress) as bar:
        family = Family.of(bundle, base, bar.update, weights[0])
        everything = Trial(family, knows, goal, texts, seed)
        some = everything.of(_first(texts, SEARCHED))
        _check_reachable(some, goal)
        found = []
        radii: Sequence[int] = RADII
        start = _START * 64 / bundle.word_bits
        for weight in weights:
            trial = some.at(weight)
            epsilon, place = _most_meaning(trial, goal, radii, everything.tokens, start)
            radii, start = (place,), epsilon
            channel = family.weighing(weight).at(epsilon, _radius(bundle, place))
            release = channel.releaser(np.random.default_rng(seed))
            tasks = () if labelled is None else labelled.measure(release)
            kept = trial.distance(epsilon, _radius(bundle, place))
            found.append(Weighed(channel.setting, kept, tasks))
        chosen = keep_most(found, task_share).setting
        weight = chosen.parameters.get("task_weight")
        chosen = _on_all(everything.at(weight), goal, chosen)
    if cap is None:
        everything = everything.at(weight)
        radius = chosen.parameters["radius"]
        if bundle.task_bits:  # typed words have more of them than others
            unrelated = everything.expected_distance(SMALLEST, radius, None)
        else:
            unrelated = metric_of(chosen, bundle).average
        cap = smallest_cap(
            partial(everything.expected_distance, chosen.epsilon, radius),
            unrelated,
        )
    setting = replace(chosen, parameters={**chosen.parameters, "cap": cap})

    def attacked(setting: Setting) -> TextAttack:
        channel = family.some.at(setting)
        release, evidence = channel.release_and_evidence(np.random.default_rng(seed))
        return attack_text(texts, knows, evidence, release, seed=seed, progress=progress)

    setting, attack = _lowered_to_meet(attacked, goal, setting)
    channel = family.some.at(setting)
    measured = measured_of(attack, goal)
    certificate = replace(channel, progress=progress).certificate
    setting = replace(setting, goal=str(goal), certificate=certificate, measured=measured)
    release = channel.releaser(np.random.default_rng(seed))  # as a measurement of tasks alone
    tasks = () if labelled is None else labelled.measure(release)
    weighed = tuple(found) if bundle.task_bits else ()
    return TextCalibration(goal, setting, attack, tasks, weighed)


def _first(texts: Sequence[TypedText], tokens: int) -> Sequence[TypedText]:
    """Return the beginnings of the first of ``texts``, of so many tokens together."""
    starts = [TypedText(text.ids[:_BEGINNING], text.digits[:_BEGINNING]) for text in texts]
    ends = np.cumsum([len(text.ids) for text in starts])
    return starts[: int(np.searchsorted(ends, tokens)) + 1]


def _check_reachable(some: Trial, goal: TextAttackSuccess) -> None:
    """Refuse a goal that is missed on ``some`` texts without any output.

    Raises:
        ParameterError: it is.
    """
    known = some.without_outputs()
    if known > goal.target:
        raise ParameterError(
            f"attack-success {goal.target:g} can't be reached: without seeing any output, the "
            f"{goal.attacker} attacker is right for {known:.3g} of the words that count "
            f"({goal.over}) in {goal.text}; allow more"
        )


def _most_meaning(
    some: Trial, goal: TextAttackSuccess, radii: Sequence[int], tokens: int, start: float
) -> tuple[float, int]:
    """Return the epsilon and that of ``radii``, of 64 bits, that keep most as ``some`` texts tell.

    Args:
        some: texts.
        goal: of all.
        radii: to choose from.
        tokens: of all texts.
        start: near the epsilon of the middle one.

    Raises:
        ParameterError: the attacker is never right as often.
    """
    epsilons: dict[int, float] = {}

    def epsilon(place: int) -> float:
        if place not in epsilons:
            near = min(epsilons, key=lambda other: abs(other - place), default=place)
            guess = epsilons.get(near, start) * _RATIO ** (place - near)
            radius = _radius(some.bundle, radii[place])
            epsilons[place] = _epsilon_at(some, radius, goal, tokens, guess, _ROUGHLY)
        return epsilons[place]

    def distance(place: int) -> float:
        return some.distance(epsilon(place), _radius(some.bundle, radii[place]))

    best = _lowest(cache(distance), len(radii))
    return epsilon(best), radii[best]


def _on_all(everything: Trial, goal: TextAttackSuccess, setting: Setting) -> Setting:
    """Return ``setting``, which meets the goal as some texts tell, with the epsilon of all.

    Raises:
        ParameterError: they are too few.
    """
    radius, tokens = setting.parameters["radius"], everything.tokens
    epsilon = _epsilon_at(everything, radius, goal, tokens, setting.epsilon, _NEARLY)
    if epsilon == SMALLEST and everything.limit(epsilon, radius, tokens) > goal.target + _NEAR:
        raise ParameterError(
            f"{goal.text}: so few words can't show that attack-success {goal.target:g} is met; "
            "give more text, or allow more"
        )
    return replace(setting, epsilon=rounded_down(epsilon))


def _lowered_to_meet(
    attacked: Callable[[Setting], TextAttack], goal: TextAttackSuccess, setting: Setting
) -> tuple[Setting, TextAttack]:
    """Return ``setting`` with an epsilon at which the goal is met where possible, and the attack.

    Args:
        attacked: measures attackers at a setting.
        goal: what is to be met.
        setting: near it.
    """
    while True:
        attack = attacked(setting)
        high = attack.expected[goal.attacker][goal.over].high
        if high <= goal.target or setting.epsilon <= SMALLEST:
            return setting, attack
        step = min(max((logit(high) - logit(goal.target)) / SLOPE, _LOWERED[0]), _LOWERED[1])
        setting = replace(
            setting, epsilon=max(rounded_down(setting.epsilon * exp(-step)), SMALLEST)
        )


def measured_of(attack: TextAttack, goal: TextAttackSuccess) -> Measured:
    """Return what a bundle says of a setting that was attacked so."""
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
    """Return a radius of 64 bits for codes of as many as ``bundle``'s."""
    return of_64 * bundle.word_bits // 64


def _epsilon_at(
    trial: Trial,
    radius: int,
    goal: TextAttackSuccess,
    tokens: int,
    start: float,
    accuracy: float,
) -> float:
    """Return the epsilon at which so many ``tokens`` would show that the goal is met.

    Raises:
        ParameterError: the attacker is never right as often.
    """

    def gap(epsilon: float) -> float:
        return logit(trial.limit(epsilon, radius, tokens)) - logit(goal.target)

    epsilon = crossing_near(gap, start, SMALLEST, EPSILON_MAX, accuracy)
    if epsilon == EPSILON_MAX:
        raise ParameterError(
            f"attack-success {goal.target:.4g} is kept by any setting: with the words as they were "
            f"typed, the attacker is right for {trial.success(epsilon, radius):.4g}; allow less"
        )
    return epsilon


def _lowest(value: Callable[[int], float], count: int) -> int:
    """Return where ``value``, which falls and then rises, is lowest; from the middle on."""
    place = count // 2
    for step in (1, -1):
        start = place
        while 0 <= place + step < count and value(place + step) < value(place):
            place += step
        if place != start:
            break
    return place
