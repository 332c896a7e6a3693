"""The outcome of ``brr verify``, for people and for CI."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from xml.etree import ElementTree


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
class Report:
    """Outcome of all checks of one bundle."""

    bundle: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check held."""
        return all(check.passed for check in self.checks)

    def to_json(self) -> str:
        """Return the report as JSON: ``bundle``, ``passed``, ``checks``."""
        fields = {"bundle": self.bundle, "passed": self.passed}
        return json.dumps({**fields, "checks": [asdict(c) for c in self.checks]}, indent=1) + "\n"

    def to_junit(self, suite_name: str = "brr verify") -> str:
        """Return the report as JUnit XML, a test case for each check."""
        failures = sum(not check.passed for check in self.checks)
        suite = ElementTree.Element(
            "testsuite", name=suite_name, tests=str(len(self.checks)), failures=str(failures)
        )
        for check in self.checks:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=self.bundle,
                name=check.name,
                time=f"{check.seconds:.3f}",
            )
            if check.passed:
                ElementTree.SubElement(case, "system-out").text = check.detail
            else:
                ElementTree.SubElement(case, "failure", message=check.detail)
        ElementTree.indent(suite)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
