"""A proof and what it proves name each other, in every language: neither changes alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from brrkit.mechanisms import MECHANISMS

ROOT = Path(__file__).parents[2]
RUNTIMES = {
    "runtime/brrkit": (),
    # Reporters keep what they release in an outbox, which is the keyboard library's.
    "android_demo/brr/src/main": ("android_demo/brr-keyboard/src/main",),
    "ios_demo/Brrkit/Sources": (),
}
KEYBOARDS = ("android_demo/brr-keyboard/src/main", "ios_demo/Keyboard")
FOLDERS = (*RUNTIMES, "toolchain", "adept", "benchmarks", "research", *KEYBOARDS)
REFERENCE = re.compile(r'Proof[^:`]*: (``?)docs/([\w/-]+\.md)\1, "([^"]+)"')
# A comment of Kotlin or of Swift that documents, and what is declared next.
COMMENT = re.compile(r"/\*\*.*?\*/|(?:^[ \t]*///[^\n]*\n)+", re.DOTALL | re.MULTILINE)
DECLARED = re.compile(r"\b(?:class|struct|object|interface|protocol|enum|fun|func)\s+(\w+)")

PROOFS = "explanation/proofs.md"
THEORIES = ROOT / "proofs" / "theories"
IN_COQ = re.compile(r"\[`(\w+)`\]\(\.\./\.\./proofs/theories/(\w+)\.v#L(\d+)\)")
STATED = re.compile(r"(?:Definition|Fixpoint|Lemma|Theorem|Corollary) (\w+)")
PROVED = re.compile(r"^(?:Lemma|Theorem|Corollary) (\w+)", re.MULTILINE)
ASSUMPTIONS = re.compile(r"^Print Assumptions (\w+)\.$", re.MULTILINE)
Place = tuple[str, str]  # page and heading


def proven() -> set[Place]:
    """Return the headings that a proof ends under."""
    found = set()
    for page in (ROOT / "docs").rglob("*.md"):
        heading = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                heading = line.lstrip("# ").replace("`", "")
            if "∎" in line:
                found.add((page.relative_to(ROOT / "docs").as_posix(), heading))
    return found


def documented(file: Path) -> Iterator[tuple[str, str]]:
    """Yield what a file declares, or its own name, and what is said of it."""
    code = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield getattr(node, "name", file.stem), ast.get_docstring(node) or ""
    else:
        for comment in COMMENT.finditer(code):
            declared = DECLARED.search(code, comment.end())
            said = re.sub(r"^[ \t]*(?:///|/\*\*|\*)", "", comment[0], flags=re.MULTILINE)
            yield declared[1] if declared else file.stem, said


def referenced(*folders: str) -> dict[Place, set[str]]:
    """Return the headings that are named as the place of a proof, and what it proves."""
    found: dict[Place, set[str]] = {}
    files = [
        file
        for folder in folders
        for kind in ("py", "kt", "swift")
        for file in (ROOT / folder).rglob(f"*.{kind}")
    ]
    assert files
    for file in files:
        for declared, said in documented(file):
            for _, *place in REFERENCE.findall(" ".join(said.split())):
                # flip_threshold is flipThreshold elsewhere, and BRR is Brr.
                found.setdefault(tuple(place), set()).add(declared.replace("_", "").lower())
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_reference_leads_to_a_proof(folder: str) -> None:
    assert not set(referenced(folder)) - proven()


def test_every_proof_is_named_where_it_is_needed() -> None:
    assert proven() >= {(PROOFS, "exponential"), (PROOFS, "Counts")}
    named = {
        place
        for folder in ("runtime", "toolchain", "adept", "benchmarks", "research")
        for place in referenced(folder)
    }
    assert not proven() - named


@pytest.mark.parametrize("folder", RUNTIMES)
def test_a_runtime_names_the_proofs_that_the_others_do(folder: str) -> None:
    assert referenced(folder, *RUNTIMES[folder]) == referenced("runtime/brrkit")


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_names_its_own(name: str) -> None:
    assert name in referenced("runtime/brrkit")[(PROOFS, name)]


def test_the_page_names_theorems_whose_assumptions_are_printed() -> None:
    page = (ROOT / "docs" / PROOFS).read_text("utf-8")
    printed = set(ASSUMPTIONS.findall((THEORIES / "Assumptions.v").read_text("utf-8")))
    named = IN_COQ.findall(page)
    assert ("exponential_private", "Exponential") in [link[:2] for link in named]
    assert len(named) > 60

    for theorem, theory, line in named:
        text = (THEORIES / f"{theory}.v").read_text("utf-8")
        stated = STATED.match(text.split("\n")[int(line) - 1])
        assert stated and stated[1] == theorem, f"{theory}.v:{line} isn't {theorem}: make numbers"
        assert theorem in printed or theorem not in PROVED.findall(text), theorem
