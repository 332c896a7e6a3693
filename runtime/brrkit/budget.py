"""A device's privacy budget: the epsilon that it may release in a period.

Metric DP composes by addition: releasing words w_1 ... w_m with epsilon each is private with
epsilon * (d(w_1, w_1') + ... + d(w_m, w_m')). The budget therefore counts epsilon per word. Its
rule and the format of the state file are in ``spec/state-files.md``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor
from numbers import Integral
from pathlib import Path

from brrkit.errors import BudgetError, BudgetFileError, ParameterError
from brrkit.lease import Lease, ProcessLease
from brrkit.period import (
    PERIOD_FIELDS,
    Instant,
    Period,
    decimal,
    device_clock,
    number,
    period_length,
    read_clock,
)
from brrkit.state_file import StateFile, locked, state_path

_BILLION = 10**9  # the state counts billionths of epsilon, as integers: sums don't drift
_EPSILON_MAX = 10**9
_WORDS_MAX = 2**31 - 1

_STATE_FORM = re.compile(
    rb'(\{"format": "brr-budget", "format_version": 1, "unit": "([0-9A-Za-z._-]{1,64})", '
    rb'"spent": (0|[1-9][0-9]{0,18}), %b), "sha256": "([0-9a-f]{64})"\}\n' % PERIOD_FIELDS.encode()
)
_STATE_LIMIT = 1_024  # bytes; the longest state is shorter
_UNIT_FORM = re.compile(r"[0-9A-Za-z._-]{1,64}")


@dataclass(frozen=True)
class _State:
    """A period, as of its last release or of the first look after a restart.

    Attributes:
        unit: digest of the bundle to which epsilon refers; empty before the period starts.
        spent: billionths of epsilon.
        period: the elapsed time.
    """

    unit: str
    spent: int
    period: Period


class PrivacyBudget:
    """Counts released epsilon in a state file, and refuses releases that would exceed the limit.

    The cost of a release is on disk before the release, so even a killed device has recorded at
    least what it released. Storing takes milliseconds. A budget therefore also stores the cost of
    the next releases, as a lease: at most what this process has released in the period, and at most
    an eighth of the rest. When a process ends, its lease is lost.

    A period starts with the first release after the previous period has ended, so two limits can
    be spent around the end of a period. While the device runs, a clock that nobody can set measures
    a period's time; the wall clock measures only how long the device was off. A deleted or restored
    state file loses the record of spent epsilon. Keep it where only the app can write, and exclude
    it from backups. Safe to share between threads and processes.

    Proof: ``docs/explanation/proofs.md``, "Budget".
    """

    def __init__(
        self,
        limit: float,
        period: float,
        state_file: str | Path,
        *,
        clock: Callable[[], Instant] = device_clock,
    ) -> None:
        """Describe the budget; the first release creates the state file.

        Args:
            limit: largest sum of epsilon over the words released in a period; above 0, at most 1e9.
            period: length of a period in seconds, from 1 to 1e12.
            state_file: path of a file in an existing directory; a lock file appears next to it. A
                relative path is resolved now, from the current directory.
            clock: function that reads the device's clocks; for tests.

        Raises:
            ParameterError: limit or period is out of range, or state_file can't name a file.
        """
        if not 0 < number(limit) <= _EPSILON_MAX:
            raise ParameterError("budget limit must be a number above 0 and at most 1e9")
        self._period = period_length(period, "budget")
        self.limit = float(limit)
        self.period = float(period)
        self.state_file = state_path(state_file, "a budget's state_file")
        self._limit = floor(decimal(limit) * _BILLION)
        self._clock = clock
        self._held = ProcessLease()

    def spend(self, epsilon: float, words: int = 1, *, unit: str) -> None:
        """Record the release of ``words`` words with ``epsilon`` each. Call it before the release.

        Args:
            epsilon: privacy loss of a word, from 0 to 1e9.
            words: number of words, from 0 to 2^31 - 1.
            unit: ``digest`` of the bundle to which epsilon refers: epsilons of different bundles
                don't add up. 1 to 64 letters, digits, ``.``, ``_`` and ``-``, all ASCII.

        Raises:
            ParameterError: an argument is invalid.
            BudgetError: the release would exceed the limit, or this period counts another unit.
                Nothing is recorded, and nothing may be released.
            BudgetFileError: the state file is damaged, or can't be read or written. Nothing may be
                released.
        """
        each = cost_of(epsilon)
        cost = _count(words) * each
        _check_unit(unit)
        held = self._of_this_process()
        with held.lock:
            if held.lease is None or not held.lease.allows(
                cost, unit, read_clock(self._clock), self._period
            ):
                held.lease = self._stored(held.lease, cost, each, unit)
            held.lease.release(cost)

    def remaining(self) -> float:
        """Return the remaining epsilon of this period, in the period's unit.

        This includes this object's lease in this process, but no other lease.

        Raises:
            BudgetFileError: the state file is damaged or can't be read.
        """
        return self._unspent()[1] / _BILLION

    def words_left(self, epsilon: float, *, unit: str) -> int:
        """Return the number of words that may still be released in this period.

        ``spend`` then allows exactly this number, at once or one by one, if nothing else spends
        meanwhile. The number depends only on the number and cost of earlier releases.

        Args:
            epsilon: privacy loss of a word, above 0 and at most 1e9:
                ``Privatizer.certified_epsilon``, or ``Counts.loss``.
            unit: ``digest`` of the bundle, as for ``spend``.

        Returns:
            At most 2^31 - 1; 0 if the running period counts another unit.

        Raises:
            ParameterError: an argument is invalid.
            BudgetFileError: the state file is damaged or can't be read.
        """
        each = cost_of(epsilon)
        if not each:
            raise ParameterError("epsilon must be a number above 0 and at most 1e9")
        _check_unit(unit)
        running, left = self._unspent()
        return min(left // each, _WORDS_MAX) if running in ("", unit) else 0

    def unit(self) -> str | None:
        """Return the ``digest`` of the bundle whose epsilon the running period counts.

        None if no period is running.

        Raises:
            BudgetFileError: the state file is damaged or can't be read.
        """
        with locked(self.state_file, BudgetFileError) as file:
            return self._look(file).unit or None

    def _unspent(self) -> tuple[str, int]:
        """Return the running period's unit and its remaining billionths of epsilon."""
        held = self._of_this_process()
        with held.lock, locked(self.state_file, BudgetFileError) as file:
            state = self._look(file)
            held.lease = _of_period(held.lease, state)
            return state.unit, self._left(state, held.lease)

    def _of_this_process(self) -> ProcessLease:
        if self._held.is_inherited:
            self._held = ProcessLease()
        return self._held

    def _stored(self, lease: Lease | None, cost: int, each: int, unit: str) -> Lease:
        """Store the cost that exceeds the lease, and an extra; return the new lease.

        Args:
            lease: the present lease, if there is one.
            cost: cost of the release, in billionths of epsilon.
            each: cost of a word, in billionths of epsilon.
            unit: ``digest`` of the bundle to which epsilon refers.
        """
        with locked(self.state_file, BudgetFileError) as file:
            state = self._look(file)
            lease = _of_period(lease, state) or Lease(unit, state.period)
            wait = ceil((self._period - state.period.elapsed) / 1000)
            if state.unit not in ("", unit):
                raise BudgetError(
                    f"{self.state_file}: counts another bundle's epsilon, which can't be added to "
                    "this one's; give each bundle its own state file, or wait: the period "
                    f"ends in {wait} seconds",
                    0.0,
                    wait,
                )
            spent = state.spent + max(cost - lease.stored, 0)
            if spent > self._limit:
                left = self._left(state, lease) / _BILLION
                raise BudgetError(
                    "the privacy budget doesn't allow this release: it costs "
                    f"{cost / _BILLION:g}, {left:g} of {self.limit:g} is left; it renews in "
                    f"{wait} seconds",
                    left,
                    wait,
                )
            spent += lease.extra(self._limit - spent, each)
            file.replace(_serialized(replace(state, unit=unit, spent=spent)))
        return Lease(unit, state.period, lease.stored + spent - state.spent, lease.released)

    def _left(self, state: _State, lease: Lease | None) -> int:
        """Return the billionths of epsilon that may be released, here and by other processes."""
        return max(self._limit - state.spent, 0) + (lease.stored if lease else 0)

    def _look(self, file: StateFile) -> _State:
        """Return the running period as of now, or an empty one without a unit.

        The first look after a restart is stored, so later changes of the wall clock have no effect
        until the next restart.
        """
        now = read_clock(self._clock)
        content = file.read(_STATE_LIMIT)
        if content is None:
            return _State("", 0, Period.starting(now))
        stored = _parsed(content)
        if stored is None:
            raise BudgetFileError(
                f"{self.state_file}: not a budget's state, or damaged; nothing is released until "
                "it is restored, or removed by somebody who may discard what was spent"
            )
        period = stored.period.at(now)
        if period.elapsed >= self._period:
            return _State("", 0, replace(period, elapsed=0))
        state = replace(stored, period=period)
        if not stored.period.is_of(now):
            file.replace(_serialized(state))
        return state


def cost_of(epsilon: float) -> int:
    """Return the cost of a word released with ``epsilon``: billionths of epsilon, rounded up.

    Raises:
        ParameterError: it isn't a number from 0 to 1e9.
    """
    if not 0 <= number(epsilon) <= _EPSILON_MAX:
        raise ParameterError("epsilon must be a number from 0 to 1e9")
    return _billionths(float(epsilon))


@lru_cache
def _billionths(epsilon: float) -> int:
    return ceil(decimal(epsilon) * _BILLION)


def _of_period(lease: Lease | None, state: _State) -> Lease | None:
    """Return the lease if it belongs to the period of ``state``, else None."""
    if lease and lease.unit == state.unit and state.period.continues(lease.period):
        return lease
    return None


def _serialized(state: _State) -> bytes:
    """Return the only file content that stands for a state."""
    fields = (
        f'{{"format": "brr-budget", "format_version": 1, "unit": "{state.unit}", '
        f'"spent": {state.spent}, {state.period.fields}'
    )
    digest = hashlib.sha256(fields.encode()).hexdigest()
    return f'{fields}, "sha256": "{digest}"}}\n'.encode()


def _parsed(content: bytes) -> _State | None:
    """Return the state that ``content`` stands for, or None if it stands for none."""
    match = _STATE_FORM.fullmatch(content)
    if match is None:
        return None
    fields, unit, spent, *period, digest = match.groups()
    if hashlib.sha256(fields).hexdigest() != digest.decode() or int(spent) >= 2**63:
        return None
    return _State(unit.decode(), int(spent), Period.of_fields(*period))


def _check_unit(unit: object) -> None:
    if not (isinstance(unit, str) and _UNIT_FORM.fullmatch(unit)):
        raise ParameterError(
            "a budget's unit must be 1 to 64 of the letters a to z, digits and . _ -; use "
            "WordBundle.digest"
        )


def _count(words: object) -> int:
    # NumPy's integers count, too. Booleans, which Python treats as integers, don't.
    count = int(words) if isinstance(words, Integral) and not isinstance(words, bool) else -1
    if not 0 <= count <= _WORDS_MAX:
        raise ParameterError("words must be an integer from 0 to 2^31 - 1")
    return count
