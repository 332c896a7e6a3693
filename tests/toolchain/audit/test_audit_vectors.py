"""Audits of mechanisms on vectors, whose claim is the same between any two."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from brrkit_toolchain.audit.audited_code.subject import Output, Subject
from brrkit_toolchain.audit.pairs.bounds import privacy_loss_bound
from brrkit_toolchain.audit.parts.clipping import clipping_comparisons
from brrkit_toolchain.defaults import AUDIT_SAMPLES

if TYPE_CHECKING:
    from conftest import Brr

BROKEN = "tests.helpers.broken:"
FEW, MANY = 0, 1
"""The parts: 4 and 32 dimensions."""
ALPHA = 1e-6 / 212  # a test's share of the false-alarm rate


def passes(factory: str, place: int, samples: int, delta: float) -> bool:
    """Return whether one part of an audit passes, in this process."""
    comparison = clipping_comparisons(delta, samples)[place]
    made = Subject(factory=factory).make(comparison.instance)

    def draw(lists: Iterable[Sequence[str]]) -> Iterator[list[Output]]:
        return (made.words(words) for words in lists)

    return comparison.test(draw, ALPHA).passed


@pytest.mark.parametrize("place", [FEW, MANY])
def test_what_is_right_passes(place: int) -> None:
    assert passes(f"{BROKEN}nothing", place, 1_000, 0)


@pytest.mark.parametrize(
    ("factory", "place", "samples", "delta"),
    [
        ("adept_as_published", MANY, 5_000, 0),
        ("norm_before_rounding", FEW, AUDIT_SAMPLES, 0),
        ("stages_with_all_of_epsilon", FEW, 1_000, 0),
        ("gaussian_of_half_the_distance", FEW, 5_000, 0.01),
        ("clip_forgotten", FEW, 1_000, 0),
    ],
)
def test_broken_mechanisms_fail(factory: str, place: int, samples: int, delta: float) -> None:
    assert not passes(BROKEN + factory, place, samples, delta)


def test_privacy_loss_bound_with_a_delta() -> None:
    first, second = np.array([5_000, 100, 0]), np.array([1_000, 10, 0])
    without = privacy_loss_bound(first, second, 10_000, 1e-3)
    with_delta = privacy_loss_bound(first, second, 10_000, 1e-3, 0.02)
    low = stats.beta.ppf(5e-4, 5_000, 5_001)
    assert without[0] - with_delta[0] == pytest.approx(math.log(low / (low - 0.02)))
    assert with_delta[1] == with_delta[2] == -math.inf


@pytest.mark.false_alarm(1e-9)
def test_command(brr: Brr, tmp_path: Path) -> None:
    file = tmp_path / "audit.json"
    options = ["--metric", "any", "--samples", 1000, "--false-alarm-rate", 1e-9, "--factory"]
    passed = brr("audit", *options, f"{BROKEN}nothing", "--json", file)
    assert passed.code == 0, passed.err
    audit = json.loads(file.read_text())
    names = ["4 dimensions", "32 dimensions", "successive calls", "fresh noise"]
    assert [part["name"] for part in audit["parts"]] == names
    assert audit["metric"] == "any"
    assert audit["passed"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "any"], "--metric any is for --factory"),
        (["--factory", "a:b"], "give a BUNDLE, or --metric any"),
        (["bundle", "--metric", "any", "--factory", "a:b"], "give a BUNDLE, or --metric any"),
        (["bundle", "--delta", "0.01"], "--delta is for --metric any"),
        (["--metric", "any", "--factory", "a:b", "--delta", "0.5"], "delta must be from 0 to 0.01"),
    ],
)
def test_refusals(brr: Brr, arguments: list[str], message: str) -> None:
    out = brr("audit", *arguments)
    assert out.code != 0
    assert message in out.err
    assert out.err.count("\n") == 1
