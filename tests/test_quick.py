"""What `make quick` runs, and that it ends."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import durations
import pytest
import quick
from module_graph import distances, graph, packages, reached

FAR, NEAR, OTHER = "tests/test_far.py", "tests/test_near.py", "tests/test_other.py"
LINKS = {
    "far": set[str](),
    "near": {"far"},
    "test_far": {"near"},
    "test_near": {"near", "far"},
    "test_other": set[str](),
}
TESTS = quick.Tests(
    LINKS,
    {"far.py": "far", "near.py": "near", FAR: "test_far", NEAR: "test_near", OTHER: "test_other"},
    {FAR: "", NEAR: "", OTHER: 'read("words.txt")'},
)
SAME = defaultdict[str, float](lambda: 1.0)


def test_arrows_are_counted() -> None:
    assert distances(LINKS, ["far"]) == {"far": 0, "near": 1, "test_near": 1, "test_far": 2}
    assert reached(LINKS, "test_far") == {"test_far", "near", "far"}


def test_a_changed_module_selects_what_imports_it_the_nearest_first() -> None:
    reasons, why = quick.chosen({"far.py"}, TESTS, SAME)
    assert list(reasons.items()) == [(NEAR, "1 arrow"), (FAR, "2 arrows")]
    assert "nearest first" in why


def test_of_the_same_distance_the_fastest_come_first() -> None:
    links = {**LINKS, "base": set[str](), "test_far": {"base"}, "test_near": {"base"}}
    tests = replace(TESTS, links=links, modules={**TESTS.modules, "base.py": "base"})
    for slow, order in ((FAR, [NEAR, FAR]), (NEAR, [FAR, NEAR])):
        assert list(quick.chosen({"base.py"}, tests, SAME | {slow: 2.0})[0]) == order


def test_a_modules_own_tests_come_first() -> None:
    reasons, _ = quick.chosen({"near.py"}, TESTS, SAME | {NEAR: 9.0})
    assert list(reasons) == [NEAR, FAR]


def test_a_changed_test_selects_itself() -> None:
    assert quick.chosen({FAR}, TESTS, SAME)[0] == {FAR: "changed"}


def test_a_changed_file_selects_the_tests_that_name_it() -> None:
    assert quick.chosen({"data/words.txt"}, TESTS, SAME)[0] == {OTHER: "1 arrow"}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (set(), "nothing changed"),
        ({"unknown.md"}, "none reaches what changed"),
        ({"far.py", "pyproject.toml"}, "what all tests share changed"),
    ],
)
def test_else_it_is_the_fast_half(changed: set[str], says: str) -> None:
    seconds = {FAR: 3.0, NEAR: 2.0, OTHER: 1.0}
    reasons, why = quick.chosen(changed, TESTS, seconds)
    assert list(reasons) == [OTHER, NEAR]
    assert why == f"{says}: the fast half of all"


def test_a_file_of_which_some_has_not_run_is_no_fast_one() -> None:
    text = "def test_a(): ...\ndef test_b(): ...\n"
    assert quick.expected({}, text) == quick.UNKNOWN_FILE
    assert quick.expected({"a": 1}, text) == quick.UNKNOWN_FILE
    assert quick.expected({"a": 9}, text) == 9
    assert quick.expected({"a": 1, "b": 0.5}, text) == 1.5


def test_what_doesnt_fit_is_left_out() -> None:
    seconds = {FAR: 100.0, NEAR: 4.0, OTHER: 5.0}
    assert quick.fitting([NEAR, OTHER, FAR], seconds, 9) == [NEAR, OTHER]
    assert quick.fitting([FAR, NEAR], seconds, 9) == [FAR]


def test_the_tests_here() -> None:
    """Modules lead to their tests, also those that the toolchain imports by a name."""
    tests = quick.Tests.here()
    arrows = tests.reach({"runtime/brrkit/exact.py"})
    assert arrows["tests/runtime/test_exact.py"] == 1
    assert arrows["tests/toolchain/cli/test_cli.py"] > 1
    assert tests.reach({"tests/helpers/toolchain_fixtures.py"}).keys() >= {
        "tests/toolchain/cli/test_cli.py"
    }
    assert "tests/runtime/test_exact.py" not in tests.reach({"tests/helpers/toolchain_fixtures.py"})
    named = "brrkit_toolchain.bundle.build"
    assert named in tests.links["brrkit_toolchain"]
    assert named not in graph(packages())["brrkit_toolchain"]


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Any]:
    """A clone whose branch has a commit more than main."""

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True)

    git("init", "--initial-branch", "main")
    for name, branch in (("old", "main"), ("committed", "change")):
        git("checkout", "-B", branch)
        (tmp_path / name).write_text("1")
        git("add", "--all")
        git("commit", "--message", name)
    yield tmp_path


def test_what_changed(repository: Path) -> None:
    assert quick.changed_files(repository) == {"committed"}
    (repository / "new").write_text("1")
    (repository / "old").write_text("2")
    assert quick.changed_files(repository) == {"committed", "new", "old"}


def test_no_test_starts_that_would_end_too_late() -> None:
    now = 0.0
    deadline = quick.Deadline(10, {"a.py::slow": 6}, clock=lambda: now)

    def left_out(name: str) -> bool | None:
        return deadline.pytest_runtest_protocol(SimpleNamespace(nodeid=name))  # type: ignore[arg-type]

    assert not left_out("a.py::slow")
    now = 5
    assert left_out("a.py::slow")
    assert not left_out("a.py::unknown")
    now = 10
    assert left_out("a.py::unknown")


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, quick.__file__, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=quick.ROOT, check=False)


def test_what_didnt_run_is_named_and_no_failure() -> None:
    done = run(0, "tests/test_luck.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No time for 6 of tests/test_luck.py" in done.stdout


def test_a_failure_is_named_and_counts(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text("def test_right(): pass\ndef test_wrong(): assert False\n")
    done = run(time.monotonic() + 600, file)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "\nFAILED " in done.stdout
    assert "test_it.py::test_wrong\n" in done.stdout
    assert "1 failed, 1 passed" in done.stdout


def job(script: str, name: str = quick.TESTS) -> quick.Job:
    return quick.Job(name, [sys.executable, "-c", script], {})


def test_what_takes_too_long_is_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    late = job("import time; time.sleep(600)", "mypy")
    try:
        now = time.monotonic()
        assert quick.finished([late], now, now) == 1
    finally:
        late.end()
    assert time.monotonic() - now < 300
    stopped, _, why = capsys.readouterr().out.splitlines()
    assert stopped == "mypy: stopped, after this"
    assert why.startswith("Not done, since the minute was over") and why.endswith(
        ": mypy. Run it again."
    )


def test_a_failure_of_what_is_stopped_counts(capsys: pytest.CaptureFixture[str]) -> None:
    late = job("import time; print('..F\\nFAILED a', flush=True); time.sleep(600)", "mypy")
    try:
        while "FAILED" not in late.output():
            time.sleep(0.01)
        now = time.monotonic()
        assert quick.finished([late], now, now) == 1
    finally:
        late.end()


def test_tests_are_asked_for_a_last_word(capsys: pytest.CaptureFixture[str]) -> None:
    asked = job(
        "import signal, sys, time\n"
        "signal.signal(signal.SIGUSR1, lambda *_: sys.exit('the last word'))\n"
        "print('ready', flush=True)\n"
        "time.sleep(600)"
    )
    try:
        while "ready" not in asked.output():
            time.sleep(0.01)
        now = time.monotonic()
        assert quick.finished([asked], now, now + 300) == 1
    finally:
        asked.end()
    assert "the last word" in capsys.readouterr().out


def test_tests_that_are_stopped_have_not_passed() -> None:
    asked = job("import time; time.sleep(600)")
    try:
        now = time.monotonic()
        assert quick.finished([asked], now, now + 300) == 1
    finally:
        asked.end()


def test_durations_are_kept(tmp_path: Path) -> None:
    assert durations.stored("tests/test_a.py", tmp_path) == {}
    for name, parts in (("old", [1]), ("new", [0.25, 0.5])):
        noted = durations.Durations(tmp_path)
        for part in parts:
            report = SimpleNamespace(nodeid=f"tests/test_a.py::{name}", duration=part)
            noted.pytest_runtest_logreport(report)  # type: ignore[arg-type]
        noted.pytest_sessionfinish()
    expected = {"tests/test_a.py::old": 1, "tests/test_a.py::new": 0.75}
    assert durations.stored("tests/test_a.py", tmp_path) == expected
    (tmp_path / "test_a.json").write_text(json.dumps(expected)[:-1])
    assert durations.stored("tests/test_a.py", tmp_path) == {}
