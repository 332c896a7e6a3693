"""A privacy budget for a device: how much may be released in a period.

Metric DP composes by addition: releasing words w_1 ... w_m with epsilon each is private with
epsilon * (d(w_1, w_1') + ... + d(w_m, w_m')). The budget therefore counts epsilon per word. Its
rule, its bound and the format of the state file are in ``docs/budget.md``.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, nan
from numbers import Integral, Real
from pathlib import Path
from typing import NamedTuple

from brr_runtime.errors import BudgetError, ParameterError
from brr_runtime.exact import as_number
from brr_runtime.state_file import StateFile, locked

_BILLION = 10**9  # the state counts billionths of epsilon, as integers: sums don't drift
_EPSILON_MAX = 10**9
_WORDS_MAX = 2**31 - 1
_PERIOD_MAX = 10**12
_TIME_MAX = 10**15 - 1  # milliseconds; 15 digits
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")  # Linux, Android

_STATE = re.compile(
    rb'(\{"format": "brr-budget", "format_version": 1, "unit": "([0-9A-Za-z._-]{1,64})", '
    rb'"spent": (0|[1-9][0-9]{0,18}), "elapsed": (0|[1-9][0-9]{0,14}), '
    rb'"latest": (0|[1-9][0-9]{0,14}), "boot": "([0-9a-f-]{0,36})", '
    rb'"uptime": (0|[1-9][0-9]{0,14})), "sha256": "([0-9a-f]{64})"\}\n'
)
_STATE_LIMIT = 1_024  # bytes; the longest state is shorter
_UNIT = re.compile(r"[0-9A-Za-z._-]{1,64}")
_BOOT = re.compile(r"[0-9a-f-]{0,36}")


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
    try:
        boot = _BOOT_ID.read_text("ascii").strip()
    except (OSError, ValueError):
        boot = ""
    return Instant(time.time_ns() // 10**6, uptime // 10**6, boot if _BOOT.fullmatch(boot) else "")


@dataclass(frozen=True)
class _State:
    """A period, as of its last release or of the first look after a restart.

    Attributes:
        unit: what epsilon is per.
        spent: billionths of epsilon.
        elapsed: milliseconds of the period.
        latest: milliseconds since 1970, the latest that the clocks have told.
        boot: ``Instant.boot``.
        uptime: ``Instant.uptime``.
    """

    unit: str
    spent: int
    elapsed: int
    latest: int
    boot: str
    uptime: int

    def is_of(self, now: Instant) -> bool:
        """Return whether the device wasn't restarted between this and ``now``."""
        return now.boot == self.boot and now.uptime >= self.uptime

    def at(self, now: Instant) -> _State:
        """Return the period as of ``now``, which is later."""
        if self.is_of(now):
            passed = now.uptime - self.uptime
        else:  # at least as long as the device has been up
            passed = max(now.uptime, now.time - self.latest)
        return replace(
            self,
            elapsed=min(self.elapsed + passed, _TIME_MAX),
            latest=min(max(self.latest + passed, now.time), _TIME_MAX),
            boot=now.boot,
            uptime=now.uptime,
        )


class PrivacyBudget:
    """Counts released epsilon in a state file, and refuses what would exceed the limit.

    What a release costs is on disk before it happens: killed at any instant, a device has spent
    at least what it released. A period starts with the first release after the last one ended,
    so two limits can be spent around the end of a period. While the device runs, a period's time
    is counted by a clock that can't be set; the clock that can be set counts only how long the
    device was off. Deleting the state file forgets what was spent, and so does an old copy of it:
    keep it where only the app can write, and out of backups. Safe to share between threads and
    processes (POSIX).
    """

    def __init__(
        self,
        limit: float,
        period: float,
        state_file: str | Path,
        *,
        clock: Callable[[], Instant] = device_clock,
    ) -> None:
        """Describe the budget; the state file is made by the first release.

        Args:
            limit: epsilon that may be released in a period (sum over words), at most 1e9.
            period: its length in seconds, from 1 to 1e12.
            state_file: in an existing directory; a lock file appears next to it. A relative path
                is taken from the directory that is current now.
            clock: reads the device's clocks; for tests.

        Raises:
            ParameterError: limit or period is out of range, or state_file can't name a file.
        """
        if not 0 < _number(limit) <= _EPSILON_MAX:
            raise ParameterError("budget limit must be a number above 0 and at most 1e9")
        if not 1 <= _number(period) <= _PERIOD_MAX:
            raise ParameterError("budget period must be from 1 to 1e12 seconds")
        self.limit = float(limit)
        self.period = float(period)
        self.path = _absolute(state_file)
        self._limit = floor(_decimal(limit) * _BILLION)
        self._period = ceil(_decimal(period) * 1000)
        self._clock = clock

    def spend(self, epsilon: float, words: int = 1, *, unit: str) -> None:
        """Record the release of ``words`` words with ``epsilon`` each, before it happens.

        Args:
            epsilon: from 0 to 1e9.
            words: how many, below 2^31.
            unit: what epsilon is per, as ``Bundle.unit`` says it: epsilons of different bundles
                don't add up. 1 to 64 letters, digits, ``.``, ``_`` and ``-``, all ASCII.

        Raises:
            ParameterError: an argument isn't as described.
            BudgetError: it would exceed the limit, epsilon was spent in another unit in this
                period, or the state file is damaged or can't be written. Nothing is recorded
                then, and nothing may be released.
        """
        cost = _count(words) * cost_of(epsilon)
        if not (isinstance(unit, str) and _UNIT.fullmatch(unit)):
            raise ParameterError(
                "a budget's unit must be 1 to 64 of the letters a to z, digits and . _ -; use "
                "Bundle.unit"
            )
        with locked(self.path) as file:
            state = self._look(file)
            wait = ceil((self._period - state.elapsed) / 1000)
            if state.unit not in ("", unit):
                raise BudgetError(
                    f"{self.path}: counts another bundle's epsilon, which can't be added to "
                    "this one's; give each bundle a state file of its own, or wait: the period "
                    f"ends in {wait} seconds"
                )
            if state.spent + cost > self._limit:
                left = max(self._limit - state.spent, 0) / _BILLION
                raise BudgetError(
                    "the privacy budget doesn't allow this release: it costs "
                    f"{cost / _BILLION:g}, {left:g} of {self.limit:g} is left; it renews in "
                    f"{wait} seconds"
                )
            file.replace(_serialized(replace(state, unit=unit, spent=state.spent + cost)))

    def remaining(self) -> float:
        """Return the epsilon that is left in this period, in the unit that it is spent in.

        Raises:
            BudgetError: the state file is damaged or can't be read.
        """
        with locked(self.path) as file:
            return max(self._limit - self._look(file).spent, 0) / _BILLION

    def _look(self, file: StateFile) -> _State:
        """Return the running period as of now, or an empty one of no unit.

        The first look after a restart is stored: what is done to the clock from then on, until
        the next restart, doesn't count.
        """
        now = self._now()
        content = file.read(_STATE_LIMIT)
        if content is None:
            return _State("", 0, 0, now.time, now.boot, now.uptime)
        stored = _parsed(content)
        if stored is None:
            raise BudgetError(
                f"{self.path}: not a budget's state, or damaged; nothing is released until "
                "it is restored, or removed by whoever may forget what was spent"
            )
        state = stored.at(now)
        if state.elapsed >= self._period:
            return replace(state, unit="", spent=0, elapsed=0)
        if not stored.is_of(now):
            file.replace(_serialized(state))
        return state

    def _now(self) -> Instant:
        now = self._clock()
        return now._replace(
            time=min(max(now.time, 0), _TIME_MAX), uptime=min(max(now.uptime, 0), _TIME_MAX)
        )


def cost_of(epsilon: float) -> int:
    """Return what a word's release with ``epsilon`` costs: billionths of epsilon, rounded up.

    Raises:
        ParameterError: it isn't a number from 0 to 1e9.
    """
    if not 0 <= _number(epsilon) <= _EPSILON_MAX:
        raise ParameterError("epsilon must be a number from 0 to 1e9")
    return ceil(_decimal(epsilon) * _BILLION)


def _serialized(state: _State) -> bytes:
    """Return the one form that a state has in a file."""
    fields = (
        f'{{"format": "brr-budget", "format_version": 1, "unit": "{state.unit}", '
        f'"spent": {state.spent}, "elapsed": {state.elapsed}, "latest": {state.latest}, '
        f'"boot": "{state.boot}", "uptime": {state.uptime}'
    )
    digest = hashlib.sha256(fields.encode()).hexdigest()
    return f'{fields}, "sha256": "{digest}"}}\n'.encode()


def _parsed(content: bytes) -> _State | None:
    """Return the state whose form ``content`` is, or None if it isn't one's."""
    match = _STATE.fullmatch(content)
    if match is None:
        return None
    fields, unit, spent, elapsed, latest, boot, uptime, digest = match.groups()
    if hashlib.sha256(fields).hexdigest() != digest.decode() or int(spent) >= 2**63:
        return None
    return _State(unit.decode(), int(spent), int(elapsed), int(latest), boot.decode(), int(uptime))


def _absolute(state_file: str | Path) -> Path:
    try:
        # A later change of the current directory must not lead to another file.
        path = Path(state_file).absolute()
        if Path(state_file).name in ("", "..") or b"\0" in os.fsencode(path):
            raise ValueError
    except (TypeError, ValueError, OSError):
        raise ParameterError("a budget's state_file must be the path of a file") from None
    return path


def _number(value: object) -> float:
    """Return ``value`` as a float, or NaN, which no range admits, if it isn't a number."""
    return as_number(value) if isinstance(value, Real) and not isinstance(value, bool) else nan


def _count(words: object) -> int:
    # NumPy's integers are integers; booleans, which Python takes for some, aren't meant.
    count = int(words) if isinstance(words, Integral) and not isinstance(words, bool) else -1
    if not 0 <= count <= _WORDS_MAX:
        raise ParameterError("words must be an integer from 0 to 2^31 - 1")
    return count


def _decimal(value: float) -> Fraction:
    """Return the decimal that a float prints as: 0.1 is meant as one tenth."""
    return Fraction(repr(float(value)))
