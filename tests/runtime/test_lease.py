"""Leases: what a budget stores before it is released, and never gives back."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from device import HOUR, UNIT, YEAR, Clock, spent

from brrkit import BudgetError, BudgetFileError, PrivacyBudget


@pytest.fixture
def no_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what takes the disk away."""

    def fail(*arguments: object, **options: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    def take() -> None:
        for call in ("open", "write", "fsync", "replace"):
            monkeypatch.setattr(os, call, fail)

    return take


def test_a_lease_needs_no_disk_and_what_is_beyond_it_does(
    state: Path, no_disk: Callable[[], None]
) -> None:
    budget = PrivacyBudget(1000, HOUR, state)
    for _ in range(4):
        budget.spend(1, unit=UNIT)
    assert spent(state) == 7 * 10**9
    no_disk()
    budget.spend(1, 2, unit=UNIT)
    with pytest.raises(BudgetFileError):
        budget.spend(1, 2, unit=UNIT)
    budget.spend(1, unit=UNIT)  # a refusal costs nothing
    for words in (1, 2):
        with pytest.raises(BudgetFileError):
            budget.spend(1, words, unit=UNIT)


def test_a_thousand_words_take_few_flushes(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    budget = PrivacyBudget(10**6, HOUR, state)
    for _ in range(1000):
        budget.spend(0.5, unit=UNIT)
    assert len(flushed) == 2 * 10  # the file and its directory, after 1, 2, 4, ... 512 words
    flushed.clear()
    day = PrivacyBudget(500, HOUR, state.with_name("another"))
    for _ in range(1000):
        day.spend(0.5, unit=UNIT)
    assert len(flushed) < 2 * 60
    with pytest.raises(BudgetError):
        day.spend(0.5, unit=UNIT)


def test_what_is_left_counts_this_object_s_lease_alone(
    budget: PrivacyBudget, state: Path, clock: Clock
) -> None:
    budget.spend(1, unit=UNIT)
    budget.spend(1, unit=UNIT)
    assert budget.remaining() == 8
    assert PrivacyBudget(10, HOUR, state, clock=clock).remaining() == 7


KILLED_WITH_A_LEASE = """
import os, signal, sys
from brrkit import BudgetError, PrivacyBudget

if os.fork() == 0:
    budget = PrivacyBudget(100, 10**6, sys.argv[1])
    for _ in range(10):
        budget.spend(1, unit="u")
        os.write(1, b"released\\n")
    os.kill(os.getpid(), signal.SIGKILL)
assert os.WTERMSIG(os.wait()[1]) == signal.SIGKILL
budget = PrivacyBudget(100, 10**6, sys.argv[1])
print(budget.remaining())
try:
    while True:
        budget.spend(1, unit="u")
        os.write(1, b"released\\n")
except BudgetError as error:
    print(error.left)
"""


def test_a_crash_gives_no_lease_back(run_python: Callable[..., str], state: Path) -> None:
    """Ten words of 15 that were stored: five are lost, and all others are released."""
    results = run_python(KILLED_WITH_A_LEASE, state).split()
    assert results.count("released") == 95
    assert [result for result in results if result != "released"] == ["85.0", "0.0"]


FORKED_WITH_A_LEASE = """
import copy, os, pickle, sys
from brrkit import PrivacyBudget

os.getpid = lambda: 1  # the number of a process can come again
budget = PrivacyBudget(1000, 10**6, sys.argv[1])
for _ in range(4):
    budget.spend(1, unit="u")  # three more are stored
for _ in range(2):
    child = os.fork()
    if child == 0:
        before = budget.remaining()
        for _ in range(3):
            budget.spend(1, unit="u")
        print(before - budget.remaining(), flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
for other in (pickle.loads(pickle.dumps(budget)), copy.deepcopy(budget)):
    other.spend(1, unit="u")
for _ in range(3):
    budget.spend(1, unit="u")
print(1000 - budget.remaining())
"""


def test_a_lease_is_not_inherited_or_copied(run_python: Callable[..., str], state: Path) -> None:
    """The parent's 4 and 3 more, 3 of each child, 1 of each copy."""
    assert run_python(FORKED_WITH_A_LEASE, state).split() == ["3.0", "3.0", "15.0"]
    assert spent(state) == 15 * 10**9


def test_a_lease_ends_with_its_period(budget: PrivacyBudget, state: Path, clock: Clock) -> None:
    budget.spend(1, 3, unit=UNIT)
    budget.spend(0.5, unit=UNIT)
    assert spent(state) == 4 * 10**9  # half of a word's cost more
    clock.pass_(HOUR - 0.001)
    budget.spend(0.25, unit=UNIT)
    assert spent(state) == 4 * 10**9
    clock.pass_(0.001)
    budget.spend(0.25, unit=UNIT)
    assert spent(state) == 250_000_000
    assert budget.remaining() == 9.75


def test_a_lease_isn_t_spent_in_a_period_that_another_began(
    budget: PrivacyBudget, state: Path, clock: Clock
) -> None:
    for _ in range(2):
        budget.spend(1, unit=UNIT)  # and one more
    clock.pass_(HOUR)
    other = PrivacyBudget(10, HOUR, state, clock=clock)
    other.spend(1, 10, unit=UNIT)
    with pytest.raises(BudgetError, match="0 of 10 is left"):
        budget.spend(1, unit=UNIT)
    assert budget.remaining() == 0


def test_a_lease_of_an_older_period_buys_nothing_in_the_next(
    budget: PrivacyBudget, state: Path, clock: Clock
) -> None:
    """Also where it is a part of what is asked for."""
    for _ in range(2):
        budget.spend(1, unit=UNIT)
    clock.pass_(HOUR)
    with pytest.raises(BudgetError, match="10 of 10 is left"):
        budget.spend(1, 11, unit=UNIT)
    budget.spend(1, 10, unit=UNIT)
    assert spent(state) == 10 * 10**9


def test_a_lease_ends_with_a_restart(budget: PrivacyBudget, state: Path, clock: Clock) -> None:
    """As after a crash: a process that has one can't live on, but clocks of tests can."""
    for _ in range(2):
        budget.spend(1, unit=UNIT)
    clock.restart(off=1)
    budget.spend(1, unit=UNIT)
    assert spent(state) == 4 * 10**9
    assert budget.remaining() == 6


@pytest.mark.parametrize("step", [YEAR, -YEAR])
def test_a_lease_doesn_t_mind_a_clock_that_is_set(
    budget: PrivacyBudget, state: Path, clock: Clock, step: int
) -> None:
    for _ in range(2):
        budget.spend(1, unit=UNIT)
    clock.now += step
    budget.spend(1, unit=UNIT)
    assert spent(state) == 3 * 10**9
    assert budget.remaining() == 7


def test_a_lease_is_of_one_unit(budget: PrivacyBudget, clock: Clock) -> None:
    for _ in range(2):
        budget.spend(1, unit="one")
    for words in (0, 1):
        with pytest.raises(BudgetError, match="its own state file"):
            budget.spend(1, words, unit="another")
    clock.pass_(HOUR)
    budget.spend(1, unit="another")
    with pytest.raises(BudgetError, match="its own state file"):
        budget.spend(1, unit="one")


def test_leases_leave_the_others_most_of_what_is_left(state: Path, clock: Clock) -> None:
    """However many processes wait with a lease: each has taken an eighth at most."""
    budgets = [PrivacyBudget(1000, HOUR, state, clock=clock) for _ in range(5)]
    released = 0
    for budget in budgets:
        budget.spend(1, 100, unit=UNIT)
        before = 1000 * 10**9 - spent(state)
        budget.spend(1, unit=UNIT)
        assert 1000 * 10**9 - spent(state) >= (before - 10**9) * 7 // 8
        released += 101
    last = PrivacyBudget(1000, HOUR, state, clock=clock)
    with suppress(BudgetError):
        while True:
            last.spend(1, unit=UNIT)
            released += 1
    assert spent(state) == 1000 * 10**9
    assert released > 1000 / 2
    for budget in budgets:  # and what they have is still theirs
        left = budget.remaining()
        budget.spend(1, int(left), unit=UNIT)
        released += int(left)
    assert released == 1000


def test_a_removed_state_is_forgotten_at_the_next_look(
    budget: PrivacyBudget, state: Path, clock: Clock
) -> None:
    """The lease is used up first, or until a look shows that the state isn't what it was."""
    for look in (False, True):
        for _ in range(2):
            budget.spend(1, unit=UNIT)
        state.unlink()
        if look:
            assert budget.remaining() == 10
        budget.spend(1, unit=UNIT)
        assert state.exists() == look
        clock.pass_(1)
        budget.spend(1, unit=UNIT)
        clock.pass_(HOUR)


def test_a_damaged_state_stops_releases_when_the_lease_is_used_up(
    budget: PrivacyBudget, state: Path
) -> None:
    for _ in range(2):
        budget.spend(1, unit=UNIT)
    state.write_bytes(b"damaged")
    budget.spend(1, unit=UNIT)
    with pytest.raises(BudgetFileError, match="damaged"):
        budget.spend(1, unit=UNIT)
    assert state.read_bytes() == b"damaged"


def test_threads_share_a_lease(state: Path) -> None:
    """8 threads with one object: as many words as the limit allows."""
    budget = PrivacyBudget(200, HOUR, state)
    released: list[int] = []

    def work() -> None:
        with suppress(BudgetError):
            while True:
                budget.spend(0.125, unit=UNIT)
                released.append(1)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert len(released) == 1600
    assert budget.remaining() == 0
