"""Texts to tokens to words: hand-written expectations, and the tables against Unicode's."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from brrkit.characters import (
    APOSTROPHES,
    BASES,
    COMPOSED,
    INVISIBLE,
    LOOKALIKES,
    LOWERCASED,
    MARKS,
    PICTOGRAPHS,
    SEPARATORS,
    STYLED,
)
from brrkit.normal_form import normalize
from brrkit.tokenizer import look_up, tokenize
from brrkit.writing import ENGLISH, read_writing

CLITICS, SPELLINGS = ENGLISH.endings, ENGLISH.word_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \t\r\n", []),
        ("?!... -- «»", []),
        ("'", []),
        ("' '' ’’ '", []),
        ("The quick BROWN fox.", ["the", "quick", "brown", "fox"]),
        ("don't", ["don't"]),
        ("don’t", ["don't"]),
        ("DON＇T donʼt", ["don't", "don't"]),
        ("'tis the dogs' 'quoted'", ["'tis", "the", "dogs'", "'quoted'"]),
        ('‘single’ “double” „low‟ ‹a› "b"', ["single'", "double", "low", "a", "b"]),
        ("''twice''", ["''twice''"]),
        ("rock'n'roll", ["rock'n'roll"]),
        ("a''b", ["a''b"]),
        ("x - ' - y", ["x", "y"]),
        ("well-known e-mail", ["well", "known", "e", "mail"]),
        ("snake_case __init__", ["snake", "case", "init"]),
        ("one—two–three…four", ["one", "two", "three", "four"]),
        ("3.14 1,000 50% $5 7a", ["3", "14", "1", "000", "50", "5", "7a"]),
        ("me@example.com #tag", ["me", "example", "com", "tag"]),
        ("a\u00a0b\u2003c\u3000d\u200be\ufefff", ["a", "b", "c", "def"]),
        ("nul\x00byte\x85next\x7fdel", ["nul", "byte", "next", "del"]),
        ("hi👍🏽there 👩‍👩‍👧 ok☺\ufe0f", ["hi", "there", "ok"]),
        ("🇩🇪x1\ufe0f\u20e3", ["x1"]),
        ("½ x² 2³", ["x", "2"]),
        ("café CAFÉ", ["café", "café"]),
        ("cafe\u0301 CAFE\u0301 \u0301x", ["café", "café", "\u0301x"]),
        ("İstanbul ISPARTA ı", ["istanbul", "isparta", "ı"]),
        ("ΟΔΟΣ οδός Σ ΣΑΣ'", ["οδος", "οδός", "σ", "σας'"]),
        ("Straße STRASSE ẞ", ["straße", "strasse", "ß"]),
        ("ДОМ Ёлка Ҋ", ["дом", "ёлка", "ҋ"]),
        ("ԲԱՐԵՒ՝ Ձեզ։", ["բարեւ", "ձեզ"]),
        ("Ǆ ǅ ǆ", ["dž", "dž", "dž"]),
        ("Ἀθῆναι ᾈ", ["ἀθῆναι", "ᾀ"]),
        ("ＡＢＣ１，２", ["abc1", "2"]),
        ("שלום־עולם", ["שלום", "עולם"]),
        ("مرحبا، كيف؟", ["مرحبا", "كيف"]),
        ("你好，世界。", ["你好", "世界"]),
        ("नमस्ते। दुनिया", ["नमस्ते", "दुनिया"]),
        ("lone\ud800surrogate", ["lone", "surrogate"]),
        ("private\ue000use \U000e0041tag", ["private", "use", "tag"]),
    ],
)
def test_tokens_of_a_text(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


KNOWN = {
    *("do", "n't", "it", "'s", "o'clock", "world", "we", "can", "ca", "will", "shall", "wo", "o"),
    *("rock'n", "'cause", "cause", "could", "dogs", "y'all", "dogs'd", "don"),
}


@pytest.mark.parametrize(
    ("token", "word"),
    [
        ("Don’t", "do"),  # one word, though the vocabulary has "n't", too
        ("it's", "it"),
        ("world's", "world"),
        ("we're", "we"),
        ("we've", "we"),
        ("we'll", "we"),
        ("we'd", "we"),
        ("o'clock", "o'clock"),  # known as a whole
        ("o'clock's", "o'clock"),
        ("o'brien", None),  # not "o": "'brien" is no clitic
        ("o'toole's", None),
        ("I'm", None),  # nor is "i" known
        ("can't", "can"),
        ("WON’T", "will"),
        ("shan't", "shall"),
        ("can't've", "can"),
        ("couldn't've", "could"),
        ("y'all'd've", "y'all"),
        ("rock'n'roll", None),
        ("rock'n", "rock'n"),
        ("zebra's", None),
        ("dogs'd's", "dogs'd"),  # the first that there is
        ("it's's's", "it"),
        ("'it's'", "it"),
        ("''dogs''", "dogs"),
        ("'cause", "'cause"),  # as a whole before the apostrophes go
        ("'cause'", "cause"),
        ("'s", "'s"),
        ("''s", None),  # "s" isn't known, and nothing is left of "'s"
        ("n't", "n't"),
        ("'n't", "n't"),
        ("n't's", "n't"),
        ("'d've", None),
        ("it''s", None),  # "it'": apostrophes go at the ends of the token only
        ("dont", None),
        ("it't", None),
        ("", None),
        ("'", None),
        ("'''", None),
        ("it world", None),
        ("it,", None),
        (" it", None),
        ("...", None),
    ],
)
def test_a_token_is_one_word_or_unknown(token: str, word: str | None) -> None:
    ids = {word: number for number, word in enumerate(KNOWN)}
    assert look_up(token, ids.get) == (None if word is None else ids[word])


def test_the_first_word_s_id_is_found() -> None:
    assert look_up("it's", {"it": 0}.get) == 0  # an id of 0 isn't nothing


def test_a_spelling_is_looked_up_itself_first() -> None:
    for form, word in SPELLINGS.items():
        known = {form: 1, word: 2, form.removesuffix("n't"): 3}
        assert [look_up(form, known.get), look_up(form + "'ve", known.get)] == [1, 1]
        del known[form]
        assert [look_up(form, known.get), look_up(f"'{form}'d'", known.get)] == [2, 2]
        del known[word]
        assert look_up(form, known.get) is None  # never what is left without the clitic


def test_no_string_ends_in_two_clitics() -> None:
    for one, other in combinations(CLITICS, 2):
        assert not one.endswith(other)
        assert not other.endswith(one)


SPECIFICATION = (Path(__file__).parents[2] / "spec" / "bundle-format.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "ranges"),
    [
        ("separators", SEPARATORS),
        ("marks", MARKS),
        ("bases", BASES),
        ("composed", COMPOSED),
        ("styled", STYLED),
        ("invisible", INVISIBLE),
        ("pictographs", PICTOGRAPHS),
    ],
)
def test_the_tables_are_the_specification_s(name: str, ranges: tuple[tuple[int, int], ...]) -> None:
    table = re.search(rf"```{name}\n(.*?)```", SPECIFICATION, re.DOTALL)
    assert table
    entries = [entry.split("-") for entry in table[1].split()]
    specified = [(int(bounds[0], 16), int(bounds[-1], 16)) for bounds in entries]
    assert specified == list(ranges)


def test_english_is_the_specification_s() -> None:
    section = SPECIFICATION.partition("### Writing\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| `(\w+)` \|.*\| (\S.*) \|$", section, re.MULTILINE)
    english = {name: json.loads(value.strip("`")) for name, value in rows}
    assert english == ENGLISH.to_json()
    assert read_writing(english) == ENGLISH


def test_the_specification_s_examples() -> None:
    own = r"(?:, with `([^`]*)` for `([^`]*)` in `spellings`)?"
    rows = re.findall(rf"^\| `([^`]*)`{own} \| (`[^|]*`) \|$", SPECIFICATION, re.MULTILINE)
    assert len(rows) == 12
    for token, spelling, word, listed in rows:
        writing = replace(ENGLISH, spellings=(*ENGLISH.spellings, (spelling, word)))
        tried: list[str] = []
        # append returns None: nothing is known
        assert look_up(token, tried.append, writing) is None
        assert list(dict.fromkeys(tried)) == re.findall("`([^`]*)`", listed)


def ranges_hold(ranges: tuple[tuple[int, int], ...], code_point: int) -> bool:
    return any(first <= code_point <= last for first, last in ranges)


def test_ranges_are_sorted_and_disjoint() -> None:
    for ranges in (SEPARATORS, LOWERCASED, MARKS, BASES, COMPOSED, STYLED, INVISIBLE, PICTOGRAPHS):
        bounds = [bound for pair in ranges for bound in pair]
        assert bounds == sorted(bounds)
        assert len({first for first, _ in ranges}) == len(ranges)
        assert all(a[1] < b[0] for a, b in pairwise(ranges))


CHECKED = [*range(0x0590), *range(0x1E00, 0x2070)]

WORD_THOUGH_NOT_A_LETTER = {
    0x0027,  # the apostrophe: stripped from the ends of runs
    0x2019,  # the same, typographic
    *range(0x02E5, 0x02EC),  # tone letters: phonetic transcriptions, part of the word
    0x02ED,
    *range(0x02EF, 0x0300),  # phonetic modifiers, like the letters around them
    0x03F6,  # a mathematical epsilon among the Greek letters
    0x0482,  # Cyrillic thousands sign: stands before a numeral, part of the number
    # Spacing Greek accents: old typesetting writes them before a capital, part of the word.
    0x1FBD,
    0x1FBF,
    *range(0x1FC0, 0x1FC2),
    *range(0x1FCD, 0x1FD0),
    *range(0x1FDD, 0x1FE0),
    *range(0x1FED, 0x1FF0),
    *range(0x1FFD, 0x1FFF),
}
SEPARATOR_THOUGH_A_NUMBER = {0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE}  # ² ³ ¹ ¼ ½ ¾


def test_letters_marks_and_digits_make_words_and_nothing_else_does() -> None:
    """Fails for any assigned code point on the wrong side, except those spelled out above."""
    letters, others = set(), set()
    for code_point in CHECKED:
        category = unicodedata.category(chr(code_point))
        if category != "Cn":  # unassigned
            (letters if category[0] in "LMN" else others).add(code_point)
    separators = {code_point for code_point in CHECKED if ranges_hold(SEPARATORS, code_point)}
    assert letters & separators == SEPARATOR_THOUGH_A_NUMBER
    assert others - separators == WORD_THOUGH_NOT_A_LETTER


# Where Unicode counts signs among the letters and marks: superscripts, letterlike and mathematical
# symbols, musical notation, variation selectors, tags.
CUT_LETTERS = ((0x2000, 0x2BFF), (0x2E00, 0x2E7F), (0xFE00, 0xFE1F), (0x1D000, 0x1DAFF))
CUT_LETTERS += ((0x1F000, 0x1FBFF), (0xE0000, 0x10FFFF))


def test_no_letter_of_any_other_block_separates() -> None:
    for first, last in SEPARATORS:
        for code_point in range(first, last + 1):
            category = unicodedata.category(chr(code_point))
            if category[0] in "LM" or category == "Nd":
                assert ranges_hold(CUT_LETTERS, code_point), hex(code_point)


@pytest.fixture(scope="module")
def normalized() -> list[str]:
    """What becomes of each code point by itself."""
    return [normalize(chr(code)) for code in range(0x110000)]


def test_the_pattern_cuts_exactly_at_the_table(normalized: list[str]) -> None:
    cut = {code for first, last in SEPARATORS for code in range(first, last + 1)}
    expected = []
    for character in normalized:
        between = "'" if character and character in LOOKALIKES else character
        cuts = between and ord(between[0]) in cut
        expected += ["ʘ", "b"] if cuts else [f"ʘ{between}b"]
    # Nothing composes with this letter.
    assert tokenize(" ".join(f"ʘ{chr(code)}b" for code in range(0x110000))) == expected


def test_lower_case_is_python_s_code_point_by_code_point() -> None:
    for first, last in LOWERCASED:
        for code_point in range(first, last + 1):
            character = chr(code_point)
            expected = character.lower()
            if code_point == 0x0130:  # the only one whose full mapping is longer
                expected = "i"
            if code_point in APOSTROPHES:
                expected = "'"
            if ranges_hold(INVISIBLE, code_point):
                expected = ""
            if ranges_hold(STYLED, code_point):
                expected = unicodedata.normalize("NFKC", character).lower().replace("ʼ", "'")
            if ranges_hold(COMPOSED, code_point):
                expected = unicodedata.normalize("NFC", character).lower().replace("ʹ", "'")
            assert normalize(character) == expected, hex(code_point)


def test_nothing_else_changes(normalized: list[str]) -> None:
    assert len(normalized) == 0x110000
    for code_point, character in enumerate(normalized):
        if character != chr(code_point):
            tables = (*LOWERCASED, *COMPOSED, *STYLED, *INVISIBLE)
            inside = ranges_hold(tables, code_point) or code_point in APOSTROPHES
            assert inside, hex(code_point)


def test_what_looks_like_an_apostrophe_is_one_between_letters() -> None:
    for character in LOOKALIKES + "'ʹʻʼʽ’＇":
        assert normalize(f"Don{character}t") == "don't"
        assert normalize(f"п{character}ять") == "п'ять"
    for character in LOOKALIKES:
        for text in (f"{character}code{character}", f"a {character}b", f"a{character}{character}b"):
            assert normalize(text) == text
    assert normalize("a´b´c") == "a'b'c"
    assert normalize("don`\u00adt") == "don't"
    joined = replace(ENGLISH, joiners=("`",))
    assert normalize("a`b´c", joined) == "a`b'c"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("oﬃce ﬂuﬀ ﬅ ĳs Ǆ ŉ ﬓ", "office fluff st ijs dž 'n մն"),
        ("ＡＢＣ１２ ｶﾞｷﾞ", "abc12 ガギ"),
        ("𝗴𝗼𝘃 𝓣𝓱𝓮 ℬℯ 𝟒𝟚 ⓖⓞ 🄰 𝐞\u0301 𝚤", "gov the be 42 go a é ı"),
        ("ﻼ ﺋ ﷲ ﮒ", "لا ئ الله گ"),
        ("\u212a \u212b \u2126", "k å ω"),
        ("gov\u00adern\u200bment \ufeffthe r\u2060tl\u200f", "government the rtl"),
        ("葛\U000e0100 a\u200db\u200cc", "葛 abc"),
        # What stays as it is.
        ("ﷺ ª ² ½ 🅰 ᴀ ſ ⒜ &amp; ﹰ", "ﷺ ª ² ½ 🅰 ᴀ ſ ⒜ &amp; ﹰ"),
    ],
)
def test_unusual_letters_are_plain_ones(text: str, normal: str) -> None:
    assert normalize(text) == normal
    assert normalize(normal) == normal


def test_a_writing_may_keep_what_is_invisible() -> None:
    persian = replace(ENGLISH, joiners=("\u200c",))
    assert tokenize("می\u200cخواهم \u200cمی\u200c", persian) == ["می\u200cخواهم", "می"]
    thai = replace(ENGLISH, replaced=(("\u200b", " "), ("ﬁ", "x")))
    assert tokenize("a\u200bb\u00adc ﬁ", thai) == ["a", "bc", "x"]


def random_texts() -> list[str]:
    generator = random.Random(1)
    interesting = "aZ'’-_ \t.éÉİΣςßǅ\u0301\u200d👍ԲД5\ud800`´ﬁｶﾞ\u00ad"
    texts = []
    for _ in range(3000):
        size = generator.randrange(12)
        common = generator.choices(interesting, k=size)
        rare = [chr(generator.randrange(0x110000)) for _ in range(size // 3)]
        mixed = common + rare
        generator.shuffle(mixed)
        texts.append("".join(mixed))
    return texts


def test_normalizing_twice_is_once() -> None:
    for text in random_texts():
        once = normalize(text)
        assert normalize(once) == once


def test_tokens_of_a_random_text_are_tokens() -> None:
    for text in random_texts():
        tokens = tokenize(text)
        for token in tokens:
            assert tokenize(token) == [token]  # nothing left to cut or lower
        assert tokenize(" ".join(tokens)) == tokens
        assert tokenize(f" {text}\n") == tokens
        assert tokenize(text.replace("'", "’")) == tokens
