"""The attackers who read text, against the definition: sums over all texts of a small language."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bundle_tools import data_path
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.masses import LEVELS
from brrkit.setting import Setting
from brrkit_toolchain import TextFiles, measure_text
from brrkit_toolchain.attackers.texts.attackers_by_name import (
    ATTACKERS,
    TextAttackers,
    judge_texts,
)
from brrkit_toolchain.attackers.texts.knowledge import learn_knowledge
from brrkit_toolchain.attackers.texts.readers.batching import (
    ReleasedLanes,
    assign_lanes,
    text_slices,
)
from brrkit_toolchain.attackers.texts.readers.lanes import LANES
from brrkit_toolchain.attackers.texts.readers.neighbor_reader import NeighborReader
from brrkit_toolchain.attackers.texts.readers.sentence_reader import (
    Rooms,
    SentenceReader,
    room_for,
)
from brrkit_toolchain.attackers.texts.readers.trigram_reader import TrigramReader
from brrkit_toolchain.attackers.texts.success import (
    NOT_GUESSED,
    content_words,
    judge,
    mean_over_texts,
    reading_of,
    word_classes,
    worst_words_success,
)
from brrkit_toolchain.bundle.writer import masses_of
from brrkit_toolchain.channel import evidence
from brrkit_toolchain.channel.drawing.bigram_base import BigramGains
from brrkit_toolchain.channel.drawing.stand_ins import stand_in_shares
from brrkit_toolchain.channel.evidence import (
    Evidence,
    drawn_evidence,
    euclidean_levels,
    hamming_levels,
    weighted_evidence,
)
from brrkit_toolchain.channel.surroundings import Surroundings
from brrkit_toolchain.codes.portable import Draws
from brrkit_toolchain.language.bigrams import Bigrams, learn_bigrams
from brrkit_toolchain.language.model import LanguageModel

if TYPE_CHECKING:
    from conftest import Brr

WORDS, LENGTH, BITS = 30, 4, 64
BELIEFS = "64c934bddf0ce39cd6e3acb5990c37ba79b1bb856f41a7e683ece9907275dd2a"
EVERY = WORDS + 1  # with the unknown one
_rng = np.random.default_rng(34)
CODES = _rng.integers(0, 1 << 63, (WORDS, 1), np.uint64) << np.uint64(1)
CODES[WORDS // 2 :] = CODES[: WORDS // 2] ^ np.uint64(0b1011)  # near ones, too
WEIGHTS = (np.exp(-0.2 * np.arange(BITS + 1)) * 2**50).astype(np.int64)
STAND_INS = np.arange(1, EVERY) / np.arange(1, EVERY).sum()
DISTANCES = np.array([[int(a ^ b).bit_count() for b in CODES[:, 0]] for a in CODES[:, 0]])


@cache
def language(seen: int = EVERY) -> Bigrams:
    """Return a model of text in which a word's number leads to a near one's, of ``seen`` words."""
    rng = np.random.default_rng(1)
    steps = rng.integers(0, 3, (200, 12)).cumsum(axis=1) + rng.integers(0, EVERY, (200, 1))
    return learn_bigrams(list((steps % seen).astype(np.int32)), WORDS)


def transitions(model: Bigrams) -> NDArray[np.float64]:
    """Return Pr[x | h] [32, 31] by the model's definition."""
    follows: NDArray[np.float64] = (
        model.seen.toarray() + model.backoff[:, None] * model.continuation
    )
    return follows


def emissions() -> NDArray[np.float64]:
    """Return Pr[y | x] [31, 30] by the mechanism's definition; the last x is an unknown word."""
    weights = WEIGHTS[DISTANCES] / WEIGHTS[DISTANCES].sum(axis=1, keepdims=True)
    return np.vstack([weights, STAND_INS @ weights])


def all_texts(released: NDArray[np.int64], model: Bigrams) -> NDArray[np.float64]:
    """Return Pr[x_1 ... x_4, y_1 ... y_4] [31, 31, 31, 31]."""
    follows, comes = transitions(model), emissions()[:, released]
    first = follows[EVERY] * comes[:, 0]
    return np.einsum(
        "a,ab,b,bc,c,cd,d->abcd",
        first,
        *(part for t in (1, 2, 3) for part in (follows[:EVERY], comes[:, t])),
        optimize=True,
    )


def channel() -> Evidence:
    return weighted_evidence(Surroundings(CODES, np.arange(WORDS)), WEIGHTS, STAND_INS)


def normalized(belief: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.asarray(belief / belief.sum(axis=1, keepdims=True), np.float64)


@pytest.mark.parametrize("seen", [EVERY, 20, 1])
@pytest.mark.parametrize("seed", range(2))
def test_the_sentence_attacker_believes_what_all_texts_say(seed: int, seen: int) -> None:
    """Words of no bigram, too, and if there are more of them than others."""
    released, model = np.random.default_rng(seed).integers(0, WORDS, LENGTH), language(seen)
    joint = all_texts(released, model)
    expected = np.array(
        [joint.sum(axis=tuple({0, 1, 2, 3} - {t})) for t in range(LENGTH)], np.float64
    )
    reader = SentenceReader(model)
    belief = normalized(
        reader(ReleasedLanes.of([channel().likelihoods(released)], [[LENGTH]]))[:, 0]
    )
    np.testing.assert_allclose(belief, normalized(expected), rtol=2e-4, atol=1e-9)
    without = replace(channel(), scales=np.ones(WORDS))  # emissions that leave out the normalizer
    wrong = normalized(reader(ReleasedLanes.of([without.likelihoods(released)], [[LENGTH]]))[:, 0])
    assert not np.allclose(wrong, normalized(expected), rtol=2e-2, atol=1e-9)


MODEL = LanguageModel(
    _rng.integers(1, 40, WORDS).astype(np.uint8),
    np.repeat(np.arange(10, dtype=np.uint32), 3),
    np.tile(np.array([3, 11, 25], np.uint32), 10),
    _rng.integers(20, 60, 30).astype(np.uint8),
)


def after(history: int) -> NDArray[np.float64]:
    """Return Pr[y | x] [31, 30] after a released word, by the definition; -1 is a text's start."""
    measure = LEVELS[MODEL.masses].astype(float)
    here = MODEL.before == history
    measure[MODEL.after[here]] += LEVELS[MODEL.gains[here]]
    rows = measure * WEIGHTS[DISTANCES]
    rows /= rows.sum(axis=1, keepdims=True)
    return np.vstack([rows, STAND_INS @ rows])


@pytest.mark.parametrize("ignore", [False, True])
def test_the_sentence_attacker_knows_the_normalizer_of_each_history(ignore: bool) -> None:
    released = np.array([4, 11, 2, 25, 19])
    before = np.array([-1, *released[:-1]])
    near = Surroundings(CODES, np.arange(WORDS), LEVELS[MODEL.masses])
    made = weighted_evidence(near, WEIGHTS, STAND_INS, BigramGains.of(masses_of(MODEL)))
    found = normalized(made.likelihoods(released, None if ignore else before))
    columns = [after(h)[:, y] for h, y in zip(before, released, strict=True)]
    close = np.allclose(found, normalized(np.array(columns)), rtol=1e-4)
    assert close != ignore


@pytest.mark.parametrize("seen", [EVERY, 20])
def test_texts_that_are_read_together_are_read_as_alone(seen: int) -> None:
    rng, lengths = np.random.default_rng(0), [[7, 3], [1], [12], [4, 1, 1], [3], [2, 9]]
    lanes = [channel().likelihoods(rng.integers(0, WORDS, sum(lane))) for lane in lengths]
    reader = SentenceReader(language(seen))
    together = reader(ReleasedLanes.of(lanes, lengths))
    for lane, own in enumerate(lanes):
        for part in text_slices(lengths[lane]):
            alone = reader(ReleasedLanes.of([own[part]], [[len(own[part])]]))[:, 0]
            np.testing.assert_array_equal(together[part, lane], alone)


def test_beliefs_are_the_same_on_every_machine() -> None:
    """Whatever its vectors are: ``tests/personalities.sh`` runs this as on others."""
    draws = Draws(5)

    def made(count: int) -> list[NDArray[np.int32]]:
        starts, steps = draws.below(EVERY, count), draws.below(3, 12 * count).reshape(count, 12)
        return list(((starts[:, None] + steps.cumsum(axis=1)) % EVERY).astype(np.int32))

    knows = learn_knowledge(masses_of(MODEL), made(60), made(60))
    lanes = [channel().likelihoods(draws.below(WORDS, 24)) for _ in range(3)]
    beliefs = TrigramReader(knows)(ReleasedLanes.of(lanes, [[12, 12]] * 3))[:, :3]
    assert hashlib.sha256(beliefs.tobytes()).hexdigest() == BELIEFS


def test_only_counted_words_are_guessed() -> None:
    rng = np.random.default_rng(0)
    knows = learn_knowledge(masses_of(MODEL), [rng.integers(0, EVERY, 40).astype(np.int32)] * 9)
    texts = [rng.integers(0, EVERY, length).astype(np.int32) for length in (3, 9, 1, 4)]
    outputs = [rng.integers(0, WORDS, len(text)) for text in texts]
    counted = [rng.random(len(text)) < 0.5 for text in texts]
    asked = TextAttackers(knows), texts, outputs, outputs, channel().remembering(outputs[1])
    every, some = (np.concatenate(judge_texts(*asked, counted=each)) for each in (None, counted))
    np.testing.assert_array_equal(some, every * np.concatenate(counted)[:, None, None, None])
    assert every[~np.concatenate(counted)].any()


@pytest.mark.parametrize("count", [1, 7, LANES + 1, 300])
def test_lanes_have_all_texts_once_and_are_about_as_long(count: int) -> None:
    lengths = np.random.default_rng(count).integers(1, 257, count).tolist()
    groups = assign_lanes(lengths)
    lanes = [lane for group in groups for lane in group]
    assert sorted(text for lane in lanes for text in lane) == list(range(count))
    sizes = list(map(len, groups))
    assert max(sizes) <= LANES
    assert max(sizes) - min(sizes) <= 1
    filled = [sum(lengths[text] for text in lane) for lane in lanes]
    assert max(filled) - min(filled) <= 256


def test_memory_is_lent_to_one_at_a_time_and_again() -> None:
    rooms = Rooms()
    with rooms.lend(WORDS, 3) as one, rooms.lend(WORDS, 3) as other:
        assert not np.shares_memory(one, other)
    with rooms.lend(WORDS, 2) as again:
        assert np.shares_memory(again, one) or np.shares_memory(again, other)
    with rooms.lend(WORDS, 4) as larger:
        assert len(larger) == len(room_for(WORDS, 4))


@pytest.mark.parametrize("seed", range(2))
def test_the_informed_attacker_believes_what_all_texts_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    typed, released = rng.integers(0, EVERY, LENGTH), rng.integers(0, WORDS, LENGTH)
    belief = NeighborReader(language())(typed.astype(np.int32), slice(0, LENGTH))
    belief *= channel().likelihoods(released)
    for t in range(LENGTH):
        others = tuple(slice(None) if i == t else x for i, x in enumerate(typed))
        # The other outputs' probabilities are constant.
        joint = all_texts(released, language())[others]
        np.testing.assert_allclose(belief[t] / belief[t].sum(), joint / joint.sum(), rtol=1e-4)


def test_parts_of_a_text_are_read_as_the_whole() -> None:
    typed = np.random.default_rng(0).integers(0, EVERY, 9).astype(np.int32)
    reader = NeighborReader(language())
    whole = reader(typed, slice(0, 9))
    parts = [reader(typed, slice(start, start + 4)) for start in range(0, 9, 4)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_every_history_s_probabilities_sum_to_one() -> None:
    follows = transitions(language())
    np.testing.assert_allclose(follows.sum(axis=1), 1)
    assert (follows > 0).all()
    assert language().words.sum() == pytest.approx(1)


def test_perplexity_is_the_mean_log_probability() -> None:
    text = np.array([3, 5, WORDS, 7], np.int32)
    follows = transitions(language())
    logs = [np.log(follows[h, x]) for h, x in zip([EVERY, *text[:-1]], text, strict=True)]
    assert language().perplexity([text]) == pytest.approx(np.exp(-np.mean(logs)))


@pytest.mark.parametrize("bigrams", [False, True])
def test_remembered_likelihoods_are_the_same(
    bigrams: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "_REMEMBERED_OUTPUTS", 4)
    near = Surroundings(CODES, np.arange(WORDS), LEVELS[MODEL.masses])
    gains = BigramGains.of(masses_of(MODEL)) if bigrams else None
    made = weighted_evidence(near, WEIGHTS, STAND_INS, gains)
    outputs = np.random.default_rng(0).integers(0, 8, 40)
    lanes, before = np.split(outputs, [13, 20]), np.split(np.roll(outputs, 1), [13, 20])
    lengths = [[len(lane)] for lane in lanes]
    released = ReleasedLanes(lanes, before, lengths, made.remembering(outputs))
    room = released.room(EVERY)
    for t in range(released.steps):
        found = room[released.at(t, room)]
        there = released.lanes_at(t)
        for lane in there:
            own, history = (each[lane][t : t + 1] for each in (lanes, before))
            np.testing.assert_array_equal(found[lane], made.likelihoods(own, history)[0])
        assert not np.delete(found, there, axis=0).any()


def test_likelihoods_are_the_runtime_s(eight: WordBundle) -> None:
    from brrkit import Privatizer

    privatizer = Privatizer(eight, Setting(0.7, parameters={"radius": 4, "base": "uniform"}))
    words = list(eight.vocabulary)
    exact = np.array([list(map(float, privatizer.distribution(word).values())) for word in words])
    weights = privatizer.mechanism.weights  # type: ignore[attr-defined]
    stand_ins = stand_in_shares(eight.masses)
    assert len(set(stand_ins)) > 1
    made = weighted_evidence(Surroundings(eight.codes, np.arange(len(eight))), weights, stand_ins)
    found = made.likelihoods(np.arange(len(eight))).T
    exact = np.vstack([exact, stand_ins @ exact])
    scale = (found[:-1] / exact[:-1]).mean(axis=0)  # of each output, one for all words
    np.testing.assert_allclose(found / scale, exact, rtol=1e-5)


def test_a_channel_from_draws_is_near_the_exact_one() -> None:
    rng = np.random.default_rng(0)
    inputs = rng.integers(0, WORDS, 200_000)
    rows = emissions()[:WORDS].cumsum(axis=1)
    outputs = (rng.random(len(inputs))[:, None] > rows[inputs]).sum(axis=1).clip(0, WORDS - 1)
    made = drawn_evidence(hamming_levels(CODES), STAND_INS, inputs, outputs)
    assert not made.exact
    every = np.arange(WORDS)
    drawn, exact = (normalized(each.likelihoods(every)) for each in (made, channel()))
    assert np.abs(drawn - exact).max() < 0.05


def test_rare_distances_tell_little(sample_bundle: Path) -> None:
    """Of what comes out as it went in nearly always, the estimate is sure."""
    codes = WordBundle.open(sample_bundle).codes
    inputs = np.random.default_rng(0).integers(0, len(codes), 20_000)
    outputs = np.where(np.random.default_rng(1).random(len(inputs)) < 0.9, inputs, inputs[::-1])
    alike = np.full(len(codes), 1 / len(codes))
    made = drawn_evidence(hamming_levels(codes), alike, inputs, outputs)
    belief = normalized(made.likelihoods(np.arange(100)))
    assert np.median(belief[np.arange(100), np.arange(100)]) > 0.8


def test_euclidean_levels_are_the_distances() -> None:
    vectors = np.random.default_rng(0).standard_normal((50, 7)).astype(np.float32)
    distances = np.linalg.norm(vectors[:5, None] - vectors, axis=2)
    found = euclidean_levels(vectors)(np.arange(5))
    unit = 2 * np.linalg.norm(vectors, axis=1).max() / 256
    assert np.abs(found * unit - distances).max() < 1.01 * unit


class TestSuccess:
    def test_ties_are_guessed_in_a_random_order(self) -> None:
        belief = np.array([[3, 3, 1, 3, 0]] * 4, np.float32)
        first = judge(belief, np.arange(4, dtype=np.int32), np.ones((1, 5), np.bool_))[:, 0, 0]
        np.testing.assert_allclose(first, [1 / 3, 1 / 3, 0, 1 / 3])
        level, all_ = np.zeros((1, 41), np.float32), np.append(np.ones(40, np.bool_), False)
        found = judge(level, np.zeros(1, np.int32), all_[None])
        np.testing.assert_allclose(found, [[[1 / 40, 10 / 40]] * 2])

    def test_only_an_unknown_word_is_guessed_to_be_unknown(self) -> None:
        """Whatever they believe: of a known one it names no letter, and never is right."""
        belief = np.tile(np.array([2, 1, 9], np.float32), (3, 1))
        found = judge(belief, np.arange(3, dtype=np.int32), np.array([[True, True, False]]))
        assert found[:, 0, 0].tolist() == [1, 0, 1]
        assert found[:, 1, 0].tolist() == [1, 0, 0]
        surely_known = judge(belief[:1, ::-1], np.array([2], np.int32), np.zeros((1, 3), np.bool_))
        assert surely_known[0, 0].tolist() == [0, 1]  # not recognized; among ten guesses

    def test_all_words_of_a_large_vocabulary_are_compared(self) -> None:
        rng = np.random.default_rng(0)
        belief = rng.integers(0, 400, (300, 3_001)).astype(np.float32)
        belief[:, -1] = -1  # nobody believes that the word is unknown
        ranks = rng.integers(1, 30, (300, 1))
        typed = np.take_along_axis(belief.argsort(axis=1), -ranks, axis=1)[:, 0].astype(np.int32)
        content = np.append(rng.random(3_000) < 0.5, False)
        for row, word, found in zip(
            belief, typed, judge(belief, typed, content[None]), strict=True
        ):
            for reading, among in enumerate((row, row[content])):
                above, level = (among > row[word]).sum(), max(1, (among == row[word]).sum())
                wanted = [above == 0 and 1 / level, np.clip((10 - above) / level, 0, 1)]
                guessed = content[word] or reading == 0
                np.testing.assert_allclose(found[reading], wanted if guessed else 0, rtol=1e-6)

    def test_a_word_that_is_not_guessed_counts_as_wrong(self) -> None:
        belief = np.tile(np.array([9, 5, 3, 0], np.float32), (2, 1))
        found = judge(belief, np.array([NOT_GUESSED, 0], np.int32), np.ones((1, 4), np.bool_))
        assert found.tolist() == [[[0, 0]] * 2, [[1, 1]] * 2]

    def test_content_words_are_guessed_among_content_words(self) -> None:
        belief = np.tile(np.array([9, 5, 3, 1], np.float32), (4, 1))
        content = np.array([False, True, True, False])
        found = judge(belief, np.arange(4, dtype=np.int32), content[None])
        assert found[:, 0, 0].tolist() == [1, 0, 0, 0]
        assert found[:, 1, 0].tolist() == [0, 1, 0, 0]
        frequencies = np.append(np.arange(300, 0, -1.0), 500)  # the last is the unknown word's
        assert np.flatnonzero(content_words(frequencies)).tolist() == list(range(150, 300))
        assert [reading_of(name) for name in ("all", "content", "rank 1-150", "unknown")] == [
            *(0, 1, 0, 0)
        ]
        assert reading_of("rank 151-1,000") == reading_of("rank 1,001-10,000") == 1

    def test_intervals_are_over_texts(self) -> None:
        texts = np.repeat(np.arange(50), 20)
        alike = np.repeat(np.random.default_rng(0).random(50) < 0.3, 20).astype(np.float32)
        mixed = np.random.default_rng(0).permutation(alike)
        wide, narrow = mean_over_texts(alike, texts), mean_over_texts(mixed, texts)
        assert wide.value == pytest.approx(narrow.value)
        assert wide.high - wide.low > 3 * (narrow.high - narrow.low)
        assert 0 <= wide.low < wide.value < wide.high <= 1

    def test_the_worst_words_are_chosen_by_other_texts(self) -> None:
        rng = np.random.default_rng(0)
        typed = np.tile(np.arange(100, dtype=np.int32), 60)
        texts = np.repeat(np.arange(60), 100)
        right = (rng.random((len(typed), 2)) < 0.3).astype(np.float32)
        right[typed == 7] = 1
        assert worst_words_success(right, texts, typed) == 1
        for side in range(2):  # named always in the half that chooses it, never in the other one
            right[typed == 7 + side] = (texts[typed == 7 + side] % 2 == side)[:, None]
        assert worst_words_success(right, texts, typed) == 0
        assert worst_words_success(right[:100], texts[:100], typed[:100]) is None

    def test_classes(self) -> None:
        frequencies = np.array([0.4, 0.3, 0.1, 0.05, 0.1, 0.05])
        typed = np.array([0, 1, 2, 3, 4, 5, 5], np.int32)
        digits = np.array([False] * 4 + [True, False, True])
        found = word_classes(typed, digits, frequencies, (2, 3))
        assert {name: np.flatnonzero(chosen).tolist() for name, chosen in found.items()} == {
            "all": [0, 1, 2, 3, 4],
            "content": [2, 3],
            "rank 1-2": [0, 1],
            "rank 3-3": [2],
            "rank 4-5": [3],
            "numbers": [4],
            "unknown": [5, 6],
        }


class TestCommand:
    """``brr measure --text``, on a language of the sample's words."""

    @pytest.fixture(scope="class")
    @staticmethod
    def texts(sample_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """A folder with 1,200 texts of 15 words, in which frequent words lead to fixed ones."""
        folder = tmp_path_factory.mktemp("texts")
        opened, rng = WordBundle.open(sample_bundle), np.random.default_rng(0)
        ids = (rng.zipf(1.3, (1_200, 15)) - 1) % 400
        ids[:, 1::2] = 400 + ids[:, ::2][:, :7]
        spelled = [" ".join(opened.vocabulary.word(i) for i in row) for row in ids.tolist()]
        (folder / "typed.txt").write_text("\n".join(spelled[:600]) + "\n", encoding="utf-8")
        (folder / "public.txt").write_text("\n".join(spelled[600:]) + "\n", encoding="utf-8")
        (folder / "typed.jsonl").write_text(
            "".join(json.dumps({"said": text}) + "\n" for text in spelled), encoding="utf-8"
        )
        (folder / "short.txt").write_text("a few words\n", encoding="utf-8")
        (folder / "foreign.txt").write_text("qwxz jkvq\n" * 9_000, encoding="utf-8")
        return folder

    def test_what_they_know_helps(self, brr: Brr, sample_bundle: Path, texts: Path) -> None:
        command = ["measure", sample_bundle, "--epsilon", 0.6, "--text", texts / "typed.txt"]
        options = ["--public-text", texts / "public.txt", "--tokens", 4_000]
        outcome = brr(*command, *options, "--json")
        assert (outcome.code, outcome.err) == (0, "")
        text = json.loads(outcome.out)["text"]
        top1 = {name: each["all"]["top1"]["value"] for name, each in text["attackers"].items()}
        assert top1["isolated"] < top1["frequencies"] < top1["sentence"] - 0.1
        assert top1["sentence"] < top1["informed"]
        assert 0 < top1["language_alone"] < top1["informed"]
        for classes_ in text["attackers"].values():
            for each in classes_.values():
                assert each["top1"]["value"] <= each["top10"]["value"] + 1e-6
        assert set(text["attackers"]["sentence"]) >= {"all", "content"}
        assert text["perplexity"]["typed"] < text["perplexity"]["released"] / 5
        assert text["tokens"] >= 4_000
        assert text["exact"] is True
        shown = brr(*command, *options).out
        assert "Attackers who read typed.txt:\n" in shown
        assert f"{top1['sentence']:.3f}" in shown

    def test_a_table_and_half_of_it_as_language(
        self, brr: Brr, sample_bundle: Path, texts: Path
    ) -> None:
        command = ["measure", sample_bundle, "--epsilon", 0.6, "--text", texts / "typed.jsonl"]
        outcome = brr(*command, "--column", "said", "--tokens", 1_000, "--json")
        text = json.loads(outcome.out)["text"]
        assert text["own_tokens"] == 1_200 * 15 - text["tokens"]
        assert text["public_tokens"] == 0
        assert "name the one that contains the texts" in brr(*command).err

    def test_a_sampled_mechanism_is_a_lower_bound(
        self, brr: Brr, sample_bundle: Path, texts: Path
    ) -> None:
        options = ["--mechanism", "brr", "--text", texts / "typed.txt", "--tokens", 1_000]
        options += ["--public-text", texts / "public.txt"]
        outcome = brr("measure", sample_bundle, "--epsilon", 1, *options)
        assert "The channel is estimated, so these are lower bounds." in outcome.out

    def test_real_messages_have_unknown_words_that_nobody_names(self, sample_bundle: Path) -> None:
        """Messages typed on phones: to count what is recognized as unknown would double success."""
        messages = TextFiles(data_path("everyday/nus-sms.tsv.xz"), column="text")
        setting = Setting(0.54, parameters={"radius": 16})
        found = measure_text(WordBundle.open(sample_bundle), messages, setting, tokens=2_000)
        success, read = found.expected["sentence"]["all"], found.attackers["sentence"]
        known, unknown = read["all"], read["unknown"]
        assert known.tokens + unknown.tokens == found.tokens
        assert 0.14 < success.value < 0.23
        assert unknown.top1.value > 0.85
        both = success.value * known.tokens + unknown.top1.value * unknown.tokens
        assert both / found.tokens > 2 * success.value

    @pytest.mark.parametrize("words", [500, 20_000])
    def test_who_knows_more_is_never_weaker(
        self, sample_bundle: Path, tmp_path: Path, words: int
    ) -> None:
        opened, rng = WordBundle.open(sample_bundle), np.random.default_rng(words)
        ids = (rng.zipf(1.2, (words // 10, 10)) - 1) % 2_000
        texts = [" ".join(opened.vocabulary.word(i) for i in row) for row in ids.tolist()]
        (tmp_path / "typed.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
        found = measure_text(opened, tmp_path / "typed.txt", Setting(1.0), tokens=1_000)
        assert found.own_tokens == words - found.tokens
        for name in ("all", "content"):
            for top in ("top1", "top10"):
                among = [getattr(found.attackers[each][name], top).value for each in ATTACKERS]
                assert among == sorted(among)
            expected_of = [found.expected[attacker][name].value for attacker in ATTACKERS]
            assert expected_of == sorted(expected_of)
            for attacker in ATTACKERS:
                expected = found.expected[attacker][name].value
                assert expected >= found.attackers[attacker][name].top1.value - 1e-9

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (["--text", "short.txt"], "short.txt: has 3 words; give at least"),
            (["--text", "foreign.txt"], "foreign.txt: 100% of its words aren't in the voc"),
            (["--text", "typed.txt", "--public-text", "short.txt"], "short.txt: has 3 words"),
            (
                ["--public-text", "public.txt"],
                "--public-text, --column and --tokens need --text",
            ),
        ],
    )
    def test_errors(
        self, brr: Brr, sample_bundle: Path, texts: Path, options: list[str], says: str
    ) -> None:
        paths = [texts / part if part.endswith(".txt") else part for part in options]
        outcome = brr("measure", sample_bundle, "--epsilon", 1, *paths)
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)
        assert says in outcome.err
