"""Counts of typed words: ``counts``, the field's frequency oracles, and today's setting for text.

The same million words of IMDB's test half, reported by each: at the loss between any two words that
``counts`` has, and where attackers who read a report are right as often. ``frequencies`` knows how
often words are typed in the training half; ``isolated`` assumes that all are equally likely.
``content`` is ``frequencies`` who knows that a word isn't among the most frequent ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import reviews
from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from brrkit import WordBundle
from brrkit.setting import Setting
from brrkit_counting.estimate.text.intervals import Z
from brrkit_counting.estimate.text.likelihood import maximize
from brrkit_toolchain.attackers.texts.text_attack import known_ids
from brrkit_toolchain.calibrate.roots import crossing
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.linear import Linear
from brrkit_toolchain.codes.scans import most_probable
from research.oracles.mechanisms import (
    ORACLES,
    OURS,
    UNBOUNDED,
    WITHIN,
    Floats,
    Oracle,
    largest_epsilon,
    on_simplex,
    randomized_response,
    reports_needed,
    subset_selection,
)
from research.oracles.packages import EPSILON, REPORTS, SYMBOLS, compare

GOAL = 0.2
"""Success of the attackers, where that is equal."""

WORDS = 1_000_000
RANKS = (100, 1_000, 10_000)
"""Ranks of words for which the number of reports is computed."""

BANDS = ((1, 100), (101, 1_000), (1_001, 3_000))
"""Ranks over which errors are stated."""

ATTACKERS = ("frequencies", "content", "isolated")
"""Whose success is made equal; ``content`` is ``frequencies`` over fewer words."""

EQUAL = ("epsilon", *ATTACKERS)
"""The equal quantity: the loss between any two words, or the success of an attacker."""

FREQUENT = 150
"""Words that aren't content, as for ``brr calibrate --over content``."""

SIZED = "subset selection, size chosen"
TEXT = "exponential"

_DRAWS = 20  # of all reports
_SIZES = 16  # of subsets, that are tried
_ROUNDS = 40
_AROUND = 5  # words on either side of a rank
_NEAREST = 128  # words whose shares aren't known


@dataclass(frozen=True)
class Typed:
    """The typed words, and the attackers' knowledge of them.

    Attributes:
        shares: [k], of each word and of unknown ones, in the test half.
        prior: [k], the same in the training half.
        counts: int64[k], the million words.
        ranked: ids of the words, the most frequent in the test half first.
    """

    shares: Floats
    prior: Floats
    counts: NDArray[np.int64]
    ranked: NDArray[np.intp]

    @property
    def symbols(self) -> int:
        """The number k of symbols."""
        return len(self.shares)

    def content(self, shares: Floats) -> Floats:
        """Return the ``shares`` [k] of content words among themselves."""
        among: Floats = shares.copy()
        among[np.argsort(-self.prior[:-1], kind="stable")[:FREQUENT]] = 0
        among[-1] = 0
        among /= among.sum()
        return among

    def known(self, alike: Floats) -> dict[str, tuple[Floats, Floats]]:
        """Return the prior, and the typed words, for each of ``ATTACKERS``.

        Args:
            alike: [k], of the isolated attacker, both.
        """
        return {
            "frequencies": (self.prior, self.shares),
            "content": (self.content(self.prior), self.content(self.shares)),
            "isolated": (alike, alike),
        }


@dataclass(frozen=True)
class Row:
    """One oracle at one strength.

    Attributes:
        equal: one of ``EQUAL``.
        oracle: its name.
        epsilon: its parameter.
        loss: largest loss between any two words; for ``TEXT``, a bound.
        success: success of each of ``ATTACKERS``.
        needed: number of reports needed, by rank; for ``TEXT``, a lower bound.
        error: root mean squared error of shares, by band.
        relative: median of |estimate - truth| / truth, by band.
        distance: half the sum of |estimate - truth| over all words, without the unknown ones.
            Errors of ``TEXT`` are only measured at equal success of ``frequencies``, since it is
            slow.
        size: size of a subset.
    """

    equal: str
    oracle: str
    epsilon: float
    loss: float
    success: Mapping[str, float]
    needed: Sequence[float]
    error: Sequence[float]
    relative: Sequence[float]
    distance: float | None
    size: int | None = None


def run(bench: Bench) -> Finding:
    """Compare at equal loss and at equal attack; ask the packages whether they agree."""
    title = f"oracles: {WORDS:,} words, {len(bench.bundle) + 1:,} symbols"
    progress("oracles: reading the reviews")
    read = reviews.halves(bench.bundle.tokenizer)
    if read is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    typed = _typed(len(bench.bundle) + 1, *read)
    rows = _of_oracles(typed, 1 if bench.quick else _DRAWS)
    if not bench.quick:
        rows += [_of_text(bench.bundle, typed, attacker) for attacker in ATTACKERS]
    progress("oracles: packages")
    agreed = compare(1 if bench.quick else _ROUNDS)
    ours = {row.equal: row for row in rows if row.oracle == OURS}
    return Finding(
        title=title,
        columns=(
            "equal",
            "",
            "loss",
            *ATTACKERS,
            *(f"needed, {rank:,}" for rank in RANKS),
            "times ours",
            *(f"error, {low:,}-{high:,}" for low, high in BANDS),
            "total variation",
        ),
        rows=[_cells(row, ours[row.equal]) for row in sorted(rows, key=_place)],
        further=[
            [
                (
                    f"{SYMBOLS} symbols, epsilon {EPSILON:g}",
                    *("success, package", "computed", "error, package", "drawn"),
                ),
                *(
                    (
                        f"{name}, {one.package}",
                        *(f"{value:.4f}" for value in (one.success, one.computed_success)),
                        *(f"{value:.4f}" for value in (one.error, one.computed_error)),
                    )
                    for name, one in agreed.items()
                ),
            ]
        ],
        notes=(
            f"needed: reports for {WITHIN:.0%} of a share in 95% of all cases, a word of that rank",
            "error: median of |estimate - truth| / truth over words of these ranks",
            f"{TEXT}: base uniform, radius {_radius(bench.bundle)}; one draw; needed: at least, "
            f"as if only the shares of the {_NEAREST} nearest words weren't known; the median of "
            f"{2 * _AROUND + 1} words around the rank",
            f"packages: {REPORTS:,} reports, {_ROUNDS} times",
        ),
        numbers={
            "goal": GOAL,
            "words": WORDS,
            "symbols": typed.symbols,
            "unknown": float(typed.shares[-1]),
            "shares": [float(typed.shares[typed.ranked[rank - 1]]) for rank in RANKS],
            "rows": [asdict(row) for row in rows],
            "packages": {name: asdict(one) for name, one in agreed.items()},
        },
    )


def _typed(symbols: int, public: Sequence[Any], texts: Sequence[Any]) -> Typed:
    prior, shares = (
        np.bincount(np.concatenate([text.ids for text in half]), minlength=symbols)
        for half in (public, texts)
    )
    prior, shares = prior / prior.sum(), shares / shares.sum()
    counts = np.random.default_rng(0).multinomial(WORDS, shares)
    return Typed(shares, prior, counts, np.argsort(-shares[:-1], kind="stable"))


def _place(row: Row) -> tuple[int, int]:
    return EQUAL.index(row.equal), [*ORACLES, SIZED, TEXT].index(row.oracle)


def _of_oracles(typed: Typed, draws: int) -> list[Row]:
    k = typed.symbols
    alike = np.full(k, 1 / k)
    known = typed.known(alike)

    def at_goal(attacker: str, make: Callable[[float, int], Oracle]) -> Oracle:
        found = largest_epsilon(lambda epsilon: make(epsilon, k).success(*known[attacker]), GOAL)
        return make(found, k)

    def row(equal: str, name: str, oracle: Oracle, size: int | None = None) -> Row:
        success = {attacker: oracle.success(*knows) for attacker, knows in known.items()}
        generator = np.random.default_rng(0)
        estimates = [on_simplex(oracle.estimate(typed.counts, generator)) for _ in range(draws)]
        needed = [reports_needed(oracle, typed.shares[typed.ranked[rank - 1]]) for rank in RANKS]
        return Row(
            equal,
            name,
            oracle.epsilon,
            oracle.epsilon,
            success,
            needed,
            *_errors(estimates, typed),
            size,
        )

    rows = []
    ours = at_goal("frequencies", randomized_response)
    for name, make in ORACLES.items():
        progress(f"oracles: {name}")
        rows.append(row("epsilon", name, make(ours.epsilon, k)))
        rows += [row(attacker, name, at_goal(attacker, make)) for attacker in known]
    middle = float(typed.shares[typed.ranked[RANKS[1] - 1]])
    for attacker in known:
        progress(f"oracles: {SIZED}, {attacker}")
        sized = {}
        for size in range(1, _SIZES + 1):
            oracle = at_goal(attacker, partial(subset_selection, size=size))
            if oracle.epsilon < UNBOUNDED:
                sized[size] = oracle
        size = min(sized, key=lambda size: reports_needed(sized[size], middle))
        rows.append(row(attacker, SIZED, sized[size], size))
    return rows


def _errors(estimates: Sequence[Floats], typed: Typed) -> tuple[list[float], list[float], float]:
    """Return the error and the relative error, by band, and the total variation."""
    truth = typed.counts / typed.counts.sum()
    off = np.array([abs(shares - truth) for shares in estimates])
    bands = [typed.ranked[low - 1 : high] for low, high in BANDS]
    return (
        [float(sqrt((off[:, band] ** 2).mean())) for band in bands],
        [float(np.median(off[:, band] / truth[band])) for band in bands],
        float(off[:, :-1].sum(axis=1).mean() / 2),
    )


def _radius(bundle: WordBundle) -> int:
    return bundle.bits // 8


def _of_text(bundle: WordBundle, typed: Typed, attacker: str) -> Row:
    """Return the row of today's setting for text, where an attacker is right as often."""
    words = len(bundle)
    uniform = np.append(np.full(words, 1 / words), 0.0)
    known = typed.known(uniform)

    @cache
    def channel(epsilon: float) -> Linear:
        parameters = {"radius": _radius(bundle), "base": "uniform"}
        return Channel(bundle, Setting(epsilon, TEXT, parameters)).linear

    progress(f"oracles: {TEXT}, {attacker}: the setting")
    epsilon = crossing(
        lambda epsilon: named(bundle.codes, channel(epsilon), *known[attacker]) - GOAL, 0.1, 2.0
    )
    found = channel(epsilon)
    needed = []
    for rank in RANKS:
        around = typed.ranked[rank - 1 - _AROUND : rank + _AROUND].tolist()
        each = [needed_at_least(found, typed.shares, word) for word in around]
        needed.append(float(np.median(each)))
    success = {name: named(bundle.codes, found, *knows) for name, knows in known.items()}
    return Row(
        attacker,
        TEXT,
        epsilon,
        log(found.weights[0] / found.weights[-1]) + log(found.totals.max() / found.totals.min()),
        success,
        needed,
        *(
            _text_errors(bundle, found, epsilon, typed)
            if attacker == ATTACKERS[0]
            else ([], [], None)
        ),
    )


def _text_errors(
    bundle: WordBundle, channel: Linear, epsilon: float, typed: Typed
) -> tuple[list[float], list[float], float]:
    """Return ``_errors`` of the most likely shares, from one draw of all reports."""
    progress(f"oracles: {TEXT}: a million reports")
    release = Channel(
        bundle, Setting(epsilon, TEXT, {"radius": _radius(bundle), "base": "uniform"})
    ).releaser(np.random.default_rng(0))
    words = np.repeat(np.arange(typed.symbols, dtype=np.int32), typed.counts)
    inputs = known_ids(words, channel.stand_ins, seed=0)
    counts = np.bincount(release(inputs), minlength=len(bundle))
    return _errors([maximize(channel, counts, progress=True).shares], typed)


def named(codes: NDArray[np.uint64], channel: Linear, prior: Floats, typed: Floats) -> float:
    """Return the best attacker's success on typed words, with unknown words as one.

    Args:
        codes: uint64[n, bits / 64].
        channel: channel of these codes.
        prior: [n + 1], the attacker's prior.
        typed: [n + 1], share of each typed word, and of unknown ones.
    """
    scales = prior[:-1] / channel.totals
    (best,), (word,) = most_probable(codes, codes, channel.weights[None], scales[None])
    best = best * channel.measure
    unknown = prior[-1] * channel.unknown
    known = np.divide(best, prior[word], out=np.zeros_like(best), where=prior[word] > 0)
    return float(np.where(unknown > best, typed[-1] * channel.unknown, typed[word] * known).sum())


def needed_at_least(channel: Linear, shares: Floats, word: int) -> float:
    """Return the smallest number of reports for an unbiased estimate of a word's share.

    This is the Cramér-Rao bound if the shares of all but the nearest words are known.

    Args:
        channel: channel from typed to released words.
        shares: [n + 1], shares of typed words.
        word: id of the word, which must have been typed.
    """
    near = channel.nearest(word, _NEAREST)
    columns = channel.into(near)
    information = columns.T @ (columns / channel.forward(shares)[:, None])
    own = (near == word).astype(np.float64)
    variance = float(own @ np.linalg.lstsq(information, own, rcond=None)[0])
    return Z**2 * variance / (WITHIN * float(shares[word])) ** 2


def _cells(row: Row, ours: Row) -> list[str]:
    name = row.oracle if row.size is None else f"{row.oracle}: {row.size}"
    return [
        row.equal,
        name,
        f"{row.loss:.1f}",
        *(f"{row.success[attacker]:.3f}" for attacker in ATTACKERS),
        *(f"{needed:.2g}" for needed in row.needed),
        f"{row.needed[1] / ours.needed[1]:.2g}",
        *(f"{value:.3f}" for value in row.relative),
        *(["-"] * (len(BANDS) + 1) if row.distance is None else [f"{row.distance:.3f}"]),
    ]
