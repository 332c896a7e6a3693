"""The attack on the reader of reports, in part."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import reports as attacks

from benchmarks.baselines import add_baselines
from brrkit import WordBundle

add_baselines()  # lsh takes no time


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> WordBundle:
    from brrkit_toolchain.bundle.build import build_bundle
    from brrkit_toolchain.bundle.plan import BuildPlan
    from brrkit_toolchain.embeddings import sample_path

    output = tmp_path_factory.mktemp("b") / "bundle"
    build_bundle(sample_path(), output, BuildPlan(bits=64, method="lsh", vocabulary_size=200))
    return WordBundle.open(output)


def test_every_mutant_is_read_or_refused(bundle: WordBundle, tmp_path: Path) -> None:
    ends = attacks.attack(bundle, 1_500, 1, tmp_path)
    assert [end for end in ends if end[1].startswith("bad")] == []
    for name in attacks.good_files(bundle):
        assert ends[name, "refused"] > 15, ends
    for name, least in (("r.txt", 50), ("r.csv", 10), ("r.jsonl", 2), ("r.json", 2)):
        assert ends[name, "read"] >= least, ends


def test_what_is_not_damaged_is_read(bundle: WordBundle, tmp_path: Path) -> None:
    for name, content in attacks.good_files(bundle).items():
        (tmp_path / name).write_bytes(content)
        assert attacks.end_of(tmp_path / name, bundle) == "read"


@pytest.mark.parametrize("error", [KeyError("x"), ValueError(attacks.SECRET)])
def test_bad_ends_are_seen(
    bundle: WordBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def read(*_: object) -> None:
        raise error

    monkeypatch.setattr(attacks, "read_reports", read)
    assert attacks.end_of(tmp_path / "r.txt", bundle).startswith("bad")
