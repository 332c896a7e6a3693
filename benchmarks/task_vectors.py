"""The cost of task bits for other uses of released text: word vectors, at equal attack success.

IMDB's reviews are released with and without the bundle's task bits, at values of epsilon with about
equal success of the sentence attacker. A classifier sees mean vectors of released words: the words'
own vectors, the posterior means of ``brr vectors``, or vectors that word2vec learns from only the
released reviews. The latter are compared with people's judgments of word similarity, which are
unrelated to the task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.task_comparisons import GOALS
from benchmarks.task_texts import Subject, read_subject, vector_accuracy
from benchmarks.tasks import at_equal_attack, features_of
from brrkit.masses import LEVELS
from brrkit_toolchain.channel.posterior_vectors import posterior_means
from brrkit_toolchain.utility.neighbors import (
    find_word_pairs,
    pair_cosines,
    read_word_pairs,
    spearman,
)

_TOKENS = 4_000  # attacked tokens
_TEXTS = 5_000  # training texts of a classifier, and as many test texts
_JUDGED = "MEN"  # the set of word pairs
_LEARNED: Mapping[str, Any] = {"vector_size": 100, "window": 5, "min_count": 5, "epochs": 5}


@dataclass(frozen=True)
class Row:
    """=The results for reviews.

    Attributes:
        label: description of the release.
        success: success of the sentence attacker over all words; None for typed reviews.
        own: accuracy of sentiment by the words' own vectors, with their task bits.
        posterior: the same by posterior means of these; None for typed reviews.
        learned: the same by vectors from word2vec.
        similarity: rank correlation of the learned vectors' cosines with judgments.
    """

    label: str
    success: float | None
    own: float
    posterior: float | None
    learned: float
    similarity: float


def run(bench: Bench) -> Finding:
    """Learn from typed reviews, and from reviews released with and without task bits."""
    title = "tasks-vectors: what is learned from released reviews, with task bits and without"
    if [task["name"] for task in bench.bundle.manifest.get("tasks", ())] != ["sentiment"]:
        return Finding(title, (), (), notes=("skipped: the bundle isn't for sentiment (--task)",))
    tokens, texts = (500, 200) if bench.quick else (_TOKENS, _TEXTS)
    subject = read_subject("sentiment", bench.bundle, tokens, texts)
    pairs = _judged(bench)
    if subject is None or pairs is None:
        return Finding(title, (), (), notes=("skipped: its texts aren't there (BRR_DATA)",))
    rows = _rows(bench, subject, *pairs)
    words = len(subject.classified)
    return Finding(
        title=title,
        columns=(
            "",
            "attack success",
            "sentiment by own vectors",
            "by posterior vectors",
            "by learned vectors",
            "similarity of learned vectors",
        ),
        rows=[
            [
                row.label,
                "" if row.success is None else f"{row.success:.2f}",
                f"{row.own:.3f}",
                "" if row.posterior is None else f"{row.posterior:.3f}",
                f"{row.learned:.3f}",
                f"{row.similarity:.3f}",
            ]
            for row in rows
        ],
        notes=(
            f"{words:,} words of {len(subject.parts[0].labels):,} reviews to train on and "
            f"{len(subject.parts[1].labels):,} to test; word2vec learns from all of them",
            f"similarity: rank correlation with {_JUDGED}, {len(pairs[1]):,} pairs",
        ),
        numbers={"rows": [asdict(row) for row in rows], "words": words},
    )


def _judged(bench: Bench) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
    """Return pairs of ids intp[m, 2] and people's scores [m]; None if there are none."""
    folder = find_word_pairs(bench.file)
    if folder is None:
        return None
    ids = {word: i for i, word in enumerate(bench.embeddings.words)}
    known = [
        (ids[a], ids[b], score)
        for a, b, score in read_word_pairs(folder)[_JUDGED]
        if a in ids and b in ids
    ]
    return np.array([pair[:2] for pair in known], np.intp), np.array([pair[2] for pair in known])


def _rows(
    bench: Bench, subject: Subject, pairs: NDArray[np.intp], scores: NDArray[np.float64]
) -> list[Row]:
    own, masses = features_of(bench), subject.masses
    shares = LEVELS[masses.words] / masses.total
    ends = np.flatnonzero(np.diff(subject.documents)) + 1

    def row(
        label: str,
        success: float | None,
        outputs: NDArray[np.integer],
        posterior: NDArray[np.float32] | None,
    ) -> Row:
        learned = learn_vectors(np.split(outputs, ends), len(own))
        cosines = pair_cosines(learned[pairs[:, 0]], learned[pairs[:, 1]])
        parts = subject.released(outputs)
        found = Row(
            label,
            success,
            vector_accuracy(*parts, own),
            None if posterior is None else vector_accuracy(*parts, posterior),
            vector_accuracy(*parts, learned),
            spearman(cosines, scores),
        )
        progress(f"tasks-vectors: {found}")
        return found

    rows = [row("as typed", None, subject.classified, None)]
    for contender in at_equal_attack(bench, subject, goals=[GOALS[0]]):
        outputs = contender.release(subject.classified, subject.documents)
        posterior = posterior_means(contender.channel.linear, shares, own)
        rows.append(row(contender.label, contender.success, outputs, posterior))
    return rows


def learn_vectors(texts: Sequence[NDArray[np.integer]], words: int) -> NDArray[np.float32]:
    """Return word2vec's vectors float32[words, d] from ``texts``; 0 for too rare words."""
    from gensim.models import Word2Vec

    # One thread, because results with several aren't reproducible.
    model: Any = Word2Vec(
        [list(map(str, text.tolist())) for text in texts], **_LEARNED, workers=1, seed=0
    )
    vectors = np.zeros((words, model.vector_size), np.float32)
    vectors[[int(word) for word in model.wv.index_to_key]] = model.wv.vectors
    return vectors
