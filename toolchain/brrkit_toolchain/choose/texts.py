"""The exponential mechanism's setting that keeps most of a text under a limit on an attacker.

The attacker's success is counted on some texts, at every setting with the same random numbers: a
setting's outputs are drawn by inversion, from two numbers a token. For each of a few radii the
epsilon is sought at which the attacker is right as often as they may be; what is kept there is told
by the expected Hamming distance from the typed words to their outputs, which is computed. The
chosen radius' epsilon is then corrected on all texts, so that the goal is met by the upper end of
the interval of what an attacker is expected to reach with much of the language. The attacker is the
best of all who know no more than the named one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import exp

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from brrkit import ParameterError, WordBundle
from brrkit.exact import EPSILON_MAX, check_cap
from brrkit.mechanisms.exponential import BIGRAM, check_base
from brrkit.setting import Measured, Setting
from brrkit_toolchain.attack.guesses import Guesses, guess_all, knowing_no_more
from brrkit_toolchain.attack.knowledge import Knowledge
from brrkit_toolchain.attack.measure import read_text_and_language
from brrkit_toolchain.attack.success import READINGS, Success, classes, success
from brrkit_toolchain.attack.text import (
    TOKENS,
    TextAttack,
    attack_text,
    known_ids,
    released_before,
)
from brrkit_toolchain.channel import Channel, certify
from brrkit_toolchain.channel.draws import cumulated_to
from brrkit_toolchain.channel.following import Following
from brrkit_toolchain.choose.goals import TextAttackSuccess
from brrkit_toolchain.choose.limits import Family, logit, smallest_cap
from brrkit_toolchain.choose.roots import crossing_near, rounded_to_meet
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.codes.scans import distances
from brrkit_toolchain.language.texts import TypedText
from brrkit_toolchain.measure.distances import metric_of

Likelihoods = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float32]]
"""Of ids that came out, and of those before them."""

RADII = (0, 4, 8, 12, 16, 20, 24)
"""Candidates for the radius, of 64 bits."""

SEARCHED = 5_000
"""Tokens that a search is on."""

_SMALLEST = 2e-3
_START = 0.7  # epsilon of 64 bits
_ACCURACY = 5e-3  # of an epsilon, relative
_CORRECTIONS = 2
_NEAR = 0.01  # of a goal: random outputs change from one setting to the next


@dataclass(frozen=True)
class TextCalibration:
    """A setting of ``exponential`` that meets a goal on a text.

    Attributes:
        goal: what was sought.
        setting: the setting, with what was measured of it and, but for the base ``bigram``, its
            certificate for the bundle's vocabulary. ``write_recommended`` puts it into a bundle.
        attack: what every attacker learns of the text at this setting.
    """

    goal: TextAttackSuccess
    setting: Setting
    attack: TextAttack


def calibrate_to_text(
    bundle: WordBundle,
    goal: TextAttackSuccess,
    text: str | os.PathLike[str],
    *,
    language: str | os.PathLike[str] | None = None,
    column: str | None = None,
    base: str | None = None,
    cap: float | None = None,
    seed: int = 0,
    progress: bool = False,
) -> TextCalibration:
    """Find the setting of ``exponential`` at which an attacker is right so often about a text.

    Args:
        bundle: an opened bundle.
        goal: who the attacker is, and how often they may be right.
        text: file of texts of the developer's own domain; some are drawn.
        language: file of public texts that attackers have besides: they know the language from
            the bundle, and from the texts of ``text`` that aren't attacked.
        column: that holds the texts, where the files are tables.
        base: the base measure; by default the last that the bundle has.
        cap: of the loss between any two words; by default the smallest that costs little.
        seed: of the texts that are drawn, and of the draws.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: a file can't be read, is too short or of another language, or the goal can't
            be reached.
    """
    texts, knows = read_text_and_language(
        bundle, text, language, column=column, tokens=TOKENS, seed=seed, progress=progress
    )
    base = check_base(base, bundle.masses)
    cap = None if cap is None else check_cap(cap)
    with tqdm(desc=f"{goal}", unit=" settings", disable=None if progress else True) as bar:
        family = Family.of(bundle, base, bar.update)
        everything = _Trial(family, knows, goal, texts, seed)
        some = _Trial(family, knows, goal, _first(texts, SEARCHED), seed)
        epsilon, radius = _most_meaning(some, everything, goal)
    if cap is None:
        unrelated = metric_of(family.some.setting, bundle).average
        cap = smallest_cap(partial(everything.expected_distance, epsilon, radius), unrelated)
    setting = Setting(epsilon, parameters={"radius": radius, "base": base, "cap": cap})
    release, evidence = Channel(bundle, setting).release_and_evidence(np.random.default_rng(seed))
    attack = attack_text(texts, knows, evidence, release, seed=seed, progress=progress)
    measured = Measured(
        goal.attacker,
        goal.over,
        goal.text,
        attack.unchanged[goal.over],
        attack.expected[goal.attacker][goal.over],
        None,
    )
    certificate = certify(bundle, setting, progress=progress)
    setting = replace(setting, goal=str(goal), certificate=certificate, measured=measured)
    return TextCalibration(goal, setting, attack)


class _Trial:
    """How often an attacker is right about some texts, at any setting."""

    def __init__(
        self,
        family: Family,
        knows: Knowledge,
        goal: TextAttackSuccess,
        texts: Sequence[TypedText],
        seed: int,
    ) -> None:
        self._family, self._seed = family, seed
        self._bundle = family.some.bundle
        weighted = family.some.weighted
        self._follows = weighted is not None and weighted.base == BIGRAM
        self._texts = [text.ids for text in texts]
        self._knows, self._goal = knows, goal
        self._attackers = knowing_no_more(goal.attacker)
        self._guesses = Guesses(knows, self._attackers)
        ids = np.concatenate(self._texts)
        digits = np.concatenate([text.digits for text in texts])
        self._chosen = classes(ids, digits, knows.bigrams.words)[goal.over]
        vocabulary = len(self._bundle)
        self._places = np.repeat(np.arange(len(texts)), [len(text) for text in self._texts])
        self._known = self._chosen & (ids < vocabulary)
        if not self._known.any():
            raise ParameterError(
                f"{goal.text}: has no words of the vocabulary that count ({goal.over}); give "
                "another text"
            )
        self._inputs = known_ids(ids, vocabulary, seed)
        self._tried: dict[tuple[float, int], tuple[float, float]] = {}
        self._numbers = np.random.default_rng(seed).random((2, len(ids)))

    @property
    def bits(self) -> int:
        """Length of a code."""
        return self._family.bits

    def success(self, epsilon: float, radius: int) -> float:
        """Return how often the first guess of the best attacker is right."""
        return self._results(epsilon, radius)[0]

    def limit(self, epsilon: float, radius: int) -> float:
        """Return what that attacker, with much of the language, is right in at most, with 95%."""
        outputs, likelihoods = self._released(epsilon, radius)
        found = self._best(outputs, likelihoods)
        return self._knows.expected(found.top1, self._goal.attacker, self._goal.over).high

    def distance(self, epsilon: float, radius: int) -> float:
        """Return the mean Hamming distance from a typed word to its output, in bits."""
        return self._results(epsilon, radius)[1]

    def expected_distance(self, epsilon: float, radius: int, cap: float | None) -> float:
        """Return the same, expected of words that are texts of their own."""
        channel = self._family.at(epsilon, radius, cap)
        expected = channel.everything.distance(channel.weights)
        return float(expected[self._inputs[self._known]].mean())

    def _results(self, epsilon: float, radius: int) -> tuple[float, float]:
        setting = epsilon, radius
        if setting not in self._tried:
            self._tried[setting] = self._try(epsilon, radius)
        return self._tried[setting]

    def _try(self, epsilon: float, radius: int) -> tuple[float, float]:
        outputs, likelihoods = self._released(epsilon, radius)
        right = self._best(outputs, likelihoods).top1.value
        if not self._follows:
            return right, self.expected_distance(epsilon, radius, None)
        codes = self._family.some.codes
        apart = unpack(codes[outputs] ^ codes[self._inputs]).sum(axis=1)
        return right, float(apart[self._known].mean())

    def _released(self, epsilon: float, radius: int) -> tuple[NDArray[np.int64], Likelihoods]:
        """Return what comes out, and what attackers make of it."""
        self._family.tried()
        channel = self._family.at(epsilon, radius)
        outputs, weighted = _draw(channel, self._inputs, self._numbers), channel.weighted
        if self._follows and weighted is not None:
            follow = Following(
                lambda _ids: outputs,
                weighted,
                np.random.default_rng(self._seed).bytes,
            )
            outputs = follow(self._inputs, self._places)
        return outputs, channel.evidence.likelihoods

    def without_outputs(self) -> float:
        """Return how often it is without any output."""
        states = len(self._bundle) + 1
        nothing = self._best(
            self._inputs,
            lambda outputs, _before: np.ones((len(outputs), states), np.float32),
        )
        return nothing.top1.value

    def _best(self, outputs: NDArray[np.int64], likelihoods: Likelihoods) -> Success:
        """Return the largest success of who knows no more than the goal's attacker."""
        ends = np.cumsum([len(text) for text in self._texts])[:-1]
        parts = np.split(outputs, ends)
        before = np.split(released_before(outputs, self._places), ends)
        right = np.concatenate(guess_all(self._guesses, self._texts, parts, before, likelihoods))
        reading = READINGS.index(self._goal.over)
        found = [
            success(right[:, number, reading], self._places, self._chosen)
            for number in range(len(self._attackers))
        ]
        return max((one for one in found if one), key=lambda one: one.top1.value)


def _first(texts: Sequence[TypedText], tokens: int) -> Sequence[TypedText]:
    """Return the first of ``texts`` that have so many tokens together."""
    ends = np.cumsum([len(text.ids) for text in texts])
    return texts[: int(np.searchsorted(ends, tokens)) + 1]


def _draw(
    channel: Channel,
    inputs: NDArray[np.intp],
    numbers: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the output of each of ``inputs`` [t] that ``numbers`` float64[2, t] decide on.

    The first number decides on its distance, the second on one of the words at that. So outputs
    change little from one setting to the next.
    """
    near = channel.everything
    masses = np.cumsum(near.masses[inputs] * channel.weights, axis=1)
    level = (numbers[0] * masses[:, -1]).astype(np.int64).clip(0, masses[:, -1] - 1)
    at = cumulated_to(masses, np.arange(len(inputs)), level.astype(np.uint64))
    planes = np.ascontiguousarray(near.codes.T)
    outputs = np.empty(len(inputs), np.int64)
    for i, word in enumerate(inputs):
        there = np.flatnonzero(distances(planes, near.codes[word]) == at[i])
        sums = np.cumsum(near.measure[there])
        outputs[i] = there[np.searchsorted(sums, int(numbers[1, i] * sums[-1]), side="right")]
    return outputs


def _most_meaning(some: _Trial, everything: _Trial, goal: TextAttackSuccess) -> tuple[float, int]:
    """Return the epsilon and radius that keep most, as far as ``some`` texts tell.

    Raises:
        ParameterError: the goal can't be reached.
    """
    known = some.without_outputs()
    if known > goal.target:
        raise ParameterError(
            f"attack-success {goal.target:g} can't be reached: without seeing any output, the "
            f"{goal.attacker} attacker is right for {known:.3g} of the words that count "
            f"({goal.over}) in {goal.text}; allow more"
        )
    scale = some.bits // 64

    @cache
    def found(place: int) -> tuple[float, float]:
        epsilon = _epsilon_at(some, scale * RADII[place], goal.target, _START / scale)
        return some.distance(epsilon, scale * RADII[place]), epsilon

    best = _lowest(lambda place: found(place)[0], len(RADII))
    radius, (_, epsilon) = scale * RADII[best], found(best)
    for _ in range(_CORRECTIONS):
        # What the limit on all texts differs by is much the same nearby.
        shift = logit(everything.limit(epsilon, radius)) - logit(some.success(epsilon, radius))
        aim = 1 / (1 + exp(shift - logit(goal.target)))
        epsilon = _epsilon_at(some, radius, aim, epsilon)
    if everything.limit(epsilon, radius) > goal.target + _NEAR:
        raise ParameterError(
            f"{goal.text}: so few words can't show that attack-success {goal.target:g} is met; "
            "give more text, or allow more"
        )
    return rounded_to_meet(lambda _: True, epsilon, down=True), radius


def _epsilon_at(trial: _Trial, radius: int, aim: float, start: float) -> float:
    """Return the epsilon at which the attacker is right as often as ``aim``.

    Raises:
        ParameterError: they never are.
    """

    def gap(epsilon: float) -> float:
        return logit(trial.success(epsilon, radius)) - logit(aim)

    epsilon = crossing_near(gap, start, _SMALLEST, EPSILON_MAX, _ACCURACY)
    if epsilon == EPSILON_MAX:
        raise ParameterError(
            f"attack-success {aim:.4g} is kept by any setting: with the words as they were typed, "
            f"the attacker is right for {trial.success(epsilon, radius):.4g}; allow less"
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
