"""What all tests of Python share: what luck may do to them, and the order that they run in.

A test that draws anew in each run, or whose seeded draws depend on the machine, is marked with
``false_alarm(rate)``: the probability with which it fails where nothing is wrong. What is seeded,
and the same on every machine, has no such rate: it passes always or never.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--last-first", action="store_true", help="run the tests in reverse order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--last-first"):
        items.reverse()


@pytest.fixture
def false_alarm_rates(request: pytest.FixtureRequest) -> list[float]:
    """Return the rate of each test of this run that has one."""
    marks = (item.get_closest_marker("false_alarm") for item in request.session.items)
    return [mark.args[0] for mark in marks if mark is not None]
