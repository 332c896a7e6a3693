"""How a language is written: what is read of a manifest, and what texts become by it."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from brrkit.characters import COMPOSED, MARKS
from brrkit.cuts import PART, UNKNOWN, Costs, Piece, cut_compound, cut_unspaced, logarithm
from brrkit.normal_form import normalize
from brrkit.policy import Policy, SecretList
from brrkit.tokenizer import LONGEST, Tokenizer
from brrkit.writing import ENGLISH, Writing, read_writing

PLAIN = replace(ENGLISH, endings=(), spellings=())
HAN = ((0x4E00, 0x9FFF),)


class Words:
    """A vocabulary that counts how often it is asked."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words, self.asked = list(words), 0
        self.ids = {word: word_id for word_id, word in enumerate(words)}

    def __len__(self) -> int:
        return len(self.words)

    def find(self, word: str) -> int | None:
        self.asked += len(word)
        return self.ids.get(word)

    def word(self, word_id: int) -> str:
        return self.words[word_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)


def tokenizer_of(
    writing: Writing, words: Sequence[str], masses: Sequence[int] | None = None
) -> Tokenizer:
    given = [8] * len(words) if masses is None else masses
    return Tokenizer(writing, Words(words), np.array(given, np.uint8))


FRENCH = replace(PLAIN, before=("l'", "d'", "qu'", "jusqu'"))
GERMAN = replace(PLAIN, links=("", "s"), rewritten=(("ss", "ß"), ("ae", "ä")))
TURKISH = replace(
    PLAIN, replaced=(("I", "ı"), ("İ", "i")), endings=("'da", "'nın", "da"), shortest_stem=3
)
PERSIAN = replace(PLAIN, replaced=(("ي", "ی"), ("ـ", "")), joiners=("\u200c",))
CHINESE = replace(PLAIN, unspaced=HAN)


@pytest.mark.parametrize(
    ("writing", "words", "text", "tokens"),
    [
        (FRENCH, ["homme", "l'"], "L’homme l'HOMME", ["l'", "homme", "l'", "homme"]),
        (FRENCH, ["homme", "d'accord"], "d'accord, d'hommes", ["d'accord", "d'", "hommes"]),
        (FRENCH, ["homme"], "'l'homme' l' l'' 'l'", ["l'", "homme'", "l'", "l''", "'l'"]),
        (FRENCH, ["homme"], "jusqu'à qu'd'l'homme", ["jusqu'", "à", "qu'", "d'", "l'", "homme"]),
        (GERMAN, ["haus", "tür"], "Haustür Haus-tür", ["haustür", "haus", "tür"]),
        (GERMAN, ["arbeit", "zimmer"], "Arbeitszimmer's", ["arbeitszimmer's"]),
        (GERMAN, ["arbeit", "zimmer"], "'Arbeitszimmer'", ["arbeit", "zimmer"]),
        (GERMAN, ["sang", "lots"], "sanglots", ["sang", "lots"]),
        (GERMAN, ["straße", "bahn"], "Strassebahn strasse", ["strassebahn", "strasse"]),
        (TURKISH, ["ışık"], "IŞIK IŞIĞI Işık İ", ["ışık", "ışığı", "ışık", "i"]),
        (PERSIAN, ["می\u200cخواهم"], "می\u200cخواهم \u200cمي\u200c", ["می\u200cخواهم", "می"]),
        (PERSIAN, ["کتاب"], "کتـــاب a\u200c\u200cb", ["کتاب", "a", "b"]),
        (CHINESE, ["酒店", "早餐", "很", "差"], "酒店早餐很差。", ["酒店", "早餐", "很", "差"]),
        (CHINESE, ["酒店"], "王小明酒店wifi王7", ["王小明", "酒店", "wifi", "王", "7"]),
        (CHINESE, ["酒店", "wifi"], "'酒店'", ["酒店"]),
        (
            replace(CHINESE, joiners=("-",)),
            ["酒"],
            "hauss-酒-b 酒-店",
            ["hauss", "酒", "b", "酒", "店"],
        ),
    ],
)
def test_texts(writing: Writing, words: Sequence[str], text: str, tokens: Sequence[str]) -> None:
    assert tokenizer_of(writing, words).tokenize(text) == tokens


@pytest.mark.parametrize(
    ("writing", "words", "form", "cut", "uncut"),
    [
        (FRENCH, ["homme", "l'"], "l'orient", ["l'", "orient"], ["l'orient"]),
        (GERMAN, ["sang", "lots"], "sanglots", ["sang", "lots"], ["sanglots"]),
        (CHINESE, ["我们", "学习"], "我们学习", ["我们", "学习"], ["我们", "学习"]),
    ],
)
def test_a_form_of_a_list_stays_one_token(
    writing: Writing, words: Sequence[str], form: str, cut: Sequence[str], uncut: Sequence[str]
) -> None:
    """It does where words before others or compounds are cut, not in scripts without spaces."""
    plain = tokenizer_of(writing, words)
    assert plain.tokenize(form) == cut
    secret = replace(plain, policy=Policy((SecretList("places", (0,), (form,)),)))
    assert secret.tokenize(form) == uncut
    assert secret.tokenize(f"{form}x") == plain.tokenize(f"{form}x")
    assert secret.look_up(form) == 0


@pytest.mark.parametrize(
    ("writing", "words", "token", "word"),
    [
        (GERMAN, ["straße"], "STRASSE", "straße"),
        (GERMAN, ["mädchen"], "'Maedchen'", "mädchen"),
        (GERMAN, ["masse", "maße"], "masse", "masse"),
        (TURKISH, ["istanbul"], "İSTANBUL'DA", "istanbul"),
        (TURKISH, ["oda", "od"], "oda", "oda"),
        (TURKISH, ["od"], "odda", None),  # a stem has three letters
        (TURKISH, ["ankara", "ankara'da"], "Ankara'dada", "ankara'da"),
        (TURKISH, ["ankara"], "Ankara'dada", "ankara"),
        (replace(PLAIN, endings=("s", "es")), ["foxe", "fox"], "foxes", "fox"),
        (replace(PLAIN, spellings=(("a", "b"), ("b", "a"))), ["c"], "a", None),
        (replace(PLAIN, rewritten=(("x", ""),)), ["b"], "x", None),
        (PLAIN, ["café"], "CAFE\u0301", "café"),
    ],
)
def test_look_up(writing: Writing, words: Sequence[str], token: str, word: str | None) -> None:
    tokenizer = tokenizer_of(writing, words)
    assert tokenizer.look_up(token) == (None if word is None else words.index(word))


def pieces(cut: Iterable[Piece]) -> list[str]:
    return [text for text, _ in cut]


class TestCuts:
    def test_the_more_frequent_words_win(self) -> None:
        words = ["ab", "cd", "a", "bcd"]
        often, rarely = 200, 9
        for masses, expected in (
            ([often, often, rarely, rarely], ["ab", "cd"]),
            ([rarely, rarely, often, often], ["a", "bcd"]),
        ):
            costs = Costs.of(Words(words), np.array(masses, np.uint8))
            assert pieces(cut_unspaced("abcd", costs)) == expected

    def test_of_equal_cuts_the_last_word_is_longest(self) -> None:
        costs = Costs.of(Words(["ab", "c", "a", "bc"]), np.array([8] * 4, np.uint8))
        assert pieces(cut_unspaced("abc", costs)) == ["a", "bc"]

    def test_fewer_words_cost_less(self) -> None:
        costs = Costs.of(Words(["ab", "a", "b"]), np.array([8] * 3, np.uint8))
        assert pieces(cut_unspaced("abab", costs)) == ["ab", "ab"]

    def test_the_least_of_all_cuts_is_found(self) -> None:
        """Against every cut there is."""
        source = random.Random(7)
        for _ in range(200):
            words = list({"".join(source.choices("abc", k=source.randint(1, 4))) for _ in range(9)})
            masses = [source.randrange(1, 256) for _ in words]
            costs = Costs.of(Words(words), np.array(masses, np.uint8))
            text = "".join(source.choices("abcd", k=9))
            cut = list(cut_unspaced(text, costs))
            assert all(word_id == costs.ids.get(piece) for piece, word_id in cut)
            found = pieces(cut)
            assert "".join(found) == text
            of = {word: costs.words[word_id] for word, word_id in costs.ids.items()}

            def cost(cut: Sequence[str], of: Any = of, costs: Costs = costs) -> int:
                return sum(of.get(piece, costs.unknown * len(piece)) for piece in cut)

            assert cost(found) == min(map(cost, _cuts(text, of)))

    def test_parts(self) -> None:
        costs = Costs.of(Words(["ab", "a", "b"]), np.array([8] * 3, np.uint8))
        words = pieces(cut_unspaced("a" + "ab" * PART, costs))
        assert words[:2] == ["a", "ab"]
        assert words[PART // 2 : PART // 2 + 2] == ["a", "b"]  # cut between two parts

    def test_a_word_of_a_script_without_spaces_has_32_code_points(self) -> None:
        costs = Costs.of(Words(["a" * 32, "b" * 33]), np.array([8] * 2, np.uint8))
        assert pieces(cut_unspaced("a" * 32 + "b" * 33, costs)) == ["a" * 32, "b" * 33]
        assert costs.longest == 32

    def test_logarithms_are_integers_and_close(self) -> None:
        for number in [*range(1, 5000), *(1 << k for k in range(48)), (1 << 47) - 1]:
            assert abs(logarithm(number) - 256 * np.log2(number)) < 23
            assert logarithm(number) <= logarithm(number + 1)
        assert [logarithm(1 << k) for k in range(48)] == [256 * k for k in range(48)]

    def test_an_unknown_code_point_costs_more_than_any_word(self) -> None:
        costs = Costs.of(Words(["a", "b"]), np.array([1, 255], np.uint8))
        assert costs.unknown == max(costs.words) + UNKNOWN

    def test_compounds(self) -> None:
        writing = replace(PLAIN, links=("", "s"), shortest_part=2)
        words = ["haus", "hau", "stür", "tür", "st", "ür"]
        costs = Costs.of(Words(words), np.array([8] * len(words), np.uint8))
        # The longest first part.
        assert cut_compound("haustür", writing, costs) == [("haus", 0), ("tür", 3)]
        rare = Costs.of(Words(words), np.array([1, 99, 99, 1, 1, 1], np.uint8))
        assert cut_compound("haustür", writing, rare) == [("hau", 1), ("stür", 2)]
        assert cut_compound("haus", writing, costs) == []
        long = replace(writing, shortest_part=4)
        assert cut_compound("haustür", long, costs) == []


def _cuts(text: str, words: Any) -> list[list[str]]:
    if not text:
        return [[]]
    sizes = [k for k in range(1, len(text) + 1) if k == 1 or text[:k] in words]
    return [[text[:k], *rest] for k in sizes for rest in _cuts(text[k:], words)]


class TestComposing:
    def test_it_is_the_normalization_form_c_of_words(self) -> None:
        """Of any assigned character with up to three marks behind it."""
        source = random.Random(3)
        marks = [chr(code) for first, last in MARKS for code in range(first, last + 1)]
        marks = [mark for mark in marks if unicodedata.category(mark) != "Cn" and normalize(mark)]
        letters = [chr(c) for c in range(0x61, 0x3100) if unicodedata.category(chr(c))[0] in "LM"]
        letters += [chr(code) for first, last in COMPOSED for code in range(first, last + 1)]
        uncased = [c for c in letters if normalize(c) == unicodedata.normalize("NFC", c)]
        bases = [c for c in uncased if c not in marks and not unicodedata.combining(c)]
        for letter in bases:
            text = letter + "".join(source.choices(marks, k=source.randint(0, 3)))
            assert normalize(text) == unicodedata.normalize("NFC", text), ascii(text)

    def test_it_doesn_t_depend_on_the_version_of_unicode(self) -> None:
        """What Unicode 3.2 had is composed today as it was then."""
        old = unicodedata.ucd_3_2_0
        marks = [chr(code) for first, last in MARKS for code in range(first, last + 1)]
        marks = [mark for mark in marks if old.category(mark) != "Cn"]
        for code in range(0x61, 0x3100):
            if old.category(chr(code)) != "Cn":
                text = chr(code) + marks[code % len(marks)] + marks[code * 7 % len(marks)]
                assert unicodedata.normalize("NFC", text) == old.normalize("NFC", text)

    def test_every_korean_syllable(self) -> None:
        every = "".join(map(chr, range(0xAC00, 0xD7A4)))
        assert normalize(unicodedata.normalize("NFD", every)) == every


class TestHostile:
    """100,000 code points without a space take no more work for each than usual ones."""

    SIZE = 100_000
    ALL = replace(
        ENGLISH,
        replaced=(("I", "ı"),),
        joiners=("\u200c",),
        before=("l'",),
        endings=(*ENGLISH.endings, "s", "es"),
        rewritten=(("s", "z"), ("'", "")),
        unspaced=HAN,
        links=("", "s"),
        shortest_part=1,
    )

    @pytest.mark.parametrize(
        "unit",
        [
            "酒",
            "酒店",
            "a",
            "s",
            "'s",
            "l'",
            "l'a\u200c",
            "can't",
            "σ",
            "a\u0301\u0327",
            "\u0327\u0301",
        ],
    )
    def test_the_work_is_linear(self, unit: str) -> None:
        words = Words(["酒店", "酒", "a", "s", "l'", "can"])
        tokenizer = Tokenizer(self.ALL, words, np.array([8] * 6, np.uint8))
        tokens = tokenizer.tokenize((unit * self.SIZE)[: self.SIZE])
        for token in tokens[:3]:
            tokenizer.look_up(token)
        assert words.asked < 20 * self.SIZE

    def test_a_long_token_is_itself(self) -> None:
        words = ["b" * (LONGEST - 2), "c" * (LONGEST + 1)]
        tokenizer = tokenizer_of(ENGLISH, words)
        assert tokenizer.look_up("b" * (LONGEST - 2) + "'s") == 0
        assert tokenizer.look_up("'" + "b" * (LONGEST - 2) + "'s") is None
        assert tokenizer.look_up("c" * (LONGEST + 1)) == 1


GOOD = {
    "language": "x" * 64,
    "replaced": {"I": "ıııı", "a": ""},
    "joiners": ["-", "\u200c"],
    "before": ["l'"] + [f"{i}'" for i in range(63)],
    "endings": [f"e{i}" for i in range(256)],
    "shortest_stem": 64,
    "spellings": {"x" * 64: "y" * 64, "a": "a", **{str(i): "y" for i in range(4094)}},
    "rewritten": [["a", "b"], ["a", ""], ["b", "a"]],
    "longest_run": 0,
    "unspaced": [[0, 0], [1, 5], [0x10FFFF, 0x10FFFF]],
    "links": ["", "s", "abcd"],
    "shortest_part": 1,
}


def test_what_is_within_limits_is_read() -> None:
    writing = read_writing(GOOD)
    assert writing
    assert writing.to_json() == GOOD
    assert read_writing(ENGLISH.to_json()) == ENGLISH


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("language", value) for value in ("", "x" * 65, "é", "a\n", 1, None)],
        *[("replaced", value) for value in ([], {"ab": ""}, {"": "a"}, {"a": "12345"}, {"a": 1})],
        ("replaced", {chr(0x4E00 + i): "" for i in range(257)}),
        *[("joiners", value) for value in ({}, "-", ["--"], ["-", "-"], [""], ["a"], ["'"], [1])],
        ("joiners", [chr(0x2010 + i) for i in range(8)] + [chr(0x201A + i) for i in range(9)]),
        *[("before", value) for value in ([""], ["a", "a"], ["a" * 65], [None], ["x"] * 2)],
        ("before", [str(i) for i in range(65)]),
        ("endings", [str(i) for i in range(257)]),
        *[("endings", value) for value in ("s", [""], ["s", "s"])],
        *[("shortest_stem", value) for value in (0, 65, 1.0, True, "1")],
        *[("spellings", value) for value in ([], {"a": ""}, {"": "a"}, {"a" * 65: "a"})],
        ("spellings", {"a": "a" * 65}),
        ("spellings", {str(i): "a" for i in range(4097)}),
        *[("longest_run", value) for value in (-1, 65, 2.0, True, "2", None)],
        *[
            ("rewritten", value)
            for value in ({}, [["a"]], [["a", "a"]], [["", "a"]], [["a", "b", "c"]])
        ],
        ("rewritten", [["a", "b"], ["a", "b"]]),
        ("rewritten", [[str(i), "a"] for i in range(65)]),
        *[
            ("unspaced", value)
            for value in ([[1]], [[2, 1]], [[0, 0x110000]], [[-1, 1]], [[0.0, 1]])
        ],
        *[
            ("unspaced", value)
            for value in ([[0, 5], [5, 6]], [[7, 8], [1, 2]], [[True, 2]], [1, 2])
        ],
        *[
            ("unspaced", value)
            for value in ([[0xD800, 0xDFFF]], [[0xDFFF, 0xE000]], [[0xD7FF, 0xD800]])
        ],
        ("unspaced", [[0x2D, 0x2D]]),  # a joiner
        ("unspaced", [[2 * i, 2 * i] for i in range(65)]),
        *[("links", value) for value in (["abcde"], ["", ""], "", [str(i) for i in range(9)])],
        *[("shortest_part", value) for value in (0, 65, None)],
    ],
)
def test_what_is_beyond_limits_is_refused(key: str, value: object) -> None:
    assert read_writing({**GOOD, key: value}) is None


@pytest.mark.parametrize("key", GOOD)
def test_keys_are_exactly_these(key: str) -> None:
    assert read_writing({name: value for name, value in GOOD.items() if name != key}) is None
    assert read_writing({**GOOD, f"{key}2": 1}) is None
    assert read_writing(list(GOOD)) is None


@pytest.mark.parametrize(
    ("writing", "text", "steps"),
    [
        (ENGLISH, "Don`t stop, it's 'rock' now", [0, 1, 2, 3, 4]),
        (replace(PLAIN, unspaced=((0xE01, 0xE4E),)), "วันนี้ฉันกินข้าว ฉันกิน", [0, 4]),
        (CHINESE, "酒店早餐，很差。王小明酒店", [0, 2, 4]),
        (replace(PLAIN, unspaced=((0x3041, 0x9FFF),)), "私は東京に行きます。コーヒー", [0, 6]),
        (PERSIAN, "می\u200cخواهم کتاب", [0, 1]),
    ],
)
def test_each_word_is_finished_once_when_it_is_over(
    writing: Writing, text: str, steps: Sequence[int]
) -> None:
    """Letter by letter: nothing is finished before its words are over."""
    words = [
        "วันนี้",
        "ฉัน",
        "กิน",
        "ข้าว",
        "酒店",
        "早餐",
        "很",
        "差",
        "私",
        "は",
        "東京",
        "に",
        "行き",
        "ます",
    ]
    tokenizer = tokenizer_of(writing, words)
    released: list[str] = []
    met, rest = [0], ""
    for letter in text:
        rest += letter
        finished = tokenizer.finished(rest)
        released += tokenizer.tokenize(finished)
        rest = rest.removeprefix(finished)
        met += [len(released)] * (len(released) != met[-1])
        assert released == tokenizer.tokenize(text)[: len(released)]
    assert met == steps
    assert released + tokenizer.tokenize(rest) == tokenizer.tokenize(text)


def test_what_is_finished_stays_so_whatever_follows() -> None:
    source = random.Random(5)
    writing = replace(CHINESE, joiners=("-",), replaced=(("x", ""), ("y", " z"), ("။", ". ")))
    tokenizer = tokenizer_of(writing, ["酒店", "酒", "店", "早餐"])
    for _ in range(3000):
        text = "".join(
            source.choices("aσΣ酒店早餐-`´'.,\u00ad\u0301ﬁxy။ ", k=source.randint(1, 12))
        )
        finished = tokenizer.finished(text)
        assert text.startswith(finished)
        rest = text.removeprefix(finished)
        assert tokenizer.tokenize(finished) + tokenizer.tokenize(rest) == tokenizer.tokenize(text)
