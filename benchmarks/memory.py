"""Attack success on a word that is released again and again, with and without a memory.

The attacker knows the mechanism, the presence of a memory, that all releases are of one word, and
that all words are equally likely (Bayes-optimal, uniform prior). Their success after one release,
and after infinitely many, is exact. In between, it is a mean over drawn histories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Claim, Finding
from brrkit import WordBundle
from brrkit.exact import weight_table

EPSILON = 0.5
"""Epsilon of releases without a memory, and of first draws with a memory."""

SECOND = (1.0, 0.5)
RELEASES = (1, 5, 20, 100, 1_000)
_WORDS = 3_000  # their channel fits into the memory of any machine
_HISTORIES = 1_000

Channel = NDArray[np.float32]


@dataclass(frozen=True)
class Attack:
    """=The attack success on a word.

    Attributes:
        releases: numbers of releases.
        success: share of correctly named words after each of ``releases``.
        forever: this share after infinitely many releases.
        equality: largest advantage in distinguishing two releases of one word from two words.
    """

    releases: Sequence[int]
    success: Sequence[float]
    forever: float
    equality: float


def distances(bundle: WordBundle, words: int) -> NDArray[np.int64]:
    """Return d int64[n, n], the distances of the n most frequent words, ``words`` at most."""
    codes = bundle.codes[:words]
    return np.array([bundle.index.distances(code)[: len(codes)] for code in codes], np.int64)


def channel(distance: NDArray[np.int64], bits: int, epsilon: float, radius: int) -> Channel:
    """Return Pr[y | w] float32[n, n] of ``exponential`` on a vocabulary of n words."""
    weights = np.array(weight_table(epsilon, bits, len(distance), radius), float)
    result: NDArray[np.float64] = weights[distance]
    rounded: Channel = (result / result.sum(axis=1, keepdims=True)).astype(np.float32)
    return rounded


def attack(first: Channel | None, last: Channel, histories: int, seed: int = 0) -> Attack:
    """Let the Bayes-optimal attacker name words.

    Args:
        first: channel of a memory's single first draw; None without a memory.
        last: channel of the draw in every release.
        histories: number of histories to draw for a mean.
        seed: seed of the histories.
    """
    size = len(last)
    generator = np.random.default_rng(seed)
    words = generator.integers(0, size, histories)
    inputs = words if first is None else _draw(first, words, generator)
    log = np.log(last.T)  # [y, x]
    counts = np.zeros((histories, size), np.float32)
    success = [_named(last if first is None else first @ last)]
    for before, after in zip((0, *RELEASES), RELEASES, strict=False):
        rows = np.repeat(np.arange(histories), after - before)
        np.add.at(counts, (rows, _draw(last, inputs[rows], generator)), 1)
        if after == 1:
            continue
        evidence = counts @ log  # ln Pr[releases | x], of the word or of its first draw
        if first is not None:
            likely = np.exp(evidence - evidence.max(axis=1, keepdims=True))
            evidence = likely @ first.T
        success.append(float((evidence.argmax(axis=1) == words).mean()))
    return Attack(
        RELEASES,
        success,
        1.0 if first is None else _named(first),
        _equality(first, last),
    )


def _named(table: Channel) -> float:
    """Return the probability that the likeliest word for an output is the typed one."""
    return float(table.max(axis=0).sum(dtype=np.float64) / len(table))


def _equality(first: Channel | None, last: Channel) -> float:
    """Return the total variation between two releases of one word and of two random words."""
    size = len(last)
    drawn = np.full(size, 1 / size, np.float32) if first is None else first.mean(axis=0)
    single = drawn @ last
    twice = last.T @ (drawn[:, None] * last)
    return float(np.abs(twice - np.outer(single, single)).sum(dtype=np.float64) / 2)


def _draw(
    table: Channel, rows: NDArray[np.intp], generator: np.random.Generator
) -> NDArray[np.intp]:
    """Return an output for each of ``rows`` of a channel."""
    result = np.empty(len(rows), np.intp)
    numbers = generator.random(len(rows))
    order = np.argsort(rows, kind="stable")
    starts = np.flatnonzero(np.diff(rows[order], prepend=-1))
    for part in np.split(order, starts[1:]):
        cumulative = np.cumsum(table[rows[part[0]]], dtype=np.float64)
        found = np.searchsorted(cumulative, numbers[part] * cumulative[-1], side="right")
        result[part] = np.minimum(found, len(table) - 1)
    return result


@dataclass(frozen=True)
class Row:
    """=A setting, with its attack success and its utility.

    Attributes:
        name: name in the tables.
        attack: result of the attack.
        released: Pr[y | w] of one release.
    """

    name: str
    attack: Attack
    released: Channel

    def cells(self, cosines: NDArray[np.float64]) -> list[str]:
        """Return the columns of its line."""
        shares = (*self.attack.success, self.attack.forever, self.attack.equality)
        kept = (self.released * cosines).sum(axis=1).mean()
        return [self.name, *(f"{share:.3f}" for share in (*shares, kept))]


def measure(bundle: WordBundle, words: int, histories: int, radii: Sequence[int]) -> list[Row]:
    """Return a row for each radius and memory."""
    distance = distances(bundle, words)
    rows = []
    for radius in radii:
        progress(f"memory: radius {radius}")
        first = channel(distance, bundle.bits, EPSILON, radius)
        name = f"radius {radius}"
        rows.append(Row(f"{name}, no memory", attack(None, first, histories), first))
        for epsilon in SECOND:
            last = channel(distance, bundle.bits, epsilon, radius)
            rows.append(
                Row(
                    f"{name}, memory, second {epsilon:g}",
                    attack(first, last, histories),
                    first @ last,
                )
            )
    return rows


def run(bench: Bench) -> Finding:
    """Attack the most frequent words of a bundle."""
    bundle = bench.bundle
    words = min(len(bundle), 500 if bench.quick else _WORDS)
    histories = 200 if bench.quick else _HISTORIES
    vectors = bench.embeddings.vectors[:words].astype(np.float64)
    vectors -= bench.embeddings.vectors.mean(axis=0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = measure(bundle, words, histories, (0, bundle.bits // 8))
    half = len(rows) // 2
    return Finding(
        title="memory: how often an attacker names a word after so many releases",
        columns=("", *(f"{count:,}" for count in RELEASES), "forever", "equality", "cosine"),
        rows=[row.cells(vectors @ vectors.T) for row in rows],
        claims=[
            Claim(
                f"{row.name}: success after 1,000 releases, over without a memory",
                row.attack.success[-1] / without.attack.success[-1],
            )
            for without, row in ((rows[0], rows[1]), (rows[half], rows[half + 1]))
        ],
        notes=(
            f"exponential, epsilon {EPSILON:g}, on the {words:,} most frequent words alone",
            "one release, forever and equality are exact; of the others the standard error is at "
            f"most {0.5 / sqrt(histories):.3f}",
            "equality: advantage in telling two releases of a word from releases of two words",
            "cosine of one release's output to its input, of the float vectors less their mean",
        ),
        numbers={row.name: asdict(row.attack) for row in rows},
    )
