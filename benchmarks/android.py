"""Microseconds a word of the Kotlin runtime on this machine's JVM, beside the Python runtime's."""

from __future__ import annotations

import os
import shutil
import subprocess
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
from benchmarks.timing import interleave, ratio
from brr_runtime import Privatizer, WordBundle
from brr_runtime.mechanisms import MECHANISMS

PROJECT = Path(__file__).parents[1] / "android_demo"
MODULES = ("-pl", "tflite,brr")
CLASS_PATH = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
TITLE = "android: microseconds a word of the Kotlin runtime on the JVM"
MOST = 1.0  # times Python's, in every row


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
        there = {name: partial(ask, name) for name in here}
        progress(f"android: {rounds} rounds, after as many untimed ones")
        for _ in range(rounds):  # the JVM compiles what it runs often
            for task in there.values():
                task()
        tasks = {("python", name): task for name, task in here.items()}
        tasks |= {("kotlin", name): task for name, task in there.items()}
        times = interleave(tasks, rounds)
    progress("android: opening in fresh JVMs")
    cold = [first_opening(class_path, path) for _ in range(rounds)]
    return _finding(times, list(here), len(ids), rounds, cold)


def tasks_of(bundle: WordBundle, ids: list[int], epsilon: float) -> dict[str, Callable[[], object]]:
    """Return what is timed, by its name, in Python."""
    words = [bundle.vocabulary.word(i) for i in ids]
    generator = np.random.default_rng(1)
    queries = generator.integers(0, 2**64, (len(ids), 1, bundle.bits // 64), np.uint64)
    privatizers = {name: Privatizer(bundle, epsilon, mechanism=name).word for name in MECHANISMS}
    return {
        "search": lambda: [bundle.index.nearest(query) for query in queries],
        **{
            name: partial(lambda word: [word(each) for each in words], word)
            for name, word in privatizers.items()
        },
        "find": lambda: [bundle.vocabulary.find(word) for word in words],
        "open": partial(WordBundle.open, bundle.path),
    }


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


def first_opening(class_path: str, bundle: Path) -> float:
    """Return the seconds that a bundle's opening takes in a JVM that has just started."""
    done = subprocess.run(
        command(class_path, bundle, 1, 1.0), input=b"", stdout=subprocess.PIPE, check=True
    )
    return int(done.stdout) / 1e9


@contextmanager
def machine(
    class_path: str, bundle: Path, count: int, epsilon: float
) -> Iterator[Callable[[str], None]]:
    """Run the JVM; what is returned does a task there."""
    with subprocess.Popen(
        command(class_path, bundle, count, epsilon),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()  # the first opening's time
        yield partial(ask_over, process.stdin, process.stdout)
        process.stdin.close()


def ask_over(stdin: IO[str], stdout: IO[str], name: str) -> None:
    """Have a task done by a process, which answers with an empty line."""
    stdin.write(name + "\n")
    stdin.flush()
    if stdout.readline() != "\n":
        raise click.ClickException("the runtime stopped; its message is above")


def _finding(
    times: dict[tuple[str, str], list[float]],
    names: list[str],
    count: int,
    rounds: int,
    cold: list[float],
) -> Finding:
    def shown(runtime: str, name: str) -> str:
        words = 1 if name == "open" else count
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
        ),
        notes=(
            f"single words, one thread; medians of {rounds} rounds in turn of {count} words",
            "search is the scan of all codes; find looks a word up; open is a whole bundle's time",
            f"open in a JVM that has just started: {1e6 * median(cold):,.0f} µs",
        ),
        numbers={
            "seconds": {f"{runtime} {name}": t for (runtime, name), t in times.items()},
            "first opening": cold,
        },
    )
