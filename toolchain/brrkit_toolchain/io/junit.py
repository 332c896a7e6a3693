"""Outcomes as JUnit XML, which CI systems show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from xml.etree import ElementTree


class Case(Protocol):
    """The outcome of one check."""

    @property
    def name(self) -> str:
        """What was checked."""
        ...

    @property
    def passed(self) -> bool:
        """Whether it held."""
        ...

    @property
    def detail(self) -> str:
        """What was measured, or what is wrong."""
        ...

    @property
    def seconds(self) -> float:
        """Wall-clock time."""
        ...


def junit(suite_name: str, subject: str, cases: Sequence[Case]) -> str:
    """Return a test suite of ``cases``, whose class is what they are about: ``subject``."""
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
