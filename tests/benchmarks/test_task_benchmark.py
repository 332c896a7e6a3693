"""What the benchmarks of tasks compute besides what the toolchain does."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest

from benchmarks.task_unsupervised import bits_of_documents
from benchmarks.task_vectors import learn_vectors
from benchmarks.task_writers import told
from benchmarks.tasks import Point, bits_of, epsilon_at, kept_label, read_off
from benchmarks.topics import Article, halves, topic_of
from brrkit import WordBundle
from brrkit_toolchain.codes.packing import pack, unpack
from brrkit_toolchain.tasks.corpus import Texts


def test_a_label_is_kept_as_randomized_response_has_it() -> None:
    # Of three classes at e^epsilon = 4 the label stays with 4/6; any other gets 1/6.
    assert kept_label(1.0, 3, log(4)) == pytest.approx(4 / 6)
    assert kept_label(0.0, 3, log(4)) == pytest.approx(1 / 6)
    assert kept_label(0.7, 3, log(4)) == pytest.approx(0.7 * 4 / 6 + 0.3 / 6)


def test_bits_of_one_task_are_kept() -> None:
    sample, few = WordBundle.sample(), 100
    own = np.array(sample.codes[:few, :1])
    codes = np.hstack([own, np.full((few, 1), -1).astype(np.uint64)])
    tasks = [
        {"name": "a", "classes": [{"bits": [0, 1]}, {"bits": [5]}]},
        {"name": "b", "classes": [{"bits": [2]}, {"bits": [63]}]},
    ]
    bundle = replace(
        sample,
        codes=codes,
        manifest={**sample.manifest, "bits": 128, "task_bits": 64, "tasks": tasks},
    )
    kept = unpack(bits_of(bundle, ["a"]).codes)
    assert (pack(kept[:, :64].astype(np.bool_)) == own).all()
    assert (np.flatnonzero(kept[0, 64:]) == [0, 1, 5]).all()
    assert (kept[:, 64:] == kept[0, 64:]).all()


def test_a_point_is_read_off_between_two() -> None:
    low = Point(0.5, 0.2, 0.1, 0.3, 0.2, 2.0, 0.6, 0.7, 0.5)
    high = replace(low, epsilon=0.8, all=0.4, cosine=0.5, perplexity=8.0)
    assert read_off([low, high], 0.2).epsilon == pytest.approx(0.5)
    assert read_off([low, high], 0.4).perplexity == pytest.approx(8.0)
    between = read_off([low, high], 0.29)
    assert between.all == pytest.approx(0.29)
    assert 0.5 < between.epsilon < 0.8
    assert 0.3 < between.cosine < 0.5
    assert between.vectors == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("definition", "topic"),
    [
        ("Oslo is the capital and most populous city in Norway.", "places"),
        ("Ada was an English mathematician, and a singer of songs.", None),
        ("Iron is a chemical element that a football team is named after.", "science"),
        ("The Who are an English rock band formed in London.", "music"),
        ("Anything at all.", None),
    ],
)
def test_a_definition_says_the_topic(definition: str, topic: str | None) -> None:
    assert topic_of(definition) == topic


def test_no_article_is_in_both_halves() -> None:
    long = " ".join(["word"] * 60)
    articles = [
        *(Article("music", [f"definition {i}", long, "short"]) for i in range(5)),
        Article(None, ["definition", long]),
        Article("music", [long]),  # nothing but the definition
    ]
    learning, measuring = halves(articles)
    assert [article.paragraphs[0][-1] for article in learning] == ["0", "2", "4"]
    assert [article.paragraphs[0][-1] for article in measuring] == ["1", "3"]
    assert learning[0].texts == [long]


def test_more_reviews_tell_more_of_a_writer() -> None:
    generator = np.random.default_rng(0)
    labels = np.tile([0, 1], 400).astype(np.intp)
    # Of ten words a text has, six on average are of its class.
    ids = (labels[:, None] ^ (generator.random((800, 10)) < 0.4)).ravel()
    training, testing = (
        Texts(ids[start : start + 4_000], np.arange(0, 4_001, 10), labels[start // 10 :][:400])
        for start in (0, 4_000)
    )
    one, five, twenty = told(training, testing, np.eye(2, dtype=np.float32))
    assert 0.6 < one.value < 0.85
    assert one.value < five.value < 1
    assert twenty.value == 1
    assert twenty.low < five.value  # of twenty writers


def test_epsilon_is_read_off_between_two() -> None:
    assert epsilon_at([0.5, 0.8], [0.2, 0.4], 0.4) == pytest.approx(0.8)
    assert 0.5 < epsilon_at([0.5, 0.8], [0.2, 0.4], 0.3) < 0.8


def test_words_of_the_same_documents_get_the_same_bits() -> None:
    generator = np.random.default_rng(0)
    groups = [np.arange(start, start + 10) for start in (0, 10, 20)]
    documents = [generator.choice(groups[i % 3], 6, replace=False) for i in range(300)]
    offsets = np.arange(0, 1_801, 6)
    texts = Texts(np.concatenate(documents).astype(np.intp), offsets, np.zeros(300, np.intp))
    bits = bits_of_documents(texts, 30).astype(np.int64)
    apart = np.abs(bits[:, None] - bits[None]).sum(axis=2)
    same = np.equal.outer(np.arange(30) // 10, np.arange(30) // 10)
    assert apart[same].mean() < 0.5 * apart[~same].mean()


def test_vectors_are_learned_of_what_is_there() -> None:
    texts = [np.array([0, 1, 2, 1, 0])] * 20
    vectors = learn_vectors(texts, 5)
    assert vectors[:3].any(axis=1).all()
    assert not vectors[3:].any()
    assert (vectors == learn_vectors(texts, 5)).all()
