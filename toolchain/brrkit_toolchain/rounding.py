"""Printed bounds: no upper bound is printed too low, and no lower bound too high.

As for a budget, a float means the decimal with which it is printed: 0.1 means one tenth.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from brrkit.period import decimal as exact

__all__ = ["at_least", "at_most", "exact", "up"]

_SHOWN_DIGITS = 4
_WHOLE_FROM = 1_000
_EXPONENT_BELOW = Decimal("1e-4")


def at_most(value: float | Fraction | Decimal, digits: int = _SHOWN_DIGITS) -> str:
    """Format an upper bound with ``digits`` digits, rounded up; from 1,000 as a whole number."""
    return _shown(up(value, digits))


def at_least(value: float | Fraction | Decimal, digits: int = _SHOWN_DIGITS) -> str:
    """Format a lower bound with ``digits`` digits, rounded down; from 1,000 as a whole number."""
    return _shown(_rounded(value, digits, ROUND_FLOOR))


def up(value: float | Fraction | Decimal, digits: int = _SHOWN_DIGITS) -> Decimal:
    """Return what ``at_most`` shows."""
    return _rounded(value, digits, ROUND_CEILING)


def _rounded(value: float | Fraction | Decimal, digits: int, rounding: str) -> Decimal:
    number = Fraction(value) if isinstance(value, int | Fraction | Decimal) else exact(value)
    if abs(number) >= _WHOLE_FROM:
        digits = len(str(int(abs(number))))
    context = Context(prec=digits, rounding=rounding)
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _shown(value: Decimal) -> str:
    if 0 < abs(value) < _EXPONENT_BELOW:
        return f"{value.normalize():e}"
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
