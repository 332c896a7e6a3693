"""What task bits show about a person: whether somebody writes favorable reviews or others.

IMDB's reviews name no authors. A writer is a group of reviews of the test half, all of one
sentiment. An attacker reads everything that the writer released, weighs each review by a classifier
that was trained on released reviews of others, and takes the class that all together speak for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.task_texts import Subject, read_subject
from benchmarks.tasks import at_equal_attack, cell, features_of, interval
from brrkit.setting import Estimate
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.utility.evaluate.classifier import Classifier

REVIEWS = (1, 5, 20)
"""Of a writer."""

_TOKENS = 4_000  # that are attacked
_TEXTS = 4_000  # that the classifier is trained on, and as many of writers


@dataclass(frozen=True)
class Row:
    """How often a writer's class is told.

    Attributes:
        label: what was released, and how.
        success: of the sentence attacker over all words; None of typed reviews.
        told: share of writers whose class is found, by the number of their reviews.
    """

    label: str
    success: float | None
    told: Sequence[Estimate]


def run(bench: Bench) -> Finding:
    """Tell writers' classes from typed reviews, and from released ones with task bits or not."""
    title = "tasks-writers: how often a writer's class is told, by the number of their reviews"
    if [task["name"] for task in bench.bundle.manifest.get("tasks", ())] != ["sentiment"]:
        return Finding(title, (), (), notes=("skipped: the bundle isn't for sentiment (--task)",))
    tokens, texts = (500, 200) if bench.quick else (_TOKENS, _TEXTS)
    subject = read_subject("sentiment", bench.bundle, tokens, texts)
    if subject is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    rows = _rows(bench, subject)
    training, testing = subject.parts
    return Finding(
        title=title,
        columns=("", "attack success", *(f"{n} reviews" if n > 1 else "1 review" for n in REVIEWS)),
        rows=[
            [row.label, "" if row.success is None else f"{row.success:.2f}", *map(cell, row.told)]
            for row in rows
        ],
        notes=(
            f"the classifier is trained on {len(training.labels):,} reviews; writers are "
            f"groups of {len(testing.labels):,} others, each review in one; intervals of "
            "95% over writers",
        ),
        numbers={"rows": [asdict(row) for row in rows]},
    )


def _rows(bench: Bench, subject: Subject) -> list[Row]:
    features = features_of(bench)
    rows = [Row("as typed", None, told(*subject.parts, features))]
    for contender in at_equal_attack(bench, subject):
        parts = subject.released(contender.release(subject.classified, subject.documents))
        row = Row(contender.label, contender.success, told(*parts, features))
        progress(f"tasks-writers: {row}")
        rows.append(row)
    return rows


def told(training: Texts, testing: Texts, features: NDArray[np.float32]) -> list[Estimate]:
    """Return how often a writer's class is told, for each of ``REVIEWS``.

    Args:
        training: texts of two classes, as released, that a classifier is trained on.
        testing: those of writers, likewise.
        features: float32[n, d] of words.
    """
    probabilities = Classifier(training, features).probabilities(testing, 2)
    evidence = np.log(probabilities[:, 1]) - np.log(probabilities[:, 0])
    return [_right(evidence, testing.labels, reviews) for reviews in REVIEWS]


def _right(evidence: NDArray[np.float64], labels: NDArray[np.intp], reviews: int) -> Estimate:
    """Return the share of writers with so many reviews whose class their evidence says."""
    right: list[bool] = []
    for label in (0, 1):
        own = evidence[labels == label]
        writers = own[: len(own) // reviews * reviews].reshape(-1, reviews).sum(axis=1)
        right += ((writers > 0) == label).tolist()
    return interval(float(np.mean(right)), len(right))
