"""Rules for all Python tests: their random draws, their order, and their durations.

A test draws the same values in each run: bytes that follow from its name (``tests/draws.py``). A
test that needs the system's bytes is marked with ``false_alarm(rate)``, the probability that it
fails without a fault. So is a test whose draws depend on the machine, or come from other processes,
which use the system's bytes. Other tests have no such rate: they always pass or always fail.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from draws import draw_from  # before the runtime is imported, whose default is the system's source
from durations import Durations

# Files whose tests load TensorFlow, which takes 8 s of CPU time: one process does so.
LOAD_TENSORFLOW = ("adept", "adept_evaluate", "adept_graphs", "graph", "verify")

draw_from("collected")


def _seed(item: pytest.Item, when: str) -> str | None:
    """Return the source of a test's bytes. It omits the test's folder, because tests may move."""
    own = item.nodeid.rpartition("/")[2]
    return None if item.get_closest_marker("false_alarm") else f"{when} {own}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--last-first", action="store_true", help="run the tests in reverse order")


def pytest_configure(config: pytest.Config) -> None:
    """Record the tests' durations; not in xdist's processes, whose reports one process collects."""
    if config.pluginmanager.hasplugin("cacheprovider") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    nightly = {item for item in items if item.get_closest_marker("nightly")}
    if nightly and not os.environ.get("BRR_NIGHTLY"):
        config.hook.pytest_deselected(items=list(nightly))
        items[:] = [item for item in items if item not in nightly]
    if config.getoption("--last-first"):
        items.reverse()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[object]:
    """Let one of xdist's processes at a time import the tests: the next one finds them compiled.

    Imports stay, so garbage collection skips them, then and later.
    """
    gc.disable()
    try:
        if not hasattr(session.config, "workerinput"):
            return (yield)
        import fcntl

        with Path(__file__).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a process the tests of a file, or of all files that load TensorFlow."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    together = {f"test_{name}.py" for name in LOAD_TENSORFLOW}

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return "tensorflow" if Path(file).name in together else file

    return ByFile(config, log)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    draw_from(_seed(item, "before"))
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Draw from a new source. Objects shared by several tests are made before the first of them."""
    draw_from(_seed(item, "in"))
    return (yield)


@pytest.fixture
def false_alarm_rates(request: pytest.FixtureRequest) -> list[float]:
    """Return the rate of each test of this run that has one."""
    marks = (item.get_closest_marker("false_alarm") for item in request.session.items)
    return [mark.args[0] for mark in marks if mark is not None]
