"""The privacy budget: never less spent than released, whatever happens."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import math
import os
import pickle
import random
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from brrkit import BudgetError, BudgetFileError, ParameterError, PrivacyBudget
from brrkit import period as period_module
from brrkit.period import Instant, device_clock

HOUR = 3600
UNIT = "u"
ROOT = Path(__file__).parents[2]
# What Kotlin's and Swift's tests hold those runtimes to, too.
RESOURCES = ROOT / "android_demo/brr/src/test/resources"
STATES = (RESOURCES / "budget-states.txt").read_bytes()
LEASES = (RESOURCES / "budget-leases.txt").read_bytes()


class Clock:
    """A device's clocks, set by hand. Times are seconds."""

    def __init__(self, now: float = 1_700_000_000) -> None:
        self.now = now
        self.up = 500.0
        self.boot = "a"

    def __call__(self) -> Instant:
        return Instant(math.floor(self.now * 1000), math.floor(self.up * 1000), self.boot)

    def pass_(self, seconds: float) -> None:
        self.now += seconds
        self.up += seconds

    def restart(self, off: float, up: float = 5) -> None:
        """Turn the device off for a while; it has been up for ``up`` seconds when this returns."""
        self.now += off + up
        self.up = up
        self.boot = f"{int(self.boot, 16) + 1:x}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def budget(state: Path, clock: Clock) -> PrivacyBudget:
    """Return a budget of 10 an hour."""
    return PrivacyBudget(10, HOUR, state, clock=clock)


# --- counting


def test_a_new_budget_is_full_and_writes_nothing(budget: PrivacyBudget, state: Path) -> None:
    assert budget.remaining() == 10
    assert not state.exists()


def test_spending_adds_up(budget: PrivacyBudget) -> None:
    budget.spend(0.5, unit=UNIT)
    budget.spend(0.25, 6, unit=UNIT)
    assert budget.remaining() == 8
    budget.spend(1, 0, unit=UNIT)
    assert budget.remaining() == 8


def test_the_limit_can_be_reached_and_not_passed(budget: PrivacyBudget, state: Path) -> None:
    budget.spend(1, 9, unit=UNIT)
    before = state.read_bytes()
    for epsilon, words in ((1.0000001, 1), (0.1, 11), (0.5, 3), (1e-8, 10**9), (20, 1)):
        with pytest.raises(BudgetError, match=r"it costs .* of 10 is left; it renews in"):
            budget.spend(epsilon, words, unit=UNIT)
    assert state.read_bytes() == before
    budget.spend(1, unit=UNIT)
    assert budget.remaining() == 0
    with pytest.raises(BudgetError, match=r"it costs 1e-09, 0 of 10 is left"):
        budget.spend(1e-9, unit=UNIT)
    budget.spend(1, 0, unit=UNIT)  # nothing costs nothing


@pytest.mark.parametrize(
    ("limit", "epsilon", "words"),
    [(0.1, 0.1, 1), (1, 0.1, 10), (0.3, 0.1, 3), (5.5, 0.55, 10), (7, 0.7, 10), (22.18, 22.18, 1)],
)
def test_decimals_reach_the_limit_exactly(
    state: Path, limit: float, epsilon: float, words: int
) -> None:
    """A user who allows 1.0 and releases 0.1 a word gets ten words, together or one by one."""
    budget = PrivacyBudget(limit, HOUR, state)
    budget.spend(epsilon, words, unit=UNIT)
    assert budget.remaining() == 0
    with pytest.raises(BudgetError):
        budget.spend(epsilon, unit=UNIT)
    state.unlink()
    for _ in range(words):
        budget.spend(epsilon, unit=UNIT)
    with pytest.raises(BudgetError):
        budget.spend(epsilon, unit=UNIT)


def test_ten_thousand_small_releases_don_t_drift(state: Path) -> None:
    budget = PrivacyBudget(1000, HOUR, state)
    for _ in range(500):
        budget.spend(0.1, unit=UNIT)
        budget.spend(0.1, 19, unit=UNIT)
    assert budget.remaining() == 0
    with pytest.raises(BudgetError):
        budget.spend(0.1, unit=UNIT)


def test_nothing_is_counted_below_its_value(state: Path) -> None:
    """Rounding goes against the one who spends, in words as in the limit."""
    generator = random.Random(1)
    for _ in range(50):
        epsilon = math.exp(generator.uniform(math.log(1e-9), math.log(22)))
        words = generator.randrange(1, 1000)
        budget = PrivacyBudget(10**6, HOUR, state)
        budget.spend(epsilon, words, unit=UNIT)
        assert 10**6 - budget.remaining() >= epsilon * words * (1 - 1e-12) - 1e-9
        state.unlink()


@pytest.mark.parametrize(
    "limit", [0, -1, math.nan, math.inf, 1.1e9, pytest.param(10**400, id="10**400"), "x", None]
)
def test_bad_limits(state: Path, limit: Any) -> None:
    with pytest.raises(ParameterError, match="limit"):
        PrivacyBudget(limit, HOUR, state)


@pytest.mark.parametrize(
    "period", [0, 0.5, -1, math.nan, math.inf, pytest.param(10**400, id="10**400"), "x", None]
)
def test_bad_periods(state: Path, period: Any) -> None:
    with pytest.raises(ParameterError, match="period"):
        PrivacyBudget(1, period, state)


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [
        (-1, 1),
        (1, -1),
        (-1, -1),
        (math.nan, 1),
        (math.inf, 1),
        (math.inf, 0),
        (1.1e9, 0),
        (True, 1),
        ("1", 1),
        (None, 1),
        (1, 0.5),
        (1, 1.0),
        (1, math.nan),
        (1, True),
        (1, np.True_),
        (1, np.float64(1)),
        (1, "1"),
        (1, None),
        (1, 2**31),
        pytest.param(1, 10**400, id="1-10**400"),
        pytest.param(10**400, 1, id="10**400-1"),
    ],
)
def test_bad_costs_are_refused(
    budget: PrivacyBudget, state: Path, epsilon: Any, words: Any
) -> None:
    for _ in range(2):
        before = state.read_bytes() if state.exists() else None
        with pytest.raises(ParameterError) as caught:
            budget.spend(epsilon, words, unit=UNIT)
        assert len(str(caught.value)) < 400
        assert (state.read_bytes() if state.exists() else None) == before
        budget.spend(1, unit=UNIT)  # nothing that was refused is in the way


@pytest.mark.parametrize("unit", ["", "a b", 'a"', "a\n", "é", "a" * 65, None, 5, b"a"])
def test_bad_units_are_refused(budget: PrivacyBudget, state: Path, unit: Any) -> None:
    with pytest.raises(ParameterError, match="unit"):
        budget.spend(1, unit=unit)
    assert not state.exists()


@pytest.mark.parametrize("number", [np.int64, np.int32, np.uint8, np.float64, np.float32, Fraction])
def test_other_numbers_count(budget: PrivacyBudget, number: Callable[[int], Any]) -> None:
    budget.spend(number(2), unit=UNIT)
    assert budget.remaining() == 8


@pytest.mark.parametrize("number", [np.int64, np.int8, np.uint64])
def test_numpy_s_integers_count_words(budget: PrivacyBudget, number: Callable[[int], Any]) -> None:
    budget.spend(1, number(3), unit=UNIT)
    assert budget.remaining() == 7


@pytest.mark.parametrize("path", ["", ".", "..", "x/..", "/", "a\0b", "\ud800", None, 5, b"x"])
def test_a_path_that_names_no_file(path: Any) -> None:
    with pytest.raises(ParameterError, match="state_file"):
        PrivacyBudget(1, 1, path)


def test_a_cost_is_rounded_up_and_a_limit_down(state: Path) -> None:
    budget = PrivacyBudget(1.9999999999, HOUR, state)
    assert budget.remaining() == 1.999999999
    budget.spend(1.0000000001, unit=UNIT)
    assert budget.remaining() == 0.999999998


# --- units


def test_a_period_belongs_to_a_unit(budget: PrivacyBudget, state: Path, clock: Clock) -> None:
    budget.spend(1, unit="one")
    before = state.read_bytes()
    clock.pass_(HOUR - 1)
    for words in (1, 0):
        with pytest.raises(BudgetError, match=r"a state file of its own.* ends in 1 seconds"):
            budget.spend(1, words, unit="another")
    assert state.read_bytes() == before
    assert budget.remaining() == 9
    clock.pass_(1)
    budget.spend(2, unit="another")
    with pytest.raises(BudgetError, match="a state file of its own"):
        budget.spend(1, unit="one")
    assert budget.remaining() == 8


# --- time


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


YEAR = 365 * 24 * HOUR


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
    the clock is set. The bound of docs/budget.md."""
    monkeypatch.setattr(os, "fsync", lambda file: None)  # the disk isn't what this is about
    source = random.Random(5)
    reached = set()
    for number in range(150):
        budget = PrivacyBudget(3, HOUR, tmp_path / f"{number}", clock=(clock := Clock()))
        released, restarts = released_at_random(source, clock, budget, wrong=wrong)
        for start in released:
            held = sum(start <= time < start + HOUR for time in released)
            inside = sum(start < time < start + HOUR for time in restarts) if wrong else 0
            assert held <= 3 * (2 + inside), (number, start)
            reached.add((held, inside))
    assert max(held for held, inside in reached if not inside) > 3  # it isn't vacuous


def test_the_default_clocks_are_the_system_s(state: Path) -> None:
    before = device_clock()
    PrivacyBudget(1, HOUR, state).spend(1, unit=UNIT)
    after = device_clock()
    content = json.loads(state.read_text())
    assert before.time <= content["latest"] <= after.time
    assert before.uptime <= content["uptime"] <= after.uptime
    assert content["boot"] == before.boot == after.boot
    assert abs(before.time / 1000 - time.time()) < 60


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other clocks")
def test_the_uptime_counts_sleep_and_a_start_has_an_id() -> None:
    now = device_clock()
    assert abs(now.uptime / 1000 - time.clock_gettime(time.CLOCK_BOOTTIME)) < 60
    boot_id = Path("/proc/sys/kernel/random/boot_id")
    assert now.boot == (boot_id.read_text().strip() if boot_id.exists() else "")


@pytest.mark.parametrize("content", [None, b"", b"\xff", b'"', b"a" * 37, b"A B"])
def test_an_id_that_isn_t_one_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "id").write_bytes(content)
    monkeypatch.setattr(period_module, "_BOOT_ID", tmp_path / "id")
    assert device_clock().boot == ""


# --- the state file


def test_another_object_goes_on(state: Path, clock: Clock, budget: PrivacyBudget) -> None:
    budget.spend(1, 4, unit=UNIT)
    again = PrivacyBudget(10, HOUR, str(state), clock=clock)
    assert again.remaining() == 6
    again.spend(6, unit=UNIT)
    with pytest.raises(BudgetError):
        budget.spend(1, unit=UNIT)


def test_lowering_the_limit_counts_what_was_spent(
    state: Path, clock: Clock, budget: PrivacyBudget
) -> None:
    budget.spend(1, 4, unit=UNIT)
    lower = PrivacyBudget(3, HOUR, state, clock=clock)
    assert lower.remaining() == 0
    with pytest.raises(BudgetError, match="0 of 3 is left"):
        lower.spend(1e-9, unit=UNIT)


def test_another_current_directory_leads_to_the_same_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    budget = PrivacyBudget(10, HOUR, "state")
    budget.spend(1, unit=UNIT)
    monkeypatch.chdir("below")
    budget.spend(1, unit=UNIT)
    assert budget.remaining() == 8
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["below", "state", "state.lock"]


def test_the_state_is_as_documented(budget: PrivacyBudget, state: Path, clock: Clock) -> None:
    budget.spend(0.5, 3, unit=UNIT)
    clock.pass_(10.7)
    clock.now -= 2
    PrivacyBudget(10, HOUR, state, clock=clock).spend(0.5, unit=UNIT)  # without a lease
    fields = (
        '{"format": "brr-budget", "format_version": 1, "unit": "u", "spent": 2000000000, '
        '"elapsed": 10700, "latest": 1700000010700, "boot": "a", "uptime": 510700'
    )
    assert state.read_bytes() == signed(fields)
    documented = (ROOT / "docs/budget.md").read_text()
    assert signed(fields).decode() in documented


def signed(fields: str) -> bytes:
    """Return a state's line with the right digest."""
    digest = hashlib.sha256(fields.encode("utf-8", "surrogateescape")).hexdigest()
    return fields.encode("utf-8", "surrogateescape") + f', "sha256": "{digest}"}}\n'.encode()


@pytest.mark.parametrize("line", STATES.splitlines(keepends=True), ids=str)
def test_states_are_read_and_written_as_the_other_runtime_does(state: Path, line: bytes) -> None:
    fields = json.loads(line)
    now = Instant(fields["latest"], fields["uptime"], fields["boot"])
    budget = PrivacyBudget(1e9, 1e12, state, clock=lambda: now)
    state.write_bytes(line)
    assert budget.remaining() == (10**18 - fields["spent"]) / 10**9
    inode = state.stat().st_ino
    budget.spend(1, 0, unit=fields["unit"])
    assert state.stat().st_ino != inode
    assert state.read_bytes() == line


GOOD = {
    "format": '"brr-budget"',
    "format_version": "1",
    "unit": '"u"',
    "spent": "5000000000",
    "elapsed": "0",
    "latest": "1700000000000",
    "boot": '"a"',
    "uptime": "500000",
}


def fields_of(values: dict[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": {value}' for name, value in values.items())


GOOD_LINE = signed(fields_of(GOOD))

DAMAGED: list[bytes] = [
    b"",
    b"\0" * 100,
    b"{",
    b"{}",
    b"[]",
    b"null",
    b"[" * 4000,
    b" " * 5000 + GOOD_LINE,
    b"\xef\xbb\xbf" + GOOD_LINE,
    GOOD_LINE[:-1],
    GOOD_LINE + b"\n",
    GOOD_LINE + b"x",
    GOOD_LINE * 2,
    GOOD_LINE.replace(b"\n", b"\r\n"),
    (fields_of(GOOD) + "}\n").encode(),
    signed(fields_of(GOOD).replace(", ", ",")),
    signed(fields_of(GOOD).replace("{", "{ ")),
    signed(fields_of(GOOD) + ', "spent": 0'),
    signed(fields_of({**GOOD, "more": "1"})),
    signed(fields_of({name: value for name, value in GOOD.items() if name != "spent"})),
    signed(fields_of(dict(reversed(GOOD.items())))),
    signed(fields_of(GOOD)).upper(),
    signed(fields_of(GOOD).replace('"u"', '"\\u0075"')),
    signed(fields_of(GOOD).replace('"u"', '"\udcff"')),
]
NUMBERS = [
    "-1", "-0", "00", "01", "+1", "1.0", "1e3", "true", "null", '"0"', "[0]", "NaN", "", "0x1",
    "1_0", "１", "1" * 20, "1" * 400, str(2**63),
]  # fmt: skip
HOSTILE = [(name, value) for name in ("spent", "elapsed", "latest", "uptime") for value in NUMBERS]
HOSTILE += [(name, "1" + "0" * 15) for name in ("elapsed", "latest", "uptime")]
HOSTILE += [
    ("format", '"brr-bundle"'),
    ("format", "null"),
    ("format_version", "2"),
    ("format_version", '"1"'),
    ("unit", '""'),
    ("unit", "null"),
    ("unit", '"a b"'),
    ("unit", '"' + "a" * 65 + '"'),
    ("boot", '"' + "a" * 37 + '"'),
    ("boot", '"A"'),
    ("boot", "null"),
]


def refuses(budget: PrivacyBudget, state: Path) -> None:
    before = state.read_bytes()
    for attempt in (
        budget.remaining,
        lambda: budget.spend(1, unit=UNIT),
        lambda: budget.spend(1e-9, unit=UNIT),
    ):
        with pytest.raises(BudgetFileError, match="not a budget's state, or damaged; nothing is"):
            attempt()
    assert state.read_bytes() == before, "a damaged state was replaced"


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_state_stops_releases(budget: PrivacyBudget, state: Path, content: bytes) -> None:
    state.write_bytes(content)
    refuses(budget, state)


@pytest.mark.parametrize(("field", "value"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_state_stops_releases(
    budget: PrivacyBudget, state: Path, field: str, value: str
) -> None:
    """The digest is right: it is no secret."""
    state.write_bytes(signed(fields_of({**GOOD, field: value})))
    refuses(budget, state)


def test_the_good_state_is_good(budget: PrivacyBudget, state: Path) -> None:
    """A check of the tests above: what they damage is accepted."""
    state.write_bytes(GOOD_LINE)
    assert budget.remaining() == 5


def test_the_largest_numbers_are_no_exception(budget: PrivacyBudget, state: Path) -> None:
    largest = dict.fromkeys(("elapsed", "latest", "uptime"), "9" * 15)
    state.write_bytes(signed(fields_of({**GOOD, "spent": str(2**63 - 1), "elapsed": "0"})))
    assert budget.remaining() == 0
    with pytest.raises(BudgetError, match="0 of 10 is left"):
        budget.spend(1, unit=UNIT)
    state.write_bytes(signed(fields_of({**GOOD, **largest})))
    assert budget.remaining() == 10  # that period ended
    forever = PrivacyBudget(10, 1e12, state, clock=Clock(10**15))
    assert forever.remaining() == 5
    forever.spend(1, unit=UNIT)
    assert forever.remaining() == 4


def damages(line: bytes) -> list[bytes]:
    """Return every flipped bit, truncation, missing byte, swap, and many inserted bytes."""
    places = range(len(line))
    found = [line[:i] for i in places]
    found += [
        line[:i] + bytes([line[i] ^ 1 << bit]) + line[i + 1 :] for i in places for bit in range(8)
    ]
    found += [line[:i] + line[i + 1 :] for i in places]
    found += [line[:i] + line[i + 1 : i + 2] + line[i : i + 1] + line[i + 2 :] for i in places]
    found += [
        line[:i] + bytes([byte]) + line[i:] for i in (*places, len(line)) for byte in b'0 9"a,\n\0'
    ]
    return [damaged for damaged in found if damaged != line]


def test_no_damage_gives_anything_back(budget: PrivacyBudget, state: Path, clock: Clock) -> None:
    """A real state, after a restart, with every kind of field in it."""
    clock.boot = "ef2dfdac-f43f-4f69-9b69-13a9458de22e"
    budget.spend(0.123456789, 61, unit=hashlib.sha256().hexdigest())
    clock.pass_(12.345)
    budget.spend(0.25, unit=hashlib.sha256().hexdigest())
    line = state.read_bytes()
    cases = damages(line)
    assert len(cases) > 15 * len(line)
    for damaged in cases:
        state.write_bytes(damaged)
        with pytest.raises(BudgetFileError, match="damaged"):
            budget.remaining()
    state.write_bytes(line)
    assert budget.remaining() == 2.219135871


def test_the_attacks_get_nothing() -> None:
    """The figures that the script prints, one by one."""
    script = ROOT / "tests/attacks/budget_figures.py"
    result = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300, check=True
    )
    got = [line.split(": ")[1].split(" (")[0] for line in result.stdout.splitlines()]
    assert got[0] == "2 words under a limit of 2"
    symbolic, hard, directory = (int(words.split()[0]) for words in got[1:4])
    assert hard == 1
    for words in (symbolic, directory):  # processes that end lose half at most
        assert 50 <= words <= 100
    assert got[4].startswith("0 of 2")
    assert got[5:] == ["refused", "0 of 10 accepted or stored", "0 of 3 hang"]


# --- leases


def spent(state: Path) -> int:
    """Return what is on disk as spent: billionths."""
    count = json.loads(state.read_bytes())["spent"]
    assert isinstance(count, int)
    return count


@pytest.mark.parametrize("line", LEASES.splitlines(), ids=range(len(LEASES.splitlines())))
def test_leases_are_as_documented(state: Path, clock: Clock, line: bytes) -> None:
    """What is on disk after each release, written down by a program of its own."""
    case = json.loads(line)
    budget = PrivacyBudget(case["limit"], HOUR, state, clock=clock)
    for epsilon, words, stored in case["releases"]:
        with suppress(BudgetError):
            budget.spend(epsilon, words, unit=UNIT)
        assert spent(state) == stored


def test_the_first_leases_are_those_of_the_documentation(budget: PrivacyBudget) -> None:
    """A word of 1 under a limit of 1,000: 2, 4 and 8 words have been paid for after 1, 3 and 7."""
    stored = [release[2] // 10**9 for release in json.loads(LEASES.splitlines()[0])["releases"]]
    shown = ", ".join(map(str, stored[:9]))
    assert shown == "1, 3, 3, 7, 7, 7, 7, 15, 15"
    assert shown in (ROOT / "docs/budget.md").read_text()


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
        with pytest.raises(BudgetError, match="a state file of its own"):
            budget.spend(1, words, unit="another")
    clock.pass_(HOUR)
    budget.spend(1, unit="another")
    with pytest.raises(BudgetError, match="a state file of its own"):
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


# --- which error


def test_used_up_says_what_is_left_and_until_when(budget: PrivacyBudget, clock: Clock) -> None:
    for _ in range(2):
        budget.spend(1, unit=UNIT)
    clock.pass_(600.5)
    with pytest.raises(BudgetError) as caught:
        budget.spend(1, 9, unit=UNIT)
    assert (caught.value.left, caught.value.renews_in) == (8, 3000)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.left, again.renews_in) == (str(caught.value), 8, 3000)
    with pytest.raises(BudgetError) as caught:
        budget.spend(1, unit="another")
    assert (caught.value.left, caught.value.renews_in) == (0, 3000)


def test_a_state_that_can_t_be_used_is_another_error(budget: PrivacyBudget, state: Path) -> None:
    assert not issubclass(BudgetFileError, BudgetError)
    assert not issubclass(BudgetError, BudgetFileError)
    state.write_bytes(b"damaged")
    with pytest.raises(BudgetFileError):
        budget.spend(100, unit=UNIT)


# --- links, and what isn't a file


@contextmanager
def at_once() -> Iterator[None]:
    """Fail instead of waiting for ever."""

    def fail(*arguments: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(20)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def refused_at_once(budget: PrivacyBudget, match: str) -> None:
    for attempt in (budget.remaining, lambda: budget.spend(1, unit=UNIT)):
        with at_once(), pytest.raises(BudgetFileError, match=match) as caught:
            attempt()
        assert len(str(caught.value)) <= 400
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("target", ["state", "missing", "elsewhere/state", "link"])
@pytest.mark.parametrize("name", ["link", "link.lock"])
def test_a_symbolic_link_is_refused(
    tmp_path: Path, budget: PrivacyBudget, name: str, target: str
) -> None:
    budget.spend(1, unit=UNIT)
    (tmp_path / "elsewhere").mkdir()
    PrivacyBudget(10, HOUR, tmp_path / "elsewhere/state").spend(1, unit=UNIT)
    (tmp_path / name).symlink_to(tmp_path / target)
    refused_at_once(
        PrivacyBudget(10, HOUR, tmp_path / "link"), "a symbolic link; .*the file itself"
    )
    assert not (tmp_path / "missing").exists()
    assert budget.remaining() == 9


@pytest.mark.parametrize("name", ["link", "link.lock"])
def test_a_hard_link_is_refused(tmp_path: Path, budget: PrivacyBudget, name: str) -> None:
    budget.spend(1, unit=UNIT)
    (tmp_path / name).hardlink_to(tmp_path / "state")
    refused_at_once(PrivacyBudget(10, HOUR, tmp_path / "link"), "has 2 hard links")
    refused_at_once(budget, "state: has 2 hard links; .*: remove the others")
    (tmp_path / name).unlink()
    assert budget.remaining() == 9


@pytest.mark.parametrize("name", ["state", "state.lock"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "socket"])
def test_what_isn_t_a_file_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        if kind == "fifo":
            os.mkfifo(name)
        elif kind == "folder":
            Path(name).mkdir()
        else:
            server.bind(name)
        refused_at_once(PrivacyBudget(10, HOUR, "state"), f"{name}: .*; nothing is released until")


@pytest.mark.parametrize("kind", ["fifo", "link", "file", "hard link"])
def test_what_is_in_the_new_state_s_place_goes(
    tmp_path: Path, budget: PrivacyBudget, kind: str
) -> None:
    budget.spend(1, unit=UNIT)
    new, victim = tmp_path / "state.new", tmp_path / "victim"
    victim.write_text("untouched")
    if kind == "fifo":
        os.mkfifo(new)
    elif kind == "link":
        new.symlink_to(victim)
    elif kind == "hard link":
        new.hardlink_to(victim)
    else:
        new.write_text("left over")
    with at_once():
        budget.spend(1, unit=UNIT)
    assert budget.remaining() == 8
    assert victim.read_text() == "untouched"
    assert not new.exists()


def test_two_paths_to_a_directory_are_one_budget(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "alias").symlink_to(folder)
    one, other = (PrivacyBudget(10, HOUR, tmp_path / f / "state") for f in ("folder", "alias"))
    one.spend(1, 6, unit=UNIT)
    with pytest.raises(BudgetError, match="4 of 10 is left"):
        other.spend(1, 5, unit=UNIT)
    with (folder / "state.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        child = os.fork()
        if child == 0:
            other.spend(1, unit=UNIT)
            os._exit(0)
        time.sleep(0.2)
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "it didn't wait for the lock"
        fcntl.flock(lock, fcntl.LOCK_UN)
    assert os.waitpid(child, 0)[1] == 0
    assert one.remaining() == 3


def test_a_lock_that_is_removed_meanwhile_is_none(tmp_path: Path, budget: PrivacyBudget) -> None:
    """Who waited for it waits for the one that is in its place."""
    lock = tmp_path / "state.lock"
    lock.touch()
    with lock.open() as removed:
        fcntl.flock(removed, fcntl.LOCK_EX)
        child = os.fork()
        if child == 0:
            budget.spend(1, unit=UNIT)
            os._exit(0)
        time.sleep(0.2)
        lock.unlink()
        lock.touch()
        with lock.open() as current:
            fcntl.flock(current, fcntl.LOCK_EX)
            fcntl.flock(removed, fcntl.LOCK_UN)
            time.sleep(0.2)
            assert os.waitpid(child, os.WNOHANG) == (0, 0), "it took the removed lock"
            fcntl.flock(current, fcntl.LOCK_UN)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert budget.remaining() == 9


@pytest.mark.parametrize("content", [None, b"", b"a text, no budget\n"])
def test_nothing_is_left_of_a_first_release_that_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "text.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BudgetError if content is None else BudgetFileError):
        PrivacyBudget(1, HOUR, path).spend(2, unit=UNIT)
    assert [other.name for other in tmp_path.iterdir()] == ([] if content is None else ["text.txt"])
    assert content is None or path.read_bytes() == content


def test_a_lock_that_was_there_stays(tmp_path: Path, budget: PrivacyBudget) -> None:
    budget.spend(1, unit=UNIT)
    with pytest.raises(BudgetError):
        budget.spend(100, unit=UNIT)
    assert (tmp_path / "state.lock").exists()


def test_the_files_are_for_the_owner_only(budget: PrivacyBudget, tmp_path: Path) -> None:
    budget.spend(1, unit=UNIT)
    files = list(tmp_path.iterdir())
    assert {path.name for path in files} == {"state", "state.lock"}
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in files)


@pytest.mark.parametrize("name", ["x" * 300, "d/" * 3000 + "x", "a\nb\x1b[31m", "x" * 252])
def test_messages_are_one_short_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if len(name) < 100:
        path.write_bytes(b"damaged")
    refused_at_once(PrivacyBudget(1, 1, path), "nothing is released until")


# --- the disk


@pytest.mark.parametrize("path", ["missing/state", "file/state", "folder"])
def test_a_state_that_can_t_be_written_stops_releases(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    budget = PrivacyBudget(10, HOUR, tmp_path / path)
    for attempt in (budget.remaining, lambda: budget.spend(1, unit=UNIT)):
        with pytest.raises(BudgetFileError, match="nothing is released until"):
            attempt()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_directory_stops_releases(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(BudgetFileError, match="can't be written"):
            PrivacyBudget(10, HOUR, tmp_path / "state").spend(1, unit=UNIT)
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("call", ["fsync", "replace", "open", "write"])
def test_a_disk_that_fails_stops_releases(
    budget: PrivacyBudget, state: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    budget.spend(1, unit=UNIT)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        for _ in range(3):
            with pytest.raises(BudgetFileError, match="No space left on device"):
                budget.spend(1, unit=UNIT)
    assert budget.remaining() <= 9
    budget.spend(1, unit=UNIT)
    assert budget.remaining() <= 8
    assert not state.with_name("state.new").exists()


def test_a_full_disk_stops_releases(
    budget: PrivacyBudget, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes the first bytes and no more."""
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, content: write(file, content[:10]))
        with pytest.raises(BudgetFileError, match="No space left on device"):
            budget.spend(1, unit=UNIT)
    assert not state.exists()
    assert budget.remaining() == 10


def test_a_disk_without_locks_stops_releases(
    budget: PrivacyBudget, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(BudgetFileError, match="No locks available"):
        budget.spend(1, unit=UNIT)
    assert not state.exists()


def test_a_left_over_temporary_file_is_no_state(budget: PrivacyBudget, state: Path) -> None:
    budget.spend(1, unit=UNIT)
    for left_over in state.parent.glob("state.*"):
        left_over.write_bytes(b"garbage")
    assert budget.remaining() == 9
    budget.spend(1, unit=UNIT)
    assert budget.remaining() == 8


def test_the_state_is_flushed_before_it_takes_its_place(
    budget: PrivacyBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no test can do is cut the power; so the order of the calls is checked."""
    calls: list[str] = []

    def is_folder(file: int | Path) -> bool:
        return isinstance(file, int) and stat.S_ISDIR(os.fstat(file).st_mode)

    def recorded(name: str) -> Callable[..., Any]:
        original = getattr(os, name)

        def call(*arguments: Any, **options: Any) -> Any:
            calls.append(f"{name} a folder" if is_folder(arguments[0]) else name)
            return original(*arguments, **options)

        return call

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, recorded(name))
    budget.spend(1, unit=UNIT)
    assert calls == ["fsync", "replace", "fsync a folder"]


# --- killed at any instant

KILL = """
import os, signal, sys, json
from pathlib import Path
from brrkit import BudgetError, PrivacyBudget

folder = Path(sys.argv[1])
state = folder / "state"
PrivacyBudget(10**6, 10**6, state).spend(1, unit="u")  # warm

def child(step):
    # Releases five times and dies at the step-th line that runs in the budget's code or here.
    left = step

    def trace(frame, event, argument):
        nonlocal left
        name = frame.f_code.co_filename
        ours = ("budget.py", "lease.py", "period.py", "state_file.py")
        if not (name.endswith(ours) or frame.f_code is release.__code__):
            return None
        if event == "line":
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
        return trace

    def release():
        for _ in range(5):  # two of them from leases
            budget.spend(1, unit="u")
            os.write(released, b".")
        return

    budget = PrivacyBudget(10**6, 10**6, state)
    released = os.open(folder / "released", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sys.settrace(trace)
    release()
    os._exit(0)

os.open(folder / "released", os.O_WRONLY | os.O_CREAT)
died = step = 0
while True:
    pid = os.fork()
    if pid == 0:
        child(step)
    status = os.waitpid(pid, 0)[1]
    spent = 10**6 - PrivacyBudget(10**6, 10**6, state).remaining()
    released = 1 + (folder / "released").stat().st_size
    lost = 4 * (step + 1)  # a word that wasn't released, and a lease of three
    assert released <= spent <= released + lost, (step, released, spent)
    if status == 0:
        break
    assert os.WTERMSIG(status) == signal.SIGKILL
    step += 1
print(step, spent, released)
"""


def test_killed_at_any_line_no_less_is_spent_than_released(
    run_python: Callable[..., str], tmp_path: Path
) -> None:
    steps, spent, released = map(float, run_python(KILL, tmp_path).split())
    assert steps > 50  # lines at which it was killed
    assert spent > released > 1  # some died between spending and releasing


KILLED_IN_RELEASE = """
import os, signal, sys
from brrkit import WordBundle, PrivacyBudget, Privatizer

def source(size):
    os.kill(os.getpid(), signal.SIGKILL)

budget = PrivacyBudget(10, 10**6, sys.argv[2])
if os.fork() == 0:
    privatizer = Privatizer(WordBundle.open(sys.argv[1]), 1.0, budget=budget, random=source)
    print(privatizer.text("the of and"))
assert os.WTERMSIG(os.wait()[1]) == signal.SIGKILL
print(budget.remaining())
"""


def test_killed_while_drawing_the_cost_is_spent(
    run_python: Callable[..., str], bundles: Path, state: Path
) -> None:
    assert run_python(KILLED_IN_RELEASE, bundles / "64", state).split() == ["7.0"]


# --- threads and processes

CONCURRENT = """
import os, sys, threading
from brrkit import BudgetError, PrivacyBudget

limit, each = float(sys.argv[2]), int(sys.argv[3])
shared = PrivacyBudget(limit, 10**6, sys.argv[1])  # before the forks: shared by all
for _ in range(5):
    shared.spend(0.125, unit="u")  # with a lease that isn't the children's

def work(budget):
    for _ in range(each):
        try:
            budget.spend(0.125, unit="u")
            os.write(1, b"released ")
        except BudgetError:
            os.write(1, b"refused ")

def lease(budget):
    return budget._mine.lease.stored if budget._mine.lease else 0

children = []
for number in range(4):
    pid = os.fork()
    if pid == 0:
        own = [PrivacyBudget(limit, 10**6, sys.argv[1]) for _ in range(4)]
        threads = [threading.Thread(target=work, args=(b,)) for b in [*own, *[shared] * 4]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os.write(1, f"{sum(map(lease, [*own, shared]))} ".encode())
        os._exit(0)
    children.append(pid)
for pid in children:
    assert os.waitpid(pid, 0)[1] == 0
print(lease(shared))
"""


@pytest.mark.parametrize(("limit", "each"), [(20, 5), (10, 5), (19.9, 5), (40, 40)])
def test_threads_and_processes_share_a_budget(
    run_python: Callable[..., str], state: Path, limit: float, each: int
) -> None:
    """4 processes x 8 threads: what is spent was released, or is in a lease."""
    results = run_python(CONCURRENT, state, limit, each).split()
    leases = [int(result) for result in results if result.isdecimal()]
    released = 5 + results.count("released")
    assert len(results) == 5 + 32 * each
    assert len(leases) == 5
    spent = round((limit - PrivacyBudget(limit, 10**6, state).remaining()) * 10**9)
    assert spent == released * 125_000_000 + sum(leases)
    assert spent <= limit * 10**9
    if "refused" in results:  # then less than a word was left, for a while
        assert released * 0.125 > (limit - 0.125) / 2


FORK_IN_SPEND = """
import fcntl, os, sys
from brrkit import PrivacyBudget
from brrkit.period import Instant

read, write = os.pipe()
child = 0

def clock():
    # Called under the lock: as if another thread forked a worker just now.
    global child
    if not child:
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)  # the worker lives until the parent ends
            os._exit(0)
    return Instant(10**12, 0, "")

PrivacyBudget(10, 60, sys.argv[1], clock=clock).spend(1, unit="u")
os.close(read)
with open(sys.argv[1] + ".lock", "ab") as file:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("free")
    except BlockingIOError:
        print("held by the worker")
"""


def test_a_process_forked_during_a_release_doesn_t_keep_the_lock(
    run_python: Callable[..., str], state: Path
) -> None:
    """Else the next release hangs for as long as that process lives."""
    assert run_python(FORK_IN_SPEND, state).split("\n")[0] == "free"


FORK_BESIDE_SPEND = """
import os, signal, sys, threading
from brrkit import PrivacyBudget
from brrkit.period import Instant

inside, go_on = threading.Event(), threading.Event()

def clock():
    if threading.current_thread() is not threading.main_thread():
        inside.set()
        go_on.wait()
    return Instant(10**12, 0, "")

budget = PrivacyBudget(10, 60, sys.argv[1], clock=clock)
thread = threading.Thread(target=budget.spend, args=(1,), kwargs={"unit": "u"})
thread.start()
inside.wait()
child = os.fork()  # while the other thread is in its release
if child == 0:
    signal.alarm(20)  # a hang ends as a failure
    budget.spend(1, unit="u")
    os._exit(0)
go_on.set()
thread.join()
print(os.waitpid(child, 0)[1], budget.remaining())
"""


def test_a_process_forked_beside_a_release_can_release(
    run_python: Callable[..., str], state: Path
) -> None:
    """A lock that another thread holds at the fork must not stay locked in the child."""
    assert run_python(FORK_BESIDE_SPEND, state).split() == ["0", "8.0"]
