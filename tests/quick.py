"""Run what a small change needs, in a minute: `make quick`.

    python tests/quick.py

Lint, spelling, types, and the tests of Python that reach what changed since the last commit and on
this branch: those whose file imports a changed module, or one that imports it, and so on, or names
a changed file. The nearest come first: of these a module's own, then the fastest. Where none does,
or all do, it is the fast half of all.

A minute is a limit: no test starts that would end after it, as long as it took the last time
(``tests/durations.py``); one that takes longer is stopped, and so is mypy. What didn't run is
named, with the reason: no time, each night only, a skip, or another command runs it. Exits with 1
where something fails, of what ran, or the clock stops it, and with 130 where it is interrupted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import pytest
from durations import Seconds, stored
from module_graph import ROOT, Graph, distances, everything, graph, reached

# Seconds from the start: of the last test's end, of the last word of those that run, of all. On a
# busy machine some more go by before this clock starts and after it has stopped.
LAST_TEST, LAST_WORD, LIMIT = 46, 50, 55
UNKNOWN_FILE, UNKNOWN_TEST = 4.0, 0.1  # seconds, until they have run once
STARTS = 6  # seconds until the first test does
TESTS, FAILED, FAST = "tests", "FAILED", "fast"
BUNDLES = ROOT / "artifacts" / "test-bundles"
FOR_ALL = ("tests/conftest.py", "pyproject.toml")
BIN = Path(sys.executable).parent
PROOFS, RESEARCH = "tests/proofs/", "tests/research/"
LINTERS = (("ruff", "format", "--check"), ("ruff", "check"), ("codespell",), ("mypy",))
OTHERS = (
    "Not here: Kotlin (make android), Swift (make ios), TypeScript (make web), the site and the "
    "workflows (make check), the wheel (make wheel)."
)


def changed_files(root: Path = ROOT) -> set[str]:
    """Return the paths of what isn't as in the last commit, nor as where this branch began."""

    def git(*arguments: str) -> list[str]:
        command = ["git", "-C", str(root), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.splitlines() if done.returncode == 0 else []

    base = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main") or ["HEAD"]
    return {
        *git("diff", "--name-only", base[0]),
        *git("diff", "--name-only", "HEAD"),
        *git("ls-files", "--others", "--exclude-standard"),
    }


@dataclass(frozen=True)
class Tests:
    """The files of tests, and what each leads to."""

    links: Graph
    modules: Mapping[str, str]
    """The module of each file of Python, by its path."""
    files: Mapping[str, str]
    """The text of each file of tests, by its path."""

    @classmethod
    def here(cls) -> Tests:
        """Read what there is. What a folder's tests share is led to by all of them."""
        found = everything()
        links = graph(found, strings=True)
        paths = {file.relative_to(ROOT).as_posix(): name for name, file in found.items()}
        files = {
            path: (ROOT / path).read_text(encoding="utf-8")
            for path in sorted(paths)
            if path.startswith("tests/") and Path(path).name.startswith("test_")
        }
        for path in files:
            shared = {f"{folder.as_posix()}/conftest.py" for folder in Path(path).parents}
            links[paths[path]] |= shared & links.keys()
        return cls(links, paths, files)

    def without(self, left: Collection[str]) -> Tests:
        """Return all but some files of tests."""
        files = {path: text for path, text in self.files.items() if path not in left}
        return replace(self, files=files)

    def reach(self, changed: Collection[str]) -> dict[str, int]:
        """Return how many arrows lead from each file of tests to a changed file, where some do."""
        names = [Path(path).name for path in changed if Path(path).name != "__init__.py"]
        modules = [self.modules[path] for path in changed if path in self.modules]
        found = distances(self.links, modules)
        result = {}
        for path, text in self.files.items():
            arrows = [found[self.modules[path]]] if self.modules[path] in found else []
            arrows += [1] if any(name in text for name in names) else []
            if arrows:
                result[path] = min(arrows)
        return result


def chosen(
    changed: Collection[str], tests: Tests, seconds: Mapping[str, float]
) -> tuple[dict[str, str], str]:
    """Return the files of tests that a change needs, in order, each with a reason, and why these.

    ``seconds`` says how long each file takes.
    """
    shared = not set(FOR_ALL).isdisjoint(changed)
    arrows = tests.reach(changed)
    if arrows and not shared:
        own = {f"test_{Path(path).stem}" for path in changed}
        order = sorted(
            arrows, key=lambda path: (arrows[path], Path(path).stem not in own, seconds[path], path)
        )
        how = {0: "changed", 1: "1 arrow"}
        reasons = {path: how.get(arrows[path], f"{arrows[path]} arrows") for path in order}
        return reasons, "what reaches the change, the nearest first"
    order = sorted(tests.files, key=lambda path: (seconds[path], path))
    half = order[: (len(order) + 1) // 2]
    why = "none reaches what changed" if changed else "nothing changed"
    why = "what all tests share changed" if shared else why
    return dict.fromkeys(half, FAST), f"{why}: the fast half of all"


def elsewhere(files: Collection[str], changed: Collection[str]) -> dict[str, list[str]]:
    """Return which files of tests don't run here, by what runs them.

    Those of research run each night, and where research has changed.
    """
    researched = any(path.startswith(("research/", RESEARCH)) for path in changed)
    folders = {PROOFS: "make proofs"}
    if not (researched or os.environ.get("BRR_NIGHTLY")):
        folders[RESEARCH] = "make unit NIGHTLY=1"
    return {
        command: [path for path in files if path.startswith(folder)]
        for folder, command in folders.items()
    }


def expected(known: Seconds, text: str) -> float:
    """Return the seconds of a file of tests, of which some may not have run yet."""
    total = sum(known.values())
    return total if len(known) >= text.count("def test_") else max(total, UNKNOWN_FILE)


def fitting(order: Sequence[str], seconds: Mapping[str, float], most: float) -> list[str]:
    """Return as many of the first files as take so many seconds; one at least."""
    total = 0.0
    found: list[str] = []
    for path in order:
        if found and total >= most:
            break
        found.append(path)
        total += min(seconds[path], most)
    return found


def print_named(why: str, files: Sequence[str]) -> None:
    """Print which files of tests don't run, or didn't to their end, if there are any."""
    if files:
        text = f"{why}: {', '.join(files)}"
        print(textwrap.fill(text, 100, subsequent_indent="  ", break_on_hyphens=False), flush=True)


class Deadline:
    """Starts no test that would end too late, and says which didn't run."""

    def __init__(
        self,
        until: float,
        expected: Seconds,
        files: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._until = until
        self._expected = expected
        self._files = files
        self._clock = clock
        self._collected: list[str] | None = None
        self._nightly: list[str] = []
        self._done: set[str] = set()
        self._failures: list[str] = []
        self._say: Callable[[str], None] = print
        self.is_stopped = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Leave a test out where there is no time for it."""
        late = self._clock() + self._expected.get(item.nodeid, UNKNOWN_TEST) > self._until
        return True if late else None

    def stop(self, number: int, frame: object) -> None:
        """Stop at once: at a signal."""
        self.is_stopped = True
        if self._collected is None:  # pytest takes its own exit for an error of the file it reads
            raise KeyboardInterrupt
        pytest.exit("the time is over", returncode=self.code)

    @property
    def code(self) -> int:
        """1 where a test has failed, else 0."""
        return int(bool(self._failures))

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Note what runs each night only: ``tests/conftest.py`` leaves that out."""
        self._nightly += [item.nodeid for item in items]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        """Note what there is to run, once all files are read."""
        self._collected = [item.nodeid for item in items]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Name a failure at once: there may be no time for more."""
        if report.failed:
            self._failures.append(report.nodeid)
            self._say(f"{FAILED} {report.nodeid}")

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that a test has run."""
        self._done.add(nodeid)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Find what writes past the capture of output."""
        terminal = session.config.pluginmanager.getplugin("terminalreporter")
        self._say = lambda line: terminal.write(f"\n{line}\n", flush=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Say what didn't run, and why, before anything that takes time, and unstopped."""
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        there = [*self._nightly, *(self._collected or [])]
        night = by_file(self._nightly, there)
        lines = [f"Each night only (NIGHTLY=1): {tests}" for tests in night]
        if self._collected is None:
            lines.append(f"No time for {', '.join(self._files)}")
        else:
            late = [test for test in self._collected if test not in self._done]
            lines += [f"No time for {tests}" for tests in by_file(late, there)]
        if lines:
            self._say("\n".join(lines))


def by_file(tests: Sequence[str], of: Sequence[str]) -> list[str]:
    """Return how many tests of each file these are of all, and which functions where not all."""
    files: dict[str, list[str]] = {}
    for test in tests:
        files.setdefault(test.partition("::")[0], []).append(test)
    totals = Counter(test.partition("::")[0] for test in of)
    lines = []
    for file, left in files.items():
        functions = dict.fromkeys(test.partition("::")[2].partition("[")[0] for test in left)
        some = f": {', '.join(functions)}" if len(left) < totals[file] else ""
        lines.append(f"{len(left)} of {totals[file]} of {file}{some}")
    return lines


def run_tests(until: float, files: Sequence[str]) -> int:
    """Run tests in this process, until then or a signal; return the exit code."""
    known = {name: took for file in files for name, took in stored(file).items()}
    deadline = Deadline(until, known, files)
    signal.signal(signal.SIGUSR1, deadline.stop)
    try:
        code = pytest.main(["-q", "--no-header", "-rs", *files], plugins=[deadline])
    except BaseException:
        if not deadline.is_stopped:
            raise
        code = (
            deadline.code
        )  # a test that was stopped leaves things undone, of which pytest complains
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else int(code)


class Job:
    """A command in a process group of its own, whose output is kept.

    Attributes:
        name: for people.
        files: of tests, where it runs some: then it can be asked for its last word.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[object],
        env: Mapping[str, str],
        files: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.files = files
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            list(map(str, command)),
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def wait(self, until: float) -> int | None:
        """Return the exit code, or nothing where it isn't done by then."""
        try:
            return self._process.wait(max(0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return None

    def ask(self) -> None:
        """Ask for its last word."""
        self._process.send_signal(signal.SIGUSR1)

    def end(self) -> None:
        """End it with all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._output.close()

    def output(self) -> str:
        """Return what it has printed, without moving where it goes on."""
        number = self._output.fileno()
        return os.pread(number, os.fstat(number).st_size, 0).decode(errors="replace").strip()


class Jobs:
    """Commands that run side by side, and what they print."""

    def __init__(self, jobs: Iterable[Job] = ()) -> None:
        self._running = list(jobs)

    def add(self, job: Job) -> None:
        """Add one that was started."""
        self._running.append(job)

    def finished(self, last_word: float, limit: float) -> int:
        """Wait for all, and print what each printed; return 1 where one fails or is stopped.

        Otherwise 0. At ``last_word`` tests are asked for theirs; at ``limit`` this returns.
        """
        failed = self._ended(last_word)
        late = list(self._running)
        for job in late:
            if job.files:
                job.ask()
        failed |= self._ended(limit)
        self.stop("the minute was over (a busy machine?)", late)
        return int(failed or bool(late))

    def stop(self, why: str, late: Sequence[Job] = ()) -> None:
        """End what runs, print what it has printed, and name what wasn't done, with ``late``."""
        self._ended(time.monotonic())
        stopped = [*late, *(job for job in self._running if job not in late)]
        for job in self._running:
            print(f"{job.name}: stopped, after this\n{job.output()}")
            print_named("Not run, or not to the end", job.files)
            job.end()
        self._running = []
        if stopped:
            names = ", ".join(job.name for job in stopped)
            print(f"Not done, since {why}: {names}. Run it again.", flush=True)

    def _ended(self, until: float) -> bool:
        """Print what each printed that has ended by then; return whether one failed."""
        failed = False
        for job in list(self._running):
            code = job.wait(until)
            if code is None:
                continue
            print(f"{job.name}: {job.output()}", flush=True)
            if job.files and code < 0:  # it had no last word
                print_named("Not run, or not to the end", job.files)
            failed |= code != 0
            self._running.remove(job)  # first: whoever interrupts it looks at what runs
            job.end()
        return failed


def fresh_bundles(tests: Tests) -> bool:
    """Tell whether ``make bundles`` has run since what it runs changed; else tests build some."""
    made = BUNDLES / "256" / "manifest.json"
    if not made.exists():
        return False
    parts = reached(tests.links, "brrkit_toolchain.bundle.build")
    paths = [path for path, name in tests.modules.items() if name in parts]
    return max((ROOT / path).stat().st_mtime for path in paths) <= made.stat().st_mtime


def start_tests(jobs: Jobs, changed: Collection[str], start: float) -> None:
    """Start the tests that a change needs, and print which these are and which don't run."""
    cores = os.cpu_count() or 1
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    env.pop("BRR_TEST_BUNDLES", None)
    tests = Tests.here()
    if fresh_bundles(tests):
        env["BRR_TEST_BUNDLES"] = str(BUNDLES)
    seconds = {file: expected(stored(file), text) for file, text in tests.files.items()}
    apart = elsewhere(tests.files, changed)
    here = tests.without([file for files in apart.values() for file in files])
    reasons, why = chosen(changed, here, seconds)
    order = list(reasons)
    files = fitting(order, seconds, cores * (LAST_TEST - STARTS))
    print(f"Tests: {why}.", *(f"{file} ({reasons[file]})" for file in files), sep="\n  ")
    print_named("No time for", order[len(files) :])
    is_half = FAST in reasons.values()
    print_named("Slower", sorted(here.files.keys() - reasons.keys()) if is_half else [])
    reach = tests.reach(changed)
    for command, others in apart.items():
        print_named(f"Left to {command}", [file for file in others if is_half or file in reach])
    print(OTHERS, flush=True)
    for core in range(min(cores, len(files))):
        part = files[core::cores]
        command = [sys.executable, __file__, start + LAST_TEST, *part]
        jobs.add(Job(TESTS, command, env, part))


def interrupt(number: int, frame: object) -> None:
    """Stop as at Ctrl-C."""
    raise KeyboardInterrupt


def main() -> int:
    """Run all of it, within the limit."""
    start = time.monotonic()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    jobs, tested = Jobs(), False
    try:
        for name, *options in LINTERS:
            jobs.add(Job(" ".join([name, *options[:1]]), [BIN / name, *options], os.environ))
        start_tests(jobs, changed_files(), start)
        tested = True
        return jobs.finished(start + LAST_WORD, start + LIMIT)
    except KeyboardInterrupt:
        jobs.stop("it was interrupted")
        if not tested:
            print("Interrupted before the tests had started.")
        return 130
    finally:
        jobs.stop("of an error")


if __name__ == "__main__":
    sys.exit(run_tests(float(sys.argv[1]), sys.argv[2:]) if len(sys.argv) > 1 else main())
