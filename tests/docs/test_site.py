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


def prose(page: str) -> str:
    """Return a page's text, each piece by itself."""
    return html.unescape(re.sub(r"<[^>]+>", " ", NOT_PROSE.sub("", page)))


def test_options_keep_their_dashes(tmp_path: Path) -> None:
    assert DASHED.findall(prose("<style>–a</style><p>give <code>–text</code></p>")) == ["–text"]
    command = [sys.executable, "-m", "sphinx", "-Q", "-b", "dirhtml", "-D", ONE_PAGE]
    subprocess.run(
        [*command, "-D", f"exclude_patterns={LEFT_OUT}", str(DOCS), str(tmp_path)], check=True
    )
    pages = list(tmp_path.rglob("*.html"))
    assert tmp_path / "reference" / "cli" / "index.html" in pages
    text = "".join(prose(page.read_text(encoding="utf-8")) for page in pages)
    assert " --text" in text
    assert DASHED.findall(text) == []
