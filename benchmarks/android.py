"""Microseconds a word of the Kotlin runtime on this machine's JVM, beside the Python runtime's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import IO

import click
import numpy as np

from benchmarks.report import TARGET_SIZE, Claim, Finding
from benchmarks.setting import Setting, progress
from benchmarks.speed import LOSS
from benchmarks.timing import ratio
from brr_runtime import Privatizer, WordBundle
from brr_runtime.mechanisms import MECHANISMS

PROJECT = Path(__file__).parents[1] / "android_demo"
MODULES = ("-pl", "tflite,brr")
CLASS_PATH = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
TITLE = "android: microseconds a word of the Kotlin runtime on the JVM"
MOST = 1.0  # times Python's, in every row
WARM = 2.0  # seconds
COLD = "open, cold"
# Opens a bundle in a Python that has just started.
FIRST_OPENING = """
import sys, time
from brr_runtime import WordBundle
start = time.process_time()
WordBundle.open(sys.argv[1])
print(time.process_time() - start)
"""

Task = Callable[[], float]
"""Does something; returns the seconds of processor time that it took."""


def run(setting: Setting) -> Finding:
    """Time both runtimes in turn; without a JDK and Maven, say so."""
    if not (shutil.which("java") and shutil.which("mvn")):
        return Finding(TITLE, ("",), (), notes=("SKIPPED: it needs a JDK 17 and Maven",))
    rounds, count = (3, 100) if setting.quick else (21, 300)
    epsilon, _ = setting.epsilons(LOSS)
    ids = setting.sample(count).tolist()
    here = tasks_of(setting.bundle, ids, epsilon)
    progress("android: compiling")
    class_path = compile_runtime(setting.folder)
    path = setting.bundle.path
    with machine(class_path, path, len(ids), epsilon) as ask:
        there = {name: partial(_seconds, ask, name) for name in here}
        progress(f"android: {rounds} rounds, after {WARM:g} seconds of each task")
        for task in there.values():  # the JVM compiles what it runs often
            taken = 0.0
            while taken < WARM:
                taken += task()
        tasks: dict[tuple[str, str], Task] = {}
        for name in here:
            tasks["python", name], tasks["kotlin", name] = here[name], there[name]
        times = in_turn(tasks, rounds)
    progress("android: opening in fresh processes")
    tasks = {
        ("python", COLD): partial(first_opening, [sys.executable, "-c", FIRST_OPENING, str(path)]),
        ("kotlin", COLD): partial(first_opening, command(class_path, path, 1, 1.0)),
    }
    times |= in_turn(tasks, rounds)
    return _finding(times, [*here, COLD], len(ids), rounds)


def in_turn(tasks: dict[tuple[str, str], Task], rounds: int) -> dict[tuple[str, str], list[float]]:
    """Return what each task took in each round; before each, it runs once more, untimed."""
    times: dict[tuple[str, str], list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            task()
            times[name].append(task())
    return times


def _seconds(ask: Callable[[str], str], name: str) -> float:
    return float(ask(name))


def tasks_of(bundle: WordBundle, ids: list[int], epsilon: float) -> dict[str, Task]:
    """Return what is timed, by its name, in Python."""
    words = [bundle.vocabulary.word(i) for i in ids]
    generator = np.random.default_rng(1)
    queries = generator.integers(0, 2**64, (len(ids), 1, bundle.bits // 64), np.uint64)
    privatizers = {name: Privatizer(bundle, epsilon, mechanism=name).word for name in MECHANISMS}
    return {
        "search": partial(timed, lambda: [bundle.index.nearest(query) for query in queries]),
        **{
            name: partial(timed, partial(lambda word: [word(each) for each in words], word))
            for name, word in privatizers.items()
        },
        "find": partial(timed, lambda: [bundle.vocabulary.find(word) for word in words]),
        "open": partial(timed, partial(WordBundle.open, bundle.path)),
    }


def timed(action: Callable[[], object]) -> float:
    """Return the processor time of this process for an action, in seconds."""
    start = time.process_time()
    action()
    return time.process_time() - start


def compile_runtime(folder: Path) -> str:
    """Compile the library and its tests, and return the class path."""
    written = folder / "class-path"
    maven = ["mvn", "-q", "-B", "-ntp", *MODULES, "test-compile", CLASS_PATH]
    done = subprocess.run(
        [*maven, f"-Dmdep.outputFile={written}"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise click.ClickException(done.stdout.strip() or "Maven failed")
    target = PROJECT / "brr" / "target"
    return os.pathsep.join(
        map(str, (target / "classes", target / "test-classes", written.read_text().strip()))
    )


def command(class_path: str, bundle: Path, count: int, epsilon: float) -> list[str]:
    """Return what runs the JVM."""
    return [
        *("java", "-Xmx256m", "-cp", class_path, "org.brrkit.SpeedKt"),
        *(str(bundle), str(count), repr(epsilon)),
    ]


def first_opening(command: list[str]) -> float:
    """Return the seconds that a bundle's opening takes in a process that has just started."""
    done = subprocess.run(command, input=b"", stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


@contextmanager
def machine(
    class_path: str, bundle: Path, count: int, epsilon: float
) -> Iterator[Callable[[str], str]]:
    """Run the JVM; what is returned does a task there."""
    with subprocess.Popen(
        command(class_path, bundle, count, epsilon),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()  # how long the first opening took
        yield partial(ask_over, process.stdin, process.stdout)
        process.stdin.close()


def ask_over(stdin: IO[str], stdout: IO[str], name: str) -> str:
    """Have a task done by a process; return the line that it answers with."""
    stdin.write(name + "\n")
    stdin.flush()
    answer = stdout.readline()
    if not answer:
        raise click.ClickException("the runtime stopped; its message is above")
    return answer


def _finding(
    times: dict[tuple[str, str], list[float]], names: list[str], count: int, rounds: int
) -> Finding:
    def shown(runtime: str, name: str) -> str:
        words = 1 if name in ("open", COLD) else count
        return f"{1e6 * median(times[runtime, name]) / words:,.1f}"

    ratios = {name: ratio(times["kotlin", name], times["python", name]) for name in names}
    return Finding(
        title=TITLE,
        columns=("", "Python", "Kotlin", "ratio"),
        rows=[
            (name, shown("python", name), shown("kotlin", name), f"{ratios[name]:.2f}")
            for name in names
        ],
        claims=tuple(
            Claim(f"{name}, Kotlin / Python", ratios[name], "<=", MOST, "", TARGET_SIZE)
            for name in names
            if name != COLD  # a JVM that has just started interprets
        ),
        notes=(
            f"single words, one thread; medians of {rounds} rounds in turn of {count} words",
            "processor time: of Python's process, of the JVM's thread",
            "search is the scan of all codes; find looks a word up; open is a whole bundle's time",
            f"{COLD}: in a process that has just started; no target",
        ),
        numbers={"seconds": {f"{runtime} {name}": t for (runtime, name), t in times.items()}},
    )
