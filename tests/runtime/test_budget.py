"""The privacy budget: never less spent than released, whatever happens."""

from __future__ import annotations

import errno
import fcntl
import json
import math
import os
import random
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brr_runtime import BudgetError, ParameterError, PrivacyBudget

HOUR = 3600


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: float = 1_700_000_000) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


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
    budget.spend(0.5)
    budget.spend(0.25, 6)
    assert budget.remaining() == 8
    budget.spend(1, 0)
    assert budget.remaining() == 8


def test_the_limit_can_be_reached_and_not_passed(budget: PrivacyBudget, state: Path) -> None:
    budget.spend(1, 9)
    before = state.read_bytes()
    for epsilon, words in ((1.0000001, 1), (0.1, 11), (0.5, 3), (1e-9, 10**10), (20, 1)):
        with pytest.raises(BudgetError, match=r"it costs .* of 10 is left; it renews in"):
            budget.spend(epsilon, words)
    assert state.read_bytes() == before
    budget.spend(1)
    assert budget.remaining() == 0
    with pytest.raises(BudgetError, match=r"it costs 1e-09, 0 of 10 is left"):
        budget.spend(1e-9)
    budget.spend(1, 0)  # nothing costs nothing


@pytest.mark.parametrize(
    ("limit", "epsilon", "words"),
    [(0.1, 0.1, 1), (1, 0.1, 10), (0.3, 0.1, 3), (5.5, 0.55, 10), (7, 0.7, 10), (22.18, 22.18, 1)],
)
def test_decimals_reach_the_limit_exactly(
    state: Path, limit: float, epsilon: float, words: int
) -> None:
    """A user who allows 1.0 and releases 0.1 a word gets ten words, together or one by one."""
    budget = PrivacyBudget(limit, HOUR, state)
    budget.spend(epsilon, words)
    assert budget.remaining() == 0
    with pytest.raises(BudgetError):
        budget.spend(epsilon)
    state.unlink()
    for _ in range(words):
        budget.spend(epsilon)
    with pytest.raises(BudgetError):
        budget.spend(epsilon)


def test_ten_thousand_small_releases_don_t_drift(state: Path) -> None:
    budget = PrivacyBudget(1000, HOUR, state)
    for _ in range(500):
        budget.spend(0.1)
        budget.spend(0.1, 19)
    assert budget.remaining() == 0
    with pytest.raises(BudgetError):
        budget.spend(0.1)


def test_nothing_is_counted_below_its_value(state: Path) -> None:
    """Rounding goes against the one who spends, in words as in the limit."""
    generator = random.Random(1)
    for _ in range(50):
        epsilon = math.exp(generator.uniform(math.log(1e-9), math.log(22)))
        words = generator.randrange(1, 1000)
        budget = PrivacyBudget(10**6, HOUR, state)
        budget.spend(epsilon, words)
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
    ("epsilon", "words"), [(-1, 1), (1, -1), (-1, -1), (math.nan, 1), (math.inf, 1), (math.inf, 0)]
)
def test_bad_costs_are_refused(
    budget: PrivacyBudget, state: Path, epsilon: float, words: int
) -> None:
    budget.spend(1)
    before = state.read_bytes()
    with pytest.raises(ParameterError):
        budget.spend(epsilon, words)
    assert state.read_bytes() == before


# --- time


def test_a_period_renews_when_it_is_over(budget: PrivacyBudget, clock: Clock) -> None:
    budget.spend(1, 10)
    clock.now += HOUR - 1
    assert budget.remaining() == 0
    with pytest.raises(BudgetError, match="renews in 1 seconds"):
        budget.spend(1)
    clock.now += 1
    assert budget.remaining() == 10
    budget.spend(1, 10)
    clock.now += HOUR - 1
    assert budget.remaining() == 0


def test_a_period_starts_with_its_first_release(budget: PrivacyBudget, clock: Clock) -> None:
    budget.spend(1)
    clock.now += 10 * HOUR
    assert budget.remaining() == 10  # looking starts nothing
    clock.now += HOUR / 2
    budget.spend(1)
    clock.now += HOUR - 1
    assert budget.remaining() == 9
    clock.now += 1
    assert budget.remaining() == 10


@pytest.mark.parametrize("back", [1, HOUR, 365 * 24 * HOUR, 1_699_999_999, 1_700_000_000, 2**31])
def test_setting_the_clock_back_renews_nothing(
    budget: PrivacyBudget, clock: Clock, back: int
) -> None:
    budget.spend(1, 9)
    clock.now -= back
    assert budget.remaining() == 1
    with pytest.raises(BudgetError):
        budget.spend(1, 2)
    budget.spend(1)
    assert budget.remaining() == 0
    clock.now += back + HOUR
    assert budget.remaining() == 10


def test_setting_the_clock_back_and_forth_renews_once(budget: PrivacyBudget, clock: Clock) -> None:
    """The time between a set-back clock and the latest time seen isn't counted twice."""
    start = clock.now
    budget.spend(1, 10)
    clock.now = start + HOUR
    budget.spend(1, 10)
    for now in (start, start + HOUR, start - HOUR, start + HOUR + 1, start + 2 * HOUR - 1):
        clock.now = now
        with pytest.raises(BudgetError):
            budget.spend(1)


def test_a_jump_forward_renews_once(budget: PrivacyBudget, clock: Clock) -> None:
    budget.spend(1, 10)
    start = clock.now
    clock.now = start + 100 * 365 * 24 * HOUR
    budget.spend(1, 10)  # ten missed periods aren't saved up
    with pytest.raises(BudgetError):
        budget.spend(1)
    clock.now = start + HOUR  # the clock is right again: still the period of the jump
    with pytest.raises(BudgetError):
        budget.spend(1)


@pytest.mark.parametrize("now", [0, -1, -(10**9), 0.5, 2**33 + 0.999, 10**15])
def test_any_clock_counts(state: Path, now: float) -> None:
    clock = Clock(now)
    budget = PrivacyBudget(2, HOUR, state, clock=clock)
    budget.spend(1)
    budget.spend(1)
    with pytest.raises(BudgetError, match="0 of 2 is left"):
        budget.spend(1)
    clock.now = max(now, 0) + HOUR + 1
    assert budget.remaining() == 2


def test_the_default_clock_is_the_system_s(state: Path) -> None:
    before = int(time.time())
    PrivacyBudget(1, HOUR, state).spend(1)
    assert before <= json.loads(state.read_text())["period_start"] <= time.time()


# --- the state file


def test_another_object_goes_on(state: Path, clock: Clock, budget: PrivacyBudget) -> None:
    budget.spend(1, 4)
    again = PrivacyBudget(10, HOUR, str(state), clock=clock)
    assert again.remaining() == 6
    again.spend(6)
    with pytest.raises(BudgetError):
        budget.spend(1)


def test_lowering_the_limit_counts_what_was_spent(
    state: Path, clock: Clock, budget: PrivacyBudget
) -> None:
    budget.spend(1, 4)
    lower = PrivacyBudget(3, HOUR, state, clock=clock)
    assert lower.remaining() == 0
    with pytest.raises(BudgetError, match="0 of 3 is left"):
        lower.spend(1e-9)


def test_the_state_is_as_documented(budget: PrivacyBudget, state: Path, clock: Clock) -> None:
    budget.spend(0.5, 3)
    clock.now += 10.7
    budget.spend(0.5)
    content = json.loads(state.read_text())
    assert content["format"] == "brr-budget"
    assert content["format_version"] == 1
    assert content["latest"] - content["period_start"] == 10
    assert content["spent"] > 0


GOOD = {
    "format": "brr-budget",
    "format_version": 1,
    "period_start": 1_700_000_000,
    "latest": 1_700_000_000,
    "spent": 5 * 10**9,
}

DAMAGED: list[bytes] = [
    b"",
    b"\0" * 100,
    b"{",
    b"{}",
    b"[]",
    b"null",
    b"5",
    b'"x"',
    b"\xff\xfe\xff",
    b"[" * 4000,
    b'{"a":' * 800,
    b" " * 5000 + json.dumps(GOOD).encode(),
    json.dumps(GOOD).encode()[:-1],
    json.dumps(GOOD).encode() + b"x",
    json.dumps({**GOOD, "more": 1}).encode(),
    json.dumps({k: v for k, v in GOOD.items() if k != "spent"}).encode(),
]
HOSTILE: list[tuple[str, Any]] = [
    ("format", "brr-bundle"),
    ("format", None),
    ("format_version", 2),
    ("format_version", "1"),
    ("period_start", -1),
    ("period_start", 1.5),
    ("period_start", 1_700_000_001),  # after the latest time seen
    ("period_start", None),
    ("period_start", True),
    ("latest", -1),
    ("latest", "now"),
    ("latest", 1_699_999_999),
    ("latest", math.nan),
    ("latest", math.inf),
    ("spent", -1),
    ("spent", -(10**30)),
    ("spent", 1.0),
    ("spent", None),
    ("spent", "0"),
    ("spent", False),
    ("spent", math.nan),
    ("spent", [0]),
    ("spent", 10**400),
    ("spent", 10**3000),
]


def refuses(budget: PrivacyBudget, state: Path) -> None:
    before = state.read_bytes()
    for attempt in (budget.remaining, lambda: budget.spend(1), lambda: budget.spend(1e-9)):
        with pytest.raises(BudgetError):
            attempt()
    assert state.read_bytes() == before, "a damaged state was replaced"


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_state_stops_releases(budget: PrivacyBudget, state: Path, content: bytes) -> None:
    state.write_bytes(content)
    refuses(budget, state)
    with pytest.raises(BudgetError, match="not a budget's state; nothing is released until"):
        budget.spend(1)


@pytest.mark.parametrize(("field", "value"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_state_stops_releases(
    budget: PrivacyBudget, state: Path, field: str, value: Any
) -> None:
    state.write_text(json.dumps({**GOOD, field: value}))
    refuses(budget, state)


@pytest.mark.parametrize("period", [HOUR, HOUR + 0.5])
def test_hostile_times_stop_releases(state: Path, clock: Clock, period: float) -> None:
    budget = PrivacyBudget(10, period, state, clock=clock)
    for size in (10**18, 10**400, 10**1500):
        state.write_text(json.dumps({**GOOD, "period_start": size, "latest": size}))
        before = state.read_bytes()
        with pytest.raises(BudgetError):
            budget.spend(6)
        assert state.read_bytes() == before


def test_the_good_state_is_good(budget: PrivacyBudget, state: Path) -> None:
    """A check of the tests above: what they damage is accepted."""
    state.write_text(json.dumps(GOOD))
    assert budget.remaining() == 5


def test_one_flipped_bit_never_gives_back_more_than_the_limit(
    budget: PrivacyBudget, state: Path
) -> None:
    content = json.dumps(GOOD).encode()
    for position in range(len(content)):
        for bit in range(8):
            damaged = bytearray(content)
            damaged[position] ^= 1 << bit
            state.write_bytes(damaged)
            try:
                assert 0 <= budget.remaining() <= 10
            except BudgetError:
                continue


@pytest.mark.parametrize("path", ["missing/state", "file/state", "folder"])
def test_a_state_that_can_t_be_written_stops_releases(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    budget = PrivacyBudget(10, HOUR, tmp_path / path)
    for attempt in (budget.remaining, lambda: budget.spend(1)):
        with pytest.raises(BudgetError, match="can't be "):
            attempt()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_directory_stops_releases(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(BudgetError, match="can't be written"):
            PrivacyBudget(10, HOUR, tmp_path / "state").spend(1)
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
def test_a_disk_that_fails_stops_releases(
    budget: PrivacyBudget, state: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    budget.spend(1)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        for _ in range(3):
            with pytest.raises(BudgetError, match="No space left on device"):
                budget.spend(1)
    assert budget.remaining() <= 9
    budget.spend(1)
    assert budget.remaining() <= 8


def test_a_disk_without_locks_stops_releases(
    budget: PrivacyBudget, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(BudgetError, match="No locks available"):
        budget.spend(1)
    assert not state.exists()


def test_a_left_over_temporary_file_is_no_state(budget: PrivacyBudget, state: Path) -> None:
    budget.spend(1)
    for left_over in state.parent.glob("state.*"):
        left_over.write_bytes(b"garbage")
    assert budget.remaining() == 9
    budget.spend(1)
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
    budget.spend(1)
    assert calls == ["fsync", "replace", "fsync a folder"]


# --- killed at any instant

KILL = """
import os, signal, sys, json
from pathlib import Path
from brr_runtime import BudgetError, PrivacyBudget

folder = Path(sys.argv[1])
state = folder / "state"
PrivacyBudget(1000, 10**6, state).spend(1)  # warm

def child(step):
    # Releases ten times and dies at the step-th line that runs in budget.py or here.
    left = step

    def trace(frame, event, argument):
        nonlocal left
        name = frame.f_code.co_filename
        if not (name.endswith("budget.py") or frame.f_code is release.__code__):
            return None
        if event == "line":
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
        return trace

    def release():
        budget.spend(1)
        os.write(released, b".")
        budget.spend(1)
        os.write(released, b".")
        return

    budget = PrivacyBudget(1000, 10**6, state)
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
    spent = 1000 - PrivacyBudget(1000, 10**6, state).remaining()
    released = 1 + (folder / "released").stat().st_size
    assert released <= spent <= released + step + 1, (step, released, spent)
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
from brr_runtime import Bundle, PrivacyBudget, Privatizer

def source(size):
    os.kill(os.getpid(), signal.SIGKILL)

budget = PrivacyBudget(10, 10**6, sys.argv[2])
if os.fork() == 0:
    privatizer = Privatizer(Bundle.open(sys.argv[1]), 1.0, budget=budget, random=source)
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
from brr_runtime import BudgetError, PrivacyBudget

limit, each = float(sys.argv[2]), int(sys.argv[3])
shared = PrivacyBudget(limit, 10**6, sys.argv[1])  # before the forks: shared by all

def work(own):
    budget = PrivacyBudget(limit, 10**6, sys.argv[1]) if own else shared
    for _ in range(each):
        try:
            budget.spend(0.125)
            os.write(1, b"released ")
        except BudgetError:
            os.write(1, b"refused ")

children = []
for number in range(4):
    pid = os.fork()
    if pid == 0:
        threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os._exit(0)
    children.append(pid)
for pid in children:
    assert os.waitpid(pid, 0)[1] == 0
"""


@pytest.mark.parametrize(("limit", "released"), [(20, 160), (10, 80), (19.9, 159)])
def test_threads_and_processes_share_a_budget(
    run_python: Callable[..., str], state: Path, limit: float, released: int
) -> None:
    """4 processes x 8 threads x 5 releases: exactly as many as the limit allows."""
    results = run_python(CONCURRENT, state, limit, 5).split()
    assert len(results) == 160
    assert results.count("released") == released
    assert PrivacyBudget(limit, 10**6, state).remaining() == pytest.approx(limit - released / 8)


FORK_IN_SPEND = """
import fcntl, os, sys
from brr_runtime import PrivacyBudget

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
    return 10**9

PrivacyBudget(10, 60, sys.argv[1], clock=clock).spend(1)
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
from brr_runtime import PrivacyBudget

inside, go_on = threading.Event(), threading.Event()

def clock():
    if threading.current_thread() is not threading.main_thread():
        inside.set()
        go_on.wait()
    return 10**9

budget = PrivacyBudget(10, 60, sys.argv[1], clock=clock)
thread = threading.Thread(target=budget.spend, args=(1,))
thread.start()
inside.wait()
child = os.fork()  # while the other thread is in its release
if child == 0:
    signal.alarm(20)  # a hang ends as a failure
    budget.spend(1)
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
