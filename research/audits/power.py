"""Repeated audits: the rates of detected broken mechanisms, and of false alarms.

    python -m research.audits.power --bundle BUNDLE --embeddings SRC --trials 100

prints a line for each, and takes hours at the default sample size.

    python -m research.audits.power --vectors --trials 100 --output research/results/stored

the same for mechanisms on vectors, each in the part that is to reject it and at the samples that
do, in minutes; ``audit-vectors.json`` there is the source of a table in
``research/results/audit.md``.

    python -m research.audits.power --limits

prints what is seen at which sample size: exact sums, in seconds, without drawing anything.
"""

from __future__ import annotations

import math
import os
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import click

from benchmarks.report import aligned
from benchmarks.store import write_alone
from brrkit import WordBundle
from brrkit.mechanisms.exponential import check_radius
from brrkit_toolchain.audit import Audit, audit_factory, audit_mechanism
from brrkit_toolchain.audit.audit import SHARED_NOISE_DRAWS_PER_SAMPLE, VOCABULARY_DRAWS_PER_SAMPLE
from brrkit_toolchain.audit.audited_code.subject import Output, Subject
from brrkit_toolchain.audit.pairs.bounds import POWER, rejection_probability, tail_bound
from brrkit_toolchain.audit.parts import noise_reuse, rare_pairs
from brrkit_toolchain.audit.parts.clipping import clipping_comparisons
from brrkit_toolchain.audit.parts.shared_noise import LAGS
from brrkit_toolchain.audit.result import Part
from brrkit_toolchain.defaults import AUDIT_FALSE_ALARM_RATE, AUDIT_SAMPLES
from research import AUDIT_VECTORS

_BROKEN = "tests.helpers.broken:"
_FULL_SIZE = "brrkit_toolchain.audit.full_size:"

CODES = (
    "wrong_flip_rate",
    "vickrey_without_input",
    "rejection_until_different",
    "oov_unchanged",
    "stop_words_unchanged",
    "fixed_seed",
    "seed_at_each_call",
    "exponential_without_half",
    "exponential_too_steep",
    "radius_that_rises",
    "radius_with_a_cliff",
    "cut_off",
    "numbers_unchanged",
    "long_words_unchanged",
    "capitals_unchanged",
    "measure_by_input",
    "candidates_by_input",
    "history_of_typed_words",
    "normalizer_of_the_start",
    "histogram_of_the_start",
    "typos_corrected",
    "one_in_a_thousand",
    "every_thousandth_call",
    "one_word_unchanged",
    "contractions_split",
    "unknown_dropped",
    "capitals_kept",
    "noise_shared_by_two_words",
    "noise_shared_by_two_calls",
    "small_seed",
    "small_seed_at_each_text",
    "emoji_kept",
    "hashtags_kept",
    "links_kept",
    "addresses_kept",
    "punctuation_kept",
    "digits_kept",
    "case_kept",
    "last_word_unchanged",
    "end_unchanged",
    "stop_words_dropped",
    "unknown_as_the_word_before",
    "unknown_by_length",
    "unknown_by_checksum",
    "unknown_from_a_cache",
    "words_from_a_cache",
    "history_of_the_last_text",
    "length_kept",
    "one_pair",
    "noise_of_a_ring",
    "bytes_used_twice",
    "seed_of_the_second",
    "first_word_unchanged",
)
SUBJECTS = (
    *(_BROKEN + name for name in (*CODES, "laplace_l2_for_l1")),
    "brr",
    "vickrey",
    "exponential",
    _FULL_SIZE + "laplace",
    _FULL_SIZE + "vickrey",
)

_OURS = "research.adept.subjects:"

FEW, MANY = 0, 1
"""The parts of an audit of vectors: 4 and 32 dimensions."""

VECTORS: Mapping[str, tuple[int, float, int]] = {
    _BROKEN + "clip_forgotten": (FEW, 0, 1_000),
    _BROKEN + "stages_with_all_of_epsilon": (FEW, 0, 1_000),
    _BROKEN + "adept_as_published": (MANY, 0, 2_500),
    _BROKEN + "gaussian_of_half_the_distance": (FEW, 0.01, 2_500),
    _BROKEN + "norm_before_rounding": (FEW, 0, 10_000),
    _OURS + "laplace_l1": (FEW, 0, 1_000),
    _OURS + "laplace_l2": (FEW, 0, 1_000),
    _OURS + "gaussian": (FEW, 0.01, 1_000),
    _OURS + "codes": (FEW, 0, 1_000),
    _OURS + "codes_in_stages": (FEW, 0, 1_000),
}
"""Subjects of ``--metric any``: the part that rejects broken code, delta, and the samples."""

_LARGE_DELTA = 0.01

SIZES = (1_000, 2_500, 10_000, 40_000)
_TESTS = 1_300  # that share the false-alarm rate; an audit has some 1,250 and more
_WORDS = 10_000  # of the vocabulary


def audit(
    subject: str, _trial: int, *, folder: Path, embeddings: Path, samples: int, rate: float
) -> Audit:
    """Audit one of ``SUBJECTS`` once."""
    bundle = WordBundle.open(folder)
    if ":" not in subject:
        return audit_mechanism(
            bundle, subject, samples=samples, false_alarm_rate=rate, progress=False
        )
    euclidean = subject.startswith(_FULL_SIZE) or subject.endswith("laplace_l2_for_l1")
    return audit_factory(
        bundle,
        subject,
        embeddings=embeddings if euclidean else None,
        radius=check_radius(None, bundle.bits) if "radius" in subject else 0,
        samples=samples,
        false_alarm_rate=rate,
        progress=False,
    )


def audit_part(
    subject: str,
    place: int,
    delta: float = 0,
    *,
    samples: int = AUDIT_SAMPLES,
    rate: float = AUDIT_FALSE_ALARM_RATE,
) -> Part:
    """Audit one part of one of ``VECTORS`` in this process, like an audit of all parts."""
    comparisons = clipping_comparisons(delta, samples)
    alpha = rate / (sum(comparison.tests for comparison in comparisons) + noise_reuse.TESTS)
    made = Subject(factory=subject).make(comparisons[place].instance)

    def draw(lists: Iterable[Sequence[str]]) -> Iterator[list[Output]]:
        return (made.words(words) for words in lists)

    return comparisons[place].test(draw, alpha)


def passes(subject: str, _trial: int, *, samples: int | None, rate: float) -> bool:
    """Return whether one of ``VECTORS`` passes, once; at its own number of samples by default."""
    place, delta, enough = VECTORS[subject]
    return audit_part(subject, place, delta, samples=samples or enough, rate=rate).passed


def exact_powers(samples: int, rate: float = AUDIT_FALSE_ALARM_RATE) -> dict[str, float]:
    """Return the probability that a known event rejects broken code.

    Exact sums over the counts, for one pair of inputs; the audit has many, and must find an event.
    """
    import numpy as np
    from scipy.stats import binom, norm

    from research.adept.gaussian import gaussian_delta

    comparisons = clipping_comparisons(0, samples)
    alpha = rate / (sum(comparison.tests for comparison in comparisons) + noise_reuse.TESTS)
    (n_few, few), (n_many, many) = (
        (len(each.instance.vectors[0]), each.instance.epsilon)  # type: ignore[index]
        for each in comparisons[:2]
    )

    def power(first: float, second: float, claim: float, delta: float = 0) -> float:
        return rejection_probability(first - delta, second, claim, samples, alpha)

    # Published: more coordinates on x's side than a threshold. Opposite vectors of length 1 are
    # this many scales of the noise, 2 / epsilon, apart in each.
    apart = 2 / math.sqrt(n_many) * many / 2
    right, wrong = 1 - math.exp(-apart / 2) / 2, math.exp(-apart / 2) / 2
    published = [
        power(binom.sf(k, n_many, right), binom.sf(k, n_many, wrong), many)
        for k in range(n_many // 2, n_many)
    ]
    # Rounded: all coordinates on x's side; 2 steps apart, with noise of scale 2 * 2 / epsilon.
    keep = math.exp(-few / 4)
    tail = 1 / (1 + keep)  # P(noise >= 0); P(noise >= 2) is keep^2 times as much
    # Half of sigma: a half-space, twice as far as the claim allows.
    low, high = 0.01, 10.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(few, middle) <= _LARGE_DELTA else (low, middle)
    half = [
        power(norm.sf(t - 2 * low), norm.sf(t), few, _LARGE_DELTA)
        for t in np.linspace(0, 4, 41)
        if norm.sf(t - 2 * low) > _LARGE_DELTA
    ]
    # Two symbols of two as x's, each with probability e^epsilon / (1 + e^epsilon).
    both = (1 / (1 + math.exp(-few))) ** 2
    return {
        "adept_as_published": max(published),
        "clip_forgotten": power(0.5, math.exp(-100) / 2, few),
        "norm_before_rounding": power(tail**n_few, (tail * keep**2) ** n_few, few),
        "gaussian_of_half_the_distance": max(half),
        "stages_with_all_of_epsilon": power(both, both * math.exp(-2 * few), few),
    }


def least_power(rejected: int, trials: int) -> float:
    """Return the 95% lower bound of Clopper and Pearson on the power."""
    from scipy.stats import beta

    return float(beta.ppf(0.05, rejected, trials - rejected + 1)) if rejected else 0.0


def excess(result: Audit) -> float:
    """Return the largest excess of the bound on the loss over the claim, over all pairs."""
    return max(p.worst.privacy_loss - p.worst.claimed for p in result.parts if p.worst)


def least(seen: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least number from ``low`` to ``high`` that is seen, to 0.1%; or infinity."""
    if not seen(high):
        return math.inf
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high


def limits(rate: float = AUDIT_FALSE_ALARM_RATE) -> list[list[str]]:
    """Return the smallest leaks that are detected with probability ``POWER``, by sample size.

    There is a row for each, which begins with its description. The results are exact sums, without
    draws.
    """
    from scipy.stats import binom

    alpha = rate / _TESTS

    def flips(samples: int, share: float) -> bool:
        flip = (1 - share) / (1 + math.e)
        return rejection_probability(1 - flip, flip, 1, samples, alpha) >= POWER

    def steep(samples: int, factor: float) -> bool:
        # As the crowd is: one word, and 11 in one place, at a claimed loss of 3.
        weight = math.exp(-1.5 * factor)
        alone, beside = 1 / (1 + 11 * weight), weight / (weight + 11)
        return rejection_probability(alone, beside, 3, 2 * samples, alpha) >= POWER

    def passed_through(draws: int, most: float, leak: float, share: float = alpha) -> bool:
        few = int(binom.ppf(1 - POWER, draws, min(1.0, most + leak)))
        return tail_bound(few, draws, most) <= share

    def pair(samples: int, share: float) -> bool:
        return (
            rare_pairs.found_probability(VOCABULARY_DRAWS_PER_SAMPLE * samples // _WORDS, share)
            >= POWER
        )

    def shared_noise(samples: int, leak: float) -> bool:
        # Half of a process's draws are pairs; a quarter of all, so 2 / 10,000 are equal by chance.
        pairs = int(SHARED_NOISE_DRAWS_PER_SAMPLE * samples / 2)
        return passed_through(pairs, 2 / _WORDS, leak, alpha / (4 * LAGS))

    def cut_off(samples: int, claim: float, share: float) -> bool:
        return rejection_probability(share, 0.0, claim, samples // 2, alpha) >= POWER

    rows: dict[str, Callable[[int], float]] = {
        "share by which bits flip too rarely (one pair; *near codes* tests many)": lambda n: least(
            partial(flips, n), 1e-3, 0.9
        ),
        "factor by which the weights of `exponential` are too steep": lambda n: least(
            partial(steep, n), 1.0, 9
        ),
        "share of unknown words released unchanged": lambda n: least(
            partial(passed_through, n * 5 // 2, 1 / (n * 5 // 2)), 1e-6, 1
        ),
        "share of known words released unchanged, in a vocabulary of 10,000": lambda n: least(
            partial(passed_through, VOCABULARY_DRAWS_PER_SAMPLE * n, 1 / _WORDS), 1e-6, 1
        ),
        "vocabulary size, if one word is always released unchanged (largest)": lambda n: (
            VOCABULARY_DRAWS_PER_SAMPLE * n
        ),
        "share of one word's draws that return another fixed word, in a vocabulary of 10,000": (
            lambda n: least(partial(pair, n), 1e-3, 1)
        ),
        "share of words that repeat the noise of a word at most 1,000 words before": lambda n: (
            least(partial(shared_noise, n), 1e-6, 1)
        ),
        "probability of an outcome that another word never has, at ε·d = 1 (*far codes*)": (
            lambda n: least(partial(cut_off, n, 1.0), 1e-6, 1)
        ),
        "bits of a seed, set when code is created or at each text (largest)": lambda n: math.floor(
            math.log2(n // 5 * (n // 5 - 1) / 2 / math.log(1 / (1 - POWER)))
        ),
    }
    return [[name, *(_shown(row(size)) for size in SIZES)] for name, row in rows.items()]


def _shown(value: float) -> str:
    return (
        "none"
        if math.isinf(value)
        else f"{value:,.0f}"
        if value >= 10
        else f"{float(f'{value:.2g}'):g}"
        if value < 1
        else f"{value:.2f}"
    )


def powers(rate: float = AUDIT_FALSE_ALARM_RATE) -> list[list[str]]:
    """Return the probability that a known event rejects the broken ones of ``VECTORS``."""
    found = [exact_powers(size, rate) for size in SIZES[:3]]
    return [[name, *(_power(each[name]) for each in found)] for name in found[0]]


def _power(value: float) -> str:
    if value > 0.9995:
        return "> 0.9995"
    return f"{value:.3f}" if value > 0.99 else f"{value:.2f}"


@click.command()
@click.argument("subjects", nargs=-1)
@click.option("--bundle", "folder", type=click.Path(path_type=Path, exists=True))
@click.option("--embeddings", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--limits", "print_limits", is_flag=True, help="Print what is seen, and draw nothing."
)
@click.option("--vectors", "of_vectors", is_flag=True, help="Of mechanisms on vectors.")
@click.option("--trials", default=100, show_default=True)
@click.option(
    "--samples", type=int, help=f"Default: {AUDIT_SAMPLES:,}; with --vectors each one's own."
)
@click.option("--false-alarm-rate", "rate", default=AUDIT_FALSE_ALARM_RATE, show_default=True)
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Audits at a time.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="With --vectors: store what was counted in this folder.",
)
def main(
    *,
    subjects: tuple[str, ...],
    folder: Path | None,
    embeddings: Path | None,
    print_limits: bool,
    of_vectors: bool,
    trials: int,
    samples: int | None,
    rate: float,
    jobs: int,
    output: Path | None,
) -> None:
    """Audit each of SUBJECTS (default: all that come with brrkit) TRIALS times."""
    if print_limits:
        sizes = ["", *(f"{size:,}" for size in SIZES)]
        click.echo("\n".join(aligned([sizes, *limits(rate)])))
        click.echo("\n".join(aligned([sizes[:4], *powers(rate)])))
        return
    if of_vectors:
        rows = []
        with ProcessPoolExecutor(jobs) as pool:
            for subject in subjects or VECTORS:
                passed = pool.map(
                    partial(passes, subject, samples=samples, rate=rate), range(trials)
                )
                name, size = (
                    subject.removeprefix("brrkit_toolchain."),
                    samples or VECTORS[subject][2],
                )
                rejected = trials - sum(passed)
                rows.append({"name": name, "samples": size, "trials": trials, "rejected": rejected})
                click.echo(
                    f"{name}: {rejected} of {trials} rejected at {size:,} samples "
                    f"(at least {least_power(rejected, trials):.3f})"
                )
        if output:
            write_alone(output / AUDIT_VECTORS.name, {"false_alarm_rate": rate, "rows": rows})
        return
    if folder is None or embeddings is None:
        raise click.UsageError("give --bundle and --embeddings, --vectors, or --limits")
    with ProcessPoolExecutor(jobs) as pool:
        for subject in subjects or SUBJECTS:
            run = partial(
                audit,
                subject,
                folder=folder,
                embeddings=embeddings,
                samples=samples or AUDIT_SAMPLES,
                rate=rate,
            )
            results = list(pool.map(run, range(trials)))
            failed = sum(not result.passed for result in results)
            parts = Counter(p.name for result in results for p in result.parts if not p.passed)
            over = [excess(result) for result in results]
            seconds = statistics.median(result.seconds for result in results)
            by = ", ".join(f"{name} ({count})" for name, count in parts.items())
            click.echo(
                f"{subject.removeprefix('brrkit_toolchain.audit.')}: {failed} of {trials} failed"
                f"; by: {by}; "
                f"bound - claim {statistics.mean(over):.2f} (from {min(over):.2f}); {seconds:.1f} s"
            )


if __name__ == "__main__":
    main()
