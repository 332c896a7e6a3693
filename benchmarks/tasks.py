"""The utility of task bits for a text's purpose, at equal success of the sentence attacker.

The tasks are the sentiment of IMDB's reviews, and the intents of SNIPS' and ATIS' requests. The
bundle's task bits were learned from the public training parts. Classifiers are trained and tested
on other texts, as typed and as released. All contenders are ``exponential`` with the base
``bigram`` on the same codes. They differ in the weight of the task bits, and in the tasks of these.
Epsilon gives equal success of the sentence attacker, who knows the exact probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bases import CAP
from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.reviews import Measured, Release, Reviews, inputs_of, measure
from benchmarks.task_comparisons import COMPARISONS, GOALS, WITH_AND_WITHOUT, Contender
from benchmarks.task_texts import (
    WORDS,
    Subject,
    network_accuracy,
    read_subject,
    vector_accuracy,
)
from brrkit import WordBundle
from brrkit.mechanisms.exponential import BIGRAM
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.calibrate.limits import logit
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.codes.packing import pack, unpack
from brrkit_toolchain.confidence import proportion
from brrkit_toolchain.utility.evaluate.bags import bag_accuracy

LOSSES = (CAP, log(3))
"""Privacy losses of a label released instead: one word's largest loss, and a usual one."""

_RADIUS = 16


COLUMNS = (
    "release",
    "success, all words",
    "TF-IDF, whole texts",
    f"mean vectors, {WORDS} words",
    f"small network, {WORDS} words",
    "cosine",
    "cosine, content words",
    "success, content words",
    "relative perplexity",
    "ε",
)


@dataclass(frozen=True)
class Point:
    """The results of a contender at one epsilon, or interpolated between two.

    Attributes:
        epsilon: epsilon per bit.
        all: success of the sentence attacker over all words.
        content: its success over content words, with guesses among these.
        cosine: mean cosine over all words.
        cosine_content: mean cosine over content words.
        perplexity: perplexity of released text, divided by that of typed text.
        whole: accuracy of TF-IDF and logistic regression on whole texts.
        vectors: accuracy of logistic regression on mean vectors and task bits of the first 100
            words.
        network: accuracy of a small network on the same.
    """

    epsilon: float
    all: float
    content: float
    cosine: float
    cosine_content: float
    perplexity: float
    whole: float
    vectors: float
    network: float


_SHARES = frozenset({"all", "content", "vectors", "whole", "network"})


def run(task: str, bench: Bench) -> Finding:
    """Measure each contender of a task at equal attack success."""
    title = f"{task}: what classifiers reach on released text at equal attack"
    names = tuple(each["name"] for each in bench.bundle.manifest.get("tasks", ()))
    compared = COMPARISONS.get((task, names))
    if compared is None:
        return Finding(title, (), (), notes=("skipped: the bundle isn't for this task (--task)",))
    subject = read_subject(task, bench.bundle, *amounts(bench), words=None)
    if subject is None:
        return Finding(title, (), (), notes=("skipped: its texts aren't there (BRR_DATA)",))
    measured = _Measured(bench, subject)
    curves = {contender: measured.curve(contender) for contender in compared.contenders}
    points = [
        (goal, contender, read_off(curve, goal))
        for goal in compared.goals
        for contender, curve in curves.items()
    ]
    return Finding(
        title=title,
        columns=COLUMNS,
        rows=list(measured.rows(points)),
        notes=measured.notes(),
        numbers={
            **measured.numbers(),
            "points": [
                {"goal": goal, "contender": asdict(contender), **asdict(point)}
                for goal, contender, point in points
            ],
            "curves": {
                contender.label: [asdict(point) for point in curve]
                for contender, curve in curves.items()
            },
            "notes": list(measured.notes()),
        },
    )


def amounts(bench: Bench) -> tuple[int, int]:
    """Return the numbers of attacked words, and of texts that train, and that test a classifier."""
    return (500, 100) if bench.quick else (4_000, 2_000)


def read_off(curve: Sequence[Point], goal: float) -> Point:
    """Return the point at which the success over all words is ``goal``.

    A line through the two nearest points gives it, even beyond them, with shares as log odds, and
    epsilon and perplexities as logarithms.
    """
    near = sorted(curve, key=lambda point: abs(logit(point.all) - logit(goal)))[:2]
    at = np.array([logit(point.all) for point in near])
    found = {}
    for name in asdict(curve[0]):
        values = np.array([_straight(name, getattr(point, name)) for point in near])
        slope, start = np.polyfit(at, values, 1)
        found[name] = _back(name, float(slope * logit(goal) + start))
    return Point(**found)


def _straight(name: str, value: float) -> float:
    if name in _SHARES:
        return logit(value)
    return log(value) if name in ("epsilon", "perplexity") else value


def _back(name: str, value: float) -> float:
    if name in _SHARES:
        return 1 / (1 + exp(-value))
    return exp(value) if name in ("epsilon", "perplexity") else value


def kept_label(accuracy: float, classes: int, epsilon: float) -> float:
    """=Return the accuracy of a label released by k-ary randomized response.

    Args:
        accuracy: accuracy of the classifier of typed text, on the device.
        classes: k.
        epsilon: privacy loss of the label.
    """
    stays = exp(epsilon) / (exp(epsilon) + classes - 1)
    return accuracy * stays + (1 - accuracy) * (1 - stays) / (classes - 1)


def interval(share: float, count: int) -> Estimate:
    """Format a share of a number of texts or people, with its interval."""
    return proportion(share, share * (1 - share) / count, count)


def cell(found: Estimate) -> str:
    """Return an accuracy and its interval."""
    return f"{found.value:.3f} ({found.low:.3f}–{found.high:.3f})"


def bits_of(bundle: WordBundle, tasks: Sequence[str]) -> WordBundle:
    """Return ``bundle`` with the task bits of only ``tasks``; the others are 0."""
    kept = np.ones(bundle.bits, np.bool_)
    kept[bundle.word_bits :] = False
    for task in bundle.manifest["tasks"]:
        if task["name"] in tasks:
            for each in task["classes"]:
                kept[bundle.word_bits + np.array(each["bits"])] = True
    return replace(bundle, codes=pack(unpack(bundle.codes).astype(np.bool_) & kept))


def features_of(bench: Bench) -> NDArray[np.float32]:
    """Return a classifier's features of words: their vectors and task bits, float32[n, d]."""
    task_bits = unpack(bench.bundle.codes)[:, bench.bundle.word_bits :].astype(np.float32)
    return np.hstack([bench.embeddings.vectors, task_bits])


def channel_of(bundle: WordBundle, weight: int, epsilon: float) -> Channel:
    """Return the channel of ``exponential`` with ``weight`` for task bits."""
    parameters = {"radius": _RADIUS, "cap": CAP, "base": BIGRAM, "task_weight": weight}
    return Channel(bundle, Setting(epsilon, parameters=parameters))


def attacked(
    channel: Channel, reviews: Reviews, vectors: NDArray[np.float32]
) -> tuple[BatchedMechanism, Measured]:
    """Release the attacked texts; return the releaser, and the utility and attack success."""
    release, evidence = channel.release_and_evidence(np.random.default_rng(0))
    typed = reviews.typed
    texts = np.repeat(np.arange(len(typed)), [len(text.ids) for text in typed])
    outputs = release(inputs_of(typed, channel.bundle), texts)
    return release, measure(reviews, typed, Release(outputs, None, evidence), vectors)


@dataclass(frozen=True)
class Attacked:
    """A contender at the epsilon of a goal.

    Attributes:
        label: label of the contender.
        channel: channel at this epsilon.
        release: the mechanism.
        found: attack success there; that of the sentence attacker meets the goal.
    """

    label: str
    channel: Channel
    release: BatchedMechanism
    found: Measured

    @property
    def success(self) -> float:
        """The success of the sentence attacker over all words."""
        return self.found.sentence["all"].value


def epsilon_at(strengths: Sequence[float], successes: Sequence[float], goal: float) -> float:
    """Return the epsilon with a success of ``goal``; its logarithm is linear in log odds."""
    line = np.polyfit([logit(success) for success in successes], np.log(strengths), 1)
    return exp(float(np.polyval(line, logit(goal))))


def at_equal_attack(
    bench: Bench,
    subject: Subject,
    contenders: Sequence[Contender] = WITH_AND_WITHOUT,
    goals: Sequence[float] = GOALS,
) -> Iterator[Attacked]:
    """Yield each contender at the epsilon of each goal, interpolated between its strengths."""
    bundle, vectors = replace(bench.bundle, masses=subject.masses), bench.embeddings.vectors
    measured = []
    for contender in contenders:
        channel = channel_of(bundle, contender.weight, contender.strengths[0])
        channels = [channel.at(replace(channel.setting, epsilon=e)) for e in contender.strengths]
        found = [attacked(each, subject.reviews, vectors)[1] for each in channels]
        measured.append((contender, channel, [each.sentence["all"].value for each in found]))
    for goal in goals:
        for contender, channel, successes in measured:
            epsilon = epsilon_at(contender.strengths, successes, goal)
            there = channel.at(replace(channel.setting, epsilon=epsilon))
            yield Attacked(contender.label, there, *attacked(there, subject.reviews, vectors))


class _Measured:
    """Measures contenders on the texts of one task."""

    def __init__(self, bench: Bench, subject: Subject) -> None:
        self._bench, self._subject = bench, subject
        self._bundle = replace(bench.bundle, masses=subject.masses)
        self._features = features_of(bench)
        reviews = subject.reviews
        self._typed = reviews.knows.bigrams.perplexity([text.ids for text in reviews.typed])
        self._accuracies = self._classify(subject.classified)

    def curve(self, contender: Contender) -> list[Point]:
        """Return a contender at each of its strengths."""
        bundle = self._bundle if contender.tasks is None else bits_of(self._bundle, contender.tasks)
        channel = channel_of(bundle, contender.weight, contender.strengths[0])
        return [
            self._point(channel.at(replace(channel.setting, epsilon=epsilon)), contender)
            for epsilon in contender.strengths
        ]

    def _point(self, channel: Channel, contender: Contender) -> Point:
        release, found = attacked(channel, self._subject.reviews, self._bench.embeddings.vectors)
        accuracies = self._classify(release(self._subject.classified, self._subject.documents))
        progress(
            f"tasks: {self._subject.name}, {contender.label}, epsilon "
            f"{channel.setting.epsilon:.3g}: success {found.sentence['all'].value:.3f}, "
            f"accuracies {', '.join(f'{each:.3f}' for each in accuracies)}"
        )
        return Point(
            channel.setting.epsilon,
            found.sentence["all"].value,
            found.sentence["content"].value,
            found.cosine["all"],
            found.cosine["content"],
            found.perplexity / self._typed,
            *accuracies,
        )

    def _classify(self, outputs: NDArray[np.integer]) -> tuple[float, float, float]:
        training, testing = self._subject.released(outputs)
        starts = training.start(WORDS), testing.start(WORDS)
        return (
            bag_accuracy(training, testing, len(self._features)),
            vector_accuracy(*starts, self._features),
            network_accuracy(*starts, self._features),
        )

    def _interval(self, accuracy: float) -> Estimate:
        return interval(accuracy, len(self._subject.reviews.testing.labels))

    def rows(self, points: Sequence[tuple[float, Contender, Point]]) -> Iterator[list[str]]:
        """Yield the lines of the table: typed, no text, each contender, labels instead of text."""
        yield [
            "as typed",
            "",
            *(cell(self._interval(each)) for each in self._accuracies),
            "1",
            "1",
            "",
            "1",
            "",
        ]
        counts = np.bincount(self._subject.reviews.testing.labels)
        frequent = self._interval(float(counts.max() / counts.sum()))
        yield ["constant: the most frequent class", "", *[cell(frequent)] * 3, *[""] * 5]
        for goal, contender, point in points:
            yield [
                contender.label,
                f"{goal:g}",
                *(
                    cell(self._interval(each))
                    for each in (point.whole, point.vectors, point.network)
                ),
                f"{point.cosine:.3f}",
                f"{point.cosine_content:.3f}",
                f"{point.content:.3f}",
                f"{point.perplexity:.2f}",
                f"{point.epsilon:.2f}",
            ]
        for loss in LOSSES:
            label = f"label alone, randomized response, ε = {loss:.3g}"
            kept = [self._kept_label(each, loss) for each in self._accuracies]
            yield [label, "", *map(cell, kept), "", "", "", "", ""]

    def _kept_label(self, accuracy: float, loss: float) -> Estimate:
        found = self._interval(accuracy)
        return Estimate(
            *(
                kept_label(each, self._subject.classes, loss)
                for each in (found.value, found.low, found.high)
            )
        )

    def numbers(self) -> dict[str, Any]:
        """Return the accuracy of classifiers of typed text."""
        return {
            "typed": dict(zip(("whole", "vectors", "network"), self._accuracies, strict=True)),
            "classes": self._subject.classes,
            "tested": len(self._subject.reviews.testing.labels),
        }

    def notes(self) -> tuple[str, ...]:
        """Return sentences about the measurement."""
        reviews = self._subject.reviews
        words = sum(len(text.ids) for text in reviews.typed)
        return (
            f"attacked: {words:,} words of {len(reviews.typed):,} texts, by who knows the language "
            f"from {reviews.knows.tokens:,} words",
            f"classifiers: trained on {len(reviews.training.labels):,} texts, as typed or as "
            f"released, and tested on {len(reviews.testing.labels):,} likewise; they read known "
            f"words, all or the first {WORDS}; intervals of 95%",
            f"perplexity of typed text {self._typed:,.0f}; of released text as a multiple of that",
        )
