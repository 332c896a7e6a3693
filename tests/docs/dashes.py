"""Find options whose two dashes the site's builder has made into one: fails, and names them.

python tests/docs/dashes.py FOLDER      FOLDER: the built site
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

_LEFT_OUT = {"api", "examples", "static"}
_NOT_PROSE = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
_DASHED = re.compile(r"(?<!\w)[–—][a-z][\w-]*")  # –text where a page has --text


def prose(page: str) -> str:
    """Return a page's text, each piece by itself."""
    return html.unescape(re.sub(r"<[^>]+>", " ", _NOT_PROSE.sub("", page)))


def dashed(page: str) -> list[str]:
    """Return the options of a page that have lost a dash."""
    return _DASHED.findall(prose(page))


def main(folder: str) -> str | None:
    """Return what is wrong with a site."""
    options = 0
    for path in sorted(Path(folder).rglob("*.html")):
        if _LEFT_OUT.isdisjoint(path.parts):
            page = path.read_text(encoding="utf-8")
            options += prose(page).count(" --")
            if lost := dashed(page):
                return f"{path}: {lost[0]} has lost a dash: smartquotes_action, in docs/conf.py"
    return None if options else f"{folder}: no page has an option; 'make site' builds it"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
