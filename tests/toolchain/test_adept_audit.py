"""Audits of mechanisms on vectors: ADePT's variants pass, what is broken doesn't."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from brrkit_toolchain.audit.bounds import POWER, privacy_loss_bound
from brrkit_toolchain.defaults import AUDIT_SAMPLES
from research.adept import rebuttal
from research.audits.power import FEW, MANY, VECTORS, audit_part, exact_powers, least_power

if TYPE_CHECKING:
    from conftest import Brr

BROKEN = "tests.toolchain.broken:"
OURS = "research.adept.subjects:"
ALPHA = 1e-6 / 212  # a test's share of the false-alarm rate


@pytest.mark.parametrize(
    ("factory", "place", "delta"),
    [("laplace_l2", MANY, 0), ("gaussian", MANY, 0.01), ("codes_in_stages", FEW, 0)],
)
def test_variants_pass(factory: str, place: int, delta: float) -> None:
    """And so does ``laplace_l1``: see ``test_command``."""
    assert audit_part(OURS + factory, place, delta, samples=1_000).passed


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
    assert not audit_part(BROKEN + factory, place, delta, samples=samples).passed


def test_power_at_default_samples() -> None:
    """An event that everybody can name is enough to reject each with probability 0.99."""
    powers = exact_powers(AUDIT_SAMPLES)
    assert set(powers) == {name.partition(":")[2] for name in VECTORS if name.startswith(BROKEN)}
    assert min(powers.values()) > POWER
    assert min(exact_powers(50).values()) < POWER


def test_least_power() -> None:
    assert least_power(100, 100) == pytest.approx(0.05 ** (1 / 100))
    assert least_power(299, 300) > 0.98
    assert least_power(0, 9) == 0


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
    passed = brr("audit", *options, f"{OURS}laplace_l1", "--json", file)
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
        (["--metric", "any", "--factory", f"{OURS}gaussian"], "gaussian needs a delta"),
    ],
)
def test_refusals(brr: Brr, arguments: list[str], message: str) -> None:
    out = brr("audit", *arguments)
    assert out.code != 0
    assert message in out.err
    assert out.err.count("\n") == 1


def test_rebuttal() -> None:
    """Section 6: in 32 dimensions, almost no pair is protected; in one, every one is."""
    shares = {n: rebuttal.simulated(n, 300, 0) for n in (2, 8, 32, 1024)}
    assert shares[2][0] == pytest.approx(0.14, abs=0.02)
    assert shares[2][1] == 0  # sigma 0.1: clipping does nothing
    assert shares[8][0] > 0.9
    assert min(*shares[32], *shares[1024]) > 0.999
    assert rebuttal.exceeding(np.array([[5.0], [-7.0], [0.1]])) == 0
    assert rebuttal.exceeding(np.array([[1.0, 1.0], [-1.0, -1.0]])) == 1
