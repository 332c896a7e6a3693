"""The format of numbers on pages."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

from brrkit_toolchain.rounding import at_most, up

_SCALES = (("trillion", 12), ("billion", 9), ("million", 6))
_LARGEST = 15  # numbers from this power of ten are written with one
_NEARLY_SURE, _NEARLY_ONE = 0.99, 0.9999


def number(value: float, digits: int = 3) -> str:
    """Return a number with ``digits`` digits; from 1,000 on as a whole one."""
    return f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:,.0f}"


def odds(loss: float | Fraction) -> tuple[str, str]:
    """Return e^loss, so that people can read it, and the loss; both rounded up.

    The first is at least e to the power of the second: ("522", "6.256"), ("15 million", "16.5"),
    ("2.4 · 10^17", "40").
    """
    exponent = up(loss)
    context = Context(prec=30)
    # Rounded to the nearest number of 30 digits, so the next one isn't less; e^0 is exact.
    factor = context.next_plus(exponent.exp(context)) if exponent else Decimal(1)
    return _power(factor), at_most(exponent)


def _power(factor: Decimal) -> str:
    if factor >= Decimal(10) ** _LARGEST:
        rounded = up(factor.scaleb(-factor.adjusted()), 2)
        power = factor.adjusted() + rounded.adjusted()
        rounded = rounded.scaleb(-rounded.adjusted())
        return f"{at_most(rounded)} · 10^{power}"
    for name, power in _SCALES:
        if factor >= Decimal(10) ** power:
            return f"{at_most(factor.scaleb(-power), 2)} {name}"
    return at_most(factor, 3)


def probability(value: float) -> str:
    """Return a probability: 0.20, 0.070."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def belief(value: float) -> str:
    """Format a posterior probability, rounded up: 0.21, 0.02, 0.9996; 1 from 0.9999."""
    if nearly_certain(value):
        return "1"
    digits = 4 if value > _NEARLY_SURE else 2
    rounded = up(value, digits)
    return f"{rounded:f}" if value < 0.1 else f"{rounded:.{digits}f}"


def sure(value: float) -> str:
    """Format it as a percentage of certainty, rounded up: 21% sure, almost certain."""
    return "almost certain" if nearly_certain(value) else f"{at_most_percent(value)} sure"


def at_most_sure(value: float) -> str:
    """Format it as the largest certainty that somebody reaches, with a verb."""
    if nearly_certain(value):
        return "may become almost certain"
    return f"becomes at most {sure(value)}"


def nearly_certain(value: float) -> bool:
    """Return whether ``belief`` shows 1."""
    return value > _NEARLY_ONE


def at_most_percent(value: float) -> str:
    """Return a bound in percent, rounded up: 21%, 2%, 99.96%."""
    shown = 100 * Decimal(belief(value))
    return f"{shown.normalize():f}%"


def percent(value: float) -> str:
    """Return a share in percent: 20%, 7.0%."""
    return f"{100 * value:.0f}%" if value >= 0.1 else f"{100 * value:.1f}%"


def size(count: float) -> str:
    """Return a number of bytes."""
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
