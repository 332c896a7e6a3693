"""Which day, week or month a batch is of."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import lru_cache

from brrkit.errors import ParameterError
from brrkit_counting.reports.batch import TIME

UNITS = {"day": 1, "week": 7, "month": 31}
"""What reports are gathered by, and how many days it has at most."""

_LONGER_DAY = timedelta(hours=1)
"""By which a person's day is longer when their clock goes back."""


def unit_of(period: tuple[str, str] | None, unit: str, place: str) -> str:
    """Return the first day of the unit, in UTC, in which the middle of a batch's period lies.

    A person's day, by their own clock, has its middle in the same day of UTC nearly everywhere.

    Args:
        period: start and end that the batch names, or None.
        unit: one of ``UNITS``; a week begins on Monday.
        place: how messages name the batch.

    Returns:
        It as ``2026-11-16``.

    Raises:
        ParameterError: the batch names no period, or one that is longer than the unit.
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
    """Return the day, in UTC, in which the middle of a batch's period lies, if it names one."""
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
