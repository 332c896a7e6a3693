"""The challenge: what is drawn, what is scored, what our attackers find, what commands say."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from toolchain_fixtures import Outcome

from benchmarks import attack_me
from benchmarks.attack_me import factory_release, frames_release
from benchmarks.challenge import (
    ASKED,
    TEXTS,
    WORDS,
    WRITERS,
    Answers,
    Challenge,
    Written,
    draw,
    read_challenge,
    read_guesses,
    right_of,
    seal,
    words_of,
    write_challenge,
    write_guesses,
)
from benchmarks.challenge_attackers import computed, learned
from brrkit import Privatizer, WordBundle
from brrkit.setting import Setting

COST = 16  # of scrypt, where nothing is kept secret


@pytest.fixture
def written(opened: WordBundle) -> list[Written]:
    """Three writers with words of their own, and unknown ones; each text has other words."""
    generator = np.random.default_rng(0)
    word = opened.vocabulary.word
    return [
        Written(
            writer,
            " ".join(
                [word(int(i)) for i in generator.choice(np.arange(start, start + 150), 4 + n % 4)]
                + ["qqzzx"] * (n % 5 == 0)
            ),
        )
        for start, writer in ((10, "ann"), (160, "bob"), (310, "eve"))
        for n in range(16)
    ]


def _halves(written: Sequence[Written]) -> tuple[list[Written], list[Written]]:
    return list(written[::2]), list(written[1::2])


def test_what_is_drawn_is_each_text_once(opened: WordBundle, written: list[Written]) -> None:
    known, secret = _halves(written)
    challenge, answers = draw(known, secret, list, opened.tokenizer, random.Random(0), size=4)
    assert [known[int(i)].text for (i,) in answers[TEXTS]] == challenge.released
    assert sorted(challenge.released) == sorted(each.text for each in known)
    assert challenge.released != [each.text for each in known]
    by_text = {each.text: each.writer for each in secret}
    for released, (writer,) in zip(challenge.sets, answers[WRITERS], strict=True):
        assert {by_text[text] for text in released} == {writer}
    assert len(challenge.sets) == 6
    assert answers[WORDS] == [words_of(text, opened.tokenizer) for text in challenge.secret]


def test_digests_count_what_is_right_and_tell_nothing_else(
    opened: WordBundle, written: list[Written], tmp_path: Path
) -> None:
    challenge, answers = draw(*_halves(written), list, opened.tokenizer, random.Random(0), size=4)
    sealed = seal(answers, "nothing", opened.digest, COST)
    write_challenge(challenge, sealed, tmp_path)
    read, again = read_challenge(tmp_path)
    assert again == sealed
    assert read == challenge
    digests = [digest for each in sealed.digests.values() for some in each for digest in some]
    assert len(set(digests)) == len(digests)  # equal answers have other digests
    guesses = {asked: [list(each) for each in answers[asked]] for asked in ASKED}
    guesses[WORDS][0][0] = "wrong"
    guesses[WORDS][1] = guesses[WORDS][1][:1]
    guesses[TEXTS][2] = ["99"]
    guesses[WRITERS] = [[each[0].upper()] for each in guesses[WRITERS]]
    write_guesses(guesses, tmp_path / "guesses.csv")
    right = sealed.right(read_guesses(tmp_path / "guesses.csv", sealed))
    words = sum(map(len, answers[WORDS]))
    assert right[WORDS] == (words - 1 - (len(answers[WORDS][1]) - 1), words)
    assert right[TEXTS] == (len(answers[TEXTS]) - 1, len(answers[TEXTS]))
    assert right[WRITERS] == (6, 6)
    assert right_of(answers, answers) == {**right, WORDS: (words, words), TEXTS: (24, 24)}
    assert right_of(answers, {}) == {asked: (0, total) for asked, (_, total) in right.items()}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("letters,0,a", "'letters'; it is one of words, texts, writers"),
        ("texts,24,0", "'24'; of texts it is from 0 to 23"),
        ("texts,x,0", "'x'; of texts"),
        ("words,0," + "a " * 30, "30 words are guessed"),
    ],
)
def test_a_guess_of_nothing_that_was_asked_is_refused(
    opened: WordBundle,
    written: list[Written],
    tmp_path: Path,
    benchmark_command: Callable[..., Outcome],
    line: str,
    message: str,
) -> None:
    challenge, answers = draw(*_halves(written), list, opened.tokenizer, random.Random(0))
    write_challenge(challenge, seal(answers, "nothing", opened.digest, COST), tmp_path)
    (tmp_path / "guesses.csv").write_text(f"asked,number,guess\n{line}\n")
    done = benchmark_command(attack_me.main, "score", tmp_path)
    assert done.code == 1
    assert message in done.err
    assert "guesses.csv" in done.err


def _shares(challenge: Challenge, answers: Answers, guesses: Answers) -> tuple[float, float, float]:
    right = right_of(answers, guesses)
    words, texts, writers = (right[asked][0] / right[asked][1] for asked in ASKED)
    return words, texts, writers


def test_attackers_find_what_a_privatizer_leaves(
    opened: WordBundle, written: list[Written]
) -> None:
    """Nearly all of typed texts, nothing of noise alone, and whole texts of words with noise."""
    halves = _halves(written)

    def found(release: Callable[[Sequence[str]], list[str]]) -> tuple[float, float, float]:
        challenge, answers = draw(*halves, release, opened.tokenizer, random.Random(1), size=4)
        return _shares(challenge, answers, learned(challenge, release, opened))

    words, texts, writers = found(list)
    assert words > 0.9
    assert texts == 1
    assert writers == 1
    words, texts, writers = found(lambda typed: ["the the the the" for _ in typed])
    assert words < 0.2
    assert texts < 0.3
    setting = Setting(0.5, parameters={"radius": 0, "base": "unigram"})
    release = Privatizer(opened, setting, random=np.random.default_rng(0).bytes).texts
    challenge, answers = draw(*halves, release, opened.tokenizer, random.Random(1), size=4)
    words, texts, _ = _shares(challenge, answers, computed(challenge, release, opened, setting))
    assert texts > 0.7
    assert 0.1 < words < 0.9


def test_a_privatizer_comes_in_as_a_factory_of_the_audit(
    opened: WordBundle, sample_bundle: Path
) -> None:
    assert opened.path == sample_bundle
    release = factory_release("tests.benchmarks.test_attack_me:shouting", opened, 2.0)
    word = opened.vocabulary.word(20)
    assert release([f"{word} {word}"]) == [f"{word} {word} 2.0".upper()]
    release = factory_release("tests.benchmarks.test_attack_me:first_letters", opened, 2.0)
    assert release([f"{word} qqzzx"]) == [word[0]]


def test_another_privatizer_is_compared(
    benchmark_command: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attack_me, "REPETITIONS", 1)
    factory = "tests.benchmarks.test_attack_me:first_letters"
    done = benchmark_command(attack_me.main, "compare", factory, "--epsilon", 2)
    assert done.code == 0, done.err
    _, theirs, *ours = done.out.splitlines()
    assert theirs.startswith(f"{factory}, 2  who learns  ")
    assert [line.split()[:3] for line in ours] == [
        ["brrkit", "who", "learns"],
        ["brrkit", "who", "computes"],
    ]
    assert float(ours[1].split()[4]) > 0.8
    done = benchmark_command(attack_me.main, "compare", "tests.benchmarks.test_attack_me:nothing")
    assert done.code == 1
    assert "has no function 'nothing'" in done.err


class _Shouting:
    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def __call__(self, word: str) -> str:
        return word

    def text(self, text: str) -> str:
        return f"{text} {self.epsilon}".upper()


def shouting(_bundle: WordBundle, epsilon: float) -> _Shouting:
    """Make a privatizer of texts."""
    return _Shouting(epsilon)


def first_letters(bundle: WordBundle, _epsilon: float) -> Callable[[str], str | None]:
    """Make one of words, which refuses unknown ones."""
    return lambda word: None if bundle.vocabulary.find(word) is None else word[0]


def test_frames_have_a_fixed_number_of_words() -> None:
    sample = WordBundle.sample()
    released = frames_release(sample, 4)(["", "will it rain", "play some music in the kitchen now"])
    assert [len(text.split()) for text in released] == [4, 4, 4]


def test_the_stored_challenge_is_whole_and_its_score_is_told(
    benchmark_command: Callable[..., Outcome], tmp_path: Path
) -> None:
    challenge, sealed = read_challenge(attack_me.FOLDER)
    assert [len(sealed.digests[asked]) for asked in ASKED] == [
        len(challenge.secret),
        len(challenge.released),
        len(challenge.sets),
    ]
    lengths = [len(text.split()) for text in challenge.secret]
    assert [len(each) for each in sealed.digests[WORDS]] == lengths
    write_guesses({WORDS: [], TEXTS: [], WRITERS: [["anna"]]}, tmp_path / "guesses.csv")
    done = benchmark_command(attack_me.main, "score", attack_me.FOLDER, tmp_path / "guesses.csv")
    assert done.code == 0
    words, texts, writers = done.out.splitlines()
    assert " of 15, ours " in writers
    assert "found something" not in done.out
    assert words.startswith(f"words    0 of {sum(lengths):,}")
    assert texts == "texts    0 of 120, ours 120"
    assert "found something" not in done.out


def test_a_challenge_is_drawn_into_a_new_folder(
    benchmark_command: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.challenge.COST", COST)
    texts = tmp_path / "texts.csv"
    lines = [f"{writer},will it rain in boston on day {n}" for writer in "ab" for n in range(16)]
    texts.write_text("writer,text\n" + "\n".join(lines) + "\n")
    done = benchmark_command(attack_me.main, "draw", tmp_path / "new", "--texts", texts)
    assert done.code == 0, done.err
    assert "16 known texts released, and 16 secret ones in 2 sets, by brrkit" in done.out
    done = benchmark_command(attack_me.main, "draw", tmp_path / "new", "--texts", texts)
    assert done.code == 1
    assert "there is a challenge; name a new folder" in done.err
