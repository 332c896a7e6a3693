"""What ``spec/state-files.md`` says of a budget, written a second time, as plainly as it says it.

Shares no code with the runtime: the cases of ``spec/vectors/budget.json`` are made here.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

_BILLION = 10**9


@dataclass(frozen=True)
class State:
    """What the file has; see "The budget's state"."""

    unit: str
    spent: int
    elapsed: int
    latest: int
    boot: str
    uptime: int

    @property
    def line(self) -> str:
        """The file's content."""
        fields = (
            f'{{"format": "brr-budget", "format_version": 1, "unit": "{self.unit}", '
            f'"spent": {self.spent}, "elapsed": {self.elapsed}, "latest": {self.latest}, '
            f'"boot": "{self.boot}", "uptime": {self.uptime}'
        )
        return f'{fields}, "sha256": "{hashlib.sha256(fields.encode()).hexdigest()}"}}\n'


@dataclass(frozen=True)
class Now:
    """What the clocks say: t, u and b of the rules."""

    time: int
    uptime: int
    boot: str


@dataclass
class Lease:
    """l, r, and the look that stored it, of one object in one process."""

    paid: int
    released: int
    look: State


class Disk:
    """The file, and the rules that decide what is in it."""

    def __init__(self, period: int) -> None:
        self.period = period
        self.stored: State | None = None

    def look(self, now: Now) -> State:
        """Rules 1 to 4."""
        s = self.stored
        if s is None:
            return State("", 0, 0, now.time, now.boot, now.uptime)
        runs_on = now.boot == s.boot and now.uptime >= s.uptime
        passed = now.uptime - s.uptime if runs_on else max(now.uptime, now.time - s.latest)
        state = State(
            *(s.unit, s.spent, s.elapsed + passed, max(s.latest + passed, now.time)),
            *(now.boot, now.uptime),
        )
        if state.elapsed >= self.period:
            return replace(state, unit="", spent=0, elapsed=0)
        if not runs_on:
            self.stored = state
        return state


class Budget:
    """Rules 5 and 6, for one object in one process."""

    def __init__(self, limit: float, disk: Disk) -> None:
        self.limit = int(_billionths(limit).to_integral_value(ROUND_FLOOR))
        self.disk = disk
        self.lease: Lease | None = None

    def release(self, epsilon: float, words: int, unit: str, now: Now) -> bool:
        """Return whether so many words may be released; what they cost is stored then."""
        e = cost(epsilon)
        c = words * e
        own = self.lease
        if own and self._needs_no_look(own, c, unit, now):
            own.paid, own.released = own.paid - c, own.released + c
            return True
        state = self.disk.look(now)
        own = self._of_period(state)
        paid, released = (own.paid, own.released) if own else (0, 0)
        m = max(c - paid, 0)
        if state.unit not in ("", unit) or state.spent + m > self.limit:
            return False
        x = min(released, (self.limit - state.spent - m) // 8)
        x -= x % e if e else x
        state = replace(state, unit=unit, spent=state.spent + m + x)
        self.disk.stored = state
        self.lease = Lease(paid + m + x - c, released + c, state)
        return True

    def left(self, now: Now) -> int:
        """Return what this object may still release, in billionths."""
        state = self.disk.look(now)
        own = self.lease = self._of_period(state)
        return max(self.limit - state.spent, 0) + (own.paid if own else 0)

    def _needs_no_look(self, own: Lease, c: int, unit: str, now: Now) -> bool:
        look = own.look
        return (
            look.unit == unit
            and look.boot == now.boot
            and now.uptime >= look.uptime
            and look.elapsed + now.uptime - look.uptime < self.disk.period
            and c <= own.paid
        )

    def _of_period(self, state: State) -> Lease | None:
        """Return the lease unless it is dropped by rule 5."""
        if (own := self.lease) is None:
            return None
        look = own.look
        passed = state.uptime - look.uptime
        same = (look.unit, look.boot) == (state.unit, state.boot)
        return own if same and 0 <= passed == state.elapsed - look.elapsed else None


def cost(epsilon: float) -> int:
    """Return a word's cost in billionths, rounded up from the shortest decimal."""
    return int(_billionths(epsilon).to_integral_value(ROUND_CEILING))


def _billionths(value: float) -> Decimal:
    return Decimal(repr(float(value))) * _BILLION


def leases(case: dict[str, Any]) -> dict[str, Any]:
    """Answer what is stored after each of the releases of one object, at one time."""
    disk, now = Disk(3_600_000), Now(0, 0, "")
    budget = Budget(case["limit"], disk)
    answered = []
    for epsilon, words, *_ in case["releases"]:
        budget.release(epsilon, words, "u", now)
        assert disk.stored
        answered.append([epsilon, words, str(disk.stored.spent)])
    return {"releases": answered}


def history(case: dict[str, Any]) -> dict[str, Any]:
    """Answer what each step allows, leaves and stores."""
    disk = Disk(round(1000 * case["period"]))
    budgets = {name: Budget(limit, disk) for name, limit in case["limits"].items()}
    answered = []
    for step in case["steps"]:
        now, budget = Now(*step["now"]), budgets[step["by"]]
        allowed = budget.release(step["epsilon"], step["words"], step["unit"], now)
        left = budget.left(now) / _BILLION
        file = disk.stored.line if disk.stored else None
        answered.append({**step, "allowed": allowed, "left": left, "file": file})
    return {"steps": answered}
