"""Chance alone fails the whole suite less than once in 10,000 runs.

Each test that draws anew in each run, or whose seeded draws depend on the machine, states how often
it fails where nothing is wrong: in Python as ``@pytest.mark.false_alarm(rate)``, elsewhere in a
comment. A test with a fixed seed that gives the same everywhere has no such rate.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
LARGEST = 1e-6  # of a test
SUM = 5e-5  # of all
STATED = re.compile(r"False alarm: (\d+e-\d+)")
"""In a comment beside each test of Kotlin, Swift or TypeScript that draws anew: its rate."""


def stated() -> list[float]:
    """Return the rates of the tests of Kotlin, Swift and TypeScript."""
    tests = [*(ROOT / "android_demo").rglob("src/test/**/*.kt")]
    tests += (ROOT / "ios_demo").rglob("Tests/*.swift")
    tests += (ROOT / "web_demo" / "test").rglob("*.ts")
    return [float(rate) for file in tests for rate in STATED.findall(file.read_text("utf-8"))]


def test_all_rates_together_are_small(false_alarm_rates: list[float]) -> None:
    """Of the tests of this run, and of those in other languages."""
    rates = false_alarm_rates + stated()
    assert len(stated()) > 10
    assert all(0 < rate <= LARGEST for rate in rates)
    assert math.fsum(rates) < SUM
