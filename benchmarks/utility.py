"""What the mechanisms keep of the words, at equal estimated privacy loss."""

from __future__ import annotations

from dataclasses import astuple
from math import sqrt
from typing import Any

import numpy as np

from benchmarks.report import Claim, Finding
from benchmarks.setting import Setting, progress
from brr_runtime import Privatizer
from brr_runtime.mechanisms import MECHANISMS
from brr_toolchain.quality.utility import Utility, release_utility
from brr_toolchain.simulate import LAPLACE
from brr_toolchain.simulate.laplace import Laplace

ESTIMATED_LOSSES = (20.0, 44.0, 80.0)
"""E = epsilon * P_avg."""


def run(setting: Setting) -> Finding:
    """Release the same random words by every mechanism."""
    bundle, vectors = setting.bundle, setting.embeddings.vectors
    ids = setting.sample(500 if setting.quick else 5_000)
    words = [bundle.vocabulary.word(i) for i in ids]
    kept: dict[str, dict[float, Utility]] = {}
    for estimated_loss in ESTIMATED_LOSSES:
        progress(f"utility: E = {estimated_loss:g}")
        epsilon, full_epsilon = setting.epsilons(estimated_loss)
        released = {LAPLACE: Laplace(vectors, full_epsilon, np.random.default_rng(0))(ids)}
        for name in MECHANISMS:
            # Equal E: a radius is for an equal attack.
            parameters: dict[str, Any] = {"radius": 0} if name == "exponential" else {}
            output = Privatizer(bundle, epsilon, mechanism=name, **parameters).words(words)
            released[name] = np.array([bundle.vocabulary.find(word) for word in output])
        for name, outputs in released.items():
            kept.setdefault(name, {})[estimated_loss] = release_utility(vectors, ids, outputs)
    columns = [
        f"{what}, E={estimated_loss:g}"
        for what in ("unchanged", "cosine")
        for estimated_loss in ESTIMATED_LOSSES
    ]
    rows = [
        (
            name,
            *(f"{kept[name][estimated_loss].unchanged:.3f}" for estimated_loss in ESTIMATED_LOSSES),
            *(f"{kept[name][estimated_loss].cosine:.3f}" for estimated_loss in ESTIMATED_LOSSES),
        )
        for name in kept
    ]
    return Finding(
        title="utility: words unchanged, and mean cosine of output to input",
        columns=("", *columns),
        rows=rows,
        claims=[
            Claim(
                f"brr - {LAPLACE}, cosine, E={estimated_loss:g}",
                kept["brr"][estimated_loss].cosine - kept[LAPLACE][estimated_loss].cosine,
            )
            for estimated_loss in ESTIMATED_LOSSES
        ],
        notes=(
            "Laplace is the full-size mechanism, exact by faiss; equal E = epsilon * P_avg",
            f"{len(ids):,} random words, the same for all; standard error of a share at most "
            f"{0.5 / sqrt(len(ids)):.3f}",
            "cosines of the float vectors with their mean removed",
        ),
        numbers={
            name: {
                f"{estimated_loss:g}": astuple(utility)
                for estimated_loss, utility in by_estimated_loss.items()
            }
            for name, by_estimated_loss in kept.items()
        },
    )
