"""ADePT's variants pass an audit, and what is broken has the power that is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from brrkit_toolchain.audit.pairs.bounds import POWER
from brrkit_toolchain.defaults import AUDIT_SAMPLES
from research.adept import rebuttal
from research.audits.power import FEW, MANY, VECTORS, audit_part, exact_powers, least_power

if TYPE_CHECKING:
    from conftest import Brr

BROKEN = "tests.helpers.broken:"
OURS = "research.adept.subjects:"


@pytest.mark.parametrize(
    ("factory", "place", "delta"),
    [
        ("laplace_l1", FEW, 0),
        ("laplace_l2", MANY, 0),
        ("gaussian", MANY, 0.01),
        ("codes_in_stages", FEW, 0),
    ],
)
def test_variants_pass(factory: str, place: int, delta: float) -> None:
    assert audit_part(OURS + factory, place, delta, samples=1_000).passed


def test_a_gaussian_without_a_delta(brr: Brr) -> None:
    outcome = brr("audit", "--metric", "any", "--factory", f"{OURS}gaussian")
    assert outcome.code != 0
    assert "gaussian needs a delta" in outcome.err
    assert outcome.err.count("\n") == 1


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


def test_rebuttal() -> None:
    """Section 6: in 32 dimensions, almost no pair is protected; in one, every one is."""
    shares = {n: rebuttal.simulated(n, 300, 0) for n in (2, 8, 32, 1024)}
    assert shares[2][0] == pytest.approx(0.14, abs=0.02)
    assert shares[2][1] == 0  # sigma 0.1: clipping does nothing
    assert shares[8][0] > 0.9
    assert min(*shares[32], *shares[1024]) > 0.999
    assert rebuttal.exceeding(np.array([[5.0], [-7.0], [0.1]])) == 0
    assert rebuttal.exceeding(np.array([[1.0, 1.0], [-1.0, -1.0]])) == 1
