"""The day, week or month of a batch."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import lru_cache

from brrkit.errors import ParameterError
from brrkit_counting.reports.batch import TIME

UNITS = {"day": 1, "week": 7, "month": 31}
"""Units of time that divide reports, with the largest number of days in each."""

_LONGER_DAY = timedelta(hours=1)
"""Extension of a person's day when their clock is set back."""


def unit_of(period: tuple[str, str] | None, unit: str, place: str) -> str:
    """Return the first day of the unit, in UTC, that contains the middle of a batch's period.

    Nearly everywhere, the middle of a person's day by their own clock is in the same day in UTC.

    Args:
        period: start and end of the batch's period, or None.
        unit: one of ``UNITS``; a week begins on Monday.
        place: name of the batch in messages.

    Returns:
        The day, such as ``2026-11-16``.

    Raises:
        ParameterError: the batch names no period, or a longer one than the unit.
    """
    if period is None:
        raise ParameterError(
            f"{place}: names no period, so its {unit} is unknown; leave it out, or count by file, "
            "with a file for each period"
        )
    first = _unit_of(period, unit)
    if first is None:
        raise ParameterError(
            f"{place}: its period is longer than a {unit}; count by a longer unit, or leave it out"
        )
    return first


@lru_cache(maxsize=1 << 16)
def day_of(period: tuple[str, str] | None) -> str | None:
    """Return the day, in UTC, that contains the middle of a batch's period, if it names one."""
    return None if period is None else _middle(period).isoformat()


@lru_cache(maxsize=1 << 16)
def _unit_of(period: tuple[str, str], unit: str) -> str | None:
    start, end = (datetime.strptime(time, TIME) for time in period)
    if end - start > timedelta(UNITS[unit]) + _LONGER_DAY:
        return None
    middle = _middle(period)
    if unit == "week":
        middle -= timedelta(middle.weekday())
    elif unit == "month":
        middle = middle.replace(day=1)
    return middle.isoformat()


def _middle(period: tuple[str, str]) -> date:
    start, end = (datetime.strptime(time, TIME) for time in period)
    return (start + (end - start) / 2).date()
