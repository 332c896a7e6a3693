"""A bundle of what people type: spellings, numbers, and words without a vector."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bundle_tools import contents, leftovers, rewrite, text_embeddings
from typed_text import TOPICS, WORDS, topic_texts, topic_vectors

from brrkit import ParameterError, WordBundle
from brrkit.bundle import MANIFEST
from brrkit.setting import Setting
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.sources import BundleSources
from brrkit_toolchain.bundle.verify import verify_bundle
from brrkit_toolchain.bundle.writer import masses_of, model_of
from brrkit_toolchain.report import write_report_page
from brrkit_toolchain.utility import mechanism

if TYPE_CHECKING:
    from conftest import Brr

SECRET = "qzvypassphrase"
SPELLINGS = [("tmr", WORDS[9]), ("2moz", "tmr"), ("gone", SECRET)]
MORE = ["7pm", "8pm", "tmr", "never"]  # in the embeddings, besides topics' words
PLAN = BuildPlan(bits=64, method="lsh")


def typed() -> list[str]:
    """Return topics' texts in which a word is spelled in three ways, and there are times."""
    texts = []
    for place, text in enumerate(topic_texts()):
        spelled = text.replace(WORDS[9], (WORDS[9], "tmr", "2moz")[place // TOPICS % 3])
        texts.append(f"{spelled} {(7, 7, 8, 9)[place % 4]}pm")
    return texts


@pytest.fixture(scope="module", autouse=True)
def few_draws() -> Iterator[None]:
    """What is measured isn't looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mechanism, "_ATTACK_DRAWS", 1_000)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What bundles are built from, and one that is. Not to be changed."""
    folder = tmp_path_factory.mktemp("typed")
    more = np.random.default_rng(3).standard_normal((len(MORE), topic_vectors().shape[1]))
    vectors = np.concatenate([topic_vectors(), more.astype(np.float32)])
    (folder / "words.vec").write_bytes(text_embeddings([*WORDS, *MORE], vectors))
    (folder / "typed.txt").write_text("\n".join(typed()))
    lines = "".join(f"{spelling}\t{word}\n" for spelling, word in SPELLINGS)
    (folder / "spellings.tsv").write_text(lines)
    (folder / "never.txt").write_text("never\n")
    build_bundle(folder / "words.vec", folder / "bundle", plan_of(folder))
    return folder


def plan_of(folder: Path, **more: Any) -> BuildPlan:
    plan = replace(PLAN, text=folder / "typed.txt", spellings=folder / "spellings.tsv")
    return replace(plan, **more)


def building(folder: Path, output: Path) -> list[object]:
    """Return the arguments of the build of ``folder``."""
    given = ("--embeddings", folder / "words.vec", "--text", folder / "typed.txt")
    return ["build", *given, "--spellings", folder / "spellings.tsv", "--method", "lsh",
            "--output", output]  # fmt: skip


def failed(bundle: Path, **sources: Any) -> dict[str, str]:
    checks = verify_bundle(bundle, BundleSources(**sources)).checks
    return {check.name: check.detail for check in checks if not check.passed}


def test_spellings_are_their_word(folder: Path) -> None:
    bundle = WordBundle.open(folder / "bundle")
    assert bundle.vocabulary.find("tmr") is None
    assert bundle.writing.word_of["tmr"] == bundle.writing.word_of["2moz"] == WORDS[9]
    assert "gone" not in bundle.writing.word_of
    look_up = bundle.tokenizer.look_up
    assert look_up("tmr") == look_up("2MOZ") == look_up("'tmrrrr") == look_up(WORDS[9])
    assert look_up("gone") is None


def test_masses_are_counted_after_look_up(folder: Path, tmp_path: Path) -> None:
    """Those of a text in which nobody spells differently, byte for byte."""
    plain = "\n".join(typed()).replace("tmr", WORDS[9]).replace("2moz", WORDS[9])
    (tmp_path / "typed.txt").write_text(plain.replace("9pm", "7pm"))
    plan = plan_of(folder, text=tmp_path / "typed.txt")
    build_bundle(folder / "words.vec", tmp_path / "bundle", plan)
    one, other = (model_of(WordBundle.open(each / "bundle")) for each in (folder, tmp_path))
    for name in ("masses", "before", "after", "gains"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    without = replace(plan, spellings=None, text=folder / "typed.txt")
    build_bundle(folder / "words.vec", tmp_path / "without", without)
    fewer = WordBundle.open(tmp_path / "without")
    known = fewer.vocabulary.find(WORDS[9])
    assert masses_of(model_of(fewer)).words[known] < masses_of(one).words[known]


def test_other_times_are_the_most_frequent_one(folder: Path) -> None:
    bundle = WordBundle.open(folder / "bundle")
    find, look_up = bundle.vocabulary.find, bundle.tokenizer.look_up
    assert [look_up(f"{hour}pm") for hour in (7, 8, 9, 11)] == [
        find("7pm"), find("8pm"), find("7pm"), None
    ]  # fmt: skip
    assert "00pm" not in bundle.writing.word_of  # 11pm is no word


def test_a_build_says_what_it_left_out(brr: Brr, folder: Path, tmp_path: Path) -> None:
    done = brr(*building(folder, tmp_path / "bundle"), "--exclude", folder / "never.txt")
    assert done.code == 0, done.err
    assert "2 rows: 1 excluded, 1 spellings of other words\n" in done.out
    assert "\n              1 spellings without a word here\n" in done.out
    spellings = len(WordBundle.open(tmp_path / "bundle").writing.spellings)
    for out in (done.out, brr("inspect", tmp_path / "bundle").out):
        assert f"; {spellings} spellings\n" in out
    done = brr(*building(folder, tmp_path / "again"), "--json")
    assert json.loads(done.out)["leading_nowhere"] == 1
    assert json.loads(done.out)["filled"] is None


def test_a_bundle_verifies(folder: Path) -> None:
    """With the embeddings, too, of which it hasn't the spellings."""
    sources = {"text": folder / "typed.txt", "embeddings": folder / "words.vec"}
    assert failed(folder / "bundle", **sources) == {}


@pytest.mark.usefixtures("quick_report")
def test_a_report_counts_spellings(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    bundle = WordBundle.open(folder / "bundle")
    write_report_page(bundle, tmp_path / "report.html", Setting(1.0), audit=False)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert f"<td>{len(bundle.writing.spellings)} each stand for a word" in page


@pytest.mark.parametrize(
    ("spellings", "says"),
    [
        ({"x": SECRET, "y": WORDS[1], "z": "absent"}, "2 of 3 spellings stand for no word of the"),
        ({"x": WORDS[1], "7pm": "8pm"}, "1 of 2 spellings are themselves words of the vocabulary"),
    ],
)
def test_spellings_that_say_nothing_fail(
    folder: Path, tmp_path: Path, spellings: dict[str, str], says: str
) -> None:
    (tmp_path / "bundle").mkdir()
    for name, content in contents(folder / "bundle").items():
        (tmp_path / "bundle" / name).write_bytes(content)
    rewrite(tmp_path / "bundle", edit=lambda fields: fields["writing"].update(spellings=spellings))
    found = failed(tmp_path / "bundle")["spellings"]
    assert found.startswith(says)
    assert SECRET not in found


def test_words_without_a_vector_get_one(brr: Brr, folder: Path, tmp_path: Path) -> None:
    """And no spelling, word that is excluded or number does; the file is the embeddings."""
    kept = [*WORDS[TOPICS:], "7pm"]
    vectors = np.concatenate([topic_vectors()[TOPICS:], topic_vectors()[:1]])
    (tmp_path / "few.vec").write_bytes(text_embeddings(kept, vectors))
    (tmp_path / "never.txt").write_text(f"{WORDS[0]}\n")
    options = ("--fill-vectors", tmp_path / "filled.vec", "--exclude", tmp_path / "never.txt")
    command = building(folder, tmp_path / "bundle")
    command[command.index(folder / "words.vec")] = tmp_path / "few.vec"
    done = brr(*command, *options, "--vocabulary-size", 150)
    assert done.code == 0, done.err
    assert f"  filled      {TOPICS - 1} words of --text; for " in done.out
    bundle = WordBundle.open(tmp_path / "bundle")
    assert (len(bundle), bundle.manifest["source"]["name"]) == (150, "filled.vec")
    added = {word for word in bundle.vocabulary if word not in kept}
    assert added == set(WORDS[1:TOPICS])
    sources = {"text": folder / "typed.txt", "embeddings": tmp_path / "filled.vec"}
    assert failed(tmp_path / "bundle", **sources) == {}


def test_a_wrong_option_writes_nothing(
    brr: Brr, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("twice.tsv").write_text(f"{SECRET}\tone\n{SECRET}\ttwo\n")
    Path("short.txt").write_text("w1 w2\n")
    Path("filled.vec").write_text("as it was")
    before = contents(tmp_path)
    given = ("build", "--embeddings", folder / "words.vec", "--method", "lsh", "--output", "made")
    text = ("--text", folder / "typed.txt")
    for options, message in (
        (("--spellings", "missing.tsv"), "missing.tsv: can't be read"),
        (("--spellings", "twice.tsv", *text), "twice.tsv: line 2 has another word for the"),
        (("--fill-vectors", "filled.vec"), "--fill-vectors uses the words of a text; give --text"),
        (
            ("--fill-vectors", "filled.vec", "--text", "short.txt"),
            "short.txt: only 0 words with a vec",
        ),
        (("--fill-vectors", folder / "typed.txt", *text), "is an input of this command"),
        (("--fill-vectors", folder / "words.vec", *text), "is an input of this command"),
    ):
        done = brr(*given, *options)
        assert done.code != 0
        assert message in done.err.splitlines()[-1]
        assert SECRET not in done.err
        assert contents(tmp_path) == before


def test_a_plan_without_a_text_fills_nothing(folder: Path, tmp_path: Path) -> None:
    plan = replace(PLAN, fill_vectors=tmp_path / "filled.vec")
    with pytest.raises(ParameterError, match="fill_vectors uses the words of a text"):
        build_bundle(folder / "words.vec", tmp_path / "bundle", plan)
    assert leftovers(tmp_path) == []


def test_the_manifest_says_that_words_were_chosen(folder: Path) -> None:
    manifest = json.loads((folder / "bundle" / MANIFEST).read_bytes())
    assert manifest["source"]["word_list"] is True
