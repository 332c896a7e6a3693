"""What `make quick` runs, and that it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
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


def test_what_another_command_runs_is_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    proof, paper = "tests/proofs/test_a.py", "tests/research/test_b.py"
    files = [proof, NEAR, paper]
    monkeypatch.delenv("BRR_NIGHTLY", raising=False)
    by_night = {"make proofs": [proof], "make unit NIGHTLY=1": [paper]}
    assert quick.elsewhere(files, {"far.py"}) == by_night
    for changed in ("research/papers/a.py", paper):
        assert quick.elsewhere(files, {changed}) == {"make proofs": [proof]}
    monkeypatch.setenv("BRR_NIGHTLY", "1")
    assert quick.elsewhere(files, set()) == {"make proofs": [proof]}
    assert list(TESTS.without([NEAR]).files) == [FAR, OTHER]


def test_no_two_files_of_tests_have_one_name() -> None:
    """What each imports, and how long it takes, are known by its name."""
    names = [file.name for file in (quick.ROOT / "tests").rglob("test_*.py")]
    assert len(set(names)) == len(names)


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


def run(until: float, *files: Path) -> subprocess.CompletedProcess[str]:
    """Run tests as one of the processes of ``make quick`` does."""
    command = [sys.executable, quick.__file__, *map(str, (until, *files))]
    return subprocess.run(command, capture_output=True, text=True, cwd=quick.ROOT, check=False)


@pytest.fixture
def tests_file(tmp_path: Path) -> Callable[[str], Path]:
    """Return what makes a file of tests, with what all of ours share."""
    shared = "from tests.conftest import pytest_collection_modifyitems"
    option = "def pytest_addoption(parser): parser.addoption('--last-first')"
    mark = "def pytest_configure(config): config.addinivalue_line('markers', 'nightly(why)')"
    (tmp_path / "conftest.py").write_text("\n".join([shared, option, mark]))
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = " + str(quick.ROOT))

    def make(content: str) -> Path:
        file = tmp_path / "test_it.py"
        file.write_text(f"import os, pytest, signal\n{content}")
        return file

    return make


def test_what_didnt_run_is_named_and_no_failure(tests_file: Callable[[str], Path]) -> None:
    file = tests_file(
        "def test_a(): pass\n@pytest.mark.parametrize('x', 'xy')\ndef test_b(x): pass"
    )
    done = run(0, file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No time for 3 of 3 of test_it.py\n" in done.stdout


def test_what_fails_is_skipped_or_for_the_night_is_named(tests_file: Callable[[str], Path]) -> None:
    file = tests_file(
        "@pytest.mark.nightly('meanwhile')\ndef test_long(): assert False\n"
        "def test_data(): pytest.skip('there is none')\n"
        "def test_right(): pass\ndef test_wrong(): assert False\n"
    )
    done = run(time.monotonic() + 600, file)
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"\nFAILED .*test_it.py::test_wrong\n", done.stdout)
    assert "Each night only (NIGHTLY=1): 1 of 4 of test_it.py: test_long\n" in done.stdout
    assert re.search(r"SKIPPED \[1\] .*test_it.py:\d+: there is none\n", done.stdout)
    assert "1 failed, 1 passed, 1 skipped, 1 deselected" in done.stdout


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{ask}\ndef test_a(): pass", "No time for {file}\n"),
        (
            "def test_a(): pass\ndef test_b(): {ask}\ndef test_c(): pass",
            "No time for 2 of 3 of test_it.py: test_b, test_c\n",
        ),
    ],
    ids=["while they are collected", "in a test"],
)
def test_the_last_word_names_what_didnt_run(
    tests_file: Callable[[str], Path], content: str, named: str
) -> None:
    file = tests_file(content.format(ask="os.kill(os.getpid(), signal.SIGUSR1)"))
    done = run(time.monotonic() + 600, file)
    assert named.format(file=file) in done.stdout, done.stdout + done.stderr


FILES = ["tests/test_a.py", "tests/test_b.py"]


def job(script: str, files: Sequence[str] = ()) -> quick.Job:
    name = quick.TESTS if files else "mypy"
    return quick.Job(name, [sys.executable, "-c", script], {}, files)


def said(late: quick.Job, text: str) -> None:
    """Wait until a job has said something."""
    while text not in late.output():
        time.sleep(0.01)


def test_what_takes_too_long_is_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    now = time.monotonic()
    jobs = quick.Jobs([job("import time; time.sleep(600)")])
    assert jobs.finished(now, now) == 1
    assert time.monotonic() - now < 300
    stopped, _, why = capsys.readouterr().out.splitlines()
    assert stopped == "mypy: stopped, after this"
    assert why.startswith("Not done, since the minute was over") and why.endswith(
        ": mypy. Run it again."
    )


def test_tests_are_asked_for_a_last_word(capsys: pytest.CaptureFixture[str]) -> None:
    """And have not passed, whatever that is."""
    asked = job(
        "import signal, sys, time\n"
        "signal.signal(signal.SIGUSR1, lambda *_: print('the last word') or sys.exit(0))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(0.01)",
        FILES,
    )
    said(asked, "ready")
    now = time.monotonic()
    assert quick.Jobs([asked]).finished(now, now + 300) == 1
    printed = capsys.readouterr().out
    assert "the last word" in printed and ": tests. Run it again." in printed
    assert "Not run" not in printed


@pytest.mark.parametrize("ignored", ["", "signal.signal(signal.SIGUSR1, signal.SIG_IGN);"])
def test_files_of_tests_without_a_last_word_are_named(
    ignored: str, capsys: pytest.CaptureFixture[str]
) -> None:
    late = job(f"import signal, time; {ignored} print('..', flush=True); time.sleep(600)", FILES)
    said(late, "..")
    now = time.monotonic()
    assert quick.Jobs([late]).finished(now, now + (1 if ignored else 300)) == 1
    printed = capsys.readouterr().out
    assert "Not run, or not to the end: tests/test_a.py, tests/test_b.py\n" in printed
    assert ": tests. Run it again." in printed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_an_interruption_names_what_isnt_done(number: int, tmp_path: Path) -> None:
    """Here tests that last, beside checks that have ended, however busy the machine is."""
    script = (
        "import math, quick, sys\n"
        "def start(jobs, changed, start): jobs.add(quick.Job('tests', [sys.executable, '-c', "
        f"'import time; time.sleep(600)'], {{}}, {FILES}))\n"
        "finished = quick.Jobs.finished\n"
        "def ended(jobs, last_word, limit):\n"
        "    for job in jobs._running:\n"
        "        if job.name != 'tests': job.wait(math.inf)\n"
        f"    open({str(tmp_path / 'on')!r}, 'w').close()\n"
        "    return finished(jobs, math.inf, math.inf)\n"
        "quick.Jobs.finished = ended\n"
        "quick.start_tests = start\n"
        "quick.BIN = quick.Path('/nowhere')\n"
        "checks = quick.Job\n"
        "quick.Job = lambda name, command, *rest: checks(name, ['true'] if 'nowhere' in "
        "str(command[0]) else command, *rest)\n"
        "sys.exit(quick.main())"
    )
    environment = {**os.environ, "PYTHONPATH": str(quick.ROOT / "tests")}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as made:
        while not (tmp_path / "on").exists():
            assert made.poll() is None
            time.sleep(0.01)
        made.send_signal(number)
        printed, _ = made.communicate()
    assert made.returncode == 130
    assert "Not run, or not to the end: tests/test_a.py, tests/test_b.py\n" in printed
    assert printed.endswith("Not done, since it was interrupted: tests. Run it again.\n")


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
