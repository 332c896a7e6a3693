"""Utility and attack success of every mechanism, at equal estimated privacy losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.exact import EPSILON_MAX, EPSILON_MIN
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.attackers.one_word import Attack, WordAttacker
from brrkit_toolchain.channel import LAPLACE, default_parameters
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.privacy_loss.distances import (
    DistanceStatistics,
    loss_at,
    metric_of,
    stated_distance,
)
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.language.word_sample import SAMPLE, WordSample, sample_words
from brrkit_toolchain.utility.mechanism import MechanismEvaluator
from brrkit_toolchain.utility.retention import (
    CodedVectors,
    Utility,
    epsilon_of_estimated_loss,
    laplace_utility,
    utility_at,
)

ESTIMATED_LOSSES = (10.0, 20.0, 30.0, 44.0, 60.0, 80.0)
"""E = epsilon * P_avg (BRR, section 5) at which mechanisms are compared."""

_SAMPLED_WORDS = 1_000


@dataclass(frozen=True)
class UtilityCurves:
    """Utility of every mechanism of the device and of the full-size one, for the same words.

    Attributes:
        words: number of random input words.
        estimated_losses: E of each point.
        mechanisms: the ``Utility`` at each E, by the mechanism's name.
    """

    words: int
    estimated_losses: Sequence[float]
    mechanisms: dict[str, list[Utility]]


def measure_utility(
    vectors: NDArray[np.float32],
    codes: NDArray[np.uint64],
    distances: DistanceStatistics,
    *,
    task_bits: int = 0,
    seed: int = 0,
    progress: bool = False,
) -> UtilityCurves:
    """Release the same random words through every mechanism, at each of ``ESTIMATED_LOSSES``.

    ``LAPLACE`` adds the same random numbers at each of them.

    Args:
        vectors: float32[n, d], the source embeddings; n >= 2.
        codes: uint64[n, bits / 64].
        distances: distances in both metrics, for P_avg.
        task_bits: number of task bits, the last bits of a code.
        seed: seed of the words and of the noise.
        progress: show a bar on standard error.
    """
    generator = np.random.default_rng(seed)
    words = CodedVectors(vectors, codes, distances, task_bits)
    ids = generator.choice(len(vectors), min(_SAMPLED_WORDS, len(vectors)), replace=False)
    curves = {LAPLACE: laplace_utility(ESTIMATED_LOSSES, words, ids, generator)}
    for name, estimated_loss in _points(MECHANISMS, "Utility", progress):
        kept = utility_at(estimated_loss, name, words, ids, generator)
        curves.setdefault(name, []).append(kept)
    return UtilityCurves(len(ids), ESTIMATED_LOSSES, curves)


@dataclass(frozen=True)
class AttackCurves:
    """An attacker's success against every mechanism of the device, with default parameters.

    Attributes:
        attacker: name of the attacker.
        estimated_losses: E = epsilon * P_avg of each point.
        mechanisms: the ``Attack`` at each estimated privacy loss, by the mechanism's name.
    """

    attacker: WordAttacker
    estimated_losses: Sequence[float]
    mechanisms: dict[str, list[Attack]]


def measure_attacks(
    codes: NDArray[np.uint64],
    distances: DistanceStatistics,
    *,
    task_bits: int = 0,
    seed: int = 0,
    progress: bool = False,
) -> AttackCurves:
    """Measure the success at each of ``ESTIMATED_LOSSES``, with equally frequent typed words.

    Args:
        codes: uint64[n, bits / 64]; n >= 2.
        distances: distances between the codes, for P_avg.
        task_bits: number of task bits, the last bits of a code.
        seed: seed of the draws.
        progress: show a bar on standard error.
    """
    bundle = bundle_of(codes, task_bits=task_bits)
    evaluator = MechanismEvaluator(bundle, WordSample(np.zeros(1, np.intp)), seed=seed)
    average = distances.hamming.average
    epsilons = [epsilon_of_estimated_loss(loss, average) for loss in ESTIMATED_LOSSES]
    curves = {
        name: evaluator.attacks([Setting(epsilon, name) for epsilon in epsilons], "isolated")
        for name in Progress(MECHANISMS, desc="Attacks", unit=" mechanisms", progress=progress)
    }
    return AttackCurves("isolated", ESTIMATED_LOSSES, curves)


@dataclass(frozen=True)
class MeasuredSetting:
    """A setting of a device mechanism, and its results.

    Attributes:
        setting: the setting.
        estimated_loss: E = epsilon * P_avg, the estimated privacy loss (BRR, section 5), at most
            the cap.
        unchanged: mean N_w, the share of typed words that are released unchanged.
        support: effective support, 1 / Pr[two releases of a word agree] (``utility.support``).
        attack_success: attack success; if it isn't exact, no attacker exceeds ``high``
            (``attackers.one_word``).
        worst: attack success on the least protected words; None if it wasn't computed.
        utility_loss: L_M (Vickrey, equation 2).
    """

    setting: Setting
    estimated_loss: float
    unchanged: Estimate
    support: Estimate
    attack_success: Estimate
    worst: float | None
    utility_loss: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON types, with the parameters next to epsilon."""
        fields = asdict(self)
        del fields["setting"]
        return {
            "mechanism": self.setting.mechanism,
            "epsilon": self.setting.epsilon,
            **self.setting.parameters,
            **fields,
        }


def measure_setting(
    evaluator: MechanismEvaluator,
    average: float,
    attacker: WordAttacker,
    setting: Setting,
) -> MeasuredSetting:
    """Return the results of a setting.

    Args:
        evaluator: evaluator that measures it.
        average: P_avg of the codes, in bits.
        attacker: name of the attacker.
        setting: setting of a device's mechanism.
    """
    outcome = evaluator.outcome(setting)
    attack = evaluator.attack(setting, attacker)
    return MeasuredSetting(
        setting,
        loss_at(setting.epsilon, average, setting.parameters.get("cap")),
        outcome.support.unchanged,
        outcome.support.effective,
        attack.success,
        attack.worst,
        outcome.utility_loss,
    )


def measure_curves(
    bundle: WordBundle,
    *,
    settings: Sequence[Setting] = (),
    attacker: WordAttacker = "isolated",
    sample: int = SAMPLE,
    seed: int = 0,
    progress: bool = False,
) -> list[MeasuredSetting]:
    """Measure every mechanism of the device at each of ``ESTIMATED_LOSSES``.

    Args:
        bundle: an opened bundle.
        settings: further settings to measure.
        attacker: name of the attacker.
        sample: number of typed words to draw.
        seed: seed of the sample and the draws.
        progress: show a bar on standard error.

    Returns:
        The rows, by mechanism and epsilon.

    Raises:
        ParameterError: the sample is too small.
        BundleError: the manifest has no usable distances.
    """
    average = stated_distance(bundle, "hamming", "average")
    evaluator = MechanismEvaluator(
        bundle,
        sample_words(np.arange(len(bundle)), sample, seed),
        seed=seed,
    )
    rows = [
        measure_setting(
            evaluator, average, attacker, Setting(estimated_loss / average, name, parameters)
        )
        for name, estimated_loss in _points(MECHANISMS, "Curves", progress)
        if EPSILON_MIN < estimated_loss / average < EPSILON_MAX
        for parameters in [default_parameters(name, bundle.word_bits)]
    ]
    known = [row.setting.as_run for row in rows]
    rows += [
        measure_setting(evaluator, metric_of(setting, bundle).average, attacker, setting)
        for setting in settings
        if setting.as_run not in known
    ]
    names = list(MECHANISMS)
    return sorted(rows, key=lambda row: (names.index(row.setting.mechanism), row.setting.epsilon))


def _points(names: Sequence[str] | Mapping[str, Any], description: str, progress: bool) -> Any:
    """Yield every mechanism with every E, and show a bar."""
    points = [(name, estimated_loss) for name in names for estimated_loss in ESTIMATED_LOSSES]
    return Progress(points, desc=description, unit=" points", progress=progress)
