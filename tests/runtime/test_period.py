"""A period: what renews it, and what no clock can do to it. Through a budget."""

from __future__ import annotations

import json
import math
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from device import HOUR, UNIT, YEAR, Clock

from brrkit import BudgetError, Memory, ParameterError, PrivacyBudget
from brrkit import period as period_module
from brrkit.period import device_clock


@pytest.mark.parametrize(
    "period",
    [0, 0.5, -1, 1e13, math.nan, math.inf, pytest.param(10**400, id="10**400"), "1", None, True],
)
def test_bad_periods(state: Path, period: Any) -> None:
    for of, make in (
        ("budget", lambda: PrivacyBudget(1, period, state)),
        ("memory", lambda: Memory(period, state)),
    ):
        with pytest.raises(ParameterError, match=f"{of} period must be from 1 to 1e12 seconds"):
            make()


def test_a_period_renews_when_it_is_over(budget: PrivacyBudget, clock: Clock) -> None:
    budget.spend(1, 10, unit=UNIT)
    clock.pass_(HOUR - 1)
    assert budget.remaining() == 0
    with pytest.raises(BudgetError, match="renews in 1 seconds"):
        budget.spend(1, unit=UNIT)
    clock.pass_(1)
    assert budget.remaining() == 10
    budget.spend(1, 10, unit=UNIT)
    clock.pass_(HOUR - 1)
    assert budget.remaining() == 0


def test_a_period_starts_with_its_first_release(budget: PrivacyBudget, clock: Clock) -> None:
    budget.spend(1, unit=UNIT)
    clock.pass_(10 * HOUR)
    assert budget.remaining() == 10  # looking starts nothing
    clock.pass_(HOUR / 2)
    budget.spend(1, unit=UNIT)
    clock.pass_(HOUR - 1)
    assert budget.remaining() == 9
    clock.pass_(1)
    assert budget.remaining() == 10


@pytest.mark.parametrize("step", [HOUR, -HOUR, YEAR, -YEAR, 100 * YEAR, -1_700_000_000, -(2**31)])
def test_setting_the_clock_renews_nothing(budget: PrivacyBudget, clock: Clock, step: int) -> None:
    """Any number of steps in one run of the device."""
    for _ in range(10):
        budget.spend(1, unit=UNIT)
        clock.now += step
        clock.pass_(1)
    assert budget.remaining() == 0
    for _ in range(20):
        clock.now += step
        with pytest.raises(BudgetError, match="it renews in"):
            budget.spend(1, unit=UNIT)
        clock.now -= 2 * step
        assert budget.remaining() == 0


@pytest.mark.parametrize("step", [YEAR, -YEAR])
def test_setting_the_clock_delays_nothing(budget: PrivacyBudget, clock: Clock, step: int) -> None:
    clock.now += step
    budget.spend(1, 10, unit=UNIT)
    clock.now -= step
    clock.pass_(HOUR)
    assert budget.remaining() == 10


def test_the_time_off_counts(budget: PrivacyBudget, clock: Clock) -> None:
    budget.spend(1, 10, unit=UNIT)
    clock.pass_(600)
    clock.restart(off=1200, up=60)
    with pytest.raises(BudgetError, match="renews in 1740 seconds"):
        budget.spend(1, unit=UNIT)
    clock.pass_(1739)
    assert budget.remaining() == 0
    clock.pass_(1)
    assert budget.remaining() == 10
    clock.pass_(1)
    budget.spend(1, 10, unit=UNIT)
    clock.restart(off=HOUR)
    assert budget.remaining() == 10


def test_several_restarts_add_up(budget: PrivacyBudget, clock: Clock) -> None:
    budget.spend(1, 10, unit=UNIT)
    for _ in range(5):
        clock.pass_(100)
        clock.restart(off=500, up=20)
        assert budget.remaining() == 0
    clock.pass_(HOUR - 5 * 620 - 1)
    assert budget.remaining() == 0
    clock.pass_(1)
    assert budget.remaining() == 10


@pytest.mark.parametrize("look", ["remaining", "refused"])
def test_after_the_first_look_the_clock_doesn_t_count(
    budget: PrivacyBudget, clock: Clock, look: str
) -> None:
    budget.spend(1, 10, unit=UNIT)
    clock.restart(off=60)
    if look == "remaining":
        assert budget.remaining() == 0
    else:
        with pytest.raises(BudgetError):
            budget.spend(1, unit=UNIT)
    clock.now += YEAR
    assert budget.remaining() == 0
    clock.pass_(HOUR - 66)
    assert budget.remaining() == 0
    clock.pass_(1)
    assert budget.remaining() == 10


def test_a_restart_and_a_step_renew_once(budget: PrivacyBudget, clock: Clock) -> None:
    """What the documentation says isn't covered, and no more than it says."""
    released = 0
    for _ in range(5):
        clock.restart(off=1)
        clock.now += YEAR
        for _ in range(30):
            clock.now += YEAR
            try:
                budget.spend(1, unit=UNIT)
                released += 1
            except BudgetError:
                continue
    assert released == 5 * 10


def test_a_clock_that_is_wrong_after_a_restart_delays_and_renews_nothing(
    budget: PrivacyBudget, clock: Clock
) -> None:
    """A device without a battery for its clock starts in 1970, and is set right a little later."""
    budget.spend(1, 10, unit=UNIT)
    true_time = clock.now
    for _ in range(3):
        clock.restart(off=60, up=10)
        true_time += 70
        clock.now = 100
        assert budget.remaining() == 0  # the time off isn't counted, that since the start is
        clock.now = true_time
        assert budget.remaining() == 0
        clock.pass_(100)
        true_time += 100
    clock.pass_(HOUR - 130 - 1)
    assert budget.remaining() == 0
    clock.pass_(1)
    clock.now = 100
    budget.spend(1, 10, unit=UNIT)  # a new period, under the wrong clock
    clock.now = true_time + HOUR - 130
    clock.restart(off=60)
    assert budget.remaining() == 0  # how long it was off is still known, nearly


def test_without_an_id_of_the_start_a_smaller_uptime_tells(
    budget: PrivacyBudget, clock: Clock
) -> None:
    clock.boot = ""
    budget.spend(1, 10, unit=UNIT)  # up for 500 s
    clock.now, clock.up = clock.now + 100, 20
    assert budget.remaining() == 0
    clock.now, clock.up = clock.now + 100_000, 80  # taken for 60 s of the same run: never too much
    with pytest.raises(BudgetError, match="renews in 3440 seconds"):
        budget.spend(1, unit=UNIT)
    clock.now, clock.up = clock.now + HOUR, 5
    assert budget.remaining() == 10


@pytest.mark.parametrize("now", [0, -1, -(10**9), 0.5, 2**33 + 0.999, 10**15])
def test_any_clock_counts(state: Path, now: float) -> None:
    clock = Clock(now)
    budget = PrivacyBudget(2, HOUR, state, clock=clock)
    for _ in range(2):
        budget.spend(1, unit=UNIT)
        budget.spend(1, unit=UNIT)
        with pytest.raises(BudgetError, match="0 of 2 is left"):
            budget.spend(1, unit=UNIT)
        clock.pass_(HOUR)
        assert budget.remaining() == 2


def released_at_random(
    source: random.Random, clock: Clock, budget: PrivacyBudget, *, wrong: bool
) -> tuple[list[float], list[float]]:
    """Return the true times of releases and of restarts, in a history of 80 events."""
    true_time = 0.0
    released, restarts = [], []
    for _ in range(80):
        event = source.choice(["wait", "restart", "set", "look", *["release"] * 4])
        length = source.choice([1, 60, 1000, 2000, HOUR, 3 * HOUR])
        if event == "wait":
            clock.pass_(length)
            true_time += length
        elif event == "restart":
            clock.restart(length, up := source.choice([1, 600, 5000]))
            true_time += length + up
            restarts.append(true_time)
        elif event == "set" and wrong:
            clock.now += source.choice([-1, 1]) * source.choice([HOUR, YEAR, length])
        elif event == "look":
            budget.remaining()
        elif event == "release":
            try:
                budget.spend(1, unit=UNIT)
                released.append(true_time)
            except BudgetError:
                continue
    return released, restarts


@pytest.mark.parametrize("wrong", [False, True])
def test_what_a_window_can_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: bool
) -> None:
    """In any time that is shorter than a period: two limits, and one more for each restart in it if
    the clock is set. The bound of docs/explanation/proofs.md."""
    monkeypatch.setattr(os, "fsync", lambda file: None)  # the disk isn't what this is about
    source = random.Random(5)
    reached = set()
    for number in range(60):
        budget = PrivacyBudget(3, HOUR, tmp_path / f"{number}", clock=(clock := Clock()))
        released, restarts = released_at_random(source, clock, budget, wrong=wrong)
        for start in released:
            held = sum(start <= time < start + HOUR for time in released)
            inside = sum(start < time < start + HOUR for time in restarts) if wrong else 0
            assert held <= 3 * (2 + inside), (number, start)
            reached.add((held, inside))
    assert max(held for held, inside in reached if not inside) > 3  # it isn't vacuous


def test_the_default_clocks_are_the_system_s(state: Path) -> None:
    start = time.time_ns() // 10**6
    before = device_clock()
    PrivacyBudget(1, HOUR, state).spend(1, unit=UNIT)
    after = device_clock()
    end = time.time_ns() // 10**6
    content = json.loads(state.read_text())
    assert before.time <= content["latest"] <= after.time
    assert before.uptime <= content["uptime"] <= after.uptime
    assert content["boot"] == before.boot == after.boot
    assert start <= before.time <= after.time <= end


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other clocks")
def test_the_uptime_counts_sleep_and_a_start_has_an_id() -> None:
    start = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 10**6
    now = device_clock()
    assert start <= now.uptime <= time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 10**6
    boot_id = Path("/proc/sys/kernel/random/boot_id")
    assert now.boot == (boot_id.read_text().strip() if boot_id.exists() else "")


@pytest.mark.parametrize("content", [None, b"", b"\xff", b'"', b"a" * 37, b"A B"])
def test_an_id_that_isn_t_one_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "id").write_bytes(content)
    monkeypatch.setattr(period_module, "_BOOT_ID_FILE", tmp_path / "id")
    assert device_clock().boot == ""
