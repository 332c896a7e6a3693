"""The utility with each base measure at equal success of the attacker who reads a text.

The text is IMDB's test half. The attackers know the language from one half of its training half.
The mechanism's masses and bigrams come from the other half, from Wikipedia, or from the words'
ranks. All contenders are ``exponential``, and the attackers know its exact probabilities.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.reviews import (
    Measured,
    Release,
    Reviews,
    accuracy,
    inputs_of,
    measure,
    split_reviews,
)
from brrkit import WordBundle
from brrkit.mechanisms.exponential import BIGRAM, Exponential
from brrkit.setting import Setting
from brrkit_toolchain.bundle.writer import masses_of
from brrkit_toolchain.calibrate.limits import logit
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.evidence import Evidence
from brrkit_toolchain.channel.surroundings import Surroundings
from brrkit_toolchain.language.model import count, frequent, model_of_counts, model_of_ranks
from brrkit_toolchain.language.texts import TextIds, read_texts

GOAL = 0.3
"""Success of the sentence attacker over all words at which the bases are compared."""

_TOKENS = 4_000
_TEXTS = 1_000
CAP = 17.0
WIKIPEDIA = Path("text") / "enwiki-2018-40M-tokens.txt.xz"
PARAGRAPHS = 60_000  # paragraphs of Wikipedia, with about as many words as the reviews


@dataclass(frozen=True)
class Contender:
    """=A setting of ``exponential`` without its epsilon.

    Attributes:
        label: name in the table.
        masses: source of the masses: ``ranks``, ``reviews`` or ``wikipedia``.
        parameters: parameters of the mechanism.
        strengths: values of epsilon for 64 bits, around ``GOAL``.
    """

    label: str
    masses: str
    parameters: Mapping[str, Any]
    strengths: tuple[float, ...]


_WIDE = {"radius": 16, "cap": CAP}
TODAY = "`uniform`, radius 8"
CONTENDERS = (
    Contender(TODAY, "ranks", {"radius": 8, "base": "uniform"}, (0.75, 0.83, 0.92)),
    Contender("`unigram`, of ranks", "ranks", {**_WIDE, "base": "unigram"}, (0.9, 1.02, 1.15)),
    Contender("`unigram`, of reviews", "reviews", {**_WIDE, "base": "unigram"}, (0.95, 1.07, 1.2)),
    Contender("`bigram`, of reviews", "reviews", {**_WIDE, "base": BIGRAM}, (0.95, 1.07, 1.2)),
    Contender(
        "`bigram`, of reviews, no cap",
        "reviews",
        {"radius": 16, "base": BIGRAM},
        (0.95, 1.07, 1.2),
    ),
    Contender("`bigram`, of Wikipedia", "wikipedia", {**_WIDE, "base": BIGRAM}, (0.9, 1.02, 1.15)),
)


@dataclass(frozen=True)
class Point:
    """The results of a contender at one epsilon, or interpolated between two.

    Attributes:
        epsilon: epsilon per bit.
        all: success of the sentence attacker over all words.
        content: its success over content words.
        cosine: mean cosine over all words.
        cosine_content: mean cosine over content words.
        perplexity: perplexity of released text, divided by that of typed text.
        sentiment: accuracy of sentiment.
        loss: bound on the loss between any two words.
    """

    epsilon: float
    all: float
    content: float
    cosine: float
    cosine_content: float
    perplexity: float
    sentiment: float
    loss: float


def run(bench: Bench) -> Finding:
    """Measure each contender at its strengths, and interpolate its results at the goal."""
    title = f"bases: what is kept where the attacker who reads has {GOAL} over all words"
    found = split_reviews(bench.bundle, *((1_500, 200) if bench.quick else (_TOKENS, _TEXTS)))
    if found is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    comparison = _Comparison(bench, *found)
    curves: dict[str, list[Point]] = {}
    for contender in CONTENDERS:
        bundle = comparison.bundle(contender.masses)
        if bundle is None:
            continue
        scale = bench.bundle.bits / 64
        curves[contender.label] = [
            comparison.point(contender, bundle, strength / scale)
            for strength in contender.strengths
        ]
    points = {name: read_off(curve, "all", GOAL) for name, curve in curves.items()}
    today = points[TODAY]
    rows = []
    for name, point in points.items():
        equal = read_off(curves[name], "cosine_content", today.cosine_content)
        rows.append(
            (
                name,
                f"{point.cosine:.2f}",
                f"{point.cosine_content:.2f}",
                f"{point.content:.3f}",
                f"{equal.content:.3f}",
                f"{point.perplexity:,.1f}",
                f"{point.sentiment:.3f}",
                f"{point.loss:.1f}",
                f"{point.epsilon:.3g}",
            )
        )
    return Finding(
        title=title,
        columns=(
            "base",
            "cosine",
            "of content words",
            "success, content words",
            "the same at today's cosine of content words",
            "perplexity",
            "sentiment",
            "loss between any two",
            "epsilon",
        ),
        rows=rows,
        notes=comparison.notes(),
        numbers={
            "points": {name: asdict(point) for name, point in points.items()},
            "curves": {name: [asdict(p) for p in curve] for name, curve in curves.items()},
            "examples": comparison.examples(),
            "notes": list(comparison.notes()),
        },
    )


def masses_bundle(
    bundle: WordBundle, masses: str, public: Sequence[NDArray[np.int32]]
) -> WordBundle | None:
    """Return ``bundle`` with the ``masses`` of a contender; ``public`` are ids of reviews."""
    size = len(bundle)
    if masses == "ranks":
        return replace(bundle, masses=masses_of(model_of_ranks(size)))
    if masses == "reviews":
        return replace(bundle, masses=masses_of(model_of_counts(frequent(count(public, size)))))
    file = Path(os.environ.get("BRR_DATA", "../shared/data")) / WIKIPEDIA
    if not file.exists():
        return None
    convert = TextIds(bundle.tokenizer)
    counted = count((convert(text).ids for text in islice(read_texts(file), PARAGRAPHS)), size)
    return replace(bundle, masses=masses_of(model_of_counts(frequent(counted))))


def read_off(curve: Sequence[Point], name: str, value: float) -> Point:
    """Return the point at which the field ``name`` has ``value``, by a line, even beyond the ends.

    Shares are interpolated as log odds, and perplexities as logarithms.
    """
    at = np.array([_straight(name, getattr(point, name)) for point in curve])
    target = _straight(name, value)
    fields = {}
    for field in asdict(curve[0]):
        values = np.array([_straight(field, getattr(point, field)) for point in curve])
        slope, start = np.polyfit(at, values, 1)
        fields[field] = _back(field, float(slope * target + start))
    return Point(**fields)


_SHARES = ("all", "content", "sentiment")


def _straight(name: str, value: float) -> float:
    if name in _SHARES:
        return logit(value)
    return log(value) if name == "perplexity" else value


def _back(name: str, value: float) -> float:
    if name in _SHARES:
        return float(1 / (1 + np.exp(-value)))
    return float(np.exp(value)) if name == "perplexity" else value


class _Comparison:
    """Measures contenders on the same reviews."""

    def __init__(self, bench: Bench, reviews: Reviews, public: Sequence[NDArray[np.int32]]) -> None:
        self._setting, self._reviews, self._public = bench, reviews, public
        self._attacked = inputs_of(reviews.typed, bench.bundle)
        self._texts = np.repeat(
            np.arange(len(reviews.typed)), [len(text.ids) for text in reviews.typed]
        )
        self._classified = np.concatenate([reviews.training.ids, reviews.testing.ids])
        lengths = [np.diff(part.offsets) for part in (reviews.training, reviews.testing)]
        self._documents = np.repeat(np.arange(sum(map(len, lengths))), np.concatenate(lengths))
        self._typed = reviews.knows.bigrams.perplexity([text.ids for text in reviews.typed])
        self._examples: dict[str, list[str]] = {}

    def bundle(self, masses: str) -> WordBundle | None:
        """Return the bundle with other masses; None if their text is missing."""
        return masses_bundle(self._setting.bundle, masses, self._public)

    def point(self, contender: Contender, bundle: WordBundle, epsilon: float) -> Point:
        """Measure a contender at one strength."""
        progress(f"bases: {contender.label}, epsilon {epsilon:.3g}")
        release, channel = Channel(
            bundle, Setting(epsilon, parameters=contender.parameters)
        ).release_and_evidence(np.random.default_rng(0))
        attacked = release(inputs_of(self._reviews.typed, bundle), self._texts)
        classified = release(self._classified, self._documents)
        vectors = self._setting.embeddings.vectors
        found: Measured = measure(
            self._reviews, self._reviews.typed, Release(attacked, classified, channel), vectors
        )
        if epsilon * bundle.bits / 64 == contender.strengths[1]:
            self._examples[contender.label] = self._spelled(attacked)
        assert found.sentiment is not None
        return Point(
            epsilon,
            found.sentence["all"].value,
            found.sentence["content"].value,
            found.cosine["all"],
            found.cosine["content"],
            found.perplexity / self._typed,
            found.sentiment,
            loss_between_any(bundle, epsilon, contender.parameters, channel),
        )

    def notes(self) -> tuple[str, ...]:
        """Return how it was measured."""
        typed = np.concatenate([self._reviews.training.ids, self._reviews.testing.ids]).astype(
            np.int64
        )
        score = accuracy(self._reviews, typed, self._setting.embeddings.vectors)
        return (
            f"{len(self._attacked):,} words of {len(self._reviews.typed):,} reviews; the "
            f"attackers' language model of {self._reviews.knows.tokens:,} words; cap {CAP:g} "
            "where there is one",
            f"as typed: accuracy of sentiment {score:.3f}, perplexity {self._typed:,.0f}; the "
            "perplexity of what is released is told as a multiple of that",
            "loss between any two words: a bound over all words, outputs and histories",
        )

    def examples(self) -> dict[str, list[str]]:
        """Return the starts of the first reviews, as typed and as released."""
        return {"typed": self._spelled(self._attacked), **self._examples}

    def _spelled(self, ids: NDArray[np.integer]) -> list[str]:
        vocabulary = self._setting.bundle.vocabulary
        starts = [np.flatnonzero(self._texts == text)[:16] for text in range(4)]
        return [" ".join(vocabulary.word(int(i)) for i in ids[part]) for part in starts]


def loss_between_any(
    bundle: WordBundle, epsilon: float, parameters: Mapping[str, Any], channel: Evidence
) -> float:
    """Return a bound on the loss between any two words, after any released word.

    It is the sum of the whole table's fall and the largest log ratio of two words' normalizers.
    """
    mechanism = Exponential(bundle, epsilon, **parameters)
    weights = mechanism.weights
    fall = log(int(weights[0])) - log(int(weights[-1]))
    near = Surroundings(bundle.codes, np.arange(len(bundle)), mechanism.measure())
    totals = near.totals(weights).astype(float)
    ratios = [totals.max() / totals.min()]
    if channel.after is not None:
        for history in np.unique(bundle.masses.before.unpack()).tolist():
            scales = channel.after(history)
            ratios.append(scales.max() / scales.min())
    return fall + log(max(ratios))
