"""Bounds are printed as what holds: an upper one rounded up, a lower one down."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from math import log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brrkit_toolchain.report.statements.number_format import (
    at_most_percent,
    at_most_sure,
    belief,
    odds,
)
from brrkit_toolchain.rounding import at_least, at_most, exact

TOOLCHAIN = Path(__file__).parents[2] / "toolchain" / "brrkit_toolchain"
POWERS = {"million": 6, "billion": 9, "trillion": 12}

positive = st.floats(1e-300, 1e300, allow_subnormal=False)
losses = st.floats(0, 9_000)


def value_of(shown: str) -> Fraction:
    """Return the number that people read."""
    digits, _, rest = shown.replace(",", "").partition(" ")
    power = int(rest[5:]) if rest.startswith("· 10^") else POWERS.get(rest, 0)
    return Fraction(digits) * 10**power


@given(positive, st.integers(1, 9))
def test_bounds_hold_and_are_near(value: float, digits: int) -> None:
    most, least = (Fraction(shown(value, digits).replace(",", "")) for shown in (at_most, at_least))
    assert least <= exact(value) <= most
    near = min(exact(value) * Fraction(10, 10**digits), max(1, exact(value) / 10**15))
    assert most - least <= near or value < 1_000
    assert most - least <= exact(value) * Fraction(10, 10**digits) or value >= 1_000


@given(st.fractions(min_value=1, max_value=10**9))
def test_exact_values_stay_exact(value: Fraction) -> None:
    most, least = (Fraction(shown(value).replace(",", "")) for shown in (at_most, at_least))
    assert least <= value <= most
    assert (least == most) <= (value == most)


@given(losses)
def test_odds_are_those_of_the_exponent_beside_them(loss: float) -> None:
    factor, exponent = odds(loss)
    assert exact(loss) <= value_of(exponent)
    with localcontext() as context:
        context.prec = 60
        power = Fraction(Decimal(exponent.replace(",", "")).exp())
    assert power <= value_of(factor) <= power * Fraction(110, 100)


@given(st.floats(0, 1, allow_subnormal=False))
def test_nobody_is_surer_than_printed(value: float) -> None:
    assert exact(value) <= Fraction(belief(value))
    assert Fraction(belief(value)) <= max(exact(value) * Fraction(110, 100), Fraction("1e-300"))


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        (belief(0.99932), "0.9994"),
        (belief(0.99995), "1"),
        (at_most_sure(0.99995), "may become almost certain"),
        (at_most_sure(0.1), "becomes at most 10% sure"),
        (at_most_percent(0.201), "21%"),
        (at_most_percent(0.0201), "2.1%"),
        (odds(6.255), ("521", "6.255")),
        (odds(6.2549), ("521", "6.255")),
        (odds(40), ("2.4 · 10^17", "40")),
        (odds(0), ("1", "0")),
        (odds(log(24_155)), ("24,344", "10.1")),
        (at_most(365 * Fraction("16.5")), "6,023"),
        (at_most(0.1 + 0.2), "0.3001"),
        (at_most(16.1), "16.1"),
        (at_most(1.23456e-7), "1.235e-7"),
        (at_least(9.2102), "9.21"),
    ],
)
def test_as_shown(shown: object, says: object) -> None:
    assert shown == says


def test_no_bound_is_formatted_to_the_nearest_number() -> None:
    """A text that says "at most" has its number from ``at_most``; only a day's words are whole."""
    nearest = r"\{+(?![^{}]*words_a_day)[^{}]*(?::[^{}]*[gfe%]|\| (?:number|percent)\b[^{}]*)\}+"
    said = re.compile(rf"(?:at most|more than|exceeds) {nearest}|{nearest} (?:of them )?at most")
    sources = [*TOOLCHAIN.rglob("*.py"), *TOOLCHAIN.rglob("*.j2")]
    assert len(sources) > 100
    assert said.search('f"lose at most {certified:.4g} a bit"')
    assert said.search("<b>at most {{ promise.epsilon | number(4) }}</b>")
    found = {
        f"{path.name}: {match[0]}"
        for path in sources
        for match in said.finditer(re.sub(r'"\n\s*f?"', "", path.read_text(encoding="utf-8")))
    }
    assert found == {
        "__init__.py: at most {_LARGEST_NUMBER:g}",  # what is asked for, not what holds
    }
