"""Task bits' effect on inferences about a person: whether a writer's reviews are favorable.

IMDB's reviews name no authors. A writer is a group of reviews from the test half with the same
sentiment. An attacker reads all releases of the writer. A classifier trained on other writers'
releases gives evidence for each review, and the attacker chooses the class with the largest sum.
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
"""Numbers of a writer's reviews."""

_TOKENS = 4_000  # attacked tokens
_TEXTS = 4_000  # training texts of the classifier, and as many texts of writers


@dataclass(frozen=True)
class Row:
    """=The success of finding a writer's class.

    Attributes:
        label: description of the release.
        success: success of the sentence attacker over all words; None for typed reviews.
        told: share of writers whose class is found, by the number of their reviews.
    """

    label: str
    success: float | None
    told: Sequence[Estimate]


def run(bench: Bench) -> Finding:
    """Find writers' classes from typed reviews, and from releases with and without task bits."""
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
    """=Return the share of writers whose class is found, for each of ``REVIEWS``.

    Args:
        training: released training texts of two classes.
        testing: released texts of writers.
        features: float32[n, d], features of words.
    """
    probabilities = Classifier(training, features).probabilities(testing, 2)
    evidence = np.log(probabilities[:, 1]) - np.log(probabilities[:, 0])
    return [_right(evidence, testing.labels, reviews) for reviews in REVIEWS]


def _right(evidence: NDArray[np.float64], labels: NDArray[np.intp], reviews: int) -> Estimate:
    """Return the share of writers with this number of reviews whose class the evidence gives."""
    right: list[bool] = []
    for label in (0, 1):
        own = evidence[labels == label]
        writers = own[: len(own) // reviews * reviews].reshape(-1, reviews).sum(axis=1)
        right += ((writers > 0) == label).tolist()
    return interval(float(np.mean(right)), len(right))
