"""Write the lines at which the page of proofs links to theorems: ``make numbers``."""

from __future__ import annotations

import re
from pathlib import Path

THEORIES = Path(__file__).parent / "theories"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "proofs.md"
LINK = re.compile(r"(\[`(\w+)`\]\(\.\./\.\./proofs/theories/(\w+)\.v)(?:#L\d+)?\)")


def line_of(name: str, theory: str) -> int:
    """Return the line of a theory, from 1, that states or defines ``name``."""
    text = (THEORIES / f"{theory}.v").read_text("utf-8")
    stated = "Theorem|Lemma|Corollary|Definition|Fixpoint|Inductive|Record"
    found = re.search(rf"^(?:{stated}) {name}\b", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"{PAGE}: {theory}.v has no {name}; name one that it states")
    return text.count("\n", 0, found.start()) + 1


def linked(page: str) -> str:
    """Return the page with the right lines."""
    return LINK.sub(lambda link: f"{link[1]}#L{line_of(link[2], link[3])})", page)


if __name__ == "__main__":
    PAGE.write_text(linked(PAGE.read_text("utf-8")), "utf-8")
