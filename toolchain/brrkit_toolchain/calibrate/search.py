"""``brr calibrate``: the epsilon (and t) of every device mechanism that meets a goal.

A table's shares of unchanged words, supports and losses come from one sample of words, drawn by
Zipf's law on the ranks (or, with labels, from the labelled words in the same way), and from the
same random numbers at every setting: what differs between two rows is the setting. The best
possible attacker reckons with all words. The exponential mechanism is computed, not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import ceil, floor, inf, log10, sqrt
from typing import Any

import numpy as np
from tqdm import tqdm

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import EPSILON_MAX, EPSILON_MIN, as_number, check_epsilon
from brrkit.mechanisms import DEFAULT_MECHANISM
from brrkit.mechanisms.exponential import check_radius
from brrkit.setting import Certificate, Estimate, Measured, Setting
from brrkit_toolchain.calibrate.certify import certify
from brrkit_toolchain.measure.attack import PRIORS, Attack, Prior
from brrkit_toolchain.measure.limits import AllWords, Found, most_meaning, steepest
from brrkit_toolchain.measure.losses import Labels, code_loss
from brrkit_toolchain.measure.metric import stated_distance
from brrkit_toolchain.measure.parameters import choose_parameters
from brrkit_toolchain.measure.sample import DRAWS, SAMPLE, check_sample, draw_words
from brrkit_toolchain.measure.setting import Meter, Outcome, make_meter
from brrkit_toolchain.simulate import ON_CODES

ESTIMATED_LOSSES = (5.0, 10.0, 14.0, 20.0, 28.0, 40.0, 57.0, 80.0, 113.0, 160.0, 226.0)
"""E = epsilon * P_avg of the table's rows, about a factor sqrt(2) apart."""

_HALVINGS = 8
_DIGITS = 4  # of a chosen epsilon

_RANGES = {
    "attack-success": (0, 1),
    "unchanged": (0, 1),
    "madlib-epsilon": (0, inf),
    "support": (1, inf),
    "utility-loss": (0, 1),
}


@dataclass(frozen=True)
class Goal:
    """What a setting has to reach.

    Attributes:
        kind: ``attack-success``: the best possible attacker names at most ``target`` of the typed
            words, and the least protected ones at most ``worst`` of the times; with what keeps most
            meaning. ``unchanged``: the mean N_w is at most ``target``; ``support``: the effective
            support is at least ``target``; both with the largest epsilon that does it.
            ``utility-loss``: L_M is at most ``target``, with the smallest epsilon that does it, for
            vickrey by Algorithm 2. ``madlib-epsilon``: epsilon is ``target``, an epsilon of the
            full-size mechanism, times the privacy ratio of the averages (BRR, Definition 5.1). A
            measured goal is met where the whole 95% interval meets it.
        target: the number.
        worst: limit for the least protected words, under which the radius is the largest. Only
            ``exponential`` is held to it: of the others it isn't computed. None for the
            one of ``most_meaning``. In running text the most frequent words are named whatever the
            radius is: there None is the default radius.
        prior: how often the attacker reckons with each word, in every goal's rows.
    """

    kind: str
    target: float
    worst: float | None = None
    prior: Prior = "uniform"

    def __post_init__(self) -> None:
        if self.kind != "attack-success" and self.worst is not None:
            raise ParameterError("--worst is a limit beside --attack-success; give that too")
        if self.worst is not None and not 0 < as_number(self.worst) < 1:
            raise ParameterError(
                f"--worst must be a number above 0 and below 1, not {self.worst:g}"
            )
        if self.prior not in PRIORS:
            raise ParameterError(f"there is no such prior; choose one of: {', '.join(PRIORS)}")
        low, high = _RANGES[self.kind]
        if not low < as_number(self.target) < high:
            upper = "" if high == inf else f" and below {high}"
            raise ParameterError(
                f"--{self.kind} must be a number above {low}{upper}, not {self.target:g}"
            )

    def __str__(self) -> str:
        if self.kind != "attack-success":
            return f"{self.kind} {self.target:g}"
        worst = "" if self.worst is None else f", worst {self.worst:g}"
        return f"{self.kind} {self.target:g}{worst}, prior {self.prior}"


DEFAULT_GOAL = Goal("attack-success", 0.2)
"""Two words in ten are named. A place to start from, not a recommendation for every use."""


@dataclass(frozen=True)
class MeasuredSetting:
    """A setting of a device mechanism, and what it gives.

    Attributes:
        mechanism: its name.
        epsilon: per bit of Hamming distance.
        parameters: ``t`` of vickrey, ``radius`` of exponential.
        estimated_loss: E = epsilon * P_avg, the estimated privacy loss (BRR, section 5).
        unchanged: mean N_w, the share of typed words that come out as themselves.
        support: effective support, 1 / Pr[two releases of a word agree] (``measure.support``).
        attack_success: how often the best possible attacker names the typed word, under the goal's
            prior; where it isn't exact, ``high`` is what none exceeds (``measure.attack``).
        worst: the same for the least protected words; None where it isn't computed.
        utility_loss: L_M (Vickrey, equation 2).
        certificate: of a chosen setting of the exponential mechanism: what it loses on this
            vocabulary.
    """

    mechanism: str
    epsilon: float
    parameters: Mapping[str, float]
    estimated_loss: float
    unchanged: Estimate
    support: Estimate
    attack_success: Estimate
    worst: float | None
    utility_loss: Estimate
    certificate: Certificate | None = None

    @property
    def promise(self) -> float:
        """What it loses per bit on this vocabulary, as far as that is known: at most epsilon."""
        return self.epsilon if self.certificate is None else self.certificate.certified_epsilon

    def setting(self, goal: str, prior: Prior) -> Setting:
        """Return it as a bundle recommends it, for a ``goal`` and under a ``prior``."""
        worst = None if self.worst is None else Estimate.exact(self.worst)
        measured = Measured(prior, self.unchanged, self.attack_success, worst)
        return Setting(
            self.mechanism, self.epsilon, self.parameters, goal, self.certificate, measured
        )

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON's types, the parameters beside epsilon."""
        fields = asdict(self)
        parameters = fields.pop("parameters")
        if self.certificate is None:
            del fields["certificate"]
        return {
            "mechanism": fields.pop("mechanism"),
            "epsilon": self.epsilon,
            **parameters,
            **fields,
        }


@dataclass(frozen=True)
class Calibration:
    """What was found for a goal.

    Attributes:
        goal: what was sought.
        chosen: the setting of each mechanism that can reach it.
        unreached: of the others, why.
        table: every row that was measured, by mechanism, parameters and epsilon.
    """

    goal: Goal
    chosen: dict[str, MeasuredSetting]
    unreached: dict[str, str]
    table: list[MeasuredSetting]

    def recommended(self, mechanism: str | None = None) -> MeasuredSetting:
        """Return the setting of ``mechanism``, by default of the one that is to be preferred.

        At equal attack success the one that keeps most: ``exponential``, if it reaches the goal.
        For other goals the one with the smallest promise: all have the same guarantee at the same
        epsilon, so it is the most private. Of equals, the first of ``brr``, ``vickrey``,
        ``exponential``.

        A limit of the worst binds ``exponential`` alone, where it is computed: nothing else is
        recommended under one.

        Raises:
            ParameterError: the mechanism is unknown or can't reach the goal.
        """
        if self.goal.worst is not None:
            if mechanism not in (None, DEFAULT_MECHANISM):
                raise ParameterError(
                    "how often a mechanism's least protected words are named is computed for "
                    f"{DEFAULT_MECHANISM!r} only; take that, or leave out --worst"
                )
            mechanism = DEFAULT_MECHANISM
        if mechanism is None and self.goal.kind == "attack-success":
            return self.chosen.get(DEFAULT_MECHANISM) or next(iter(self.chosen.values()))
        if mechanism is None:
            return min(self.chosen.values(), key=lambda row: row.promise)
        if mechanism in self.unreached:
            raise ParameterError(f"mechanism {mechanism!r}: {self.unreached[mechanism]}")
        if mechanism not in self.chosen:
            raise ParameterError(
                f"there is no such mechanism; choose one of: {', '.join(ON_CODES)}"
            )
        return self.chosen[mechanism]


def curves(
    bundle: WordBundle,
    *,
    settings: Sequence[tuple[str, float, Mapping[str, float]]] = (),
    labels: Labels | None = None,
    prior: Prior = "uniform",
    sample: int = SAMPLE,
    seed: int = 0,
    progress: bool = True,
) -> list[MeasuredSetting]:
    """Measure every device mechanism over the grid of ``ESTIMATED_LOSSES``.

    Args:
        bundle: an opened bundle.
        settings: others to measure besides: mechanism, epsilon and parameters of each.
        labels: measures the labelled words, with the loss of their labels; by default all words,
            with the Hamming distance from input to output, divided by the bits.
        prior: of the best possible attacker.
        sample: number of typed words that are drawn.
        seed: of the sample and the draws.
        progress: show a bar on standard error.

    Raises:
        ParameterError: the sample is too small.
        BundleError: the manifest has no usable distances.
    """
    table = _Table(bundle, labels, prior, sample, seed)
    for setting in settings:
        table.row(*setting)
    return table.fill(progress)


def calibrate(
    bundle: WordBundle,
    goal: Goal = DEFAULT_GOAL,
    *,
    labels: Labels | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    progress: bool = True,
) -> Calibration:
    """Find the setting of every device mechanism that meets ``goal``; arguments as in ``curves``.

    Raises:
        ParameterError: no mechanism can reach the goal, or the sample is too small.
        BundleError: the manifest has no usable distances.
    """
    table = _Table(bundle, labels, goal.prior, sample, seed)
    if goal.kind == "madlib-epsilon":
        check_epsilon(goal.target * _privacy_ratio(bundle))  # before the work
    table.fill(progress)
    chosen, unreached = {}, {}
    for name in tqdm(ON_CODES, desc=f"Goal: {goal}", disable=None if progress else True):
        try:
            chosen[name] = _certified(bundle, _search(table, name, goal))
        except ParameterError as error:
            unreached[name] = str(error)
    if not chosen:
        raise ParameterError("; ".join(f"{name}: {why}" for name, why in unreached.items()))
    return Calibration(goal, chosen, unreached, table.rows())


class _Table:
    """The measured rows; nothing is measured twice."""

    def __init__(
        self, bundle: WordBundle, labels: Labels | None, prior: Prior, sample: int, seed: int
    ) -> None:
        check_sample(sample, DRAWS)
        if seed < 0:
            raise ParameterError(f"seed must be 0 or more, not {seed}")
        self.bundle = bundle
        self._prior = prior
        self._average = stated_distance(bundle, "hamming", "average")
        population = np.arange(len(bundle)) if labels is None else labels.words
        words = draw_words(population, sample, np.random.default_rng(seed))
        loss = code_loss(bundle.codes) if labels is None else labels.loss
        self._meters: dict[str, Meter] = {
            name: make_meter(
                name, words, codes=bundle.codes, draws=DRAWS, loss=loss, seed=seed, progress=False
            )
            for name in ON_CODES
        }
        self._outcomes: dict[tuple[Any, ...], Outcome] = {}
        self._rows: dict[tuple[Any, ...], MeasuredSetting] = {}
        self.grid = [estimated_loss / self._average for estimated_loss in ESTIMATED_LOSSES]
        self.grid = [epsilon for epsilon in self.grid if EPSILON_MIN < epsilon < EPSILON_MAX]
        self.smallest = min(max(EPSILON_MIN, 1 / self._average), EPSILON_MAX)

    def outcome(self, name: str, epsilon: float, parameters: Mapping[str, float]) -> Outcome:
        """Return what is cheap to measure."""
        key = (name, str(sorted(parameters.items())), epsilon)
        if key not in self._outcomes:
            self._outcomes[key] = self._meters[name].outcome(epsilon, **parameters)
        return self._outcomes[key]

    def attack(self, name: str, epsilon: float, parameters: Mapping[str, float]) -> Attack:
        """Return the best possible attacker's success."""
        return self._meters[name].attack(epsilon, self._prior, **parameters)

    def inference_error(self, name: str, epsilon: float, parameters: Mapping[str, float]) -> float:
        """Return E_M, of an attacker who draws his guess (Vickrey, equation 4)."""
        return self._meters[name].inference_error(epsilon, **parameters).estimate.value

    def row(self, name: str, epsilon: float, parameters: Mapping[str, float]) -> MeasuredSetting:
        """Return everything, and keep it as a row."""
        key = (list(ON_CODES).index(name), str(sorted(parameters.items())), epsilon)
        if key not in self._rows:
            outcome = self.outcome(name, epsilon, parameters)
            attack = self.attack(name, epsilon, parameters)
            self._rows[key] = MeasuredSetting(
                name,
                epsilon,
                parameters,
                epsilon * self._average,
                outcome.support.unchanged,
                outcome.support.effective,
                attack.success,
                attack.worst,
                outcome.utility_loss,
            )
        return self._rows[key]

    def fill(self, progress: bool) -> list[MeasuredSetting]:
        """Measure the grid."""
        settings = [(name, epsilon) for name in ON_CODES for epsilon in self.grid]
        for name, epsilon in tqdm(
            settings, desc="Table", unit=" rows", disable=None if progress else True
        ):
            self.row(name, epsilon, ON_CODES[name].defaults(self.bundle.bits))
        return self.rows()

    def rows(self) -> list[MeasuredSetting]:
        """Return all rows, by mechanism, parameters and epsilon."""
        return [self._rows[key] for key in sorted(self._rows)]


def _search(table: _Table, name: str, goal: Goal) -> MeasuredSetting:
    """Return the row of mechanism ``name`` that meets the goal, or raise ParameterError."""
    parameters = ON_CODES[name].defaults(table.bundle.bits)
    chosen = ON_CODES[name].chosen
    if goal.kind == "madlib-epsilon":
        epsilon = _rounded(goal.target * _privacy_ratio(table.bundle), floor)
        return table.row(name, epsilon, parameters)
    if goal.kind == "utility-loss" and chosen == "t":
        epsilon, t = _by_algorithm_2(table, name, goal)
        return table.row(name, epsilon, {"t": t})
    if goal.kind == "attack-success" and chosen == "radius":
        found = _under_limits(AllWords(table.bundle.codes), goal)
        return table.row(name, _rounded(found.epsilon, floor), {"radius": found.radius})
    return table.row(name, _epsilon_for(table, name, parameters, goal), parameters)


def _by_algorithm_2(table: _Table, name: str, goal: Goal) -> tuple[float, float]:
    """Return epsilon and t."""
    choice = choose_parameters(
        lambda epsilon, t: table.outcome(name, epsilon, {"t": t}).utility_loss.high,
        lambda epsilon, t: table.inference_error(name, epsilon, {"t": t}),
        goal.target,
        table.smallest,
        EPSILON_MAX,
    )
    return choice.epsilon, choice.t


def _epsilon_for(table: _Table, name: str, parameters: Mapping[str, float], goal: Goal) -> float:
    """Return the largest epsilon that meets the goal; of a utility loss, the smallest.

    Every measure changes one way with epsilon, so a bisection finds where the goal is met.
    """

    def measured(epsilon: float) -> float:
        return _farthest_end(table, name, epsilon, parameters, goal.kind)

    def below(epsilon: float) -> bool:
        """Tell whether epsilon is smaller than the one at which the measure is the target."""
        value = measured(epsilon)
        if goal.kind == "utility-loss":
            return value > goal.target
        return value >= goal.target if goal.kind == "support" else value <= goal.target

    cheapest = goal.kind == "utility-loss"
    if not below(table.smallest):
        if cheapest:
            return table.smallest
        raise _unreached(goal, table.smallest, measured(table.smallest))
    if below(EPSILON_MAX):
        raise _unreached(goal, EPSILON_MAX, measured(EPSILON_MAX))
    points = [table.smallest, *(e for e in table.grid if e > table.smallest), EPSILON_MAX]
    low, high = next(pair for pair in pairwise(points) if not below(pair[1]))
    for _ in range(_HALVINGS):
        middle = sqrt(low * high)
        low, high = (middle, high) if below(middle) else (low, middle)
    return _rounded(high, ceil) if cheapest else _rounded(low, floor)


def _farthest_end(
    table: _Table, name: str, epsilon: float, parameters: Mapping[str, float], kind: str
) -> float:
    """Return what a goal is about, at the end of its interval that is farthest from the goal."""
    if kind == "attack-success":
        return table.attack(name, epsilon, parameters).success.high
    outcome = table.outcome(name, epsilon, parameters)
    if kind == "utility-loss":
        return outcome.utility_loss.high
    if kind == "unchanged":
        return outcome.support.unchanged.high
    return outcome.support.effective.low


def _under_limits(words: AllWords, goal: Goal) -> Found:
    """Return the setting of ``exponential`` that keeps most under the goal's limits."""
    if goal.worst is None and goal.prior == "text":
        return steepest(words, goal.prior, check_radius(None, words.bits), goal.target)
    return most_meaning(words, goal.prior, goal.target, goal.worst)


def _certified(bundle: WordBundle, row: MeasuredSetting) -> MeasuredSetting:
    """Return the row with what it really loses on this vocabulary."""
    if not ON_CODES[row.mechanism].certified:
        return row
    radius = int(row.parameters["radius"])
    return replace(row, certificate=certify(bundle, row.epsilon, radius, progress=False))


def _privacy_ratio(bundle: WordBundle) -> float:
    """Return what an epsilon of the full-size mechanism is multiplied by (BRR, Definition 5.1)."""
    return stated_distance(bundle, "privacy_ratio_average")


def _unreached(goal: Goal, epsilon: float, value: float) -> ParameterError:
    side = "at least" if goal.kind == "support" else "at most"
    return ParameterError(
        f"{goal} can't be reached: what is sure at epsilon {epsilon:.3g} is {side} {value:.3g}; "
        "a larger sample makes more sure"
    )


def _rounded(epsilon: float, towards: Callable[[float], int]) -> float:
    """Round to a few digits, towards what meets the goal."""
    unit: float = 10.0 ** (_DIGITS - 1 - floor(log10(epsilon)))
    return towards(epsilon * unit) / unit
