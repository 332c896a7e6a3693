"""The certified loss of a setting, against its epsilon, and its time."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Claim, Finding
from brrkit.exact import EPSILON_MAX
from brrkit_toolchain.calibrate.roots import crossing, rounded_to_meet
from brrkit_toolchain.channel.certificates import PrivacyLosses, certified_epsilon

SETTINGS = ((0, 0.5), (0, 0.8), (8, 0.5), (8, 0.8), (10, 0.5), (10, 0.8))
"""Radius in bits, and epsilon."""


def largest_epsilon(codes: NDArray[np.uint64], certified: float, radius: int) -> float:
    """Return an epsilon that loses at most ``certified`` on these codes, about the largest.

    Args:
        codes: uint64[n, bits / 64], of the whole vocabulary.
        certified: the loss that is allowed, per bit.
        radius: in bits, up to which the weights fall gently.
    """
    losses = PrivacyLosses(codes, radius)
    largest = min(2 * certified, EPSILON_MAX)  # loses more, unless no two words tell its table
    found = crossing(lambda epsilon: losses.loss(epsilon) - certified, certified, largest)
    return rounded_to_meet(lambda epsilon: losses.loss(epsilon) <= certified, found, down=True)


def run(bench: Bench) -> Finding:
    """Certify some settings, and look for the largest epsilon that loses what any other may."""
    codes = bench.bundle.codes
    rows, claims, seconds = [], [], []
    certified_epsilon(codes[:100], 0.5, 0, progress=False)  # compiles
    for radius, epsilon in SETTINGS[: 1 if bench.quick else None]:
        progress(f"certify: radius {radius}, epsilon {epsilon}")
        start = time.perf_counter()
        certified = certified_epsilon(codes, epsilon, radius, progress=False)
        seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        largest = largest_epsilon(codes, epsilon, radius)
        searched = time.perf_counter() - start
        saved = 1 - certified / epsilon
        rows.append(
            (
                f"radius {radius}",
                f"{epsilon:g}",
                f"{certified:.4f}",
                f"{100 * saved:.1f}%",
                f"{seconds[-1]:.1f} s",
                f"{largest:.4f}",
                f"{searched:.1f} s",
            )
        )
        claims.append(Claim(f"saved, radius {radius}, epsilon {epsilon}", saved))
    return Finding(
        title="certify: the loss on this vocabulary, and the largest epsilon that loses that much",
        columns=("", "epsilon", "certified", "saved", "time", "largest epsilon", "time"),
        rows=rows,
        claims=claims,
    )
