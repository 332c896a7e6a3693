"""A rejected idea: task bits without labels, from the topics of public documents, for any task.

Latent semantic analysis of Wikipedia's articles gives each word a place on a few axes. Each side of
an axis is a class, whose bits words set like those of a task. The utility of such bits for
unrelated tasks is measured at equal attack success: IMDB's sentiment, SNIPS' intents, and the
topics of other articles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.task_comparisons import Contender
from benchmarks.task_texts import TOPICS, Subject, known_texts, read_subject, vector_accuracy
from benchmarks.tasks import amounts, at_equal_attack, cell, features_of, interval
from benchmarks.topics import Article, halves, read_articles
from brrkit import WordBundle
from brrkit.setting import Estimate
from brrkit_toolchain.codes.packing import pack, unpack
from brrkit_toolchain.language.texts import TextIds
from brrkit_toolchain.tasks import TASK_BITS
from brrkit_toolchain.tasks.bits import bit_lists, levels, light
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.tasks.scores import UNIT, Scores, incidence

_GOALS = {"sentiment": 0.3, "intents": 0.42, TOPICS: 0.3}
"""Success of the sentence attacker over all words, by task."""

_AXES = 5  # with two sides of 6 bits each
_STEP = 3  # one in this number of articles is used for learning
_SHRINKAGE = 8  # shrinkage of rare words' scores, in texts
_CONTENDERS = (
    Contender("without", 0, (0.68, 0.98)),
    Contender("weight 1", 1, (0.5, 0.75)),
)


@dataclass(frozen=True)
class Row:
    """=The utility of a weight for a task.

    Attributes:
        task: name of the task.
        label: description of the weight.
        success: success of the sentence attacker over all words.
        accuracy: accuracy of a classifier of mean vectors.
        cosine: mean cosine over all words.
    """

    task: str
    label: str
    success: float
    accuracy: Estimate
    cosine: float


def run(bench: Bench) -> Finding:
    """Learn bits from articles, and measure each task with and without them."""
    title = "tasks-unsupervised: what bits of unlabeled documents' topics keep of tasks"
    if "tasks" in bench.bundle.manifest:
        return Finding(title, (), (), notes=("skipped: the bundle has task bits",))
    articles = read_articles()
    if articles is None:
        return Finding(title, (), (), notes=("skipped: its texts aren't there (BRR_DATA)",))
    own = replace(bench, bundle=with_bits(bench.bundle, _bits(bench.bundle, articles)))
    rows = []
    for task, goal in _GOALS.items():
        subject = read_subject(task, own.bundle, *amounts(bench))
        if subject is None:
            return Finding(title, (), (), notes=("skipped: its texts aren't there (BRR_DATA)",))
        rows += list(_rows(own, subject, goal))
    return Finding(
        title=title,
        columns=("", "bits", "attack success", "classifier of vectors", "cosine"),
        rows=[
            [row.task, row.label, f"{row.success:.2f}", cell(row.accuracy), f"{row.cosine:.3f}"]
            for row in rows
        ],
        numbers={"rows": [asdict(row) for row in rows]},
    )


def _rows(bench: Bench, subject: Subject, goal: float) -> Iterator[Row]:
    for contender in at_equal_attack(bench, subject, _CONTENDERS, [goal]):
        parts = subject.released(contender.release(subject.classified, subject.documents))
        accuracy = vector_accuracy(*parts, features_of(bench))
        row = Row(
            subject.name,
            contender.label,
            contender.success,
            interval(accuracy, len(parts[1].labels)),
            contender.found.cosine["all"],
        )
        progress(f"tasks-unsupervised: {row}")
        yield row


def with_bits(bundle: WordBundle, bits: NDArray[np.bool_]) -> WordBundle:
    """Return a bundle without task bits, with ``bits`` bool[n, 64] as its task bits."""
    codes = pack(np.hstack([unpack(bundle.codes).astype(np.bool_), bits]))
    fields = {"bits": bundle.bits + TASK_BITS, "task_bits": TASK_BITS, "tasks": []}
    return replace(bundle, codes=codes, manifest={**bundle.manifest, **fields})


def _bits(bundle: WordBundle, articles: Sequence[Article]) -> NDArray[np.bool_]:
    """Return the bits from articles that aren't used for measuring topics."""
    progress("tasks-unsupervised: learning axes")
    measured = {id(article) for article in halves(articles)[1]}
    others = [article for article in articles if id(article) not in measured]
    convert = TextIds(bundle.tokenizer)
    ids = [convert(text).ids for article in others[::_STEP] for text in article.texts]
    return bits_of_documents(
        known_texts(ids, np.zeros(len(ids), np.intp), len(bundle)), len(bundle)
    )


def bits_of_documents(texts: Texts, words: int) -> NDArray[np.bool_]:
    """Return the bits bool[words, 64] from latent semantic analysis of ``texts``."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    has = incidence(texts, words)
    weighed = TfidfTransformer().fit_transform(has)
    places = TruncatedSVD(_AXES + 1, random_state=0).fit(weighed).components_.T
    # Frequent words have extreme places on all axes, and the first axis only shows frequency.
    axes = (places / np.maximum(np.linalg.norm(places, axis=1, keepdims=True), 1e-12))[:, 1:]
    counts = np.bincount(has.indices, minlength=words)
    spread = np.abs(axes).mean(axis=0)
    trust = counts / (counts + _SHRINKAGE)
    sides = UNIT * trust[:, None] * np.hstack([axes, -axes]) / np.hstack([spread, spread])
    lists = bit_lists(2 * _AXES)
    bits = np.zeros((words, TASK_BITS), np.bool_)
    scores = Scores(np.rint(sides).astype(np.int64), counts.astype(np.int64), _SHRINKAGE)
    light(bits, levels(scores, lists), lists)
    return bits
