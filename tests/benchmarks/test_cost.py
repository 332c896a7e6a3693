"""Instructions of a word, and what they may take on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import click
import pytest

from benchmarks import cost
from benchmarks.provenance import ROOT

PAGE = ROOT / "docs" / "reference" / "platforms.md"


def test_a_word_costs_what_its_block_adds() -> None:
    spent: Iterator[int] = accumulate([900, 700, 100, 300, 500])
    so_far = 0

    def release() -> None:
        nonlocal so_far
        so_far = next(spent)

    counted = cost.count_blocks(release, lambda: so_far, before=2, blocks=3)
    assert counted == cost.Counted(2 * cost.WORDS, [100 / cost.WORDS, 3, 5])
    assert counted.word == 3
    assert counted.drift == 4


def test_time_and_energy_are_bounded_from_both_sides() -> None:
    taken = cost.estimate(1e6)
    assert taken.seconds == pytest.approx((1e-3 / 4.2, 1e-3 / 0.75))
    assert taken.joules == pytest.approx((50e-6, 1.3725 / 2.1e3))
    assert taken.words == pytest.approx((540 * 2.1e3 / 1.3725, 540 / 50e-6))
    assert cost.between(taken.joules, 1e3) == "0.05–0.65"
    assert cost.between((1234.5, 0.0000123)) == "1200–0.000012"


def test_a_machine_without_packages_gets_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tool in ("sh", "uname", "mkdir"):
        (tmp_path / tool).symlink_to(f"/bin/{tool}")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(cost, "CACHE", tmp_path / "cache")
    why = "(apt-get .* aren't installed|this machine isn't Linux on x86-64, .* run)"
    with pytest.raises(click.ClickException, match=f"for ARM: {why}; run cost on Debian"):
        cost.prepare(tmp_path, [])


@pytest.mark.skipif(
    not all((cost.CACHE / name / ".complete").exists() for name in ("qemu-user", "cross")),
    reason="QEMU's plugins and ARM's compiler aren't in BRR_ARM: run python -m benchmarks cost",
)
def test_instructions_are_counted(tmp_path: Path) -> None:
    cost.prepare(tmp_path, [])
    words = {}
    for size in (1_000, 2_000):
        program = cost.Program("", [str(tmp_path / "kernel"), str(cost.WORDS), str(size), "2", "1"])
        with cost.counting(tmp_path, program) as (ask, count):
            words[size] = cost.count_blocks(lambda: ask(cost.SINGLE), count, 1, 3)
    assert words[1_000].drift == pytest.approx(1, abs=1e-3)
    assert 5_000 < words[2_000].word - words[1_000].word < 50_000


def test_the_page_names_what_is_assumed() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    for assumed in (
        f"{cost.LEAST_JOULES * 1e12:.0f} pJ",
        f"{cost.MOST_JOULES * 1e12:.0f} pJ",
        f"{cost.FASTEST / 1e9:.1f} billion",
        f"{cost.SLOWEST / 1e9:.2f} billion",
        f"{cost.BATTERY / 3600:.0f} Wh",
    ):
        assert assumed in page
