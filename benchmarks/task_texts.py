"""Texts for ``tasks``, and their classifiers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import progress
from benchmarks.reviews import Reviews, imdb
from benchmarks.topics import halves, read_articles
from brrkit import WordBundle
from brrkit.masses import Masses
from brrkit_toolchain.attackers.texts.knowledge import learn_knowledge
from brrkit_toolchain.attackers.texts.text_attack import sample_texts
from brrkit_toolchain.bundle.writer import masses_of
from brrkit_toolchain.language.model import count, frequent, model_of_counts
from brrkit_toolchain.language.texts import TextIds, TypedText
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.tasks.held_out import read_held_out
from brrkit_toolchain.utility.evaluate.classifier import Classifier, mean_vectors

REQUESTS = {"intents": "snips", "atis": "atis"}
"""Tasks of requests, and the folders of their texts."""

TOPICS = "topics"
"""The task of Wikipedia's articles."""

LEAST = 30
"""Smallest number of an intent's requests in the train part; others are left out."""

WORDS = 100
"""Number of a text's first words that a classifier of mean vectors reads."""

_PUBLIC = 13  # largest number of public texts, which teach the language, per classified text


@dataclass(frozen=True)
class Subject:
    """A task and its texts.

    Attributes:
        name: name of the task.
        reviews: the attacked texts, the attackers' knowledge, and the classified texts.
        masses: masses of the mechanism, from public texts that the attackers don't have.
        classes: number of classes.
    """

    name: str
    reviews: Reviews
    masses: Masses
    classes: int

    @property
    def parts(self) -> tuple[Texts, Texts]:
        """A classifier's training texts and test texts."""
        return self.reviews.training, self.reviews.testing

    @property
    def classified(self) -> NDArray[np.intp]:
        """The words of all these texts, one text after the other."""
        return np.concatenate([part.ids for part in self.parts])

    @property
    def documents(self) -> NDArray[np.intp]:
        """The number of each of these words' text."""
        lengths = np.concatenate([np.diff(part.offsets) for part in self.parts])
        return np.repeat(np.arange(len(lengths)), lengths)

    def released(self, outputs: NDArray[np.integer]) -> tuple[Texts, Texts]:
        """Return these texts with the outputs for each of their words."""
        training, testing = self.parts
        first, second = np.split(outputs.astype(np.intp), [len(training.ids)])
        return replace(training, ids=first), replace(testing, ids=second)


def read_subject(
    task: str, bundle: WordBundle, tokens: int, texts: int, words: int | None = WORDS
) -> Subject | None:
    """Read a task's texts.

    Args:
        task: name of the task.
        bundle: bundle for looking up the words.
        tokens: approximate number of attacked words.
        texts: number of texts that train a classifier, and of texts that test it.
        words: number of first words of each of these; None for all.

    Returns:
        The task; None if ``BRR_DATA`` lacks the texts.
    """
    read = _requests if task in REQUESTS else _articles if task == TOPICS else _reviews
    return read(task, bundle, TextIds(bundle.tokenizer), tokens, texts, words)


def _reviews(
    task: str,
    bundle: WordBundle,
    convert: TextIds,
    tokens: int,
    texts: int,
    words: int | None,
) -> Subject | None:
    """Return IMDB's texts: its training half is public, and all others are from the test half.

    Their classes are the sentiment, or whether the rating is above the middle.
    """
    dataset = imdb()
    if dataset is None:
        return None
    assert dataset.testing is not None
    progress("tasks: reading IMDB's reviews")
    # The whole half, except in a quick run.
    known = np.flatnonzero(~dataset.testing)[: _PUBLIC * texts]
    public = [convert(dataset.texts[i]).ids for i in known]
    order = np.random.default_rng(1).permutation(np.flatnonzero(dataset.testing))
    # Different from the classified texts; more than needed, to choose from.
    asked = [_start(convert(dataset.texts[i])) for i in order[2 * texts : 3 * texts]]
    parts = []
    for some in (order[:texts], order[texts : 2 * texts]):
        ids = [convert(dataset.texts[i]).ids for i in some]
        parts.append(known_texts(ids, dataset.labels[some], len(bundle), words))
    return _subject(task, bundle, public, sample_texts(asked, tokens), parts)


def _requests(
    task: str,
    bundle: WordBundle,
    convert: TextIds,
    tokens: int,
    texts: int,
    words: int | None,
) -> Subject | None:
    """Return the texts of SNIPS or ATIS.

    The train part is public. The classifier is trained on the bundle's held-out texts of this part,
    from which no task bit was learned. It is tested on the valid and test parts, like attackers. If
    the bundle is for another task, the classifier is trained on any texts of the train part.
    Requests with rare intents, or with intents outside the bundle's task, are left out.
    """
    folder = Path(os.environ.get("BRR_DATA", "../shared/data")) / "intents" / REQUESTS[task]
    if not folder.exists():
        return None
    progress(f"tasks: reading {folder.name}")
    (public, labels), *others = [
        _part(folder / name, convert) for name in ("train", "valid", "test")
    ]
    names = sorted(label for label, count in Counter(labels).items() if count >= LEAST)
    asked, answers = _of_intents(
        [pair for part in others for pair in zip(*part, strict=True)], names
    )
    testing = known_texts([text.ids for text in asked], answers, len(bundle), words)
    tasks = [each["name"] for each in bundle.manifest.get("tasks", ())]
    if task in tasks:
        held_out = _held_out(bundle, tasks.index(task), texts, words)
    else:
        some, answers = _of_intents(list(zip(public, labels, strict=True)), names)
        order = np.random.default_rng(1).permutation(len(some))[:texts]
        held_out = known_texts([some[i].ids for i in order], answers[order], len(bundle), words)
    return _subject(
        task,
        bundle,
        [text.ids for text in public],
        sample_texts(asked, tokens),
        [held_out, testing],
    )


def _articles(
    task: str,
    bundle: WordBundle,
    convert: TextIds,
    tokens: int,
    texts: int,
    words: int | None,
) -> Subject | None:
    """Return the topics of Wikipedia's articles; no article is in two parts.

    The articles from which task bits are learned, and those without a topic, are public.
    """
    progress("tasks: reading Wikipedia's articles")
    articles = read_articles()
    if articles is None:
        return None
    learning, measuring = halves(articles)
    other = [article for article in articles if article.topic is None]
    paragraphs = [text for article in learning + other for text in article.paragraphs]
    step = -(-len(paragraphs) // (_PUBLIC * texts))  # about as many as IMDB's reviews
    read = (convert(text).ids for text in paragraphs[::step])
    public = [ids for ids in read if len(ids)]
    names = sorted({str(article.topic) for article in learning})
    order = [measuring[i] for i in np.random.default_rng(1).permutation(len(measuring))]
    ends = (0, len(order) // 5, 3 * len(order) // 5, len(order))
    asked, *parts = (
        [(text, str(article.topic)) for article in order[start:end] for text in article.texts]
        for start, end in pairwise(ends)
    )
    return _subject(
        task,
        bundle,
        public,
        sample_texts([_start(convert(text)) for text, _ in asked], tokens),
        [
            known_texts(
                [convert(text).ids for text, _ in some[:texts]],
                np.array([names.index(topic) for _, topic in some[:texts]], np.intp),
                len(bundle),
                words,
            )
            for some in parts
        ],
    )


def _subject(
    name: str,
    bundle: WordBundle,
    public: Sequence[NDArray[np.int32]],
    typed: Sequence[TypedText],
    parts: Sequence[Texts],
) -> Subject:
    """Return a task. The mechanism gets one half of ``public`` texts, and attackers the other."""
    progress(f"tasks: learning the language of {name}")
    masses = masses_of(model_of_counts(frequent(count(public[::2], len(bundle)))))
    knows = learn_knowledge(masses, public[1::2])
    classes = len(np.unique(parts[0].labels))
    return Subject(name, Reviews(typed, knows, *parts), masses, classes)


def _start(text: TypedText) -> TypedText:
    return TypedText(text.ids[:WORDS], text.digits[:WORDS])


def known_texts(
    ids: Sequence[NDArray[np.int32]],
    labels: NDArray[np.intp],
    size: int,
    words: int | None = WORDS,
) -> Texts:
    """Return the first known words of texts, or all for None; texts without any are left out."""
    known = [text[text < size][:words] for text in ids]
    some = np.array([len(text) > 0 for text in known])
    ends = np.cumsum([len(text) for text in known if len(text)])
    return Texts(np.concatenate(known).astype(np.intp), np.r_[0, ends], labels[some])


def _of_intents(
    requests: Sequence[tuple[TypedText, str]], names: Sequence[str]
) -> tuple[list[TypedText], NDArray[np.intp]]:
    """Return the requests with an intent in ``names``, and its place among these."""
    kept = [(text, names.index(label)) for text, label in requests if label in names]
    return [text for text, _ in kept], np.array([place for _, place in kept], np.intp)


def _part(folder: Path, convert: TextIds) -> tuple[list[TypedText], list[str]]:
    """Return the requests of a part, and their intents."""
    lines = [
        (folder / name).read_text(encoding="utf-8").splitlines() for name in ("seq.in", "label")
    ]
    pairs = [(convert(text), label.strip()) for text, label in zip(*lines, strict=True)]
    pairs = [pair for pair in pairs if len(pair[0].ids)]
    return [text for text, _ in pairs], [label for _, label in pairs]


def _held_out(bundle: WordBundle, number: int, texts: int, words: int | None) -> Texts:
    parts = read_held_out(bundle.path, number, len(bundle))
    ids = [
        part.ids[start:end].astype(np.int32)
        for part in parts
        for start, end in zip(part.offsets, part.offsets[1:], strict=False)
    ]
    labels = np.concatenate([part.labels for part in parts]).astype(np.intp)
    some = np.random.default_rng(1).permutation(len(ids))[:texts]
    return known_texts([ids[i] for i in some], labels[some], len(bundle), words)


def vector_accuracy(training: Texts, testing: Texts, vectors: NDArray[np.float32]) -> float:
    """Return the accuracy of logistic regression on mean ``vectors`` float32[n, d]."""
    return Classifier(training, vectors).accuracy(testing)


def network_accuracy(training: Texts, testing: Texts, vectors: NDArray[np.float32]) -> float:
    """Return the accuracy of a network with a hidden layer of 64 on mean ``vectors``."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    # Training stops without further gains on a held-out tenth of the texts.
    network = MLPClassifier((64,), alpha=1.0, early_stopping=True, random_state=0)
    model = make_pipeline(StandardScaler(), network)
    model.fit(mean_vectors(training, vectors), training.labels)
    found = model.predict(mean_vectors(testing, vectors))
    return float((found == testing.labels).mean())
