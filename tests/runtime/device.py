"""A device's clocks, set by hand, and a budget's state as it is on disk."""

from __future__ import annotations

import json
import math
from pathlib import Path

from brrkit.period import Instant

HOUR = 3600  # seconds
YEAR = 365 * 24 * HOUR
UNIT = "u"


class Clock:
    """A device's clocks, set by hand. Times are seconds."""

    def __init__(self, now: float = 1_700_000_000) -> None:
        self.now = now
        self.up = 500.0
        self.boot = "a"

    def __call__(self) -> Instant:
        return Instant(math.floor(self.now * 1000), math.floor(self.up * 1000), self.boot)

    def pass_(self, seconds: float) -> None:
        self.now += seconds
        self.up += seconds

    def restart(self, off: float, up: float = 5) -> None:
        """Turn the device off for a while; it has been up for ``up`` seconds when this returns."""
        self.now += off + up
        self.up = up
        self.boot = f"{int(self.boot, 16) + 1:x}"


def spent(state: Path) -> int:
    """Return what is on disk as spent: billionths."""
    count = json.loads(state.read_bytes())["spent"]
    assert isinstance(count, int)
    return count
