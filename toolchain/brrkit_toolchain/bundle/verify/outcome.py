"""The outcome of ``brr verify``, for people and for CI."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from brrkit_toolchain.io.junit import junit


class CheckError(Exception):
    """What a check found wrong, in one line."""


@dataclass(frozen=True)
class Check:
    """Outcome of one check.

    Attributes:
        name: what was checked.
        passed: whether it held.
        detail: what was measured, or what is wrong.
        seconds: wall-clock time.
    """

    name: str
    passed: bool
    detail: str
    seconds: float


@dataclass(frozen=True)
class Verification:
    """Outcome of all checks of one bundle.

    Attributes:
        bundle: name of its directory.
        checks: in the order in which they ran.
    """

    bundle: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check held."""
        return all(check.passed for check in self.checks)

    def to_json(self) -> str:
        """Return it as JSON: ``bundle``, ``passed``, ``checks``."""
        fields = {"bundle": self.bundle, "passed": self.passed}
        return json.dumps({**fields, "checks": [asdict(c) for c in self.checks]}, indent=1) + "\n"

    def to_junit(self) -> str:
        """Return it as JUnit XML, a test case for each check."""
        return junit("brr verify", self.bundle, self.checks)
