"""A process's lease: epsilon stored as spent, to release without further access to the disk.

Storing takes milliseconds, and a word microseconds. So a budget stores more than the cost of one
release: a lease. The rule is in ``spec/state-files.md``. The proof that no more is released than
stored is in ``docs/explanation/proofs.md``, "Budget".
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar

from brrkit.period import Instant, Period

_LEASE_DIVISOR = 8  # a lease is at most an eighth of the epsilon left in the period


@dataclass
class Lease:
    """A budget's lease for one process, in one period and unit; in billionths of epsilon.

    Attributes:
        unit: unit of epsilon.
        period: state of the period when the lease was stored.
        stored: epsilon that is stored as spent, but not released yet.
        released: epsilon that this process has released since the period began.
    """

    unit: str
    period: Period
    stored: int = 0
    released: int = 0

    def allows(self, cost: int, unit: str, now: Instant, length: int) -> bool:
        """Return whether a release needs no further storing.

        Args:
            cost: cost of the release.
            unit: unit of the release.
            now: time of the release.
            length: length of a period, in milliseconds.
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
        """Return the epsilon to store beyond the cost of a release.

        It is at most the released epsilon, so at worst half of the spent epsilon is lost. It is at
        most an eighth of the rest, so other processes can continue. It pays for whole words.

        Args:
            left: rest of the limit after the release.
            each: cost of a word.
        """
        extra = min(self.released, left // _LEASE_DIVISOR)
        return extra - extra % each if each else 0


class ProcessLease:
    """A process's lease, with the lock for its threads.

    Neither is copied or inherited, because two processes would spend one lease.
    """

    _process: ClassVar[object] = object()

    def __init__(self) -> None:
        self.lock = Lock()
        self.lease: Lease | None = None
        self._made_in = ProcessLease._process

    @property
    def is_inherited(self) -> bool:
        """Whether it belongs to the process from which this one was forked."""
        return self._made_in is not ProcessLease._process

    def __reduce__(self) -> tuple[type[ProcessLease], tuple[()]]:
        return ProcessLease, ()

    @classmethod
    def after_fork(cls) -> None:
        """Disown an inherited lease. A process's number isn't enough, since it can be reused."""
        cls._process = object()


if hasattr(os, "register_at_fork"):  # other systems don't fork
    os.register_at_fork(after_in_child=ProcessLease.after_fork)
