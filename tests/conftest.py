"""What all tests of Python share: what luck may do to them, and the order that they run in.

A test that draws anew in each run, or whose seeded draws depend on the machine, is marked with
``false_alarm(rate)``: the probability with which it fails where nothing is wrong. What is seeded,
and the same on every machine, has no such rate: it passes always or never.
"""

from __future__ import annotations

from typing import Any

import pytest

# Files whose tests load TensorFlow, which takes 8 s of CPU time: one process does so.
LOAD_TENSORFLOW = ("adept", "adept_evaluate", "adept_graphs", "graph", "verify")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--last-first", action="store_true", help="run the tests in reverse order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--last-first"):
        items.reverse()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a process the tests of a file, or of all files that load TensorFlow."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    together = {f"tests/toolchain/test_{name}.py" for name in LOAD_TENSORFLOW}

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return "tensorflow" if file in together else file

    return ByFile(config, log)


@pytest.fixture
def false_alarm_rates(request: pytest.FixtureRequest) -> list[float]:
    """Return the rate of each test of this run that has one."""
    marks = (item.get_closest_marker("false_alarm") for item in request.session.items)
    return [mark.args[0] for mark in marks if mark is not None]
