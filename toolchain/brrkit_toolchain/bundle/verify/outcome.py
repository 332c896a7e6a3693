"""The outcome of ``brr verify``, for people and for CI."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from brrkit_toolchain.io.junit import junit


class CheckError(Exception):
    """The error that a check found, in one line."""


@dataclass(frozen=True)
class Check:
    """The outcome of one check.

    Attributes:
        name: name of the check.
        passed: whether it passed.
        detail: the measured result, or the error.
        seconds: wall-clock time.
    """

    name: str
    passed: bool
    detail: str
    seconds: float


@dataclass(frozen=True)
class Verification:
    """The outcome of all checks of one bundle.

    Attributes:
        bundle: name of the bundle's directory.
        checks: the checks, in the order of execution.
    """

    bundle: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    def to_json(self) -> str:
        """Return the outcome as JSON: ``bundle``, ``passed`` and ``checks``."""
        fields = {"bundle": self.bundle, "passed": self.passed}
        return json.dumps({**fields, "checks": [asdict(c) for c in self.checks]}, indent=1) + "\n"

    def to_junit(self) -> str:
        """Return the outcome as JUnit XML, with a test case for each check."""
        return junit("brr verify", self.bundle, self.checks)
