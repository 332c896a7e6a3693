"""The tutorials, followed to the letter: each block of commands and of Python runs as it stands, in
order, in one folder, and shows what the page says.

Each line of a block ``text`` stands in the output, in order, with its numbers to within 1%, and
``…`` for anything. A block without a language shows what differs in each run: there, only the
first word of each line does.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from bundle_tools import data_path, text_embeddings
from typed_text import WORDS, topic_texts, topic_vectors

from benchmarks import candidates
from brrkit import PrivacyBudget, WordBundle
from brrkit.bundle import SAMPLE

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Return a tutorial's blocks, without the one that installs: each a language and its lines."""
    for language, lines in BLOCK.findall((DOCS / page).read_text("utf-8")):
        if not lines.startswith("pip install "):
            yield language, lines


def shell(lines: str) -> str:
    """Return what commands print; the first that fails ends them."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-euc", lines],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def is_same(shown: str, printed: str) -> bool:
    """Tell whether two words are the same, up to 1% of the numbers in them."""
    stated, found = (
        [float(number.replace(",", "")) for number in NUMBER.findall(word)]
        for word in (shown, printed)
    )
    rest = NUMBER.sub("0", shown) == NUMBER.sub("0", printed)
    return rest and found == pytest.approx(stated, rel=0.01)


def shows(shown: list[str], line: list[str]) -> bool:
    """Tell whether a line of output, in words, is what a page shows."""
    if not shown:
        return not line
    if shown[0] == "…":
        return any(shows(shown[1:], line[start:]) for start in range(len(line) + 1))
    return bool(line) and is_same(shown[0], line[0]) and shows(shown[1:], line[1:])


def follow(page: str) -> str:
    """Run a tutorial in this folder, compare what is printed and shown, return the last output."""
    names: dict[str, object] = {}
    output = ""
    for language, lines in blocks(page):
        if language == "sh":
            output = shell(lines)
        elif language == "python":
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(lines, names)
            output = said.getvalue()
        elif language == "text":
            rest = iter(output.splitlines())
            for line in filter(lambda line: line != "…", lines.splitlines()):
                stands = any(shows(line.split(), printed.split()) for printed in rest)
                assert stands, f"{line}\n\n{output}"
        elif not language:
            first = {line.split()[0] for line in output.splitlines() if line.strip()}
            for line in filter(None, lines.splitlines()):
                assert line.startswith((" ", "…")) or line.split()[0] in first, f"{line}\n{output}"
    return output


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("ok 3 files of 346,182 bytes …", "ok    3 files of 345,900 bytes, and more", False),
        ("ok 3 files of 346,182 bytes, …", "ok    3 files of 345,900 bytes, and more", True),
        ("ok 3 files of 346,182 bytes, …", "ok    3 files of 376,182 bytes, and more", False),
        ("cap=15.25 … 0.197 …", "cap=15.25 0.8463 0.197 0.523 x", True),
        ("cap=15.25 … 0.297 …", "cap=15.25 0.8463 0.197 0.523 x", False),
        ("a 0.5", "b 0.5", False),
        ("a", "a 0.5", False),
    ],
)
def test_a_line_is_compared(shown: str, printed: str, same: bool) -> None:
    assert shows(shown.split(), printed.split()) is same


@pytest.mark.nightly("the tests of each command that they use")
@pytest.mark.false_alarm(1e-9)
def test_the_tutorials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They work, and it is found which words became more frequent, and which less.

    Of the keyboard only what is in the shell runs here: ``tests/android/test_first_hour.py``.
    The differences are beyond what is taken for a change by 8 standard deviations or more.
    """
    monkeypatch.chdir(tmp_path)
    follow("tutorial/first-bundle.md")
    assert Path("report.html").exists()
    follow("tutorial/keyboard.md")
    changes = follow("tutorial/counts.md").split("adj.\n")[1]
    rose = {line.split()[0]: line.split()[3][0] == "+" for line in changes.splitlines()}
    typed = dict.fromkeys(("the", "bus", "is", "late"), True)
    typed |= dict.fromkeys(("we", "play", "music", "at", "home"), False)
    assert typed.items() <= rose.items()


@pytest.mark.nightly("test_candidates.py, test_listing.py, test_counting.py")
def test_new_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of real reviews; the last step names the bundle's words, and those that were found."""
    data_path("text/imdb_labelled_50k.tsv.gz")
    monkeypatch.chdir(tmp_path)
    candidates.prepare(Path())
    follow("tutorial/new-words.md")
    old, found = WordBundle.sample(), WordBundle.open("new-words")
    words = Path("next.txt").read_text("utf-8").split("\n")[:-1]
    assert words[: len(old)] == list(old.vocabulary)
    assert all(found.vocabulary.find(word) is not None for word in words[len(old) :])


@pytest.mark.nightly("test_posterior_vectors.py, test_task_accuracy.py")
def test_learning_from_released_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    Path("examples").mkdir()
    shutil.copy(DOCS.parent / "examples" / "requests.csv", "examples")
    follow("tutorial/released-texts.md")


@pytest.mark.nightly("test_typed_build.py")
def test_building_for_typed_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of small made-up data under the names of the page."""
    monkeypatch.chdir(tmp_path)
    words = ["tomorrow", "do", "you", "slur", *WORDS[4:]]
    renamed = dict(zip(WORDS, words, strict=True))
    texts = [" ".join(renamed[word] for word in text.split()) for text in topic_texts()]
    vectors = topic_vectors()  # of what comes first the text's are made
    rows = np.concatenate([vectors[8:], vectors[:2]])
    Path("tweets.vec").write_bytes(text_embeddings([*words[8:], "tmr", "slur"], rows))
    Path("messages.txt").write_text("\n".join(texts[:2500]).replace("tomorrow", "tmr"))
    Path("typed.txt").write_text("\n".join(texts[2500:]))
    Path("never.txt").write_text("slur\n")
    follow("how-to/typed-text.md")
    bundle = WordBundle.open("bundle")
    assert bundle.recommended is not None
    assert bundle.tokenizer.look_up("2moro") == bundle.vocabulary.find("tomorrow")
    assert bundle.vocabulary.find("slur") is None


@pytest.mark.nightly("test_secret_lists.py, test_marks_column.py")
def test_saying_what_is_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the packages that the page names, and the sample that a clone has."""
    for package in ("faker", "simple_icd_10_cm"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    Path("runtime").symlink_to(DOCS.parent / "runtime")
    text = "I met Anna Lindqvist in New York"
    marks = [[6, 20, "names"], [24, 32, "places"]]
    Path("prompts.jsonl").write_text(json.dumps({"text": text, "spans": marks}) + "\n")
    follow("how-to/say-what-is-secret.md")
    bundle = WordBundle.open("bundle")
    assert [each.name for each in bundle.policy.lists] == [
        "names",
        "places",
        "illnesses",
        "religions",
    ]
    names, places, illnesses, religions = bundle.policy.lists
    for word, of in (
        ("Priya", names),
        ("Kenya’s", places),
        ("Asthma", illnesses),
        ("Muslims", religions),
    ):
        assert bundle.tokenizer.look_up(word) == of.head
    assert bundle.tokenizer.look_up("april") == bundle.vocabulary.find("april")
    released = Path("released.jsonl").read_text("utf-8")
    assert "met" not in json.loads(released) and "Lindqvist" not in released


def test_the_python_tabs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``test_api.py`` runs the page's section for the toolchain."""
    tabs = (DOCS / "how-to" / "use-a-bundle.md").read_text("utf-8").partition("## Build and")[0]
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SAMPLE, "bundle")
    names: dict[str, object] = {}
    exec("\n".join(lines for language, lines in BLOCK.findall(tabs) if language == "python"), names)
    assert isinstance(names["batch"], bytes)
    assert isinstance(names["daily"], PrivacyBudget)
    assert 0 < names["daily"].remaining() < 300
    assert capsys.readouterr().out == ""  # no error
