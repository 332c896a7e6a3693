"""The plot of the page of ``brr estimate``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from brrkit_counting.estimate.shares import Share
from brrkit_counting.reports.calendar import UNITS
from brrkit_toolchain.report.plots import Axis, Series, line_plot


def over_periods(lines: Mapping[str, Mapping[str, Share]], by: str) -> str:
    """Return a plot of shares over periods, with their intervals.

    Args:
        lines: shares in each period, by the line's name; some periods may be far apart.
        by: division into periods.
    """
    periods = list(next(iter(lines.values())))
    x = range(len(periods))
    days = [date.fromisoformat(period).toordinal() for period in periods] if by in UNITS else x
    series = [
        Series(
            name,
            days,
            [100 * share.share for share in shares.values()],
            [100 * share.low for share in shares.values()],
            [100 * share.high for share in shares.values()],
        )
        for name, shares in lines.items()
    ]
    lowest = min(0.0, *(min(line.y) for line in series))
    highest = max(max(line.high or [1]) for line in series)
    return line_plot(
        series,
        name="periods",
        title=f"Share of what was typed, by {by}: {', '.join(lines)}",
        x=Axis(by, names=dict(zip(days, periods, strict=True))),
        y=Axis("share of what was typed, %", ends=(lowest, 1.05 * highest)),
        themed=True,
    )
