"""Repeat audits: how often are broken mechanisms caught, and right ones blamed?

    python -m benchmarks.audit_power --trials 100

prints a line for each, and takes hours at the default sample size.
"""

from __future__ import annotations

import os
import statistics
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import click

from brr_runtime import Bundle
from brr_toolchain import AUDIT_FALSE_ALARM_RATE, AUDIT_SAMPLES
from brr_toolchain.audit import Audit, audit_factory, audit_mechanism

_BROKEN = "brr_toolchain.audit.broken:"
_FULL_SIZE = "brr_toolchain.audit.full_size:"

CODES = (
    "wrong_flip_rate",
    "vickrey_without_input",
    "rejection_until_different",
    "oov_unchanged",
    "stop_words_unchanged",
    "fixed_seed",
    "seed_at_each_call",
    "exponential_without_half",
)
SUBJECTS = (
    *(_BROKEN + name for name in (*CODES, "laplace_l2_for_l1")),
    "brr",
    "vickrey",
    "exponential",
    _FULL_SIZE + "laplace",
    _FULL_SIZE + "vickrey",
)


def audit(
    subject: str, _trial: int, *, folder: Path, embeddings: Path, samples: int, rate: float
) -> Audit:
    """Audit one of ``SUBJECTS`` once."""
    bundle = Bundle.open(folder)
    if ":" not in subject:
        return audit_mechanism(
            bundle, subject, samples=samples, false_alarm_rate=rate, progress=False
        )
    euclidean = subject.startswith(_FULL_SIZE) or subject.endswith("laplace_l2_for_l1")
    return audit_factory(
        bundle,
        subject,
        embeddings=embeddings if euclidean else None,
        samples=samples,
        false_alarm_rate=rate,
        progress=False,
    )


def excess(result: Audit) -> float:
    """Return by how much the bound on the loss exceeds the claim, at most over all pairs."""
    return max(p.worst.loss - p.worst.claimed for p in result.parts if p.worst)


@click.command()
@click.argument("subjects", nargs=-1)
@click.option("--bundle", "folder", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--embeddings", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--trials", default=100, show_default=True)
@click.option("--samples", default=AUDIT_SAMPLES, show_default=True)
@click.option("--false-alarm-rate", "rate", default=AUDIT_FALSE_ALARM_RATE, show_default=True)
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Audits at a time.")
def main(
    *,
    subjects: tuple[str, ...],
    folder: Path,
    embeddings: Path,
    trials: int,
    samples: int,
    rate: float,
    jobs: int,
) -> None:
    """Audit each of SUBJECTS (default: all that come with brrkit) TRIALS times."""
    with ProcessPoolExecutor(jobs) as pool:
        for subject in subjects or SUBJECTS:
            run = partial(
                audit, subject, folder=folder, embeddings=embeddings, samples=samples, rate=rate
            )
            results = list(pool.map(run, range(trials)))
            failed = sum(not result.passed for result in results)
            over = [excess(result) for result in results]
            seconds = statistics.median(result.seconds for result in results)
            click.echo(
                f"{subject.removeprefix('brr_toolchain.audit.')}: {failed} of {trials} failed; "
                f"bound - claim {statistics.mean(over):.2f} (from {min(over):.2f}); {seconds:.1f} s"
            )


if __name__ == "__main__":
    main()
