"""Run what a small change needs, in a minute: `make quick`.

    python tests/quick.py

Lint, types, and the tests of Python that reach what changed since the last commit and on this
branch: those whose file imports a changed module, or one that imports it, and so on, or names a
changed file. The nearest come first: of these a module's own, then the fastest. Where none does, or
all do, it is the fast half of all.

A minute is a limit: no test starts that would end after it, as long as it took the last time
(``tests/durations.py``); one that takes longer is stopped, and so is mypy. What didn't run is
named. Exits with 1 where something fails, of what ran, or is stopped: by the clock, or Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
TESTS, FAILED = "tests", "FAILED"
BUNDLES = ROOT / "artifacts" / "test-bundles"
FOR_ALL = ("tests/conftest.py", "pyproject.toml")
BIN = Path(sys.executable).parent
OTHERS = (
    "Kotlin, Swift and TypeScript aren't tested here: make android, make ios, make web do that."
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
    return dict.fromkeys(half, "fast"), f"{why}: the fast half of all"


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


class Deadline:
    """Starts no test that would end too late, and says which."""

    def __init__(
        self, until: float, expected: Seconds, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._until = until
        self._expected = expected
        self._clock = clock
        self._left_out: dict[str, int] = {}
        self._failures: list[str] = []
        self._say: Callable[[str], None] = print

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Leave a test out where there is no time for it."""
        if self._clock() + self._expected.get(item.nodeid, UNKNOWN_TEST) <= self._until:
            return None
        file = item.nodeid.partition("::")[0]
        self._left_out[file] = self._left_out.get(file, 0) + 1
        return True

    @property
    def code(self) -> int:
        """1 where a test has failed, else 0."""
        return int(bool(self._failures))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Name a failure at once: there may be no time for more."""
        if report.failed:
            self._failures.append(report.nodeid)
            self._say(f"{FAILED} {report.nodeid}")

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Find what writes past the capture of output."""
        terminal = session.config.pluginmanager.getplugin("terminalreporter")
        self._say = lambda line: terminal.write(f"\n{line}\n", flush=True)

    def pytest_terminal_summary(self) -> None:
        """Say what didn't run."""
        lines = (f"No time for {number} of {file}" for file, number in self._left_out.items())
        if self._left_out:
            self._say("\n".join(lines))


def run_tests(until: float, files: Sequence[str]) -> int:
    """Run tests in this process, until then or a signal; return the exit code."""
    deadline = Deadline(
        until, {name: took for file in files for name, took in stored(file).items()}
    )

    def stop(number: int, frame: object) -> None:
        pytest.exit("the time is over", returncode=deadline.code)

    signal.signal(signal.SIGUSR1, stop)
    try:
        code = pytest.main(["-q", "--no-header", "-rN", *files], plugins=[deadline])
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # it has said all
    except pytest.exit.Exception:  # after the last test
        code = deadline.code
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else int(code)


class Job:
    """A command in a process group of its own, whose output is kept."""

    def __init__(self, name: str, command: Sequence[object], env: Mapping[str, str]) -> None:
        self.name = name
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


def finished(jobs: Sequence[Job], last_word: float, limit: float) -> int:
    """Wait for jobs, and print what each printed; return 1 where one failed, else 0.

    At ``last_word`` tests are asked for theirs; at ``limit`` this returns.
    """
    late: list[Job] = []
    asked: list[Job] = []
    failed = False
    for until in (last_word, limit):
        late = []
        for job in jobs:
            code = job.wait(until)
            if code is None:
                late.append(job)
                continue
            print(f"{job.name}: {job.output()}", flush=True)
            failed |= code != 0
        for job in late:
            if until != limit and job.name == TESTS:
                job.ask()
                asked.append(job)
        jobs = late
    for job in late:
        print(f"{job.name}: stopped, after this\n{job.output()}")
    stopped = [*asked, *(job for job in late if job not in asked)]
    if stopped:
        names = ", ".join(job.name for job in stopped)
        print(f"Not done, since the minute was over (a busy machine?): {names}. Run it again.")
    return int(failed or bool(stopped))


def fresh_bundles(tests: Tests) -> bool:
    """Tell whether ``make bundles`` has run since what it runs changed; else tests build some."""
    made = BUNDLES / "256" / "manifest.json"
    if not made.exists():
        return False
    parts = reached(tests.links, "brrkit_toolchain.bundle.build")
    paths = [path for path, name in tests.modules.items() if name in parts]
    return max((ROOT / path).stat().st_mtime for path in paths) <= made.stat().st_mtime


def main() -> int:
    """Run all of it, within the limit."""
    start = time.monotonic()
    cores = os.cpu_count() or 1
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    env.pop("BRR_TEST_BUNDLES", None)
    jobs = [
        Job("ruff format", [BIN / "ruff", "format", "--check"], env),
        Job("ruff check", [BIN / "ruff", "check"], env),
        Job("mypy", [BIN / "mypy"], env),
    ]
    try:
        tests = Tests.here()
        if fresh_bundles(tests):
            env["BRR_TEST_BUNDLES"] = str(BUNDLES)
        seconds = {file: expected(stored(file), text) for file, text in tests.files.items()}
        reasons, why = chosen(changed_files(), tests, seconds)
        files = fitting(list(reasons), seconds, cores * (LAST_TEST - STARTS))
        print(f"Tests: {why}.", *(f"{file} ({reasons[file]})" for file in files), sep="\n  ")
        if left := len(reasons) - len(files):
            print(f"  No time for {left} files more.")
        print(OTHERS, flush=True)
        for core in range(min(cores, len(files))):
            command = [sys.executable, __file__, start + LAST_TEST, *files[core::cores]]
            jobs.append(Job(TESTS, command, env))
        return finished(jobs, start + LAST_WORD, start + LIMIT)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    finally:
        for job in jobs:
            job.end()


if __name__ == "__main__":
    sys.exit(run_tests(float(sys.argv[1]), sys.argv[2:]) if len(sys.argv) > 1 else main())
