"""What the papers' experiments read and write: lexicons, sizes, results."""

from __future__ import annotations

import errno
import json
import os
from itertools import pairwise
from pathlib import Path

import pytest
from bundle_tools import data_path, error_of, leftovers

from brrkit import BrrError
from research.papers.lexicon import read_lexicon
from research.papers.results import COLUMNS, Results, Unit
from research.papers.scale import NAMES, Scale


class TestLexicon:
    def test_words(self, tmp_path: Path) -> None:
        (tmp_path / "p").write_bytes(b"; words\n\nGood\nna\xefve\nboth\n")
        (tmp_path / "n").write_bytes(b"bad\nboth\n")
        lexicon = read_lexicon(tmp_path / "p", tmp_path / "n")
        assert lexicon == {"good": True, "na\ufffdve": True, "bad": False}

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            (b"; only comments\n", "holds no word"),
            (b"good\nvery good\n", "line 2 has several words"),
            (b"bad\n", "in the other list too"),
        ],
    )
    def test_bad_lists(self, tmp_path: Path, content: bytes, expected: str) -> None:
        (tmp_path / "p").write_bytes(content)
        (tmp_path / "n").write_bytes(b"bad\n")
        message = error_of(read_lexicon, tmp_path / "p", tmp_path / "n")
        assert message.startswith(f"{tmp_path / 'p'}: ")
        assert expected in message

    def test_published(self) -> None:
        folder = data_path("lexicon")
        lexicon = read_lexicon(folder / "positive-words.txt", folder / "negative-words.txt")
        # Of 2,006 and 4,783 published words, a few are in both lists.
        assert 1_990 < sum(lexicon.values()) <= 2_006
        assert 4_770 < len(lexicon) - sum(lexicon.values()) <= 4_783


class TestScale:
    def test_paper(self) -> None:
        scale = Scale.parse("paper")
        assert (scale.texts, scale.tokens, scale.trials) == (12_500, None, 10)
        assert scale == Scale.parse("1")
        sizes = [Scale.parse(name) for name in NAMES]
        for smaller, larger in pairwise(sizes):
            assert smaller.texts < larger.texts
            assert smaller.draws < larger.draws
            assert smaller.trials <= larger.trials

        for text in ("huge", "0", "1.1", "nan", ""):
            assert "smoke, small, medium, paper" in error_of(Scale.parse, text)


UNITS = [
    Unit("laplace", "", 2.0, 20.0, 0),
    Unit("vickrey", "t=0.5", 0.1, 20.0, 0),
    Unit("baseline", "", None, None, 0),
]


def values(unit: Unit) -> dict[str, float]:
    """Return what a unit is measured to be in these tests."""
    return {"accuracy": len(unit.mechanism) / 3, "unchanged": 0.25}


def opened(folder: Path, **settings: object) -> Results:
    return Results(folder, "toy", ("accuracy", "unchanged"), settings, "brr toy", {"cores": 2})


def filled(folder: Path) -> bytes:
    results = opened(folder)
    for unit in UNITS:
        results.add(unit, values(unit))
    return (folder / "toy.csv").read_bytes()


class TestResults:
    def test_tidy_rows(self, tmp_path: Path) -> None:
        lines = filled(tmp_path).decode().splitlines()
        assert lines[0] == ",".join(COLUMNS)
        assert lines[3:5] == [
            "toy,vickrey,t=0.5,0.1,20,0,accuracy,2.33333",
            "toy,vickrey,t=0.5,0.1,20,0,unchanged,0.25",
        ]
        assert lines[5] == "toy,baseline,,,,0,accuracy,2.66667"
        rows = opened(tmp_path).rows()
        assert len(rows) == 6
        assert (rows[4].epsilon, rows[4].estimated_loss) == (None, None)
        assert leftovers(tmp_path) == ["toy.csv", "toy.json"]

    def test_whatever_was_cut_off_is_measured_again(self, tmp_path: Path) -> None:
        complete = filled(tmp_path)
        header = complete.index(b"\n") + 1
        for length in range(header, len(complete)):
            (tmp_path / "toy.csv").write_bytes(complete[:length])
            results = opened(tmp_path)
            missing = results.missing(UNITS)
            assert missing == UNITS[len(UNITS) - len(missing) :]
            for unit in missing:
                results.add(unit, values(unit))
            assert (tmp_path / "toy.csv").read_bytes() == complete

    def test_other_settings(self, tmp_path: Path) -> None:
        opened(tmp_path, data="a.csv", size=3).add(UNITS[0], values(UNITS[0]))
        before = (tmp_path / "toy.json").read_bytes()
        with pytest.raises(BrrError) as caught:
            opened(tmp_path, data="b.csv", size=3)
        assert 'data "a.csv", not "b.csv"; choose another --output' in str(caught.value)
        assert (tmp_path / "toy.json").read_bytes() == before

    @pytest.mark.parametrize(
        "damage",
        [
            lambda csv: csv.replace(b"accuracy", b"precision", 1),
            lambda csv: csv.replace(b",0.25", b",x", 1),
            lambda csv: b"\xff" + csv,
        ],
    )
    def test_damaged(self, tmp_path: Path, damage: object) -> None:
        assert callable(damage)
        spoilt = damage(filled(tmp_path))
        (tmp_path / "toy.csv").write_bytes(spoilt)
        assert error_of(opened, tmp_path).startswith(f"{tmp_path / 'toy.csv'}: ")
        assert (tmp_path / "toy.csv").read_bytes() == spoilt

    def test_a_full_disk_loses_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        results = opened(tmp_path)
        results.add(UNITS[0], values(UNITS[0]))
        before = (tmp_path / "toy.csv").read_bytes()

        def full(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            assert "No space left" in error_of(results.add, UNITS[1], values(UNITS[1]))
        assert (tmp_path / "toy.csv").read_bytes() == before
        assert leftovers(tmp_path) == ["toy.csv", "toy.json"]
        assert opened(tmp_path).missing(UNITS) == UNITS[1:]

    def test_a_description_without_its_parts(self, tmp_path: Path) -> None:
        filled(tmp_path)
        content = json.loads((tmp_path / "toy.json").read_bytes())
        for wrong in ({}, content | {"settings": []}, content | {"context": {"commands": [1]}}):
            (tmp_path / "toy.json").write_text(json.dumps(wrong))
            assert "not the settings" in error_of(opened, tmp_path)
        (tmp_path / "toy.json").unlink()
        assert "no toy.json beside it" in error_of(opened, tmp_path)

    def test_generators_depend_on_the_key_alone(self) -> None:
        def draw(unit: Unit, *purpose: object) -> float:
            return float(unit.generator(*purpose).random())

        first = draw(UNITS[0], "noise")
        assert first == draw(Unit("laplace", "", 2.0, 99.0, 0), "noise")
        others = [draw(unit, "noise") for unit in UNITS[1:]]
        others += [draw(UNITS[0], "attack"), draw(Unit("laplace", "", 2.0, 20.0, 1), "noise")]
        assert len({first, *others}) == 5
