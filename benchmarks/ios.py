"""Microseconds a word of the Swift runtime on this machine, beside Python's and Kotlin's."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import click

from benchmarks import android
from benchmarks.report import TARGET_SIZE, Claim, Finding
from benchmarks.setting import Setting, progress
from benchmarks.speed import LOSS
from benchmarks.timing import interleave, ratio

SWIFT = Path(__file__).parents[1] / "ios_demo" / "swift.sh"
# A place of its own: the tests are compiled with another flag.
OPTIONS = ("-c", "release", "--scratch-path", ".build/benchmark")
TITLE = "ios: microseconds a word of the Swift runtime on this machine"
MOST = 40.0  # microseconds for a word of brr at 64 bits


def run(setting: Setting) -> Finding:
    """Time the runtimes in turn; without Swift, say so."""
    if subprocess.run([SWIFT, "--version"], capture_output=True, check=False).returncode:
        return Finding(TITLE, ("",), (), notes=("SKIPPED: it needs Swift 6",))
    rounds, count = (3, 100) if setting.quick else (21, 300)
    epsilon, _ = setting.epsilons(LOSS)
    ids = setting.sample(count).tolist()
    here = android.tasks_of(setting.bundle, ids, epsilon)
    tasks: dict[tuple[str, str], Callable[[], object]]
    tasks = {("Python", name): task for name, task in here.items()}
    # Swift may run in a folder of its own, which sees temporary files.
    copy = Path(shutil.copytree(setting.bundle.path, setting.folder / "of-swift"))
    progress("ios: compiling")
    _swift("build", *OPTIONS, "--product", "speed")
    with ExitStack() as stack:
        ask = stack.enter_context(_process(copy, count, epsilon))
        tasks |= {("Swift", name): partial(ask, name) for name in here}
        if shutil.which("java") and shutil.which("mvn"):
            paths = android.compile_runtime(setting.folder)
            kotlin = android.machine(paths, setting.bundle.path, count, epsilon)
            ask = stack.enter_context(kotlin)
            tasks |= {("Kotlin", name): partial(ask, name) for name in here}
            for _ in range(rounds):  # the JVM compiles what it runs often
                for name in here:
                    ask(name)
        progress(f"ios: {rounds} rounds")
        times = interleave(tasks, rounds)
    return _finding(times, list(here), count, rounds, setting.bundle.bits)


def _swift(*arguments: str) -> None:
    done = subprocess.run([SWIFT, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(done.stdout.strip() or "swift failed")


@contextmanager
def _process(bundle: Path, count: int, epsilon: float) -> Iterator[Callable[[str], str]]:
    """Run the Swift program; what is returned does a task there."""
    command = [SWIFT, "run", *OPTIONS, "--skip-build", "speed", bundle]
    with subprocess.Popen(
        [*map(str, command), str(count), repr(epsilon)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield partial(android.ask_over, process.stdin, process.stdout)
        process.stdin.close()


def _finding(
    times: dict[tuple[str, str], list[float]],
    names: list[str],
    count: int,
    rounds: int,
    bits: int,
) -> Finding:
    def microseconds(runtime: str, name: str) -> float:
        words = 1 if name == "open" else count
        return 1e6 * median(times[runtime, name]) / words

    runtimes = list(dict.fromkeys(runtime for runtime, _ in times))
    others = [runtime for runtime in runtimes if runtime != "Swift"]
    ratios = {
        (other, name): ratio(times["Swift", name], times[other, name])
        for other in others
        for name in names
    }
    claims = [
        Claim(f"{name}, Swift / Kotlin", ratios["Kotlin", name], "<=", 1.0, "", TARGET_SIZE)
        for name in names
        if "Kotlin" in others
    ]
    if bits == 64:
        word = microseconds("Swift", "brr")
        claims.append(Claim("a word of brr", word, "<=", MOST, "µs", TARGET_SIZE))
    return Finding(
        title=TITLE,
        columns=("", *runtimes, *(f"Swift / {other}" for other in others)),
        rows=[
            (
                name,
                *(f"{microseconds(runtime, name):,.1f}" for runtime in runtimes),
                *(f"{ratios[other, name]:.2f}" for other in others),
            )
            for name in names
        ],
        claims=tuple(claims),
        notes=(
            f"single words, one thread; medians of {rounds} rounds in turn of {count} words",
            "search is the scan of all codes; find looks a word up; open is a whole bundle's time",
        ),
        numbers={"seconds": {f"{runtime} {name}": t for (runtime, name), t in times.items()}},
    )
