"""Pages of the reference with a part that is written from the code."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import click

from benchmarks.provenance import ROOT


def with_part(text: str, name: str, content: str) -> str:
    """Return a page with ``content`` between ``<!-- NAME -->`` and ``<!-- end -->``.

    Raises:
        ValueError: the page has no place for it.
    """
    block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not block.search(text):
        raise ValueError(f"the page has no place for the {name}: <!-- {name} --> ... <!-- end -->")
    return block.sub(lambda found: f"{found[1]}\n{content}\n{found[2]}", text)


def rewrite(page: Path, rewritten: Callable[[str], str]) -> None:
    """Rewrite a page, and print whether it changed."""
    text = page.read_text(encoding="utf-8")
    new = rewritten(text)
    page.write_text(new, encoding="utf-8")
    if new != text:
        click.echo(f"{page.relative_to(ROOT)}: rewritten")
