"""The README's picture: a request, and a typical release of it.

Among the sample's releases of the request with the first seeds, it is the first that keeps the
median number of words.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Sequence
from html import escape
from statistics import median_low

from benchmarks.provenance import ROOT
from brrkit import Privatizer, WordBundle

REQUEST = "play a song by an italian band"
SEEDS = 1_001
"""Number of releases from which the picture's release is chosen."""

_TEMPLATE = ROOT / "benchmarks" / "overview.svg"
_WIDTH = 15  # characters of a line
_LEFT = {"typed": 36, "released": 370}  # left ends of the lines, by the template's boxes


def kept(typed: Sequence[str], released: Sequence[str]) -> int:
    """Return the number of words that are released as typed."""
    return sum(map(str.__eq__, typed, released))


def releases() -> list[str]:
    """Return a release of the request for each seed."""
    bundle = WordBundle.sample()
    return [
        Privatizer(bundle, random=random.Random(seed).randbytes).text(REQUEST)
        for seed in range(SEEDS)
    ]


def typical(released: Sequence[str]) -> str:
    """Return the first of the releases that keeps the median number of words."""
    counts = [kept(REQUEST.split(), each.split()) for each in released]
    return released[counts.index(median_low(counts))]


def draw() -> str:
    """Return the picture as SVG."""
    lines = {"typed": REQUEST, "released": typical(releases())}
    filled = _TEMPLATE.read_text(encoding="utf-8").replace("SEEDS", f"{SEEDS:,}")
    for name, text in lines.items():
        filled = filled.replace(f"    {name.upper()}\n", _lines(text, _LEFT[name]))
    return filled


def _lines(text: str, left: int) -> str:
    """Return the text in lines, around the middle of its box."""
    wrapped = textwrap.wrap(text, _WIDTH)
    apart = 40 if len(wrapped) < 4 else 32
    first = 164 - apart * (len(wrapped) - 1) // 2
    return "".join(
        f'    <text x="{left}" y="{first + apart * place}">{escape(line)}</text>\n'
        for place, line in enumerate(wrapped)
    )
