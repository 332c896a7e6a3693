"""The page of ``brr estimate``, for people who don't know the reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from brrkit_counting.estimate.counts.changes import GROUP, WORD
from brrkit_counting.estimate.from_files import Frequencies
from brrkit_counting.estimate.periods import Periods
from brrkit_counting.estimate.shares import Share
from brrkit_counting.pages.figures import over_periods
from brrkit_toolchain.channel.manifest_info import word_of
from brrkit_toolchain.report.html import render_page
from brrkit_toolchain.report.palette import style_sheet
from brrkit_toolchain.rounding import at_most, exact

_CHOSEN_LINES = 5
"""Number of a chart's lines if the caller chooses none."""

_MOST_LINES = 10
_SHOWN_CHANGES = 50


def render(found: Frequencies | Periods) -> str:
    """Return the page as self-contained HTML, which needs no script and no network."""
    values = _of_periods(found) if isinstance(found, Periods) else _of_one(found)
    return render_page(
        package=__package__,
        filters={
            "at_most": at_most,
            "percent": percent,
            "percent_at_most": percent_at_most,
            "number": "{:,}".format,
        },
        palette=style_sheet(),
        origin=found.origin,
        word=word_of(found.origin.list_of),
        **values,
    )


def percent(share: float) -> str:
    """Return a share as a percentage with three significant digits."""
    return f"{100 * share:.3g}%"


def percent_at_most(share: float) -> str:
    """Return an upper bound on a share as a percentage, rounded up."""
    return f"{at_most(100 * exact(share), 3)}%"


def _of_one(found: Frequencies) -> dict[str, Any]:
    widest = max([share.high for share in found.estimate.top], default=1.0) or 1.0
    return {
        "template": "frequencies.html.j2",
        "reports": found.estimate.reports,
        "estimate": found.estimate,
        "comparison": found.comparison,
        "shuffled": found.shuffled,
        "bar": lambda share: _bar(share, widest),
    }


def _of_periods(found: Periods) -> dict[str, Any]:
    lines, charted = _lines(found)
    return {
        "template": "periods.html.j2",
        "reports": sum(each.reports for each in found.estimates.values()),
        "estimates": found.estimates,
        "changes": found.changes,
        "most": _SHOWN_CHANGES,
        "lines": lines,
        "charted": charted,
        "plot": over_periods(lines, found.by) if len(found.estimates) > 1 else "",
    }


def _lines(found: Periods) -> tuple[dict[str, Mapping[str, Share]], str]:
    """Return the shares to chart, by period, and their description."""
    some = next(iter(found.estimates.values()))
    chosen = [(WORD, each.name) for each in some.asked] + [(GROUP, e.name) for e in some.totals]
    charted = "The words and groups asked for"
    if len(chosen) > _MOST_LINES:
        charted = f"The first {_MOST_LINES} words and groups asked for"
    if not chosen:
        by_size = sorted(found.changes.found, key=lambda c: abs(c.second - c.first), reverse=True)
        largest = dict.fromkeys((change.kind, change.name) for change in by_size)
        chosen, charted = list(largest)[:_CHOSEN_LINES], "The words whose shares changed most"
    if not chosen:
        together = sum(each.counts for each in found.estimates.values())
        frequent = np.argsort(-together, kind="stable")[:_CHOSEN_LINES]
        chosen = [(WORD, some.words[i]) for i in frequent.tolist()]
        charted = "The most frequent words; no change is significant"
    return {
        f"{name} (group)" if kind == GROUP else name: found.shares(name, kind)
        for kind, name in chosen[:_MOST_LINES]
    }, charted


def _bar(share: Share, widest: float) -> dict[str, str]:
    """Return the places of the interval and of the share, in percent of the width."""
    return {
        "left": f"{100 * share.low / widest:.2f}",
        "width": f"{100 * (share.high - share.low) / widest:.2f}",
        "at": f"{100 * share.share / widest:.2f}",
    }
