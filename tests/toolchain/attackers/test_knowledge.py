"""What attackers know of a language: all sources, trusted as far as held-out text tells."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.masses import LEVELS
from brrkit.setting import Estimate
from brrkit_toolchain.attackers.texts.knowledge import (
    ENOUGH,
    GAINS,
    Knowledge,
    bundle_bigrams,
    learn_knowledge,
    split_texts,
)
from brrkit_toolchain.attackers.texts.readers.batching import ReleasedLanes
from brrkit_toolchain.attackers.texts.readers.lanes import LANES
from brrkit_toolchain.attackers.texts.readers.sentence_reader import SentenceReader
from brrkit_toolchain.attackers.texts.readers.trigram_reader import TrigramReader
from brrkit_toolchain.bundle.writer import masses_of
from brrkit_toolchain.language.bigrams import learn_bigrams
from brrkit_toolchain.language.model import LanguageModel
from brrkit_toolchain.language.texts import TypedText

Ids = NDArray[np.int32]


@pytest.fixture(scope="module")
def sample() -> WordBundle:
    return WordBundle.sample()


def chained(words: int, seed: int, offset: int = 0) -> list[Ids]:
    """Texts of 20 words in which a word's number leads to one of two."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 300, (words // 20, 1))
    steps = np.cumsum(np.hstack([first, rng.integers(1, 3, (words // 20, 19))]), axis=1)
    return list((offset + steps % 300).astype(np.int32))


def probabilities(knows: Knowledge, history: int) -> NDArray[np.float64]:
    model = knows.bigrams
    seen: NDArray[np.float64] = model.seen[[history]].toarray()[0]
    return seen + model.backoff[history] * model.continuation


def test_a_bundle_s_language_is_what_a_device_draws_by(sample: WordBundle) -> None:
    """Pr[y | h] is in proportion to m_h(y): the base measure after h."""
    model, masses = bundle_bigrams(sample.masses), sample.masses
    history = int(masses.before.unpack()[1_000])
    after, gains = masses.following(history)
    measure = LEVELS[masses.words].astype(np.float64)
    measure[after] += gains
    own = model.seen[[history]].toarray()[0] + model.backoff[history] * model.continuation
    np.testing.assert_allclose(own[:-1], measure / measure.sum(), rtol=1e-12)
    assert own[-1] == 0


@pytest.mark.parametrize("words", [0, 20, 250, 20_000])
def test_every_history_s_probabilities_sum_to_one(sample: WordBundle, words: int) -> None:
    knows = learn_knowledge(sample.masses, chained(words, 0), chained(2_000, 1, 50))
    assert (knows.own_tokens, knows.public_tokens) == (words // 20 * 20, 2_000)
    for history in (0, 5, 2_000, len(sample), len(sample) + 1):
        found = probabilities(knows, history)
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1, abs=1e-9)
    assert knows.bigrams.words.sum() == pytest.approx(1, abs=1e-9)


def test_more_sources_say_more_and_useless_ones_hardly_less(sample: WordBundle) -> None:
    """Of few texts alone little is known; a public text that has nothing to do is harmless."""
    few, many, tested = chained(400, 0), chained(40_000, 1), chained(2_000, 2)
    strange = chained(40_000, 3, 5_000)
    alone = learn_bigrams(few, len(sample)).perplexity(tested)
    with_bundle, with_public, with_strange = (
        learn_knowledge(sample.masses, few, public).bigrams.perplexity(tested)
        for public in ([], many, strange)
    )
    assert with_public < with_bundle / 3
    assert with_bundle < alone
    assert with_strange < 1.2 * with_bundle


def test_what_little_language_hides_is_expected(sample: WordBundle) -> None:
    few = learn_knowledge(sample.masses, chained(1_000, 0))
    measured = Estimate(0.1, 0.08, 0.13)
    found = few.expected(measured, "sentence", "content")
    gain = 4 * GAINS["sentence"]["content"]  # four times ten times as many are missing
    for before, after in zip(
        (measured.value, measured.low, measured.high),
        (found.value, found.low, found.high),
        strict=True,
    ):
        odds = np.log(after / (1 - after)) - np.log(before / (1 - before))
        assert odds == pytest.approx(gain, abs=1e-6)
    assert few.expected(measured, "isolated", "content").value == pytest.approx(0.1)
    for counts in ((0, ENOUGH, 0), (0, 0, ENOUGH)):
        enough = Knowledge(few.bigrams, few.trigrams, *counts)
        assert enough.expected(measured, "sentence", "all").value == pytest.approx(0.1)
    nothing = few.expected(Estimate(0.0, 0.0, 0.1), "sentence", "all")
    assert (nothing.value, nothing.low) == (0, 0)


@pytest.mark.parametrize("words", [1_000, 4_000, 16_000])
def test_a_bundle_s_text_counts_as_far_as_it_is_of_the_source(words: int) -> None:
    """As no more words than it has; of another language hardly any, however long it is."""
    every = 1_000_000

    def worth(of: list[Ids], most: int) -> int:
        counts = np.bincount(np.concatenate(of), minlength=10_000)[:10_000] + 0.1
        wanted = np.searchsorted(LEVELS[1:], 1_000 * counts) + 1
        levels = wanted.clip(1, len(LEVELS) - 1).astype(np.uint8)
        none = np.empty(0, np.uint32)
        masses = masses_of(LanguageModel(levels, none, none, levels[:0]))
        knows = learn_knowledge(masses, chained(words, 0), bundle_tokens=most)
        assert knows.tokens == knows.own_tokens + knows.bundle_tokens
        return knows.bundle_tokens

    alike, mixed = chained(60_000, 1), [*chained(600, 1), *chained(60_000, 1, 5_000)]
    assert worth(alike, 60_000) > 3 * words
    assert worth(alike, 100) == 100
    assert worth(mixed, every) < words
    assert worth(chained(60_000, 1, 5_000), every) < words / 10


def test_texts_are_attacked_or_learned_from() -> None:
    made = [TypedText(np.full(30, i, np.int32), np.zeros(30, np.bool_)) for i in range(100)]
    attacked, others = split_texts(made, 10_000, 20)
    assert (len(attacked), len(others)) == (50, 50)
    assert {len(text.ids) for text in attacked} == {20}
    assert sorted(int(text.ids[0]) for text in [*attacked, *others]) == list(range(100))
    attacked, others = split_texts(made, 100, 20)
    assert (len(attacked), len(others)) == (5, 95)


def test_reading_again_finds_more(sample: WordBundle) -> None:
    """Of texts in which two words decide on the next one, and words come again."""
    rng = np.random.default_rng(0)
    size = len(sample)

    def made(count: int) -> list[Ids]:
        texts = rng.integers(200, 230, (count, 24))
        for t in range(2, 24):
            texts[:, t] = 200 + (7 * texts[:, t - 1] + 11 * texts[:, t - 2]) % 30
        return list(texts.astype(np.int32))

    knows = learn_knowledge(sample.masses, made(400))
    tested = made(2 * LANES)
    noise = [rng.random((24, size + 1)).astype(np.float32) for _ in tested]
    for text, own in zip(tested, noise, strict=True):
        own[np.arange(24), text] += 0.7

    def found(reader: SentenceReader | TrigramReader) -> float:
        """Return how often the first guess is right; two texts are in a lane."""
        lanes = [np.concatenate(noise[2 * lane : 2 * lane + 2]) for lane in range(LANES)]
        read = np.swapaxes(reader(ReleasedLanes.of(lanes, [[24, 24]] * LANES)), 0, 1)
        assert read.min() >= 0
        return float((read.argmax(axis=2).ravel() == np.concatenate(tested)).mean())

    once, again = found(SentenceReader(knows.bigrams)), found(TrigramReader(knows))
    assert again > once + 0.1
