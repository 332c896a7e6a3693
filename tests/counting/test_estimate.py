"""``brr estimate``: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow.parquet as pq
import pytest
from bundle_tools import leftovers
from frequency_tools import draw, zipf
from html_page import Page

from brrkit import Privatizer, Setting, WordBundle
from brrkit_toolchain.bundle.recommend import write_recommended
from brrkit_toolchain.channel import Channel

if TYPE_CHECKING:
    from conftest import Brr

SETTING = ("--epsilon", 0.8, "--radius", 4, "--base", "uniform")
RECOMMENDED = Setting(0.8, "exponential", {"radius": 4, "base": "uniform"}, "a test")


def write_counts(path: Path, bundle: WordBundle, counts: np.ndarray) -> None:
    rows = [f"{bundle.vocabulary.word(i)},{count}\n" for i, count in enumerate(counts)]
    path.write_text("word,count\n" + "".join(rows))


def batch(bundle: WordBundle, number: int, setting: Any, counts: dict[str, int]) -> dict[str, Any]:
    return {
        **{"format": "brr-reports", "format_version": 1, "bundle": bundle.manifest["sha256"]},
        **{"setting": setting, "batch": f"{number:032x}", "counts": counts},
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of 100 words, and reports of two weeks."""
    from bundle_tools import toy_embeddings

    from brrkit_toolchain.bundle.build import build_bundle
    from brrkit_toolchain.bundle.plan import BuildPlan

    folder = tmp_path_factory.mktemp("estimate")
    (folder / "e.txt").write_bytes(toy_embeddings(100))
    build_bundle(folder / "e.txt", folder / "bundle", BuildPlan(bits=64, method="lsh"))
    bundle = WordBundle.open(folder / "bundle")
    setting = Setting(0.8, parameters={"radius": 4, "base": "uniform"})
    channel, generator = Channel(bundle, setting).linear, np.random.default_rng(0)
    shares = zipf(100)
    write_counts(folder / "1.csv", bundle, draw(channel, shares, 60_000, generator))
    shares[5] *= 6
    second = draw(channel, shares / shares.sum(), 60_000, generator)
    write_counts(folder / "2.csv", bundle, second)
    return folder


@pytest.fixture
def here(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to write into, with the reports beside it."""
    monkeypatch.chdir(tmp_path)
    for name in ("bundle", "1.csv", "2.csv"):
        (tmp_path / name).symlink_to(folder / name)
    return tmp_path


class TestOutput:
    def test_all_of_it(self, brr: Brr, here: Path) -> None:
        (here / "list.txt").write_text("W3\nw4\n\nnot-there\n")
        done = brr(
            *("estimate", "1.csv", "--bundle", "bundle", *SETTING, "--top", 3, "--word", "w7"),
            *("--words", "list.txt", "--compare", "2.csv", "--json"),
            *("--output", "words.parquet", "--page", "page.html"),
        )
        assert (done.code, done.err) == (0, "")
        found = json.loads(done.out)
        assert found["reports"] == 60_000
        assert found["explained"] is True
        assert len(found["top"]) == 3
        assert [share["name"] for share in found["words"]] == ["w7"]
        (total,) = found["groups"]
        truth = zipf(100)
        assert total["low"] < truth[[3, 4]].sum() < total["high"]
        assert "w5" in [d["name"] for d in found["comparison"]["differences"]]

        table = pq.read_table(here / "words.parquet").to_pydict()
        assert list(table) == ["word", "reports", "share", "low", "high"]
        assert len(table["word"]) == 100
        assert sum(table["reports"]) == 60_000
        low, share, high = (np.array(table[name]) for name in ("low", "share", "high"))
        assert ((low >= 0) & (low <= share) & (share <= high) & (high <= 1)).all()
        assert ((low <= truth[:-1]) & (truth[:-1] <= high)).mean() > 0.9

        page = Page((here / "page.html").read_text())
        assert page.tags["script"] == page.tags["link"] == page.tags["img"] == 0
        text = page.words()
        assert "60,000" in text
        assert "What these numbers don't show" in text
        for share in found["top"]:
            assert share["name"] in text
        assert "don't fit this setting" not in text

    def test_the_bundle_s_setting_is_used(self, brr: Brr, here: Path, folder: Path) -> None:
        import shutil

        (here / "bundle").unlink()
        shutil.copytree(folder / "bundle", here / "bundle")
        said = brr("estimate", "1.csv", "--bundle", "bundle", *SETTING, "--json")
        without = brr("estimate", "1.csv", "--bundle", "bundle")
        assert without.code == 1
        assert "recommends no setting" in without.err
        write_recommended(here / "bundle", RECOMMENDED)
        rows = csv.DictReader((here / "1.csv").read_text().splitlines())
        recommended = brr("estimate", "1.csv", "--bundle", "bundle", "--json")
        assert json.loads(recommended.out)["top"] == json.loads(said.out)["top"]
        counts = {row["word"]: int(row["count"]) for row in rows}
        written = batch(WordBundle.open(here / "bundle"), 0, "recommended", counts)
        (here / "r.jsonl").write_text(json.dumps(written))
        stated = brr("estimate", "r.jsonl", "--bundle", "bundle", "--json")
        assert json.loads(stated.out)["top"] == json.loads(said.out)["top"]
        both = brr("estimate", "r.jsonl", "--bundle", "bundle", "--epsilon", 2)
        assert "neither this batch nor any other" in both.err

    def test_a_wrong_setting_is_refused(self, brr: Brr, here: Path) -> None:
        command = (
            *("estimate", "1.csv", "--bundle", "bundle", "--epsilon", 0.3, "--radius", 4),
            *("--base", "uniform", "--page", "p.html", "--output", "o.csv"),
        )
        done = brr(*command)
        assert (done.code, done.out) == (1, "")
        assert "this setting can't have made these reports" in done.err
        assert "or give --unexplained to continue" in done.err
        assert not (here / "p.html").exists()
        assert not (here / "o.csv").exists()
        done = brr(*command, "--unexplained")
        assert (done.code, done.err) == (0, "")
        assert "WARNING: these reports don't fit this setting" in done.out
        assert "the intervals are wrong" in done.out
        assert "don't fit this setting" in (here / "p.html").read_text()

    def test_a_prior(self, brr: Brr, here: Path) -> None:
        (here / "public.csv").write_text("word,count\nw99,100000\nzzz,50000\n")
        command = ("estimate", "1.csv", "--bundle", "bundle", *SETTING, "--json")
        done = brr(*command, "--prior", "public.csv", 1e8)
        top = [share["name"] for share in json.loads(done.out)["top"]]
        assert "w99" in top  # though not first: its interval, and so its share, is without it
        without = json.loads(brr(*command).out)["top"]
        assert "w99" not in [share["name"] for share in without]
        assert brr(*command, "--prior", "public.csv", 0).code == 2


def poisoned(bundle: WordBundle, *settings: Any) -> str:
    """Return batches of those settings, with reports of the first 60 words."""
    words = [bundle.vocabulary.word(j) for j in range(60)]
    counts = [{word: 900 // (j + 1) + i for j, word in enumerate(words)} for i in range(9)]
    made = (batch(bundle, i, setting, counts[i]) for i, setting in enumerate(settings))
    return "".join(json.dumps(each) + "\n" for each in made)


class TestOtherSettings:
    GIVEN: ClassVar = {"mechanism": "exponential", "epsilon": 0.8, "parameters": {"radius": 4}}

    def test_one_batch_doesn_t_spoil_the_others(self, brr: Brr, here: Path, folder: Path) -> None:
        bundle = WordBundle.open(folder / "bundle")
        poison = {**self.GIVEN, "second_epsilon": 1}
        (here / "r.jsonl").write_text(poisoned(bundle, poison, *[self.GIVEN] * 4))
        command = ("estimate", "r.jsonl", "--bundle", "bundle")
        done = brr(*command)
        assert done.code == 1
        assert "r.jsonl: line 1: made with a different setting" in done.err
        done = brr(*command, "--leave-out-others", "--page", "p.html")
        assert (done.code, done.err) == (0, "")
        assert "1 batches were made with another setting (left out)" in done.out
        assert "Batches of other settings" in Page((here / "p.html").read_text()).words()
        found = brr(*command, "--leave-out-others", "--json")
        assert json.loads(found.out)["others"] == 1
        without = (here / "r.jsonl").read_text().split("\n", 1)[1]
        (here / "r.jsonl").write_text(without)
        alone = brr(*command, "--json")
        assert json.loads(alone.out)["top"] == json.loads(found.out)["top"]
        assert json.loads(alone.out)["others"] == 0

    @pytest.mark.parametrize(
        ("setting", "says"),
        [
            ({"mechanism": "zqword", "epsilon": 1, "parameters": {}}, "field 'setting'"),
            ({**GIVEN, "parameters": {"zqword": 1}}, "field 'setting'"),
            ({**GIVEN, "epsilon": "zqword"}, "field 'setting'"),
            ({**GIVEN, "parameters": {"radius": 300}}, "radius must be an integer from 0 to 64"),
            ("recommended", "recommends no setting"),
            ({**GIVEN, "second_epsilon": 1}, "keyed memory"),
            ({**GIVEN, "mechanism": "brr", "parameters": {}}, "only reports of the mechanism"),
        ],
    )
    def test_a_device_s_text_is_never_shown_but_its_line_is(
        self, brr: Brr, here: Path, folder: Path, setting: Any, says: str
    ) -> None:
        bundle = WordBundle.open(folder / "bundle")
        (here / "r.jsonl").write_text("\n" + poisoned(bundle, setting))
        done = brr("estimate", "r.jsonl", "--bundle", "bundle")
        assert done.code == 1
        assert says in done.err
        assert "zqword" not in done.err
        assert "r.jsonl: line 2: " in done.err

    def test_two_populations(self, brr: Brr, here: Path, folder: Path) -> None:
        bundle = WordBundle.open(folder / "bundle")
        (here / "a.jsonl").write_text(poisoned(bundle, self.GIVEN))
        (here / "b.jsonl").write_text(poisoned(bundle, {**self.GIVEN, "epsilon": 0.9}))
        done = brr("estimate", "a.jsonl", "--bundle", "bundle", "--compare", "b.jsonl")
        assert done.code == 1
        assert "a.jsonl: line 1 and b.jsonl: line 1: the reports were made with diff" in done.err


class TestTextOrCounts:
    """The sample recommends a setting for counts, and one for text, with the base bigram."""

    ORDER = "can't be counted: each release depends on the word released before"
    STATED: ClassVar = {"mechanism": "exponential", "epsilon": 1.3, "parameters": {"radius": 16}}
    ASKED = "--for text, or --for counts"

    @pytest.fixture
    def released(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WordBundle:
        """Released text in the current folder, a text and a table of it."""
        monkeypatch.chdir(tmp_path)
        bundle = WordBundle.sample()
        assert bundle.recommended is not None
        assert bundle.counts is not None
        texts = Privatizer(bundle).texts(["the flight to boston was late", "we saw a film"])
        (tmp_path / "released.txt").write_text("\n".join(texts))
        (tmp_path / "private.csv").write_text("\n".join(["text", *texts]))
        return bundle

    @pytest.mark.parametrize(
        "arguments",
        [
            ["private.csv", "--column", "text"],
            ["released.txt", "--column", "text"],
            ["released.txt", "--for", "text"],
            ["private.csv", "--column", "text", "--for", "text"],
            ["private.csv", "--column", "text", "--epsilon", 1.3],
            ["private.csv", "--column", "text", "--epsilon", 1.3, "--base", "bigram"],
            ["private.csv", "--column", "text", "--compare", "released.txt"],
        ],
    )
    def test_the_base_bigram_can_t_be_counted(
        self, brr: Brr, released: WordBundle, arguments: list[object]
    ) -> None:
        done = brr("estimate", *arguments, "--bundle", released.path)
        assert (done.code, done.out) == (1, "")
        assert self.ORDER in done.err
        assert "release with the base 'unigram'" in done.err
        assert done.err.count("\n") == 1

    @pytest.mark.parametrize(
        "setting",
        ["recommended", STATED, {**STATED, "parameters": {"radius": 16, "base": "bigram"}}],
    )
    def test_nor_can_a_batch_of_it(self, brr: Brr, released: WordBundle, setting: Any) -> None:
        Path("r.jsonl").write_text(poisoned(released, setting))
        done = brr("estimate", "r.jsonl", "--bundle", released.path)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("Error: r.jsonl: line 1: ")
        assert self.ORDER in done.err

    def test_plain_text_may_be_either(self, brr: Brr, released: WordBundle) -> None:
        command = ("estimate", "released.txt", "--bundle", released.path)
        done = brr(*command)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("Error: released.txt: ")
        assert self.ASKED in done.err
        vocabulary = released.vocabulary
        counts = "".join(f"{vocabulary.word(i)}\n" * (2_000 // (i + 1)) for i in range(100))
        Path("released.txt").write_text(counts)
        said = brr(*command, "--for", "counts", "--unexplained", "--json")
        assert said.code == 0
        table = "".join(f"{vocabulary.word(i)},{2_000 // (i + 1)}\n" for i in range(100))
        Path("counts.csv").write_text("word,count\n" + table)
        same = brr("estimate", "counts.csv", *command[2:], "--unexplained", "--json")
        assert json.loads(same.out) == json.loads(said.out)
        assert brr("estimate", "counts.csv", "--compare", *command[1:]).err.count(self.ASKED) == 1

    def test_text_is_text_where_nothing_else_can_be(self, brr: Brr, here: Path) -> None:
        done = brr("estimate", "few.txt", "--bundle", "bundle", "--for", "counts")
        assert "few.txt: can't be read" in done.err
        (here / "few.txt").write_text("w1 w2")
        done = brr("estimate", "few.txt", "--bundle", "bundle", "--for", "counts")
        assert "recommends no setting for counts" in done.err
        done = brr("estimate", "few.txt", "--bundle", "bundle")
        assert "the bundle recommends no setting; give --epsilon" in done.err

    def test_one_setting_is_given(self, brr: Brr, released: WordBundle) -> None:
        command = ("estimate", "released.txt", "--bundle", released.path, "--for", "counts")
        for other in (["--epsilon", 1], ["--cap", 9]):
            done = brr(*command, *other)
            assert done.code == 1
            assert "--for counts and another setting exclude each other; leave out one" in done.err


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["1.csv"], "Missing option '--bundle'"),
            (["--bundle", "bundle"], "Missing argument 'REPORTS...'"),
            (["none.csv", "--bundle", "bundle", *SETTING], "none.csv: can't be read"),
            (["1.csv", "--bundle", "none", *SETTING], "none"),
            (["1.csv", "--bundle", "bundle", *SETTING, "--output", "o.xls"], ".csv, .tsv, .jsonl,"),
            (["1.csv", "--bundle", "bundle", *SETTING, "--output", "no/o.csv"], "no/o.csv"),
            (["1.csv", "--bundle", "bundle", "--radius", 4], "parameters need an epsilon"),
            (["1.csv", "--bundle", "bundle", "--epsilon", 99], "epsilon must be"),
            (["foreign.txt", "--bundle", "bundle", *SETTING], "1 of 3 reports"),
            (["few.txt", "--bundle", "bundle", *SETTING], "reveal nothing"),
            *(
                (["1.csv", "--bundle", "bundle", *SETTING, *wrong], says)
                for wrong, says in (
                    (["--word", "zzz"], "isn't in the bundle's"),
                    (["--words", "empty"], "empty: the word list"),
                    (["--words", "foreign.txt"], "foreign.txt: none"),
                    (["--foreign", "nan"], "nan isn't a finite number"),
                    (["--foreign", -0.1], "not in the range 0<=x<=1"),
                    (["--false-discoveries", 2], "not in the range 0<x<1"),
                    (["--prior", "1.csv", -1], "not in the range x>0"),
                    (["1.csv"], "given twice"),
                    (["link.csv"], "given twice"),
                    (["--compare", "1.csv"], "given twice"),
                )
            ),
        ],
    )  # fmt: skip
    def test_one_line_and_nothing_written(
        self, brr: Brr, here: Path, arguments: list[object], says: str
    ) -> None:
        (here / "empty").write_text("\n")
        (here / "foreign.txt").write_text("w1 w2 qqqq")
        (here / "few.txt").write_text("w1 w2")
        (here / "link.csv").symlink_to("1.csv")
        before = leftovers(here)
        done = brr("estimate", *arguments)
        assert done.code in (1, 2)
        assert done.out == ""
        assert done.err.startswith("Error: ")
        assert done.err.count("\n") == 1
        assert says in done.err
        assert leftovers(here) == before
