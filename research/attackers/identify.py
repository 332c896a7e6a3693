"""Inferences from many released words together, such as the topic of a text.

An attacker knows the mechanism, and has typed texts of each candidate. They release these, and
train a classifier of mean word vectors on pieces as long as the observed text. There are two tasks:
the intent of a request (SNIPS, 7 intents), and the article of a paragraph, among 50 articles of
Wikipedia. For comparison, the same classifier is used on the same texts as typed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.topics import paragraphs_of_articles
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.attackers.texts.text_attack import known_ids
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.drawing.stand_ins import stand_in_shares
from brrkit_toolchain.confidence import proportion
from brrkit_toolchain.language.texts import TextIds
from research.attackers.neural import EPSILON, RADIUS

LENGTHS = (5, 20, 60)
"""Numbers of a text's first words that attackers see; they also see all."""

_SNIPS = Path("intents") / "snips"
_WIKIPEDIA = Path("text") / "enwiki-2018-40M-tokens.txt.xz"
_ARTICLES = 50
_PARAGRAPHS = 40  # that an article must have; half are the attackers'
_READ = 2_000  # articles from which the candidates are drawn
_PIECES = 20_000  # that are trained on, at most

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class Task:
    """A question about a text.

    Attributes:
        name: name of the task.
        candidates: number of answers.
        lengths: numbers of words that attackers see; None for all.
        known: the attackers' texts (ids) with the answers.
        asked: the attacked texts (ids) with the answers.
    """

    name: str
    candidates: int
    lengths: Sequence[int | None]
    known: Sequence[tuple[Ids, int]]
    asked: Sequence[tuple[Ids, int]]


@dataclass(frozen=True)
class Row:
    """The success of finding a text's answer.

    Attributes:
        task: name of the task.
        words: number of words that attackers see; None for all.
        typed: success on typed texts.
        released: success on released texts.
        chance: success of a guess.
        texts: number of attacked texts.
    """

    task: str
    words: int | None
    typed: Estimate
    released: Estimate
    chance: float
    texts: int


def run(bench: Bench) -> Finding:
    """Train a classifier for each task and length, typed and released."""
    title = "identify: what many words together tell of a text"
    data = Path(os.environ.get("BRR_DATA", "../shared/data"))
    if not ((data / _SNIPS).exists() and (data / _WIKIPEDIA).exists()):
        return Finding(title, (), (), notes=("skipped: its texts aren't there (BRR_DATA)",))
    convert = TextIds(bench.bundle.tokenizer)
    release = Channel(
        bundle_of(bench.bundle.codes), Setting(EPSILON, parameters={"radius": RADIUS})
    ).releaser(np.random.default_rng(0))
    rows = []
    for task in (_snips(data / _SNIPS, convert), _wikipedia(data / _WIKIPEDIA, convert)):
        for words in task.lengths:
            progress(f"identify: {task.name}, {words or 'all'} words")
            typed, released = (_told(bench, task, words, some) for some in (None, release))
            rows.append(
                Row(task.name, words, typed, released, 1 / task.candidates, len(task.asked))
            )
    return Finding(
        title=title,
        columns=("", "words", "typed", "released", "chance", "texts"),
        rows=[
            [
                row.task,
                str(row.words or "all"),
                *(
                    f"{e.value:.2f} ({e.low:.2f} to {e.high:.2f})"
                    for e in (row.typed, row.released)
                ),
                f"{row.chance:.2f}",
                f"{row.texts:,}",
            ]
            for row in rows
        ],
        notes=("logistic regression on mean word vectors; 95% intervals over texts",),
        numbers={"rows": [asdict(row) for row in rows]},
    )


def _snips(folder: Path, convert: TextIds) -> Task:
    """Return the task of intents: SNIPS's training and test sentences with 5 words or more."""
    read = {}
    for part in ("train", "test"):
        lines, labels = (
            (folder / part / name).read_text(encoding="utf-8").splitlines()
            for name in ("seq.in", "label")
        )
        read[part] = [
            (ids, label.strip())
            for line, label in zip(lines, labels, strict=True)
            if len(ids := convert(line).ids) >= LENGTHS[0]
        ]
    intents = sorted({label for _, label in read["train"]})
    known, asked = (
        [(ids, intents.index(label)) for ids, label in read[part]] for part in ("train", "test")
    )
    return Task("intent", len(intents), (LENGTHS[0], None), known, asked)


def _wikipedia(file: Path, convert: TextIds) -> Task:
    """Return the task of articles: paragraphs of 60 words or more, every other the attackers'."""
    candidates = []
    for article in islice(paragraphs_of_articles(file), _READ):
        if len(article) < _PARAGRAPHS:
            continue
        long = [ids for text in article if len(ids := convert(text).ids) >= LENGTHS[-1]]
        if len(long) >= _PARAGRAPHS:
            candidates.append(long)
    order = np.random.default_rng(0).permutation(len(candidates))[:_ARTICLES]
    known, asked = (
        [
            (ids, answer)
            for answer, i in enumerate(order)
            for ids in candidates[i][side:_PARAGRAPHS:2]
        ]
        for side in (0, 1)
    )
    return Task("article", len(order), (*LENGTHS, None), known, asked)


def _told(
    bench: Bench, task: Task, words: int | None, release: BatchedMechanism | None
) -> Estimate:
    """Return the accuracy of a classifier of the answer, for typed or released texts."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    pieces = [
        (ids[start : start + (words or len(ids))], answer)
        for ids, answer in task.known
        for start in range(0, len(ids), words or len(ids))
    ]
    order = np.random.default_rng(0).permutation(len(pieces))[: 2_000 if bench.quick else _PIECES]
    known = [pieces[i] for i in order]
    asked = [(ids[:words], answer) for ids, answer in task.asked]
    scale = StandardScaler()
    classifier: Any = LogisticRegression(C=0.1, max_iter=300)
    classifier.fit(
        scale.fit_transform(_means(bench, known, release)), [answer for _, answer in known]
    )
    right = classifier.predict(scale.transform(_means(bench, asked, release))) == [
        answer for _, answer in asked
    ]
    share = float(right.mean())
    return proportion(share, share * (1 - share) / len(right), len(right))


def _means(
    bench: Bench, texts: Sequence[tuple[Ids, int]], release: BatchedMechanism | None
) -> NDArray[np.float32]:
    """Return the mean vector of each text's words, float32[n, d]; unknown ones are 0 as typed."""
    vectors, size = bench.embeddings.vectors, len(bench.bundle)
    ids = np.concatenate([text for text, _ in texts])
    if release is not None:
        ids = release(known_ids(ids, stand_in_shares(bench.bundle.masses), 0)).astype(np.int32)
    known = ids < size
    lengths = [len(text) for text, _ in texts]
    owners = np.repeat(np.arange(len(texts)), lengths)
    weights = sparse.csr_array(
        (np.ones(known.sum(), np.float32), (owners[known], ids[known])), (len(texts), size)
    )
    means = weights @ vectors / np.array(lengths)[:, None]
    return np.asarray(means, np.float32)
