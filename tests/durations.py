"""How long each test took when it last ran here: a file beside pytest's cache for each of tests."""

from __future__ import annotations

import json
from pathlib import Path, PurePath

import pytest

FOLDER = Path(__file__).parents[1] / ".pytest_cache" / "durations"

Seconds = dict[str, float]
"""Of tests, by their ids."""


def stored(file: str, folder: Path = FOLDER) -> Seconds:
    """Return what is known of a file's tests: nothing where it can't be read."""
    try:
        content = json.loads((folder / f"{PurePath(file).stem}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return dict(content)


class Durations:
    """Notes how long tests take, and stores it at the end, with what is known of others."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._taken: dict[str, Seconds] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what a test's set-up, the test itself or its end took."""
        tests = self._taken.setdefault(report.nodeid.partition("::")[0], {})
        tests[report.nodeid] = tests.get(report.nodeid, 0) + report.duration

    def pytest_sessionfinish(self) -> None:
        """Store it: the tests of a file run in one process, so that none loses another's."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for file, tests in self._taken.items():
            rounded = {name: round(seconds, 3) for name, seconds in tests.items()}
            content = json.dumps(stored(file, self._folder) | rounded, indent=0)
            (self._folder / f"{PurePath(file).stem}.json").write_text(content, encoding="utf-8")
