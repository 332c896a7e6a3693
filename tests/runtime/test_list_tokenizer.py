"""What a list counts in a text: units, phrases, and the symbols that they stand for."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from brrkit import Counts, CountsSetting, ParameterError, Privatizer, Reporter, Setting, WordBundle
from brrkit.counts import UNKNOWN
from brrkit.list_tokenizer import BOTH, EMOJI, KINDS, STRINGS, WORDS, ListTokenizer, is_emoji
from brrkit.writing import ENGLISH

LISTS = ("emoji", "french", "phrases", "strings")

FLAG, KEY, FAMILY = "🇩🇪", "1\ufe0f\u20e3", "👨\u200d👩\u200d👧"
SCOTLAND = "🏴" + "".join(chr(0xE0000 + ord(c)) for c in "gbsct") + "\U000e007f"


class Strings(list[str]):
    """The strings of a list, by id."""

    def find(self, word: str, /) -> int | None:
        return self.index(word) if word in self else None

    def word(self, word_id: int, /) -> str:
        return self[word_id]


def listed(kind: str, *strings: str) -> ListTokenizer:
    words = Strings([*strings, "zz1", "zz2"])
    return ListTokenizer(ENGLISH, words, np.ones(len(words), np.uint8), kind)


def found(tokenizer: ListTokenizer, text: str) -> list[tuple[str, str | None]]:
    """Return the tokens of a text, each with the string that it stands for."""
    word = tokenizer.vocabulary.word
    return [(t.text, None if t.word_id is None else word(t.word_id)) for t in tokenizer.read(text)]


class TestUnits:
    @pytest.mark.parametrize(
        ("text", "units"),
        [
            ("", []),
            ("😀😀", ["😀", "😀"]),
            ("a😀b", ["a", "😀", "b"]),
            ("❤️ ❤ ❤\ufe0e", ["❤", "❤", "❤"]),
            ("👍🏽", ["👍🏽"]),
            ("🏽", []),  # a tone alone is no emoji
            (f"{FLAG}{FLAG}", [FLAG, FLAG]),
            ("🇩🇪🇫 x", ["🇩🇪", "x"]),  # half a flag isn't one
            (KEY, ["1\u20e3"]),
            ("#\u20e3 *\ufe0f\u20e3", ["#\u20e3", "*\u20e3"]),
            ("12\u20e3", ["1", "2\u20e3"]),  # the emoji is taken first, then the words around it
            ("1\ufe0f x", ["1", "x"]),
            (FAMILY, [FAMILY]),
            ("👨\u200d x\u200d👧", ["👨", "x", "👧"]),
            (SCOTLAND + "!", [SCOTLAND]),
            ("🏳️\u200d🌈", ["🏳\u200d🌈"]),
            ("©2024 Acme™", ["©", "2024", "acme", "™"]),
            ("Don't 👍stop", ["don't", "👍", "stop"]),
        ],
    )
    def test_of_a_text(self, text: str, units: list[str]) -> None:
        assert [unit.text for unit in listed(BOTH).units(text)] == units
        emoji = [unit for unit in units if is_emoji(unit)]
        assert [unit.text for unit in listed(EMOJI).units(text)] == emoji
        words = [unit for unit in units if not is_emoji(unit)]
        assert [unit.text for unit in listed(WORDS).units(text)] == words

    def test_an_emoji_is_one_of_unicode_s(self) -> None:
        """Each sequence that Unicode lists is one unit, but for parts that aren't emoji alone."""
        emoji = pytest.importorskip("emoji")
        tokenizer = listed(EMOJI)
        of_one = {
            sequence for sequence in emoji.EMOJI_DATA if len(list(tokenizer.units(sequence))) == 1
        }
        assert emoji.EMOJI_DATA.keys() - of_one == set("🏻🏼🏽🏾🏿")
        assert len(of_one) > 5_000

    def test_emoji_beside_each_other_are_cut(self) -> None:
        """A pair of sequences is two units, but where the second goes on with the first."""
        emoji = pytest.importorskip("emoji")
        known = [
            sequence
            for sequence, data in emoji.EMOJI_DATA.items()
            if data["status"] == emoji.STATUS["fully_qualified"]
        ]
        tokenizer = listed(EMOJI)
        bare = [sequence.replace("\ufe0f", "") for sequence in known]
        for one, other in zip(range(len(known)), range(7, len(known)), strict=False):
            units = [unit.text for unit in tokenizer.units(known[one] + known[other])]
            assert units == [bare[one], bare[other]]


class TestStrings:
    def test_the_longest_phrase_without_overlap(self) -> None:
        tokenizer = listed(WORDS, "a b", "a b c d", "c", "b c", "d")
        assert found(tokenizer, "a b c d") == [("a b c d", "a b c d")]
        assert found(tokenizer, "a b c a") == [("a b", "a b"), ("c", "c"), ("a", None)]
        assert found(tokenizer, "b c b c d") == [("b c", "b c"), ("b c", "b c"), ("d", "d")]
        assert found(tokenizer, "A, b! x") == [("a b", "a b"), ("x", None)]

    def test_eight_units_are_the_most(self) -> None:
        eight, nine = "a b c d e f g h", "a b c d e f g h i"
        tokenizer = listed(WORDS, eight, nine)
        assert found(tokenizer, nine) == [(eight, eight), ("i", None)]

    def test_a_phrase_of_emoji_and_words(self) -> None:
        tokenizer = listed(BOTH, "happy birthday 🎂", "🎂", "😂 😂")
        birthday = [("happy birthday 🎂", "happy birthday 🎂")]
        assert found(tokenizer, "Happy birthday🎂🎂") == [*birthday, ("🎂", "🎂")]
        assert found(tokenizer, "😂😂😂") == [("😂 😂", "😂 😂"), ("😂", None)]

    def test_tones_of_skin(self) -> None:
        tokenizer = listed(EMOJI, "👍", "👋🏽", "👩\u200d🚀")
        assert found(tokenizer, "👍🏽👍") == [("👍🏽", "👍"), ("👍", "👍")]
        assert found(tokenizer, "👋🏽👋🏿👋") == [("👋🏽", "👋🏽"), ("👋🏿", None), ("👋", None)]
        assert found(tokenizer, "👩🏾\u200d🚀") == [("👩🏾\u200d🚀", "👩\u200d🚀")]

    def test_words_are_looked_up_as_a_vocabulary_s(self) -> None:
        tokenizer = listed(WORDS, "car", "can", "not")
        assert found(tokenizer, "CAR car's can't") == [
            ("car", "car"),
            ("car's", "car"),
            ("can't", "can"),
        ]

    def test_strings_are_compared_letter_by_letter(self) -> None:
        tokenizer = listed(STRINGS, "Open", "open", "e\u0301", " x ")
        for text, string in (("Open", "Open"), ("open", "open"), ("OPEN", None), ("é", None)):
            assert found(tokenizer, text) == [(text, string)]
        assert found(tokenizer, "e\u0301 ") == [("e\u0301 ", None)]
        assert tokenizer.normalize(" X ") == " X "
        assert tokenizer.look_up(" x ") is not None
        assert found(tokenizer, "") == [("", None)]

    def test_a_string_that_is_given_alone(self) -> None:
        tokenizer = listed(BOTH, "good morning", "good", "👍")
        find = tokenizer.vocabulary.find
        for given, string in (("Good  morning!", "good morning"), ("GOOD", "good"), ("👍🏿", "👍")):
            assert tokenizer.look_up(given) == find(string) is not None
        for given in ("good evening", "good 👍", "", "!", "bad"):
            assert tokenizer.look_up(given) is None

    @pytest.mark.parametrize("kind", KINDS)
    def test_normalized_is_as_the_list_has_it(self, kind: str) -> None:
        tokenizer = listed(kind, "good morning", "👍")
        for text in ("Good morning", "👍", "good \t MORNING", "❤️ x"):
            once = tokenizer.normalize(text)
            assert tokenizer.normalize(once) == once
            assert tokenizer.look_up(text) == tokenizer.look_up(once)
        assert listed(BOTH).normalize("❤️Love you!") == "❤ love you"


@pytest.fixture(scope="module", params=LISTS)
def opened(request: pytest.FixtureRequest, bundles: Path) -> WordBundle:
    """Return each of the lists in turn."""
    folder = bundles / f"list-{request.param}"
    if not folder.exists():
        pytest.skip(f"no bundle {folder.name}: 'make bundles' makes it")
    return WordBundle.open(folder)


class TestBundle:
    def test_its_description(self, opened: WordBundle) -> None:
        assert f": list of {len(opened)} strings, digest {opened.digest[:8]}," in repr(opened)
        assert repr(opened).endswith(", recommends nothing>")

    def test_its_strings_are_their_own_only_tokens(self, opened: WordBundle) -> None:
        for word_id in range(len(opened)):
            string = opened.vocabulary.word(word_id)
            assert opened.tokenizer.read(string) == [(string, word_id)]
            assert opened.tokenizer.look_up(string) == word_id
            assert opened.tokenizer.normalize(string) == string

    def test_strings_come_out_of_counting(self, opened: WordBundle) -> None:
        strings = list(opened.vocabulary)
        counts = Counts(opened, CountsSetting(60.0))  # keeps all but 1 in 10^25
        assert counts.words(strings) == strings
        assert counts.words(["zzqx", "\U0001fae0 zz"]) == [UNKNOWN, UNKNOWN]
        reporter = Reporter(counts)
        reporter.add([strings[0]])
        assert strings[0].encode() in reporter.batch("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z")

    def test_nothing_else_takes_it(self, opened: WordBundle) -> None:
        message = "a list has no codes, so its strings can only be counted"
        with pytest.raises(ParameterError, match=message):
            Privatizer(opened)
        for name in ("brr", "vickrey", "exponential"):
            with pytest.raises(ParameterError, match=message):
                Privatizer(opened, Setting(1.0, name))
        with pytest.raises(ParameterError, match=message):
            opened.neighbors(opened.vocabulary.word(0), 1)

    @pytest.mark.false_alarm(1e-33)
    def test_forks_count_independently(self, opened: WordBundle) -> None:
        """Both processes would draw the same 40 outputs of 7 or more with chance below 10^-33."""
        counts = Counts(opened, CountsSetting(0.001))
        reader, writer = os.pipe()
        if (child := os.fork()) == 0:
            try:
                os.write(writer, pickle.dumps(counts.words(["x"] * 40)))
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as stream:
            theirs: Sequence[str] = pickle.loads(stream.read())
        os.waitpid(child, 0)
        assert len(theirs) == 40
        assert list(theirs) != counts.words(["x"] * 40)


def test_a_list_of_flags_is_found_in_a_row() -> None:
    tokenizer = listed(EMOJI, "🇩🇪", "🇫🇷")
    assert [token for token, _ in found(tokenizer, "🇩🇪🇫🇷🇩🇪x🇫🇷")] == ["🇩🇪", "🇫🇷", "🇩🇪", "🇫🇷"]
    assert found(tokenizer, "x🇩🇪🇫")[0] == ("🇩🇪", "🇩🇪")
