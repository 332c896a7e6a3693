"""What the benchmark of papers' data sets reads, seeks and counts."""

from __future__ import annotations

import lzma
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA

from benchmarks import standard, standard_data
from benchmarks.bench import Bench
from benchmarks.standard_data import AG_NEWS, GENDER, SENTIMENT, SST2, TRUSTPILOT, read_data_set
from benchmarks.store import stored
from benchmarks.tables.standard import TABLES
from brrkit import WordBundle
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.tasks.labeled import Task


def _write(file: Path, lines: list[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(file, "wt", encoding="utf-8") as stream:
        stream.write("".join(f"{line}\n" for line in lines))


@pytest.fixture
def data(sample_source: Embeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Phrases half of whose words tell the answer, and reviews that tell their writer too."""
    generator, words = np.random.default_rng(0), sample_source.words
    good, bad = words[200:240], words[240:280]

    def text(*some: Sequence[str]) -> str:
        return " ".join([word for each in some for word in generator.choice(each, 4)])

    folder = tmp_path / "data"
    for part, size in (("train", 900), ("dev", 500)):
        rows = [f"{text([good, bad][i % 2], words[:400])}\t{i % 2}" for i in range(size)]
        _write(folder / "standard" / f"sst2_{part}.tsv.xz", ["sentence\tlabel", *rows])
    usual = words[280:300], words[300:320]
    rows = [
        f"{text([good, bad][i // 2 % 2], usual[i % 2], words[:400])},{i},25-54,{'MF'[i % 2]}"
        for i in range(2_000)
    ]
    _write(
        folder / "standard" / "trustpilot_train_english.csv.xz", ["text,age,age_cat,gender", *rows]
    )
    (folder / "lexicon").mkdir()
    for name, listed in (("positive", good), ("negative", bad)):
        (folder / "lexicon" / f"{name}-words.txt").write_text("; a comment\n" + "\n".join(listed))
    monkeypatch.setenv("BRR_DATA", str(folder))


@pytest.mark.usefixtures("data")
def test_parts_share_no_text() -> None:
    sets = [read_data_set(name, 100) for name in (SST2, TRUSTPILOT)]
    for found in sets:
        assert found is not None
        parts = [found.public, found.training, found.testing, found.attacked]
        texts = [set(part.texts) for part in parts]
        assert all(texts)
        assert sum(map(len, texts)) == len(set().union(*texts))
        assert SENTIMENT in found.testing.answers
        assert found.tasks == {SENTIMENT}
    assert read_data_set(AG_NEWS, 100) is None


@pytest.mark.nightly(
    "the tests beside it; test_typed.py's run, by the same attackers and classifier"
)
@pytest.mark.usefixtures("data")
def test_what_papers_report_on_is_measured(
    sample_source: Embeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "sst2.tsv"
    monkeypatch.setattr(sys, "argv", ["", SST2, str(table)])
    monkeypatch.setattr(standard_data, "TEXTS", 150)
    standard_data.main()
    plan = BuildPlan(method="lsh", vocabulary_size=400, tasks=[Task(table, name=SST2)])
    build_bundle(ENCYCLOPEDIA, tmp_path / "bundle", plan)
    opened = WordBundle.open(tmp_path / "bundle")

    def no_package(*_: object) -> None:
        raise ChildProcessError("couldn't be installed")

    monkeypatch.setattr(standard, "ask", no_package)
    few = replace(
        sample_source, words=sample_source.words[:400], vectors=sample_source.vectors[:400]
    )
    finding = standard.run(Bench(ENCYCLOPEDIA, few, opened, tmp_path, quick=True))
    sets = finding.numbers["sets"]
    assert list(sets) == [SST2, TRUSTPILOT]
    assert sum("couldn't be installed" in note for note in finding.notes) == 4
    phrases = sets[SST2]
    assert phrases["typed"][SENTIMENT]["whole"]["value"] > 0.9
    without, with_bits, laplace = phrases["rows"]
    for row in phrases["rows"]:
        assert row["all"]["low"] < standard.GOAL < row["all"]["high"]
    kept = [row["answers"][SENTIMENT]["vectors"]["value"] for row in phrases["rows"]]
    assert kept[1] > max(kept[0], kept[2]) + 0.1
    assert with_bits["answers"][SENTIMENT]["static"] is not None
    assert laplace["cosine"] > 0 < without["cosine"]
    assert sets[TRUSTPILOT]["asked"] == {SENTIMENT: True, GENDER: False}
    assert sets[TRUSTPILOT]["typed"][GENDER]["whole"]["value"] > 0.9
    labels = [row[2] for row in finding.rows if row[:2] == [TRUSTPILOT, GENDER]]
    assert labels == [standard.TYPED, standard.FREQUENT, *(row["label"] for row in phrases["rows"])]
    assert all("label alone" in row[2] for row in finding.rows[5:7])
    result = stored(
        "standard", finding, options="", machine={}, manifest=opened.manifest, quick=True
    )
    gender = TABLES[f"standard-{TRUSTPILOT}-{GENDER}"].make(result)
    assert gender.count("\n") == 2 + len(labels)
    assert "Laplace noise on float vectors" in gender
    assert "label alone" not in gender
    assert "label alone" in TABLES[f"standard-{SST2}"].make(result)


def test_the_epsilon_of_the_goal_is_between_those_tried() -> None:
    def success(epsilon: float) -> float:
        return epsilon / (1 + epsilon)  # a line in log odds

    assert success(standard.nearest(success, (0.1, 0.6))) == pytest.approx(0.2, abs=0.01)
    assert success(standard.nearest(success, (0.12, 0.14))) == pytest.approx(0.2, abs=0.03)
    assert success(standard.nearest(success, (0.5, 0.6))) == pytest.approx(0.2, abs=0.07)


def test_a_bundle_for_something_else_is_left(
    opened: WordBundle, sample_source: Embeddings, tmp_path: Path
) -> None:
    finding = standard.run(Bench(ENCYCLOPEDIA, sample_source, opened, tmp_path, quick=True))
    assert "skipped" in finding.notes[0]
    assert not finding.rows
