"""A privacy budget for a device: how much may be released in a period.

Metric DP composes by addition: releasing words w_1 ... w_m with epsilon each is private with
epsilon * (d(w_1, w_1') + ... + d(w_m, w_m')). The budget therefore counts epsilon per word.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import ceil, floor, inf
from pathlib import Path

from brr_runtime.errors import BudgetError, ParameterError
from brr_runtime.exact import as_number

FORMAT = "brr-budget"
FORMAT_VERSION = 1

_UNIT = 10**9  # the state counts billionths of epsilon, as integers: sums don't drift
_LIMIT_MAX = 10**9
_PERIOD_MAX = 10**12
_STATE_LIMIT = 4_096  # bytes


@dataclass(frozen=True)
class _State:
    format: str
    format_version: int
    period_start: int  # seconds since 1970
    latest: int  # the latest time ever seen: the clock that can't be set back
    spent: int  # billionths of epsilon since period_start


class PrivacyBudget:
    """Counts released epsilon in a state file, and refuses what would exceed the limit.

    What a release costs is on disk before it happens: killed at any instant, a device has spent
    at least what it released. A period starts with the first release after the last one ended,
    so two limits can be spent around the end of a period. Setting the clock back renews nothing.
    Deleting the state file forgets what was spent: keep it where only the app can write.
    Safe to share between threads and processes (POSIX).
    """

    def __init__(
        self,
        limit: float,
        period: float,
        state_file: str | Path,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Describe the budget; the state file is made by the first release.

        Args:
            limit: epsilon that may be released in a period (sum over words).
            period: its length in seconds, at least 1.
            state_file: JSON, in an existing directory; a lock file appears next to it.
            clock: returns seconds since 1970; for tests.

        Raises:
            ParameterError: limit or period is out of range.
        """
        if not 0 < as_number(limit) <= _LIMIT_MAX:
            raise ParameterError("budget limit must be a number above 0 and at most 1e9")
        if not 1 <= as_number(period) <= _PERIOD_MAX:
            raise ParameterError("budget period must be from 1 to 1e12 seconds")
        self.limit = limit
        self.period = period
        self.path = Path(state_file)
        self._limit = floor(_decimal(limit) * _UNIT)
        self._clock = clock

    def spend(self, epsilon: float, words: int = 1, *, unit: str = "") -> None:  # noqa: ARG002
        """Record the release of ``words`` words with ``epsilon`` each, before it happens.

        Raises:
            BudgetError: it would exceed the limit, or the state file is damaged or can't be
                written. Nothing is recorded then, and nothing may be released.
        """
        if not (0 <= as_number(epsilon) < inf and words >= 0):
            raise ParameterError("a release can't cost less than nothing")
        cost = words * ceil(_decimal(epsilon) * _UNIT)
        with self._locked():
            state = self._current()
            if state.spent + cost > self._limit:
                left = (self._limit - state.spent) / _UNIT
                wait = state.period_start + self.period - state.latest
                raise BudgetError(
                    f"the privacy budget doesn't allow this release: it costs {cost / _UNIT:g}, "
                    f"{max(left, 0):g} of {self.limit:g} is left; it renews in {ceil(wait)} seconds"
                )
            fields = asdict(state) | {"spent": state.spent + cost}
            self._store(_State(**fields))

    def remaining(self) -> float:
        """Return the epsilon that is left in this period.

        Raises:
            BudgetError: the state file is damaged or can't be read.
        """
        with self._locked():
            return max(self._limit - self._current().spent, 0) / _UNIT

    def _current(self) -> _State:
        """Return the stored state, with its period renewed if that has ended."""
        now = max(0, floor(self._clock()))
        stored = self._load()
        if stored is None:
            return _State(FORMAT, FORMAT_VERSION, now, now, 0)
        now = max(now, stored.latest)
        if now >= stored.period_start + self.period:
            return _State(FORMAT, FORMAT_VERSION, now, now, 0)
        return _State(**(asdict(stored) | {"latest": now}))

    def _load(self) -> _State | None:
        try:
            with self.path.open("rb") as file:
                text = file.read(_STATE_LIMIT)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BudgetError(f"{self.path}: can't be read ({error.strerror})") from None
        try:
            state = _State(**json.loads(text))
        except (ValueError, TypeError, RecursionError):
            state = None
        numbers = [state.period_start, state.latest, state.spent] if state else []
        if (
            state is None
            or (state.format, state.format_version) != (FORMAT, FORMAT_VERSION)
            or any(type(number) is not int or not 0 <= number < 2**63 for number in numbers)
            or state.latest < state.period_start
        ):
            raise BudgetError(
                f"{self.path}: not a budget's state; nothing is released until it is restored, "
                "or removed by whoever may forget what was spent"
            )
        return state

    def _store(self, state: _State) -> None:
        temporary = self.path.with_name(self.path.name + ".new")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                json.dump(asdict(state), file)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path)
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise BudgetError(f"{self.path}: can't be written ({error.strerror})") from None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        import fcntl

        path = self.path.with_name(self.path.name + ".lock")
        try:
            file = path.open("ab")
        except OSError as error:
            raise BudgetError(f"{path}: can't be written ({error.strerror})") from None
        with file:
            # Every open file locks for itself: this excludes threads, too.
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError as error:
                raise BudgetError(f"{path}: can't be locked ({error.strerror})") from None
            try:
                yield
            finally:
                # Closing isn't enough: a process forked meanwhile has the file open, too.
                fcntl.flock(file, fcntl.LOCK_UN)


def _decimal(value: float) -> Fraction:
    """Return the decimal that a float prints as: 0.1 is meant as one tenth."""
    return Fraction(repr(float(value)))
