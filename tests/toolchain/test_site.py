"""What the site's builder makes of the pages."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
LEFT_OUT = "reference/api,reference/examples,static"
ONE_PAGE = "include_patterns=index.md,reference/cli.md"  # of those that have options: enough
NOT_PROSE = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
DASHED = re.compile(r"(?<!\w)[–—][a-z][\w-]*")  # –text where a page has --text


def dashed(folder: Path, *options: str) -> list[str]:
    """Return what looks like an option with a typographic dash, of pages built into a folder."""
    command = [sys.executable, "-m", "sphinx", "-Q", "-b", "dirhtml", *options]
    subprocess.run(
        [*command, "-D", f"exclude_patterns={LEFT_OUT}", str(DOCS), str(folder)], check=True
    )
    found: list[str] = []
    pages = list(folder.rglob("*.html"))
    assert folder / "reference" / "cli" / "index.html" in pages
    for page in pages:
        text = NOT_PROSE.sub("", page.read_text(encoding="utf-8"))
        found += DASHED.findall(html.unescape(re.sub(r"<[^>]+>", " ", text)))
    return found


def test_options_keep_their_dashes(tmp_path: Path) -> None:
    assert dashed(tmp_path / "site", "-D", ONE_PAGE) == []


def test_an_option_without_its_dashes_is_found(tmp_path: Path) -> None:
    assert "–text" in dashed(tmp_path / "site", "-D", "smartquotes_action=qDe", "-D", ONE_PAGE)
