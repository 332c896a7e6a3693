"""The first line of ``brr calibrate``: whether the goal is met, over which words, against whom."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING

from brrkit_toolchain.rounding import exact

if TYPE_CHECKING:
    from brrkit.setting import Estimate

_DECIMALS = 3


def verdict(reached: str, over: float, *beside: str) -> str:
    """Return the line.

    Args:
        reached: the limited measure, its value and the goal, from ``against``.
        over: excess of the upper end over the goal; 0 if the goal is met.
        beside: other numbers, and the attacker.
    """
    missed = f"; its upper end exceeds the goal by {_up(over)}" if over else ""
    said = "; ".join([reached + missed, *beside])
    return f"Goal {'missed' if over else 'met'}: {said}"


def against(what: str, reached: Estimate, goal: float) -> str:
    """Return the limited number, its interval rounded outwards, and the goal."""
    limit = f"goal {_shown(goal)}"
    if reached.low < reached.high:
        limit = f"{_down(reached.low)} to {_up(reached.high)}; {limit}"
    value = _up(reached.value) if reached.low == reached.high else f"{reached.value:.{_DECIMALS}f}"
    return f"{what} {value} ({limit})"


def _shown(goal: float) -> str:
    return max(f"{goal:.{_DECIMALS}f}", f"{goal:g}", key=len)


def _up(value: float) -> str:
    return f"{ceil(exact(value) * 10**_DECIMALS) / 10**_DECIMALS:.{_DECIMALS}f}"


def _down(value: float) -> str:
    return f"{floor(exact(value) * 10**_DECIMALS) / 10**_DECIMALS:.{_DECIMALS}f}"
