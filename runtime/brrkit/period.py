"""The elapsed time of a period, on a device with restarts and a settable clock.

The rule is in ``spec/state-files.md``: the uptime measures the time while the device runs, and the
settable clock measures only the time when it was off. A state file contains the state of the
period.
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
"""Regular expression for the result of ``Period.fields``, with a group for each attribute."""


class Instant(NamedTuple):
    """The state of a device's clocks at a moment.

    Attributes:
        time: milliseconds since 1970, by the settable clock.
        uptime: milliseconds since the device started, including sleep, by a clock that nobody can
            set.
        boot: identifier of the device's start; empty if the system has none.
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
    """Return the identifier of the device's start from ``source``; a process reads it once."""
    try:
        boot = source.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""
    return boot if _BOOT_ID_FORM.fullmatch(boot) else ""


def read_clock(clock: Callable[[], Instant]) -> Instant:
    """Return the reading of ``clock``, limited to the range of a state file."""
    time, uptime, boot = clock()
    return Instant(min(max(time, 0), _TIME_MAX), min(max(uptime, 0), _TIME_MAX), boot)


@dataclass(frozen=True)
class Period:
    """The stored state of a period.

    Attributes:
        elapsed: elapsed milliseconds of the period.
        latest: latest time that the clock has shown, in milliseconds since 1970.
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
        """Return whether the device hasn't been restarted between this state and ``now``."""
        return now.boot == self.boot and now.uptime >= self.uptime

    def at(self, now: Instant) -> Period:
        """Return the period as of ``now``, which is later."""
        if self.is_of(now):
            passed = now.uptime - self.uptime
        else:  # at least the device's uptime
            passed = max(now.uptime, now.time - self.latest)
        return Period(
            min(self.elapsed + passed, _TIME_MAX),
            min(max(self.latest + passed, now.time), _TIME_MAX),
            now.boot,
            now.uptime,
        )

    def continues(self, earlier: Period) -> bool:
        """Return whether this is a later state of ``earlier``'s period, without a restart."""
        passed = self.uptime - earlier.uptime
        return self.boot == earlier.boot and 0 <= passed == self.elapsed - earlier.elapsed

    @property
    def fields(self) -> str:
        """The fields for a state file, in their only form."""
        return (
            f'"elapsed": {self.elapsed}, "latest": {self.latest}, '
            f'"boot": "{self.boot}", "uptime": {self.uptime}'
        )

    @classmethod
    def of_fields(cls, elapsed: bytes, latest: bytes, boot: bytes, uptime: bytes) -> Period:
        """Return the period from the groups of ``PERIOD_FIELDS``."""
        return cls(int(elapsed), int(latest), boot.decode(), int(uptime))


def period_length(seconds: float, owner: str) -> int:
    """Return a period of ``seconds`` in milliseconds, rounded up.

    Args:
        seconds: number of seconds, from 1 to 1e12.
        owner: owner of the period, for the message.

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
    """Return the decimal with which a float is printed: 0.1 means one tenth."""
    return Fraction(repr(float(value)))
