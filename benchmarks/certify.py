"""The certified loss of a table of weights, against that for any vocabulary, and its time."""

from __future__ import annotations

import time

from benchmarks.report import Claim, Finding
from benchmarks.setting import Setting, progress
from brr_toolchain.calibrate.certify import certified_epsilon, certified_slope

SETTINGS = ((0, 0.25), (0, 0.4), (8, 0.25), (8, 0.4), (10, 0.25), (10, 0.4))
"""Radius in bits, and slope."""


def run(setting: Setting) -> Finding:
    """Certify some tables, and look for the steepest one of each radius for the first's promise."""
    codes = setting.bundle.codes
    rows, claims, seconds = [], [], []
    certified_epsilon(codes[:100], 0.25, 0, progress=False)  # compiles
    for radius, slope in SETTINGS[: 1 if setting.quick else None]:
        progress(f"certify: radius {radius}, slope {slope}")
        start = time.perf_counter()
        epsilon = certified_epsilon(codes, slope, radius, progress=False)
        seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        steepest = certified_slope(codes, 2 * slope, radius, progress=False)
        searched = time.perf_counter() - start
        saved = 1 - epsilon / (2 * slope)
        rows.append(
            (
                f"radius {radius}, slope {slope}",
                f"{2 * slope:g}",
                f"{epsilon:.4f}",
                f"{100 * saved:.1f}%",
                f"{seconds[-1]:.1f} s",
                f"{steepest:.4f}",
                f"{searched:.1f} s",
            )
        )
        claims.append(Claim(f"saved, radius {radius}, slope {slope}", saved))
    return Finding(
        title="certify: the loss for this vocabulary, and the slope that may be had for any's",
        columns=("", "any", "certified", "saved", "time", "steepest slope", "time"),
        rows=rows,
        claims=claims,
    )
