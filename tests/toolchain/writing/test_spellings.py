"""Tables of spellings: what is read, what is refused, and to which word each leads."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from brrkit import ParameterError
from brrkit.tokenizer import look_up
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.writing.of_vocabulary import writing_of
from brrkit_toolchain.writing.spellings import (
    MOST_SPELLINGS,
    fit_spellings,
    is_form_of_numbers,
    read_spellings,
)

WORDS = ["tomorrow", "do", "going", "want", "to", "can't", "7pm", "until", "you"]
SECRET = "qzvypassphrase"


def table(folder: Path, content: bytes, name: str = "spellings.tsv") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def fitted(given: dict[str, str], words: list[str] = WORDS) -> dict[str, str]:
    return fit_spellings(ENGLISH, given, words).word_of


def as_looked_up(writing: Writing, token: str, words: list[str] = WORDS) -> str | None:
    ids = {word: number for number, word in enumerate(words)}
    found = look_up(token, ids.get, writing)
    return None if found is None else words[found]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.tsv", b"tmr\ttomorrow\ndont\tdon't\n"),
        ("s.tsv", "\ufeffspelling\tword\r\nTMR\t Tomorrow\r\n\r\ndont\tdon’t\n".encode()),
        ("s.csv", b'spelling,word\n"tmr",tomorrow\n\ndont,don\'t\ntmr,tomorrow'),
        ("s.tsv.gz", gzip.compress(b"'tmr\ttomorrow\ndont'\tdon't\n", mtime=0)),
    ],
)
def test_tables_are_read(tmp_path: Path, name: str, content: bytes) -> None:
    read = read_spellings(table(tmp_path, content, name), ENGLISH)
    assert read == {"tmr": "tomorrow", "dont": "don't"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "has no spellings"),
        (b"spelling\tword\n", "has no spellings"),
        (b"tmr\ttomorrow\n%s\n", "line 2 has 1 columns"),
        (b"%s\ttomorrow\tmore\n", "line 1 has 3 columns"),
        (b"%s\t \n", "line 1 has an empty spelling or word"),
        (b"'\t%s\n", "line 1 has an empty spelling or word"),
        (b"%s\t%s\n", "line 1 has the same spelling and word"),
        (b"w/%s\twithout\n", "line 1: its spelling is cut in texts"),
        (b"see %s\tyou\n", "line 1: its spelling is cut in texts"),
        (b"%s\t" + b"w" * 65 + b"\n", "line 1 has more than 64 characters"),
        (b"a\tb\n%s\tc\n%s\tb\n", "line 3 has another word for the spelling of line 2"),
        (b"tmr\ttomorrow\n%s\ta\na\tb\nb\t%s\n", "line 2 leads back to its own spelling"),
        (b"a\t%s\xff\n", "line 1 isn't UTF-8"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    """By file and line; what a line holds isn't said."""
    path = table(tmp_path, content.replace(b"%s", SECRET.encode()))
    with pytest.raises(ParameterError) as refused:
        read_spellings(path, ENGLISH)
    assert str(refused.value).startswith(f"{path}: {says}")
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("missing.tsv", "can't be read"),
        ("s.txt", "spellings are a .tsv or .csv file"),
        ("s.parquet", "spellings are a .tsv or .csv file"),
        ("s.csv", "line 1 isn't CSV"),
    ],
)
def test_files_of_another_kind(tmp_path: Path, name: str, says: str) -> None:
    if name != "missing.tsv":
        table(tmp_path, b'"tmr,tomorrow\n', name)
    with pytest.raises(ParameterError, match=f"{name}: {says}"):
        read_spellings(tmp_path / name, ENGLISH)


def test_a_bundle_has_so_many_spellings(tmp_path: Path) -> None:
    """Those of the language count, too, but for one that is given again."""
    most = MOST_SPELLINGS - len(ENGLISH.spellings)
    lines = [b"can't\tcannot\n", *(b"s%d\tword\n" % i for i in range(most))]
    assert len(read_spellings(table(tmp_path, b"".join(lines)), ENGLISH)) == most + 1
    with pytest.raises(ParameterError, match=rf"line {most + 2}: .* {MOST_SPELLINGS:,} spellings"):
        read_spellings(table(tmp_path, b"".join([*lines, b"more\tword\n"])), ENGLISH)


def test_spellings_lead_to_words() -> None:
    """Through endings, other spellings and forms of numbers; those that don't are left out."""
    given = {
        "tmr": "tomorrow",
        "dont": "don't",  # do, without its ending
        "tomoz": "tmr's",  # an ending, then a spelling
        "2moz": "tomoz",
        "gunna": "gonna",
        "gonna": "going to",
        "til": "until",
        "00pm": "7pm",
        "nine": "9pm",
        "lost": "gone",
    }
    led = fitted(given)
    assert led == {
        **{"tmr": "tomorrow", "dont": "do", "tomoz": "tomorrow", "2moz": "tomorrow"},
        **{"til": "until", "00pm": "7pm"},
    }
    writing = fit_spellings(ENGLISH, given, WORDS)
    for spelling, word in led.items():
        assert as_looked_up(writing, spelling) == word
    assert as_looked_up(writing, "12pm") == "7pm"
    assert as_looked_up(writing, "'TMR'") == "tomorrow"
    assert as_looked_up(writing, "lost") is None


def test_spellings_that_lead_back_through_endings_are_left_out() -> None:
    assert fitted({"one": "two's", "two": "one's", "tmr": "tomorrow"}) == {"tmr": "tomorrow"}


def test_a_long_chain_leads_to_its_word() -> None:
    given = {f"s{i}": f"s{i + 1}" for i in range(4_000)} | {"s4000": "you"}
    assert set(fitted(given).values()) == {"you"}
    assert len(fitted(given)) == 4_001


def test_the_languages_own_are_kept_where_they_say_something() -> None:
    """What is given counts; a spelling that is a word isn't looked up, but for numbers."""
    words = [*WORDS, "can", "will", "00"]
    assert fitted({"wont": "will"}, words) == {"won't": "will", "wont": "will"}
    assert fitted({"won't": "do"}, words) == {"won't": "do"}
    assert fitted({"00": "7pm"}, words) == {"won't": "will", "00": "7pm"}


def test_english_of_which_nothing_is_given_stays() -> None:
    assert fit_spellings(ENGLISH, {}, ["word"]) is ENGLISH
    given = replace(writing_of("fr"), spellings=(("slt", "salut"), ("bjr", "bonjour")))
    assert fit_spellings(given, {}, ["salut"]).spellings == (("slt", "salut"),)


def test_forms_of_numbers() -> None:
    assert all(map(is_form_of_numbers, ("0", "00pm", "0th")))
    assert not any(map(is_form_of_numbers, ("tmr", "2moro", "10", "")))
