"""The certified loss of a setting, against its epsilon, and its time."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Claim, Finding
from brrkit.exact import EPSILON_MAX
from brrkit.setting import Setting
from brrkit_toolchain.calibrate.roots import crossing, round_to_meet
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of

SETTINGS = ((0, 0.5), (0, 0.8), (8, 0.5), (8, 0.8), (10, 0.5), (10, 0.8))
"""Radius in bits, and epsilon."""


def largest_epsilon(channel: Channel, certified: float) -> float:
    """Return nearly the largest epsilon that loses at most ``certified`` on a bundle.

    Args:
        channel: channel of ``exponential`` at any epsilon.
        certified: largest loss per bit.
    """

    def loss(epsilon: float) -> float:
        return channel.at(replace(channel.setting, epsilon=epsilon)).loss or 0.0

    largest = min(2 * certified, EPSILON_MAX)  # loses more, unless no two words tell its table
    found = crossing(lambda epsilon: loss(epsilon) - certified, certified, largest)
    return round_to_meet(lambda epsilon: loss(epsilon) <= certified, found, down=True)


def run(bench: Bench) -> Finding:
    """Certify some settings, and search the largest epsilon with an uncertified setting's loss."""
    codes = bench.bundle.codes
    rows, claims, seconds = [], [], []
    _ = channel_of(codes[:100], 0.5, 0).loss  # compiles
    for radius, epsilon in SETTINGS[: 1 if bench.quick else None]:
        progress(f"certify: radius {radius}, epsilon {epsilon}")
        start = time.perf_counter()
        certified = channel_of(codes, epsilon, radius).loss or 0.0
        seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        largest = largest_epsilon(channel_of(codes, epsilon, radius), epsilon)
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


def channel_of(codes: NDArray[np.uint64], epsilon: float, radius: int) -> Channel:
    """Return the channel of ``codes`` uint64[n, bits / 64], with equal masses."""
    return Channel(
        bundle_of(codes), Setting(epsilon, parameters={"radius": radius, "base": "uniform"})
    )
