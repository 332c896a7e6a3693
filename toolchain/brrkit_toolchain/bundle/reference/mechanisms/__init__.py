"""The specified mechanisms."""

from __future__ import annotations

from brrkit_toolchain.bundle.reference.mechanisms import brr, exponential, vickrey
from brrkit_toolchain.bundle.reference.mechanisms.mechanism import Specified

MECHANISMS: dict[str, Specified] = {
    "brr": brr.MECHANISM,
    "vickrey": vickrey.MECHANISM,
    "exponential": exponential.MECHANISM,
}
"""The mechanisms, by the names in ``brrkit.mechanisms.MECHANISMS``."""
