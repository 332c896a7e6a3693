"""What a process has stored as spent and may still release, without another look at the disk.

Storing takes milliseconds, a word microseconds. So a budget stores more than one release costs: a
lease. The rule is in ``spec/state-files.md``, and the proof that no more is released than
is stored in ``docs/explanation/proofs.md``, "Budget".
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar

from brrkit.period import Instant, Period

_LEASE_DIVISOR = 8  # a lease is at most an eighth of what is left in the period


@dataclass
class Lease:
    """What a budget has for one process, in one period and one unit. Billionths of epsilon.

    Attributes:
        unit: what epsilon is per.
        period: where its counting stood when this was stored.
        stored: what is on disk as spent, and isn't released yet.
        released: what this process has released since the period began.
    """

    unit: str
    period: Period
    stored: int = 0
    released: int = 0

    def allows(self, cost: int, unit: str, now: Instant, length: int) -> bool:
        """Return whether a release needs nothing more on disk.

        Args:
            cost: of the release.
            unit: of the release.
            now: when it happens.
            length: of a period, in milliseconds.
        """
        return (
            cost <= self.stored
            and unit == self.unit
            and self.period.is_of(now)
            and self.period.elapsed + now.uptime - self.period.uptime < length
        )

    def release(self, cost: int) -> None:
        """Count a release before it happens."""
        self.stored -= cost
        self.released += cost

    def extra(self, left: int, each: int) -> int:
        """Return what is stored beyond the cost of a release.

        It is at most what was released, so half of what is spent is lost at worst; at most an
        eighth of what is left, so other processes go on; and whole words.

        Args:
            left: what remains of the limit when the release is paid.
            each: the cost of a word.
        """
        extra = min(self.released, left // _LEASE_DIVISOR)
        return extra - extra % each if each else 0


class ProcessLease:
    """A process's lease, and the lock that its threads take to use it.

    Neither is copied or inherited: two processes would spend one lease.
    """

    _process: ClassVar[object] = object()

    def __init__(self) -> None:
        self.lock = Lock()
        self.lease: Lease | None = None
        self._made_in = ProcessLease._process

    @property
    def is_inherited(self) -> bool:
        """Whether it is of the process that this one was forked from."""
        return self._made_in is not ProcessLease._process

    def __reduce__(self) -> tuple[type[ProcessLease], tuple[()]]:
        return ProcessLease, ()

    @classmethod
    def after_fork(cls) -> None:
        """Disown what was inherited. A process's number doesn't tell: it can come again."""
        cls._process = object()


if hasattr(os, "register_at_fork"):  # elsewhere nothing is forked
    os.register_at_fork(after_in_child=ProcessLease.after_fork)
