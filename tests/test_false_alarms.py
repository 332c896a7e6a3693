"""Chance alone fails the whole suite less than once in 10 million runs.

Each test that draws anew in each run, or whose seeded draws depend on the machine, states how often
it fails where nothing is wrong: in Python as ``@pytest.mark.false_alarm(rate)``, elsewhere in a
comment. In Python all others draw the same in each run (``tests/draws.py``), and have no such
rate.
"""

from __future__ import annotations

import math
import os
import random
import re
import secrets
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
LARGEST = 1e-9  # of a test
SUM = 1e-7  # of all
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


def drawn() -> list[str]:
    """Return what comes of the system's random bytes, by four ways, and in a forked process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, os.urandom(8).hex().encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as other:
        return [
            os.urandom(8).hex(),
            secrets.token_hex(8),
            f"{random.SystemRandom().getrandbits(64):016x}",
            np.random.default_rng().bytes(8).hex(),
            other.read(),
        ]


SEEDED = [
    "a7a24d90591ff58c",
    "dd3b7eeba5e7d357",
    "5603bd785d508239",
    "582aa5db754ae07d",
    "82c2746a5a86d160",
]
"""Of the first test below."""


def test_a_test_without_a_rate_draws_the_same_in_each_run() -> None:
    assert drawn() == SEEDED
    assert len(set(SEEDED)) == len(SEEDED)


@pytest.mark.false_alarm(1e-18)
def test_a_test_with_a_rate_draws_anew() -> None:
    """Two of ten numbers of 64 bits are equal with 45 / 2^64."""
    assert len({*drawn(), *drawn()}) == 10
    assert not {*drawn()} & {*SEEDED}
