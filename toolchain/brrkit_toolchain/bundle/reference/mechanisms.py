"""The mechanisms that are specified."""

from __future__ import annotations

from brrkit_toolchain.bundle.reference import brr, exponential, vickrey
from brrkit_toolchain.bundle.reference.mechanism import Specified

MECHANISMS: dict[str, Specified] = {
    "brr": brr.MECHANISM,
    "vickrey": vickrey.MECHANISM,
    "exponential": exponential.MECHANISM,
}
"""By the names of ``brrkit.mechanisms.MECHANISMS``."""
