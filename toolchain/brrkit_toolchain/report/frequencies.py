"""The page of ``brr estimate``: for people who weren't there when the reports came."""

from __future__ import annotations

from brrkit_toolchain.estimate.estimate import Share
from brrkit_toolchain.estimate.from_files import Frequencies
from brrkit_toolchain.report.html import render_page


def render(found: Frequencies) -> str:
    """Return the page as HTML that needs nothing else: no script, no network."""
    widest = max([share.high for share in found.estimate.top], default=1.0) or 1.0
    return render_page(
        "frequencies.html.j2",
        {"percent": percent, "number": "{:,}".format},
        origin=found.origin,
        estimate=found.estimate,
        comparison=found.comparison,
        shuffled=found.shuffled,
        bar=lambda share: _bar(share, widest),
    )


def percent(share: float) -> str:
    """Return a share as a percentage with three digits that count."""
    return f"{100 * share:.3g}%"


def _bar(share: Share, widest: float) -> dict[str, str]:
    """Return where the interval and the share stand, in percent of the width."""
    return {
        "left": f"{100 * share.low / widest:.2f}",
        "width": f"{100 * (share.high - share.low) / widest:.2f}",
        "at": f"{100 * share.share / widest:.2f}",
    }
