"""How long a period has lasted, on a device that is restarted and whose clock can be set.

The rule is in ``spec/state-files.md``: the uptime counts while the device runs, and the
clock that can be set counts only how long it was off. A state file holds where the counting stands.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, nan
from numbers import Real
from pathlib import Path
from typing import NamedTuple

from brrkit.errors import ParameterError
from brrkit.exact import as_number

_PERIOD_MAX = 10**12
_TIME_MAX = 10**15 - 1  # milliseconds; 15 digits
_BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")  # Linux, Android
_BOOT_ID_FORM = re.compile(r"[0-9a-f-]{0,36}")

PERIOD_FIELDS = (
    r'"elapsed": (0|[1-9][0-9]{0,14}), "latest": (0|[1-9][0-9]{0,14}), '
    r'"boot": "([0-9a-f-]{0,36})", "uptime": (0|[1-9][0-9]{0,14})'
)
"""What ``Period.fields`` gives, as a regular expression with a group for each attribute."""


class Instant(NamedTuple):
    """What a device's clocks say at a moment.

    Attributes:
        time: milliseconds since 1970, by the clock that can be set.
        uptime: milliseconds since the device started, asleep or not, by the clock that can't.
        boot: differs from one start of the device to another; empty where the system doesn't tell.
    """

    time: int
    uptime: int
    boot: str


def device_clock() -> Instant:
    """Read this device's clocks."""
    boot_time = getattr(time, "CLOCK_BOOTTIME", None)  # Linux; elsewhere sleep may not count
    uptime = time.monotonic_ns() if boot_time is None else time.clock_gettime_ns(boot_time)
    return Instant(time.time_ns() // 10**6, uptime // 10**6, _boot(_BOOT_ID_FILE))


@cache
def _boot(source: Path) -> str:
    """Return what ``source`` calls this run of the device: read once, no process outlives a run."""
    try:
        boot = source.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""
    return boot if _BOOT_ID_FORM.fullmatch(boot) else ""


def read_clock(clock: Callable[[], Instant]) -> Instant:
    """Return what ``clock`` says, within what a state file holds."""
    time, uptime, boot = clock()
    return Instant(min(max(time, 0), _TIME_MAX), min(max(uptime, 0), _TIME_MAX), boot)


@dataclass(frozen=True)
class Period:
    """Where the counting of a period stood at a look that was stored.

    Attributes:
        elapsed: milliseconds of the period.
        latest: milliseconds since 1970, the latest that the clocks have told.
        boot: ``Instant.boot``.
        uptime: ``Instant.uptime``.
    """

    elapsed: int
    latest: int
    boot: str
    uptime: int

    @classmethod
    def starting(cls, now: Instant) -> Period:
        """Return a period that starts now."""
        return cls(0, now.time, now.boot, now.uptime)

    def is_of(self, now: Instant) -> bool:
        """Return whether the device wasn't restarted between this and ``now``."""
        return now.boot == self.boot and now.uptime >= self.uptime

    def at(self, now: Instant) -> Period:
        """Return the period as of ``now``, which is later."""
        if self.is_of(now):
            passed = now.uptime - self.uptime
        else:  # at least as long as the device has been up
            passed = max(now.uptime, now.time - self.latest)
        return Period(
            min(self.elapsed + passed, _TIME_MAX),
            min(max(self.latest + passed, now.time), _TIME_MAX),
            now.boot,
            now.uptime,
        )

    def continues(self, earlier: Period) -> bool:
        """Return whether this is a later look at ``earlier``'s period, in one run of the device."""
        passed = self.uptime - earlier.uptime
        return self.boot == earlier.boot and 0 <= passed == self.elapsed - earlier.elapsed

    @property
    def fields(self) -> str:
        """The fields that a state file has of it, in the one form that they have."""
        return (
            f'"elapsed": {self.elapsed}, "latest": {self.latest}, '
            f'"boot": "{self.boot}", "uptime": {self.uptime}'
        )

    @classmethod
    def of_fields(cls, elapsed: bytes, latest: bytes, boot: bytes, uptime: bytes) -> Period:
        """Return the period that the groups of ``PERIOD_FIELDS`` are of."""
        return cls(int(elapsed), int(latest), boot.decode(), int(uptime))


def period_length(seconds: float, owner: str) -> int:
    """Return a period of ``seconds`` in milliseconds, rounded up.

    Args:
        seconds: from 1 to 1e12.
        owner: of the period, for the message.

    Raises:
        ParameterError: it isn't a number in that range.
    """
    if not 1 <= number(seconds) <= _PERIOD_MAX:
        raise ParameterError(f"{owner} period must be from 1 to 1e12 seconds")
    return ceil(decimal(seconds) * 1000)


def number(value: object) -> float:
    """Return ``value`` as a float, or NaN, which no range admits, if it isn't a number."""
    return as_number(value) if isinstance(value, Real) and not isinstance(value, bool) else nan


def decimal(value: float) -> Fraction:
    """Return the decimal that a float prints as: 0.1 is meant as one tenth."""
    return Fraction(repr(float(value)))
