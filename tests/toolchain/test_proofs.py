"""A proof and what it proves name each other: neither goes, or is renamed, alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from brr_runtime.mechanisms import MECHANISMS

ROOT = Path(__file__).parents[2]
REFERENCE = re.compile(r'Proof[^:`]*: ``docs/([\w-]+\.md)``, "([^"]+)"')

Place = tuple[str, str]  # page and heading


def proven() -> set[Place]:
    """Return the headings that a proof ends under."""
    found = set()
    for page in (ROOT / "docs").glob("*.md"):
        heading = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                heading = line.lstrip("# ").replace("`", "")
            if "∎" in line:
                found.add((page.name, heading))
    return found


def referenced() -> dict[Place, list[str]]:
    """Return the headings that docstrings name as the place of a proof, and where they do."""
    found: dict[Place, list[str]] = {}
    for folder in ("runtime", "toolchain"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                    continue
                said = " ".join((ast.get_docstring(node) or "").split())
                for place in REFERENCE.findall(said):
                    found.setdefault(place, []).append(f"{file.relative_to(ROOT)}")
    return found


def test_every_reference_leads_to_a_proof() -> None:
    assert not set(referenced()) - proven()


def test_every_proof_is_named_where_it_is_needed() -> None:
    assert proven() >= {("privacy.md", "exponential"), ("memory.md", "What is guaranteed")}
    assert not proven() - set(referenced())


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_names_its_own(name: str) -> None:
    places = referenced()[("privacy.md", name)]
    assert f"runtime/brr_runtime/mechanisms/{name}.py" in places
