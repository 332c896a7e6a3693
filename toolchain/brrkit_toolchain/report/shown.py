"""Numbers as pages show them."""

from __future__ import annotations

import math

_SCALES = (("trillion", 1e12), ("billion", 1e9), ("million", 1e6))
_NEARLY_ONE = 0.9999


def number(value: float, digits: int = 3) -> str:
    """Return a number of so many digits; from 1,000 on as a whole one."""
    return f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:,.0f}"


def factor(exponent: float) -> str:
    """Return e^exponent, at least 1, so that people can read it: 181, 24 million, 10^19."""
    if exponent > math.log(1e15):
        return f"10^{exponent / math.log(10):.0f}"
    value = math.exp(exponent)
    for name, scale in _SCALES:
        if value >= scale:
            return f"{value / scale:.{1 if value < 10 * scale else 0}f} {name}"
    return number(value)


def probability(value: float) -> str:
    """Return a probability: 0.20, 0.070."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def belief(value: float) -> str:
    """Return how sure somebody is: 0.20, 0.020, 0.9996; from there on, that it is more."""
    if value > _NEARLY_ONE:
        return f"more than {_NEARLY_ONE}"
    if value > 1 - 1e-2:
        return f"{math.floor(value * 1e4) / 1e4:.4f}"
    return probability(value)


def percent(value: float) -> str:
    """Return a share in percent: 20%, 7.0%."""
    return f"{100 * value:.0f}%" if value >= 0.1 else f"{100 * value:.1f}%"


def size(count: float) -> str:
    """Return a number of bytes."""
    return f"{count / 1e6:.2f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
