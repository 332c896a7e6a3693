"""Repeat all tests, and print how often each fails: `make luck`.

    python tests/luck.py --python 20 --others 50

Which of them draw anew in each run, and how often those fail where nothing is wrong, says
``tests/test_false_alarms.py``: too seldom to be seen here. Whatever fails here has to be mended: it
hangs on luck, on time, or on the machine's load. Python's tests run in several processes, as in
``make test``, the other languages' as in ``make phones``. What isn't installed is left out, and
this says so. Needs ``BRR_TEST_BUNDLES``. Exits with 1 where a test failed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"  # android.sh's

Patterns = tuple[str, str]
"""What tests print: numbers of them, and the name of one that failed."""

PYTHON = (r"(\d+) (?:passed|failed|error)", r"^(?:FAILED|ERROR) (\S+)")
KOTLIN = (
    r"Tests run: (\d+), .* -- in ",
    r"^\[ERROR\] (\S+) -- Time elapsed: .* <<< (?:FAILURE|ERROR)!",
)
SWIFT = (r"Test run with (\d+) test", r'Test (?!run with)"?(.+?)"? failed after')
WEB = (r"^# (?:pass|fail) (\d+)", r"^not ok \d+ - (.*)")

Repeat = Callable[[], tuple[int, list[str]]]
"""Runs a suite once: how many tests there were, and which failed."""


def output(command: Sequence[object], folder: Path = ROOT) -> str:
    """Run tests; return what they print, whether they pass or not."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.stdout


def prepared(command: Sequence[object], folder: Path = ROOT) -> None:
    """Run what must succeed.

    Raises:
        SystemExit: it fails; with what it printed.
    """
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}")


def counted(patterns: Patterns, text: str) -> tuple[int, list[str]]:
    """Return how many tests ran, and which failed; a run that says nothing has failed."""
    numbers, failed = (re.compile(pattern, re.MULTILINE) for pattern in patterns)
    failures = failed.findall(text)
    number = sum(map(int, numbers.findall(text)))
    return number, failures if number else [*failures, "(no tests ran)"]


def python() -> Repeat:
    """Return what runs Python's tests."""
    cores = str(os.cpu_count() or 1)
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-n", cores]
    command += ["--dist", "loadfile", "--no-loadscope-reorder"]
    return lambda: counted(PYTHON, output(command))


def kotlin(work: Path) -> Repeat:
    """Return what compiles and runs the tests of the Android libraries and the keyboard."""
    command = ["mvn", "-B", "-ntp", "-Dstyle.color=never", "package"]
    command += [f"-Dbrr.work={work}", f"-Dbrr.python={BIN / 'python'}"]
    command += ["-Dmaven.test.failure.ignore"]
    return lambda: counted(KOTLIN, output(command, ROOT / "android_demo"))


def swift() -> Repeat:
    """Compile the Swift packages, and return what runs their tests: memory by itself."""
    swift = [ROOT / "ios_demo" / "swift.sh", "test"]
    options = ["-c", "release", "--disable-xctest", "--enable-swift-testing"]
    prepared([*swift, "list", *options, "-Xswiftc", "-enable-testing"])

    def run() -> tuple[int, list[str]]:
        parts = [["--skip", "MemoryTests"], ["--filter", "MemoryTests"]]
        text = "".join(output([*swift, "--skip-build", *options, *part]) for part in parts)
        return counted(SWIFT, text)

    return run


def web() -> Repeat:
    """Compile the TypeScript library, and return what runs its tests."""
    demo = ROOT / "web_demo"
    node = [demo / "node.sh", "node"]
    prepared([demo / "node.sh", "npm", "ci", "--silent"], demo)
    prepared([*node, "node_modules/typescript/bin/tsc"], demo)
    prepared([*node, "build.mjs"], demo)
    tests = sorted((demo / "out" / "test").glob("*.test.js"))
    command = [*node, "--test", "--test-reporter=tap", *tests]
    return lambda: counted(WEB, output(command, demo))


def repeated(name: str, run: Repeat, times: int) -> int:
    """Run a suite so often, and print its line of the table; return how many tests failed."""
    most, failures = 0, Counter[str]()
    for _ in range(times):
        number, failed = run()
        if number < most:  # it crashed on the way
            failed.append(f"(only {number} ran)")
        most = max(most, number)
        failures.update(failed)
    which = "; ".join(f"{test} ({count})" for test, count in failures.most_common()) or "–"
    print(f"| {name} | {most:,} | {times} | {failures.total()} | {which} |", flush=True)
    return failures.total()


def found(*command: object) -> bool:
    """Tell whether a language's tools are there, and say so where they aren't."""
    try:
        there = not subprocess.run(
            list(map(str, command)), cwd=ROOT, capture_output=True, check=False
        ).returncode
    except OSError:
        there = False
    if not there:
        print(f"SKIPPED: {' '.join(map(str, command))} fails", file=sys.stderr)
    return there


def main() -> int:
    """Repeat all that there is."""
    parser = argparse.ArgumentParser(description="Repeat all tests.")
    parser.add_argument("--python", type=int, default=20, help="times for Python's tests")
    parser.add_argument("--others", type=int, default=50, help="times for the others'")
    times = parser.parse_args()
    print("| suite | tests | repetitions | failures | which |")
    print("| --- | --: | --: | --: | --- |", flush=True)
    failures = repeated("Python", python(), times.python) if times.python else 0
    if not times.others:
        return bool(failures)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        os.environ |= {"BRR_WORK": name, "BIN": str(BIN), "MAVEN_OPTS": JVM}
        prepared(["sh", "tests/phones/prepare.sh", work, "256"])
        if found("sh", "tests/phones/jdk.sh"):
            failures += repeated("Kotlin", kotlin(work), times.others)
        large = work / "large"
        prepared(["rm", "-r", large])
        prepared([sys.executable, "tests/phones/large_bundle.py", work / "bundles" / "64", large])
        if found("ios_demo/swift.sh", "--version"):
            failures += repeated("Swift", swift(), times.others)
        if found("web_demo/node.sh", "true"):
            failures += repeated("TypeScript", web(), times.others)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
