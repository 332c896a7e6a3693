"""``brr candidates``: what a text has and a vocabulary lacks, as ``brr list`` takes it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bundle_tools import leftovers

from brrkit import ParameterError, WordBundle
from brrkit.writing import ENGLISH
from brrkit_counting import Candidate, build_list, find_candidates
from brrkit_counting.candidates import _without_forms, write_candidates

if TYPE_CHECKING:
    from conftest import Brr

NEWS = (
    "The qvak is here, says Xandor's qvaker.",
    "Qvak! qvak the qvak of Xandor",
    "XANDOR and only-once zzsolo zzsolo",
    "10 2017 the 3qv 3qv",
    f"the {'q' * 300} {'q' * 300} 3qv",
    f"{'q' * 300}",
)


@pytest.fixture
def news(tmp_path: Path) -> Path:
    (tmp_path / "news.txt").write_text("\n".join(NEWS), "utf-8")
    return tmp_path / "news.txt"


def pairs(found: tuple[Candidate, ...]) -> dict[str, int]:
    return {each.word: each.count for each in found}


def test_words_that_several_texts_have(opened: WordBundle, news: Path) -> None:
    assert pairs(find_candidates(opened, news)) == {"qvak": 4, "xandor": 2, "3qv": 3}
    every = pairs(find_candidates(opened, news, least=1))
    assert every["zzsolo"] == 2
    assert every["xandor"] == 3  # with "xandor's", which one text has
    assert not any(len(word) > 256 or word.isdigit() for word in every)
    assert all(opened.vocabulary.find(word) is None for word in every)


def test_a_table_has_a_column(opened: WordBundle, tmp_path: Path) -> None:
    with (tmp_path / "news.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("day", "body"), *(("qvok", text) for text in NEWS)])
    found = find_candidates(opened, tmp_path / "news.csv", column="body")
    assert pairs(found) == {"qvak": 4, "xandor": 2, "3qv": 3}
    with pytest.raises(ParameterError, match="name the one that contains the texts"):
        find_candidates(opened, tmp_path / "news.csv")


def test_emoji_that_a_list_lacks(tmp_path: Path) -> None:
    (tmp_path / "e.txt").write_text("😀\n❤️\n", "utf-8")
    build_list(tmp_path / "e.txt", tmp_path / "e")
    (tmp_path / "t.txt").write_text("😀🎂 x\n🎂❤️👍\n👍🏽\n", "utf-8")
    found = find_candidates(WordBundle.open(tmp_path / "e"), tmp_path / "t.txt", least=1)
    assert pairs(found) == {"🎂": 2, "👍": 1, "👍🏽": 1}


@pytest.mark.parametrize("name", ["new.csv", "new.tsv", "new.jsonl", "new.txt"])
def test_a_list_takes_them(opened: WordBundle, news: Path, name: str) -> None:
    found, output = find_candidates(opened, news), news.parent / name
    write_candidates(output, found)
    result = build_list(output, news.parent / "made")
    assert (result.strings, result.kind) == (3, "words")
    made = WordBundle.open(news.parent / "made")
    assert [made.vocabulary.word(i) for i in range(3)] == [each.word for each in found]
    assert made.manifest["base"]["masses"] == ("ranks" if name == "new.txt" else "counts")
    assert made.tokenizer.look_up("Xandor's") == made.vocabulary.find("xandor") is not None


def test_the_command(brr: Brr, sample_bundle: Path, news: Path) -> None:
    output = news.parent / "new.csv"
    arguments = ["candidates", sample_bundle, "--text", news, "--output", output]
    shown = brr(*arguments)
    assert shown.code == 0
    assert shown.out == (
        f"3 words that {sample_bundle} lacks: qvak 4, 3qv 3, xandor 2\nWrote {output}\n"
    )
    assert output.read_text("utf-8") == "word,count\nqvak,4\n3qv,3\nxandor,2\n"
    found = json.loads(brr(*arguments, "--json", "--least", "1", "--most", "1").out)
    assert found == [{"word": "qvak", "count": 4}]
    none = brr(*arguments, "--least", "99")
    assert none.out.startswith("0 words that")
    assert output.read_text("utf-8") == "word,count\n"


def test_what_is_refused(brr: Brr, sample_bundle: Path, news: Path) -> None:
    for wrong in (["--least", "0"], ["--most", "0"], ["--output", news.parent / "new.doc"]):
        refused = brr("candidates", sample_bundle, "--text", news, *wrong)
        assert refused.code != 0
        assert refused.err.count("\n") == 1
    assert brr("candidates", sample_bundle).code == 2
    assert leftovers(news.parent) == ["news.txt"]
    for options in ({"least": 0}, {"most": 0}):
        with pytest.raises(ParameterError, match="least and most must be 1 or more"):
            find_candidates(WordBundle.open(sample_bundle), news, **options)


def test_two_spellings_of_one_another_end() -> None:
    writing = replace(ENGLISH, rewritten=(("k", "q"), ("q", "k")))
    assert sum(_without_forms({"kv": 3, "qv": 3, "zq": 1}, writing).values()) == 7
