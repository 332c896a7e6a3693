"""A plugin of pytest: a test that takes too much CPU time ends the process, and has failed.

``tests/mutants.py`` loads it, since a mutant may never end. The time is the process's own: on a
busy machine it is the same.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

LIMIT = 120  # seconds


def _end(*_: object) -> None:
    os._exit(1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    signal.signal(signal.SIGPROF, _end)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
