"""What the benchmark of typed text counts: rules, unknown words, perplexities, tasks, pairs."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bundle_tools import data_path

from benchmarks import typed
from benchmarks.bench import Bench
from benchmarks.store import stored
from benchmarks.tables.typed import TABLES
from benchmarks.typed_attack import OthersLanguage, unknown_flag
from benchmarks.typed_kinds import CHAT, MESSAGES, TWEETS, Part, Typed, read_kinds, read_typed
from benchmarks.typed_known import Rule, measure_known, rule_of
from brrkit import WordBundle
from brrkit.setting import Setting
from brrkit.tokenizer import Tokenizer
from brrkit.writing import ENGLISH
from brrkit_toolchain import write_recommended
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.embeddings import Embeddings, sample_path
from brrkit_toolchain.language.lexicon import tokenizer_of

WORDS = ["can", "color", "do", "good", "great", "lol", "sorry", "tomorrow", "7pm", "2"]
WRITING = replace(
    ENGLISH,
    spellings=(
        ("can't", "can"),
        ("dont", "do"),
        ("tmr", "tomorrow"),
        ("2mrw", "tomorrow"),
        ("0pm", "7pm"),
    ),
    rewritten=(("our", "or"),),
)


@pytest.mark.parametrize(
    ("token", "rule"),
    [
        ("good", "word"),
        ("'good'", "word"),
        ("2", "word"),
        ("tomorrow's", "ending"),
        ("tmr", "spelling"),
        ("tmr's", "spelling"),
        ("can't", "spelling"),
        ("colour", "spelling"),
        ("2mrw", "spelling"),
        ("sorrrry", "run"),
        ("tmrrr", "run"),
        ("9pm", "number"),
        ("10pm", "unknown"),
        ("9am", "unknown"),
        ("zzz", "unknown"),
    ],
)
def test_a_rule_is_the_one_that_finds_the_word(token: str, rule: Rule) -> None:
    assert rule_of(token, tokenizer_of(WORDS, WRITING)) == rule


def _typed(texts: Sequence[str], groups: Sequence[int], tokenizer: Tokenizer) -> Typed:
    return read_typed(Part(texts, np.array(groups)), tokenizer, 10**6)


def test_what_is_known_is_counted(opened: WordBundle) -> None:
    known, other = opened.vocabulary.word(7), "qqq"
    texts = [f"{known} {other} 😂👍🏽 {known} :-)"] * 100 + [f"{other} :D <3"] * 100 + ["..."]
    found = measure_known(
        _typed(texts, [0] * 100 + [1] * 100 + [2], opened.tokenizer), opened, by_sender=True
    )
    assert (found.texts, found.tokens) == (200, 600)  # "d" and "3" are tokens
    letters = [opened.tokenizer.look_up(each) is not None for each in "d3"]
    share = (200 + 100 * sum(letters)) / 600
    assert found.known.value == pytest.approx(share)
    assert sum(found.shares.values()) == pytest.approx(1)
    assert found.shares["unknown"] == pytest.approx(1 - share)
    assert found.senders == 2
    assert found.median == pytest.approx((2 / 3 + sum(letters) / 3) / 2)
    assert found.emoji == pytest.approx(100 * 200 / 600)
    assert found.emoticons == pytest.approx(100 * 300 / 600)


def test_the_flag_of_an_unknown_word_is_exact(eight: WordBundle) -> None:
    """Against all pairs of outputs of eight words."""
    linear = Channel(eight, Setting(0.3, parameters={"radius": 4, "base": "unigram"})).linear
    shares = np.array([0.3, 0.2, 0.1, 0.1, 0.05, 0.05, 0.0, 0.0, 0.2])
    rows = linear.into(np.arange(8))
    known, unknown = rows @ shares[:8] / 0.8, linear.unknown
    ratios = unknown / known
    even = np.isclose(ratios[:, None], ratios, rtol=1e-12)
    wins = np.where(even, 0.5, ratios[:, None] > ratios)
    auc, gain = unknown_flag(linear, shares)
    assert auc == pytest.approx(unknown @ wins @ known)
    assert 0.5 < auc < 1
    assert gain == pytest.approx(np.maximum(0.2 * unknown, 0.8 * known).sum() - 0.8)


def test_what_others_never_type_is_less_usual() -> None:
    others = [["see", "you", "later"], ["see", "you", "soon"]] * 20
    language = OthersLanguage(others, [["zzz"]], [["later", "soon", "yyy"]])
    assert len(language) == 6
    usual, unusual = ["see", "you", "soon"], ["soon", "see", "yyy"]
    assert language.perplexity([usual]) < 3
    assert language.perplexity([unusual]) > 10
    both = np.sqrt(language.perplexity([usual]) * language.perplexity([unusual]))
    assert language.perplexity([usual, unusual]) == pytest.approx(both)


def _write(file: Path, lines: Sequence[str]) -> None:
    file.parent.mkdir(exist_ok=True)
    with lzma.open(file, "wt", encoding="utf-8") as stream:
        stream.write("".join(f"{line}\n" for line in lines))


@pytest.fixture
def data(sample_source: Embeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages, tweets and chat of random words; each emoji has words of its own."""
    generator = np.random.default_rng(0)
    words = sample_source.words

    def text(some: Sequence[str], more: int) -> str:
        return " ".join([*generator.choice(some, 4), *generator.choice(words[:500], more), "qqq"])

    everyday, standard = tmp_path / "everyday", tmp_path / "standard"
    rows = [f"{i % 8}\tx\tx\tx\t{text(words, 5)} <#>" for i in range(400)]
    _write(everyday / "nus-sms.tsv.xz", ["sender\tgender\tnative\tage\ttext", *rows])
    _write(everyday / "topical-chat.txt.xz", [text(words, i % 9) for i in range(800)])
    emoji = [(0, 1, 2, 4, 7, 11, 12, 17)[i % 8] for i in range(800)]
    tweets = [f"@user {text(words[20 * e :][:20], 2)}" for e in emoji]
    _write(standard / "tweeteval_emoji_train_text.txt.xz", tweets)
    _write(standard / "tweeteval_emoji_train_labels.txt.xz", list(map(str, emoji)))
    monkeypatch.setenv("BRR_DATA", str(tmp_path))
    monkeypatch.setattr(typed, "QUICK", typed.Amounts(2_000, 1_500, 400, 150, 30, 1_000))


@pytest.mark.usefixtures("data")
def test_kinds_that_are_there_are_measured(
    bundle: Path, sample_source: Embeddings, tmp_path: Path
) -> None:
    write_recommended(
        bundle, Setting(3.0, parameters={"radius": 8, "base": "unigram"}, goal="none")
    )
    opened = WordBundle.open(bundle)
    finding = typed.run(Bench(sample_path(), sample_source, opened, tmp_path, quick=True))
    assert list(finding.numbers["kinds"]) == [MESSAGES, TWEETS, CHAT]
    assert finding.notes[-2:] == ["no requests: no file", "no reviews: no file"]
    for kind in finding.numbers["kinds"].values():
        assert kind["known"]["known"]["value"] == pytest.approx(0.88, abs=0.06)
        goal, other = kind["shown"].values()
        assert goal["success"]["all"]["low"] < 0.2 < goal["success"]["all"]["high"]
        assert other["epsilon"] == 3
        assert other["success"]["all"]["value"] > 0.9
        assert other["cosine"]["all"] > 0.9 > goal["cosine"]["all"]
        assert 0.5 < goal["auc"] < 1
    for emoji in finding.numbers["emoji"].values():
        assert (emoji["classes"], emoji["trained"], emoji["tested"]) == (5, 150, 150)
        assert emoji["typed"]["value"] > 0.9
        assert emoji["released"]["recommended"]["value"] > 0.8
        assert emoji["released"]["goal"]["value"] < 0.8
    words = finding.numbers["next_word"]
    assert words["typed"] < words["nothing"]
    pairs = finding.numbers["pairs"]
    assert len(pairs) == 10
    assert all(
        len(text.split()) == len(each.split()) <= 10
        for text, *released in pairs
        for each in released
    )
    known_words = [
        (word, other)
        for text, released, _ in pairs
        for word, other in zip(text.split()[:-1], released.split(), strict=False)
    ]
    assert sum(word == other for word, other in known_words) > 0.8 * len(known_words)
    assert "qqq" not in str([released for _, *released in pairs])
    result = stored("typed", finding, options="", machine={}, manifest=opened.manifest, quick=False)
    pages = {name: table.make(result) for name, table in TABLES.items()}
    assert pages["typed-known"].count("2,000") == 3
    assert pages["typed-shown"].count("recommended") == 3
    assert pages["typed-tasks"].count("\n") == 5
    assert all(each in pages["typed-pairs"] for _, *released in pairs for each in released)


def test_without_texts_it_says_so(
    opened: WordBundle, sample_source: Embeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRR_DATA", str(tmp_path))
    finding = typed.run(Bench(sample_path(), sample_source, opened, tmp_path, quick=True))
    assert "skipped" in finding.notes[0]
    assert not finding.rows


def test_nobody_who_is_measured_is_known_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = data_path("everyday/nus-sms.tsv.xz").parents[1]
    monkeypatch.setenv("BRR_DATA", str(folder))
    kinds = read_kinds((MESSAGES, TWEETS, CHAT))
    messages, chat = kinds[MESSAGES], kinds[CHAT]
    assert not set(messages.measured.groups) & set(messages.others.groups)
    assert not set(chat.measured.texts) & set(chat.others.texts)
    for kind in kinds.values():
        again = set(kind.measured.texts) & set(kind.others.texts)
        assert len(again) < 0.1 * len(kind.measured.texts)


def test_no_chat_that_is_measured_or_attacked_with_is_in_the_samples_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = pytest.importorskip("brrkit_toolchain.embeddings.sample.text")
    folder = data_path("everyday/topical-chat.txt.xz").parent
    monkeypatch.setenv("BRR_DATA", str(folder.parent))
    source = next(each for each in counted.SOURCES if each.name == counted.CHAT)
    language = set(counted.texts(folder, source))
    chat = read_kinds((CHAT,))[CHAT]
    assert len(language) > 10_000
    for part in (chat.measured, chat.others):
        assert not language & {" ".join(text.split()) for text in part.texts}
