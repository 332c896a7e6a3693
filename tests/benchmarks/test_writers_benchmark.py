"""The benchmark of senders: what it reads, names and says."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import numpy as np
import pytest

from benchmarks import writers
from benchmarks.bench import Bench
from benchmarks.pages import NOTEBOOK
from benchmarks.provenance import ROOT
from brrkit import WordBundle
from brrkit_toolchain.embeddings import Embeddings

STORED = ROOT / "benchmarks" / "results" / "benchmarks" / "sample" / "writers.json"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages of three senders with words of their own, of one who sent few, and requests."""
    draw, words = np.random.default_rng(0), [*WordBundle.sample().vocabulary][:600]
    own = np.array(words).reshape(3, -1)
    messages = [
        (f"s{sender}", " ".join(draw.choice(own[sender], length)))
        for sender in range(3)
        for length in [7] * 45
    ]
    messages += [("few", f"see you {word}") for word in words[:25]]
    file = tmp_path / "everyday" / "nus-sms.tsv.xz"
    file.parent.mkdir()
    with lzma.open(file, "wt", encoding="utf-8") as stream:
        stream.write("sender\ttext\n" + "".join(f"{who}\t{text}\n" for who, text in messages))
    for part, count in (("train", 390), ("test", 45)):
        folder = tmp_path / "intents" / "snips" / part
        folder.mkdir(parents=True)
        requests = [" ".join(draw.choice(own[i % 3], 9)) for i in range(count)]
        (folder / "seq.in").write_text("\n".join(requests))
        (folder / "label").write_text("\n".join(f"l{i % 3}" for i in range(count)))
    monkeypatch.setenv("BRR_DATA", str(tmp_path))
    monkeypatch.setattr(writers, "LEAST_MESSAGES", 40)
    monkeypatch.setattr(writers, "OTHERS", 30)


@pytest.mark.usefixtures("data")
def test_senders_are_named_and_messages_recognized(
    sample_source: Embeddings, tmp_path: Path
) -> None:
    bundle = WordBundle.sample()
    found = writers.run(Bench(Path(), sample_source, bundle, tmp_path, quick=True))
    assert any("3 senders of 135 messages, chance 0.333" in note for note in found.notes)
    stored = json.loads(json.dumps(found.numbers))
    assert writers.named_rows(stored["named"]) == found.rows
    released, attacker, *cells = found.rows[-1]
    assert (released, attacker) == ("as typed", "reads both; has other typed messages")
    assert cells[2].startswith("1.00 ")
    whole, framed, _ = stored["named"]
    assert whole["success"]["typed"]["20"]["value"] > 0.8
    assert framed["success"]["lengths"]["20"]["value"] == pytest.approx(1 / 3)
    recognized, task = found.further
    assert [row[0] for row in recognized[1:]] == ["3 to 5", "6 to 9"]
    assert [row[0] for row in task[1:]] == [
        "whole requests",
        "frames of 8 words",
        "frames of 12 words",
    ]
    assert [row[1] for row in task[1:]] == ["1.00", f"{8 / 9:.2f}", f"{12 / 9:.2f}"]
    assert all(each["typed"]["value"] > 0.5 for each in stored["task"].values())


def test_without_data_it_says_so(
    sample_source: Embeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRR_DATA", str(tmp_path))
    found = writers.run(Bench(Path(), sample_source, WordBundle.sample(), tmp_path, quick=True))
    assert found.notes == ("skipped: its texts aren't there (BRR_DATA)",)


def test_the_page_says_what_was_found() -> None:
    page = " ".join(
        (ROOT / "benchmarks" / "results" / "writers.md").read_text(encoding="utf-8").split()
    )
    whole, *frames = json.loads(STORED.read_text(encoding="utf-8"))["numbers"]["named"]
    senders = f"{whole['writers']} senders with at least {writers.LEAST_MESSAGES} messages"
    assert f"among {senders} (chance: {whole['chance']:.2f})" in page
    assert f"the typed one and {writers.OTHERS} random others" in page
    assert whole["success"]["lengths"]["100"]["value"] > 5 * whole["chance"]
    for each in frames:
        lengths = each["success"]["lengths"].values()
        assert all(found["value"] == pytest.approx(each["chance"]) for found in lengths)
        assert each["success"]["both"]["1"]["value"] < 1.5 * each["chance"]
        assert each["success"]["both"]["100"]["value"] > writers.GOAL
    assert NOTEBOOK.results == STORED.parents[1]
