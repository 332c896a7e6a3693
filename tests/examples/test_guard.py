"""The example that guards prompts: what leaves, and what comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from brrkit import Session, WordBundle

pytest.importorskip("presidio_analyzer", reason="pip install '.[guard]'")

from examples.guard.command import guard
from examples.guard.detector import Detector

BUNDLE = Path(__file__).parents[2] / "spec" / "conformance" / "policy"

PROMPT = (
    "Book a doctor for Anna Zoltan on Monday. Maria O'Brien (maria@example.com, 212-555-0187) "
    "is at her place in new boston, with asthma."
)
FOUND = ("zoltan", "o'brien", "example", "555", "place")
"""Words of it that no surrogate is: forms, and words outside the vocabulary."""


def marked(prompt: str) -> list[tuple[str, str | None]]:
    """Return the parts of ``prompt`` that are found, and the list of each."""
    marks = Detector(WordBundle.open(BUNDLE)).marks(prompt)
    return [(prompt[mark.start : mark.end], mark.list) for mark in marks]


def test_what_is_found() -> None:
    found = marked(PROMPT)
    assert ("Anna", "names") in found
    assert ("Zoltan", "names") in found  # a form
    assert ("Monday", None) in found
    assert ("Maria", "names") in found  # though it begins a sentence
    assert ("maria@example.com", None) in found
    assert ("asthma", "illness_2") in found
    assert not {"Book", "doctor", "is", "boston"} & {text for text, _ in found}


def test_two_capitals_in_a_row_are_a_name() -> None:
    assert [text for text, _ in marked("Rose Book is in boston. Rose is cold.")] == ["Rose", "Book"]


def test_nothing_found_leaves() -> None:
    bundle = WordBundle.open(BUNDLE)
    hidden = Session(bundle).hide(PROMPT, Detector(bundle).marks(PROMPT))
    assert not [word for word in FOUND if word in hidden.lower()]
    assert "Book a doctor for " in hidden


def test_the_command_restores_an_answer() -> None:
    command = ["--bundle", str(BUNDLE), "--through", "cat"]
    done = CliRunner().invoke(guard, command, input="find Zoltan in boston")
    assert done.exit_code == 0, done.output
    assert done.stdout == "find Zoltan in boston\n"
    assert "Zoltan" not in done.stderr
    assert done.stderr.startswith("find ")


def test_a_command_that_fails() -> None:
    command = ["--bundle", str(BUNDLE), "--through", "false"]
    done = CliRunner().invoke(guard, command, input="find Zoltan")
    assert done.exit_code == 1
    assert "the command of --through failed" in done.output
    assert "Zoltan" not in done.output
