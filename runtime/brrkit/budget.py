"""A privacy budget for a device: how much may be released in a period.

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
        unit: what epsilon is per; empty in a period that hasn't started.
        spent: billionths of epsilon.
        period: where its counting stands.
    """

    unit: str
    spent: int
    period: Period


class PrivacyBudget:
    """Counts released epsilon in a state file, and refuses releases that would exceed the limit.

    The cost of a release is on disk before the release: a device that is killed has spent at least
    what it released. Storing takes milliseconds, so a budget also stores the cost of the next
    releases, as a lease: at most what this process has released in the period, and at most an
    eighth of what is left. A process that ends loses its lease.

    A period starts with the first release after the previous period has ended, so two limits can
    be spent around the end of a period. While the device runs, a clock that can't be set counts a
    period's time; the wall clock counts only how long the device was off. Deleting the state file,
    or restoring an old copy, forgets what was spent: keep it where only the app can write, and out
    of backups. Safe to share between threads and processes.

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
        """Record the release of ``words`` words with ``epsilon`` each, before it happens.

        Args:
            epsilon: from 0 to 1e9.
            words: how many, below 2^31.
            unit: what epsilon is per, the ``digest`` of the bundle: epsilons of different bundles
                don't add up. 1 to 64 letters, digits, ``.``, ``_`` and ``-``, all ASCII.

        Raises:
            ParameterError: an argument isn't as described.
            BudgetError: it would exceed the limit, or epsilon was spent in another unit in this
                period. Nothing is recorded then, and nothing may be released.
            BudgetFileError: the state file is damaged or can't be written. Nothing may be
                released then.
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
        """Return the epsilon that is left in this period, in the unit in which it is spent.

        This includes this object's lease in this process, but no other lease.

        Raises:
            BudgetFileError: the state file is damaged or can't be read.
        """
        return self._unspent()[1] / _BILLION

    def words_left(self, epsilon: float, *, unit: str) -> int:
        """Return how many more words may be released in this period with ``epsilon`` each.

        ``spend`` then allows exactly that many, at once or one by one, if nothing else spends
        meanwhile. The number depends only on the number and cost of earlier releases.

        Args:
            epsilon: above 0 and at most 1e9: ``Privatizer.certified_epsilon``, or ``Counts.loss``.
            unit: what epsilon is per, as in ``spend``.

        Returns:
            At most 2^31 - 1; 0 if the running period counts another unit.

        Raises:
            ParameterError: an argument isn't as described.
            BudgetFileError: the state file is damaged or can't be read.
        """
        each = cost_of(epsilon)
        if not each:
            raise ParameterError("epsilon must be a number above 0 and at most 1e9")
        _check_unit(unit)
        running, left = self._unspent()
        return min(left // each, _WORDS_MAX) if running in ("", unit) else 0

    def unit(self) -> str | None:
        """Return the unit of the running period's epsilon, the ``digest`` of its bundle.

        None if no period is running.

        Raises:
            BudgetFileError: the state file is damaged or can't be read.
        """
        with locked(self.state_file, BudgetFileError) as file:
            return self._look(file).unit or None

    def _unspent(self) -> tuple[str, int]:
        """Return the running period's unit, and the billionths of epsilon that are left in it."""
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
        """Store what a release needs beyond its lease, and more; return the lease that it has then.

        Args:
            lease: what there was before.
            cost: of the release, in billionths of epsilon.
            each: the cost of a word.
            unit: what epsilon is per.
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
        """Return the running period as of now, or an empty one of no unit.

        The first look after a restart is stored: what is done to the clock from then on, until
        the next restart, doesn't count.
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
    """Return what a word's release with ``epsilon`` costs: billionths of epsilon, rounded up.

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
    """Return the lease if it is of the period that ``state`` is of, or None."""
    if lease and lease.unit == state.unit and state.period.continues(lease.period):
        return lease
    return None


def _serialized(state: _State) -> bytes:
    """Return the one form that a state has in a file."""
    fields = (
        f'{{"format": "brr-budget", "format_version": 1, "unit": "{state.unit}", '
        f'"spent": {state.spent}, {state.period.fields}'
    )
    digest = hashlib.sha256(fields.encode()).hexdigest()
    return f'{fields}, "sha256": "{digest}"}}\n'.encode()


def _parsed(content: bytes) -> _State | None:
    """Return the state whose form ``content`` is, or None if it isn't one's."""
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
    # NumPy's integers are integers; booleans, which Python takes for some, aren't meant.
    count = int(words) if isinstance(words, Integral) and not isinstance(words, bool) else -1
    if not 0 <= count <= _WORDS_MAX:
        raise ParameterError("words must be an integer from 0 to 2^31 - 1")
    return count
