"""The output of ``brr calibrate`` for the bundle and the default goal."""

from __future__ import annotations

import subprocess
import sys

import click

from benchmarks.bench import Bench, progress
from benchmarks.child import all_cores
from benchmarks.report import Finding

SAMPLE = "200"  # words


def run(bench: Bench) -> Finding:
    """Run the command, and keep its lines about the goal."""
    progress("calibrate")
    command = [sys.executable, "-m", "brrkit_toolchain", "calibrate", str(bench.bundle.path)]
    done = subprocess.run(
        [*command, "--sample", SAMPLE],
        capture_output=True,
        text=True,
        env=all_cores(),
        check=False,
    )
    if done.returncode:
        raise click.ClickException(done.stderr.strip() or "brr calibrate failed")
    goal = done.stdout[done.stdout.index("Goal ") :].rstrip().splitlines()
    return Finding(
        title=f"calibrate: the end of what 'brr calibrate BUNDLE --sample {SAMPLE}' prints",
        columns=("",),
        rows=[(line,) for line in goal],
    )
