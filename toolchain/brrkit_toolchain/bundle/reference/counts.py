"""Section "Counts" of the specification."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal, localcontext
from functools import cache

from brrkit_toolchain.bundle.reference.numbers import Read, uniform_below


def counted(symbol: int, symbols: int, cap: float, read: Read) -> int:
    """Return the symbol if the first number is below T, otherwise the second number."""
    first, second = uniform_below(2**63, read), uniform_below(symbols, read)
    return symbol if first < keep_threshold(cap, symbols) else second


@cache
def keep_threshold(cap: float, symbols: int) -> int:
    """Return floor(2^63 (e^cap - 1) / (e^cap - 1 + k)) from a 200-digit exponential."""
    with localcontext() as context:
        context.prec = 200
        gain = Decimal(cap).exp() - 1
        return int((2**63 * gain / (gain + symbols)).to_integral_value(rounding=ROUND_FLOOR))


def sampled(outputs: Sequence[str], most: int, read: Read) -> list[str]:
    """Return the kept ones of a day's ``outputs``: the first, or later ones in their places."""
    kept = list(outputs[:most])
    for i in range(most + 1, len(outputs) + 1):  # the i-th word, from 1
        j = uniform_below(i, read)
        if j < most:
            kept[j] = outputs[i - 1]
    return kept


def setting(cap: float, symbols: int) -> bytes:
    """Return T."""
    return struct.pack("<q", keep_threshold(cap, symbols))
