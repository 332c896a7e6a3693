"""The best possible attacker's success against the device's mechanisms, at equal E."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from brrkit_toolchain.measure.attack import Attack, Prior
from brrkit_toolchain.measure.losses import code_loss
from brrkit_toolchain.measure.sample import WordSample
from brrkit_toolchain.measure.setting import make_meter
from brrkit_toolchain.quality.distances import DistanceStatistics
from brrkit_toolchain.quality.utility import ESTIMATED_LOSSES, epsilon_of_estimated_loss
from brrkit_toolchain.simulate import ON_CODES


@dataclass(frozen=True)
class AttackCurves:
    """The attacker's success against every mechanism of the device, with default parameters.

    Attributes:
        prior: how often he reckons with each word.
        estimated_losses: E = epsilon * P_avg of each point.
        mechanisms: by name, the ``Attack`` at each estimated privacy loss.
    """

    prior: Prior
    estimated_losses: Sequence[float]
    mechanisms: dict[str, list[Attack]]


def measure_attacks(
    codes: NDArray[np.uint64],
    distances: DistanceStatistics,
    *,
    seed: int = 0,
    progress: bool = True,
) -> AttackCurves:
    """Measure the success at each of ``ESTIMATED_LOSSES``, all words being typed equally often.

    Args:
        codes: uint64[n, bits / 64]; n >= 2.
        distances: for P_avg.
        seed: of the draws.
        progress: show a bar on standard error.
    """
    nobody = WordSample(np.zeros(1, np.intp))
    code_losses = code_loss(codes)
    curves: dict[str, list[Attack]] = {}
    points = [(name, estimated_loss) for name in ON_CODES for estimated_loss in ESTIMATED_LOSSES]
    meters = {
        name: make_meter(
            name, nobody, codes=codes, draws=2, loss=code_losses, seed=seed, progress=False
        )
        for name in ON_CODES
    }
    hide = None if progress else True
    for name, estimated_loss in tqdm(points, desc="Attacks", unit=" points", disable=hide):
        epsilon = epsilon_of_estimated_loss(estimated_loss, distances.hamming.average)
        curves.setdefault(name, []).append(meters[name].attack(epsilon, "uniform"))
    return AttackCurves("uniform", ESTIMATED_LOSSES, curves)
