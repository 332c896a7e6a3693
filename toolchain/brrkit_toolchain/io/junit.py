"""Outcomes as JUnit XML, for CI systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from xml.etree import ElementTree


class Case(Protocol):
    """The outcome of one check."""

    @property
    def name(self) -> str:
        """The name of the check."""
        ...

    @property
    def passed(self) -> bool:
        """Whether the check passed."""
        ...

    @property
    def detail(self) -> str:
        """The measured result, or the error."""
        ...

    @property
    def seconds(self) -> float:
        """The wall-clock time in seconds."""
        ...


def junit(suite_name: str, subject: str, cases: Sequence[Case]) -> str:
    """Return a test suite of ``cases``, with ``subject`` as their class."""
    failures = sum(not case.passed for case in cases)
    suite = ElementTree.Element(
        "testsuite", name=suite_name, tests=str(len(cases)), failures=str(failures)
    )
    for case in cases:
        element = ElementTree.SubElement(
            suite, "testcase", classname=subject, name=case.name, time=f"{case.seconds:.3f}"
        )
        if case.passed:
            ElementTree.SubElement(element, "system-out").text = case.detail
        else:
            ElementTree.SubElement(element, "failure", message=case.detail)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
