"""Microseconds a word of the runtimes in four languages, on this machine, in one run.

Kotlin runs on the JVM, Swift as compiled by SwiftPM, and TypeScript in Node. A language whose tools
are missing is left out, and the table says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from math import ceil
from pathlib import Path
from statistics import median

import click
import numpy as np

from benchmarks.bench import Bench, progress
from benchmarks.report import TARGET_SIZE, Claim, Finding
from benchmarks.speed import LOSS
from benchmarks.timing import ratio
from brrkit import PrivacyBudget, Privatizer, WordBundle
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import DEFAULT_MECHANISM, Setting

PYTHON, KOTLIN, SWIFT, TYPESCRIPT = "Python", "Kotlin", "Swift", "TypeScript"
_NEEDS = {KOTLIN: "a JDK 17 and Maven", SWIFT: "Swift 6", TYPESCRIPT: "Node 20"}
COLD = "open, cold"
# These wait for the disk, so wall-clock time is measured, also for the tasks compared with them.
PLAIN = "exponential, by the clock"
PAID = "with a budget, by the clock"
FIRST = "with a new budget, by the clock"
# A text's words, released one after the other like by a keyboard; each is timed.
TYPING = {"typing, budget on: p50": 0.5, "typing, budget on: p99": 0.99}
CLOCKED = (PLAIN, PAID, FIRST, *TYPING)
WARM = 2.0  # seconds of each task before timing, since a JVM compiles frequent code
MOST_PAID = 1.5  # times the time of a word without a budget
MOST_TYPESCRIPT = 1.5  # times the time of Python's word, without vector instructions
MOST = 40.0  # microseconds for a word of brr at 64 bits, in Swift

AMPLE = 1e9  # the limit of a budget
PERIOD = 1e9  # seconds

_ROOT = Path(__file__).parents[1]
_MAVEN_PROJECT = _ROOT / "android_demo"
_MODULES = ("-pl", "tflite,brr")
SPEED = "org.brrkit.SpeedKt"
_CLASS_PATH = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
_SWIFT = _ROOT / "ios_demo" / "swift.sh"
_WEB = _ROOT / "web_demo"
_NODE = (str(_WEB / "node.sh"),)
# A separate place, because the tests are compiled with another flag.
_SWIFT_OPTIONS = ("-c", "release", "--scratch-path", ".build/benchmark")
# Opens a bundle in a new Python process.
_FIRST_OPENING = """
import sys, time
from brrkit import WordBundle
start = time.process_time()
WordBundle.open(sys.argv[1])
print(time.process_time() - start)
"""

Task = Callable[[], float]
"""A task, which returns its seconds, in processor or wall-clock time."""


def run(bench: Bench) -> Finding:
    """Time the runtimes in turn."""
    rounds, count = (3, 100) if bench.quick else (21, 300)
    epsilon, _ = bench.epsilons(LOSS)
    words = [bench.bundle.vocabulary.word(i) for i in bench.sample(count).tolist()]
    python = _python_tasks(bench, words, epsilon)
    commands = _commands(bench, words, epsilon)
    tasks = {(PYTHON, name): task for name, task in python.items()}
    with ExitStack() as stack:
        for language, command in commands.items():
            ask = stack.enter_context(answering(command))
            tasks |= {(language, name): partial(ask, name) for name in python}
        progress(f"languages: {rounds} rounds, after {WARM:g} seconds of each task")
        for task in tasks.values():
            start = time.perf_counter()
            while time.perf_counter() - start < WARM:
                task()
        times = _in_turn(tasks, rounds)
    progress("languages: opening in fresh processes")
    commands[PYTHON] = [sys.executable, "-c", _FIRST_OPENING, str(bench.bundle.path)]
    times |= _in_turn(
        {(language, COLD): partial(_first_opening, line) for language, line in commands.items()},
        rounds,
    )
    return _finding(times, [*python, COLD], count, rounds, bench.bundle.bits)


def _commands(bench: Bench, words: Sequence[str], epsilon: float) -> dict[str, list[str]]:
    """Compile the available runtimes, and return functions that run them."""
    found = {}
    arguments = [str(write_words(bench, words)), repr(epsilon)]
    if class_path := compiled_kotlin(bench.folder):
        machine = ["java", "-Xmx256m", "-cp", class_path, SPEED]
        found[KOTLIN] = [*machine, str(bench.bundle.path), *arguments, new_folder(bench)]
    if not subprocess.run([_SWIFT, "--version"], capture_output=True, check=False).returncode:
        progress("languages: compiling Swift")
        _compile([str(_SWIFT), "build", *_SWIFT_OPTIONS, "--product", "speed"], _ROOT)
        # Swift may run in its own folder, which sees temporary files.
        copy = shutil.copytree(bench.bundle.path, bench.folder / "of-swift", dirs_exist_ok=True)
        program = [str(_SWIFT), "run", *_SWIFT_OPTIONS, "--skip-build", "speed"]
        found[SWIFT] = [*program, str(copy), *arguments, new_folder(bench)]
    if script := compiled_typescript():
        program = [*_NODE, "node", str(script), str(bench.bundle.path)]
        found[TYPESCRIPT] = [*program, *arguments, new_folder(bench)]
    return found


def write_words(bench: Bench, words: Sequence[str]) -> Path:
    """Write the words that the programs release, and return the file."""
    path = bench.folder / "words.txt"
    path.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return path


def new_folder(bench: Bench) -> str:
    """Return a folder for the states of a language's budgets."""
    return tempfile.mkdtemp(dir=bench.folder)


def compiled_kotlin(folder: Path) -> str | None:
    """Compile the Kotlin library and its tests; return the class path, None without the tools."""
    if not (shutil.which("java") and shutil.which("mvn")):
        return None
    progress("compiling Kotlin")
    written = folder / "class-path"
    maven = ["mvn", "-q", "-B", "-ntp", *_MODULES, "test-compile", _CLASS_PATH]
    _compile([*maven, f"-Dmdep.outputFile={written}"], _MAVEN_PROJECT)
    target = _MAVEN_PROJECT / "brr" / "target"
    parts = (target / "classes", target / "test-classes", written.read_text().strip())
    return os.pathsep.join(map(str, parts))


def compiled_typescript() -> Path | None:
    """Compile the TypeScript library; return the script, None without the tools."""
    if subprocess.run([*_NODE, "true"], capture_output=True, check=False).returncode:
        return None
    progress("compiling TypeScript")
    _compile([*_NODE, "npm", "ci"], _WEB)
    _compile([*_NODE, "npm", "run", "build"], _WEB)
    return _WEB / "out" / "speed.js"


def _compile(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(done.stdout.strip() or f"{command[0]} failed")


@contextmanager
def answering(command: list[str]) -> Iterator[Callable[[str], float]]:
    """Run a program; return a function that does a task there, by its name."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        into, out = process.stdin, process.stdout

        def ask(name: str) -> float:
            into.write(name + "\n")
            into.flush()
            return _answer(out.readline())

        _answer(out.readline())  # the duration of the first opening
        yield ask
        into.close()


def _answer(line: str) -> float:
    if not line:
        raise click.ClickException("a runtime stopped before it had answered")
    return float(line)


def _first_opening(command: list[str]) -> float:
    """Return the seconds of a bundle's opening in a new process."""
    done = subprocess.run(
        command, input=b"", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    return float(done.stdout)


def _in_turn(tasks: dict[tuple[str, str], Task], rounds: int) -> dict[tuple[str, str], list[float]]:
    """Return the time of each task in each round; before each, the task runs once untimed."""
    times: dict[tuple[str, str], list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            task()
            times[name].append(task())
    return times


def _python_tasks(bench: Bench, words: Sequence[str], epsilon: float) -> dict[str, Task]:
    """Return the timed tasks in Python, by name."""
    bundle = bench.bundle
    generator = np.random.default_rng(1)
    queries = generator.integers(0, 2**64, (len(words), 1, bundle.bits // 64), np.uint64)
    privatizers = {name: Privatizer(bundle, Setting(epsilon, name)).word for name in MECHANISMS}
    folder = Path(new_folder(bench))

    def with_budget(name: str) -> Privatizer:
        (folder / name).unlink(missing_ok=True)
        budget = PrivacyBudget(AMPLE, PERIOD, folder / name)
        return Privatizer(bundle, Setting(epsilon), budget=budget)

    paid = with_budget("budget").word
    return {
        "search": partial(_timed, lambda: [bundle.index.nearest(query) for query in queries]),
        **{
            name: partial(_timed, partial(lambda word: [word(each) for each in words], word))
            for name, word in privatizers.items()
        },
        PLAIN: lambda: _elapsed(privatizers[DEFAULT_MECHANISM], words),
        PAID: lambda: _elapsed(paid, words),
        FIRST: lambda: _elapsed(with_budget("new").word, words),
        **{
            name: partial(lambda share: _typing(with_budget("typing"), words, share), share)
            for name, share in TYPING.items()
        },
        "find": partial(_timed, lambda: [bundle.vocabulary.find(word) for word in words]),
        "open": partial(_timed, partial(WordBundle.open, bundle.path)),
    }


def _timed(action: Callable[[], object]) -> float:
    """Return this process's processor time for an action, in seconds."""
    start = time.process_time()
    action()
    return time.process_time() - start


def _elapsed(word: Callable[[str], object], words: Sequence[str]) -> float:
    """Return the wall-clock seconds for words, including waits."""
    start = time.perf_counter()
    for each in words:
        word(each)
    return time.perf_counter() - start


def _most(language: str, name: str) -> float | None:
    """Return the allowed multiple of Python's time; None without a promise."""
    if language == TYPESCRIPT:
        return MOST_TYPESCRIPT if name == DEFAULT_MECHANISM else None
    return 1.0 if name != COLD else None  # a new JVM interprets


def _typing(privatizer: Privatizer, words: Sequence[str], share: float) -> float:
    """Return the quantile of wall-clock seconds for a word of a stream at this share."""
    stream = privatizer.stream()
    taken = []
    for word in words:
        start = time.perf_counter()
        stream.word(word)
        taken.append(time.perf_counter() - start)
    return sorted(taken)[ceil(share * len(taken)) - 1]


def _finding(
    times: dict[tuple[str, str], list[float]],
    names: list[str],
    count: int,
    rounds: int,
    bits: int,
) -> Finding:
    languages = list(dict.fromkeys(language for language, _ in times))
    others = [language for language in languages if language != PYTHON]

    def microseconds(language: str, name: str) -> float:
        words = 1 if name in ("open", COLD, *TYPING) else count
        return 1e6 * median(times[language, name]) / words

    claims = [
        Claim(
            f"{name}, {other} / Python",
            ratio(times[other, name], times[PYTHON, name]),
            "<=",
            _most(other, name),
            "",
            TARGET_SIZE,
        )
        for other in others
        for name in names
        if name not in CLOCKED
    ]
    claims += [
        Claim(
            f"a word with a budget / without, {language}",
            ratio(times[language, PAID], times[language, PLAIN]),
            "<=",
            MOST_PAID,
            "",
            TARGET_SIZE,
        )
        for language in languages
    ]
    if SWIFT in others and bits == 64:
        claims.append(
            Claim("a word of brr, Swift", microseconds(SWIFT, "brr"), "<=", MOST, "us", TARGET_SIZE)
        )
    missing = [language for language in _NEEDS if language not in others]
    return Finding(
        title=f"languages: microseconds a word, {bits} bits",
        columns=("", *languages),
        rows=[
            (name, *(f"{microseconds(language, name):,.1f}" for language in languages))
            for name in names
        ],
        claims=claims,
        notes=(
            f"single words, one thread; medians of {rounds} rounds in turn of {count} words",
            "processor time: of Python's process, of the others' threads; by the clock where a "
            "budget may wait for the disk",
            f"with a budget: as it goes on, limit {AMPLE:g}; with a new budget: its first {count} "
            "words, which it stores more often",
            f"typing: each of the first {count} words of a text and of a new budget by itself, "
            "those at which it stores a lease included",
            "search is the scan of all codes; find looks a word up; open is a whole bundle's time, "
            f"{COLD} that of a process that has just started",
            *(f"{language} is LEFT OUT: it needs {_NEEDS[language]}" for language in missing),
        ),
        numbers={
            "microseconds": {
                name: {language: microseconds(language, name) for language in languages}
                for name in names
            },
            "seconds": {f"{language} {name}": found for (language, name), found in times.items()},
        },
    )
