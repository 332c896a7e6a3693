"""The benchmark of languages: no text is measured that the bundle counts."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import language_data, written_in
from benchmarks.language_data import LANGUAGES, STRETCH, Language, Table
from brrkit.writing import ENGLISH
from brrkit_toolchain import BuildPlan

TEXTS = [f"text {number}" for number in range(3 * STRETCH)]
NOVEL = Table("novel.txt.xz")
MESSAGES = "everyday/nus-sms.tsv.xz"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.setattr(language_data, "DATA", tmp_path)
    monkeypatch.setattr(written_in, "DATA", tmp_path)

    def write(table: Table, *texts: str) -> None:
        content = "".join(f"{text}\n" for text in texts)
        (tmp_path / table.file).write_bytes(lzma.compress(content.encode()))

    return write


def test_a_text_is_counted_or_measured_in_stretches(write: Callable[..., None]) -> None:
    write(NOVEL, *TEXTS)
    counted, measured = written_in.halves(Language("", "", NOVEL))
    assert counted == TEXTS[:STRETCH] + TEXTS[2 * STRETCH :]
    assert measured == TEXTS[STRETCH : 2 * STRETCH]


def test_what_is_in_both_halves_is_not_measured(write: Callable[..., None]) -> None:
    texts = list(TEXTS)
    texts[STRETCH + 5] = "text  7"
    write(NOVEL, *texts)
    _, measured = written_in.halves(Language("", "", NOVEL))
    assert len(measured) == STRETCH - 1
    assert "text 7" not in measured


def test_all_is_measured_where_another_text_is_counted(write: Callable[..., None]) -> None:
    other = Table("comments.txt.xz")
    write(NOVEL, *TEXTS)
    write(other, "a comment", "text 7")
    counted, measured = written_in.halves(Language("", "", NOVEL, counted=other))
    assert counted == ["a comment", "text 7"]
    assert measured == TEXTS[:7] + TEXTS[8:]


def test_words_are_those_that_a_text_has() -> None:
    words = ["the", "of", "house", "fjord", "do"]
    assert written_in.words_in(["The house!", "don't"], words, ENGLISH) == ["the", "house", "do"]


@pytest.mark.parametrize(
    ("code", "trained_on", "words"), [("fr", False, 4), ("zh", True, 2), ("en-typed", False, 4)]
)
def test_a_bundle_counts_no_measured_text(
    code: str,
    trained_on: bool,
    words: int,
    write: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert LANGUAGES[code].trained_on == trained_on
    vectors = "".join(f"{word} 1 {rank}\n" for rank, word in enumerate(("a", "b", "c", "d")))
    (tmp_path / "some.vec").write_text(f"4 2\n{vectors}")
    write(NOVEL, *["a b"] * STRETCH, *["a c ."] * STRETCH)
    write(Table("other.txt.xz"), *["a d"] * STRETCH)
    language = replace(LANGUAGES[code], vectors="some.vec", text=NOVEL, task=None)
    if language.counted:
        language = replace(language, counted=Table("other.txt.xz"))
    monkeypatch.setitem(LANGUAGES, code, language)
    plans: list[BuildPlan] = []
    known: list[Any] = []

    def build(_source: object, _output: object, plan: BuildPlan) -> None:
        plans.append(plan)
        raise KeyboardInterrupt

    monkeypatch.setattr(written_in, "build_bundle", build)
    monkeypatch.setattr(written_in, "_near", lambda *_: {})
    monkeypatch.setattr(
        written_in, "_known", lambda tokenizer, text: known.append((tokenizer, text))
    )
    with pytest.raises(KeyboardInterrupt):
        written_in.measure(code, tmp_path)
    counted = set(Path(str(plans[0].text)).read_text(encoding="utf-8").splitlines())
    assert counted == ({"a d"} if language.counted else {"a b"})
    for tokenizer, text in known:
        assert len(tokenizer.vocabulary) == words
        assert text
        assert not counted & set(text)


def test_messages_are_only_measured() -> None:
    typed = LANGUAGES["en-typed"]
    assert typed.text.file == MESSAGES
    for language in LANGUAGES.values():
        assert (language.counted or language.text).file != MESSAGES
