"""The papers' own procedures for choosing a setting.

BRR has the privacy ratio (Definition 5.1), for those who have an epsilon of the full-size
mechanism; Vickrey has Algorithm 2 (Xu et al. 2021), which chooses epsilon and t under a utility
budget.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import EPSILON_MAX, check_epsilon
from brrkit.mechanisms.exponential import UNIFORM, check_base
from brrkit.setting import DEFAULT_MECHANISM, Setting
from brrkit_toolchain.attackers.one_word import WordAttacker
from brrkit_toolchain.calibrate.goals import check_target, word_attacker
from brrkit_toolchain.calibrate.roots import crossing, round_to_meet
from brrkit_toolchain.calibrate.search import (
    Calibration,
    check_mechanism,
    make_calibration,
    smallest_epsilon,
    unreached_error,
)
from brrkit_toolchain.channel import default_parameters
from brrkit_toolchain.channel.privacy_loss.distances import stated_distance
from brrkit_toolchain.language.word_sample import SAMPLE, sample_words
from brrkit_toolchain.utility.mechanism import MechanismEvaluator
from research.papers.inference_error import error_of
from research.papers.labels import Labels


@dataclass(frozen=True)
class UtilityLoss:
    """=A goal: a limit on the utility loss from replaced words (Xu et al. 2021, equation 2).

    Attributes:
        target: the limit.
        attacker: attacker whose success is also measured.
        labels: name of the file of labels, if the loss is that of labels.
    """

    target: float
    attacker: WordAttacker = "isolated"
    labels: str | None = None

    def __post_init__(self) -> None:
        check_target("utility_loss", self.target)
        word_attacker(self.attacker)

    def __str__(self) -> str:
        return f"utility-loss {self.target:g}" + (f" ({self.labels})" if self.labels else "")


@dataclass(frozen=True)
class MadlibEpsilon:
    """The estimated privacy loss is that of the full-size mechanism at this epsilon.

    Attributes as above.
    """

    target: float
    attacker: WordAttacker = "isolated"

    def __post_init__(self) -> None:
        check_target("madlib_epsilon", self.target, inf)
        word_attacker(self.attacker)

    def __str__(self) -> str:
        return f"madlib-epsilon {self.target:g}"


TS = tuple(step / 20 for step in range(1, 21))
"""The values of t that Algorithm 2 tries after 0: 0.05, 0.1, ..., 1."""


def calibrate_as_published(
    bundle: WordBundle,
    goal: UtilityLoss | MadlibEpsilon,
    *,
    mechanism: str = DEFAULT_MECHANISM,
    labels: Labels | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    progress: bool = False,
) -> Calibration:
    """Choose a setting of a mechanism by the papers' methods.

    Args:
        bundle: an opened bundle.
        goal: a utility loss, for the smallest epsilon within it, and for ``vickrey``, the t of
            Algorithm 2; or an epsilon of the full-size mechanism, which is multiplied by the
            privacy ratio of the averages.
        mechanism: a name from ``brrkit.mechanisms.MECHANISMS``.
        labels: labels of the typed words, for the loss of labels; by default, all words are typed,
            with the Hamming distance from input to output, divided by the bits.
        sample: number of typed words to draw.
        seed: seed of the sample and the draws.
        progress: show bars on standard error.

    Raises:
        ParameterError: there is no such mechanism, it can't reach the goal, or the sample is too
            small.
        BundleError: the manifest has no usable distances.
    """
    check_mechanism(mechanism, goal)
    population = np.arange(len(bundle)) if labels is None else labels.words
    experiment = MechanismEvaluator(
        bundle,
        sample_words(population, sample, seed),
        loss=None if labels is None else labels.loss,
        seed=seed,
    )
    parameters = default_parameters(mechanism, bundle.bits)
    if isinstance(goal, MadlibEpsilon):
        ratio = stated_distance(bundle, "privacy_ratio_average")
        epsilon = check_epsilon(goal.target * ratio)
        epsilon = round_to_meet(lambda _: True, epsilon, down=True)
    elif mechanism == "vickrey":
        epsilon, t = algorithm_2(
            lambda epsilon, t: (
                experiment.outcome(Setting(epsilon, mechanism, {"t": t})).utility_loss.high
            ),
            lambda epsilon, t: (
                error_of(experiment, Setting(epsilon, mechanism, {"t": t})).estimate.value
            ),
            goal.target,
            smallest_epsilon(bundle),
            EPSILON_MAX,
        )
        parameters = {"t": t}
    else:

        def lost(epsilon: float) -> float:
            return experiment.outcome(Setting(epsilon, mechanism, parameters)).utility_loss.high

        epsilon = _smallest_epsilon(lost, goal, smallest_epsilon(bundle))
    setting = Setting(epsilon, mechanism, parameters)
    return make_calibration(bundle, experiment, goal, setting, progress=progress)


def find(
    bundle: WordBundle,
    *,
    mechanism: str,
    progress: bool,
    madlib_epsilon: float | None = None,
    utility_loss: float | None = None,
    labels: Labels | None = None,
    attacker: str | None = None,
    **options: Any,
) -> Calibration:
    """Choose a setting of a mechanism for one of the two goals, by the command line's options.

    Args:
        bundle: an opened bundle.
        mechanism: as for ``calibrate_as_published``.
        progress: as there.
        madlib_epsilon: a goal.
        utility_loss: the other.
        labels: of a utility loss.
        attacker: who sees one word; by default who knows what the mechanism's base does.
        **options: as there.

    Raises:
        ParameterError: as ``calibrate_as_published``, or there are none or two goals.
    """
    of = check_base(None, bundle.masses) if mechanism == DEFAULT_MECHANISM else UNIFORM
    who = word_attacker(attacker, of)
    if (madlib_epsilon is None) == (utility_loss is None):
        raise ParameterError("give one goal: --utility-loss or --madlib-epsilon")
    goal: UtilityLoss | MadlibEpsilon
    if utility_loss is not None:
        goal = UtilityLoss(utility_loss, who, None if labels is None else labels.name)
    else:
        assert madlib_epsilon is not None
        if labels is not None:
            raise ParameterError("--labels says what --utility-loss is of; give that too")
        goal = MadlibEpsilon(madlib_epsilon, who)
    return calibrate_as_published(
        bundle, goal, mechanism=mechanism, labels=labels, progress=progress, **options
    )


def algorithm_2(
    utility_loss: Callable[[float, float], float],
    inference_error: Callable[[float, float], float],
    budget: float,
    smallest: float,
    largest: float,
) -> tuple[float, float]:
    """Return epsilon and t by Algorithm 2 of Vickrey.

    Epsilon is doubled, at t = 0, until the utility loss is within the budget. Among the values of t
    within the budget, the one with the largest inference error is chosen. Like the paper, this
    assumes that the loss falls as epsilon grows.

    Args:
        utility_loss: function that returns L_M (equation 2) at (epsilon, t).
        inference_error: function that returns E_M (equation 4) there; only called within the
            budget.
        budget: C, the largest L_M.
        smallest: epsilon_0, the start of the doubling.
        largest: its end.

    Raises:
        ParameterError: the budget isn't met at ``largest``.
    """
    epsilon = smallest
    while (loss := utility_loss(epsilon, 0.0)) > budget:
        if epsilon >= largest:
            raise ParameterError(
                f"a utility loss of {budget:g} can't be reached: at the largest epsilon, "
                f"{largest:g}, it is {loss:.3g}; allow a larger loss"
            )
        epsilon = min(2 * epsilon, largest)
    kept = [0.0, *(t for t in TS if utility_loss(epsilon, t) <= budget)]
    return epsilon, max(kept, key=lambda t: inference_error(epsilon, t))


def _smallest_epsilon(lost: Callable[[float], float], goal: UtilityLoss, smallest: float) -> float:
    """Return the smallest epsilon at which a loss that falls with it is within the goal."""
    if lost(smallest) <= goal.target:
        return smallest
    if (least := lost(EPSILON_MAX)) > goal.target:
        raise unreached_error(goal, EPSILON_MAX, least)
    found = crossing(lambda epsilon: lost(epsilon) - goal.target, smallest, EPSILON_MAX)
    return round_to_meet(lambda epsilon: lost(epsilon) <= goal.target, found, down=False)
