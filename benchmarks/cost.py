"""The cost of a word on a phone: instructions on an emulated ARM, with bounds on their energy.

No phone is measured. QEMU counts the instructions of the programs of ``benchmarks.languages`` on
64-bit ARM, and of the runtime's C alone. Published measurements of two phones' chips bound the
rest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import mean

import click

from benchmarks.attack_me import FOLDER
from benchmarks.bench import Bench, progress
from benchmarks.challenge import KNOWN, read_written
from benchmarks.languages import (
    SPEED,
    answering,
    compiled_kotlin,
    compiled_typescript,
    new_folder,
    write_words,
)
from benchmarks.provenance import ROOT
from benchmarks.report import Finding
from benchmarks.speed import LOSS

SINGLE, TEXT = "exponential", "a text, as recommended"
"""The counted tasks: single words through the default mechanism, and the words of one text."""

WORDS = 100
"""Number of words in a block, whose instructions are counted."""

COMPILING, INTERPRETING = (100, 30), (1, 2)
"""Numbers of blocks before the counted ones, and of these: for an engine that compiles frequent
code, and for one that doesn't, where a block takes a minute."""

CACHE = Path(os.environ.get("BRR_ARM", ROOT / "artifacts" / "arm")).absolute()

LEAST_JOULES = 50e-12
"""Energy of a small core's instruction: the cheapest ones of Cortex-A7, with cache hits.
E. Vasilakis, An Instruction Level Energy Characterization of ARM Processors, FORTH-ICS/TR-450,
2015."""
MOST_JOULES = 5.49 / 4 / 2.1e9
"""The same for a large core at full clock, with one instruction in each cycle: four Cortex-A57 with
2.1 GHz draw 5.49 W, including memory. A. Frumusanu, The Samsung Exynos 7420 Deep Dive, AnandTech,
2015."""
FASTEST = 2 * 2.1e9
"""Instructions per second: two in each cycle of this large core."""
SLOWEST = 0.5 * 1.5e9
"""The same for this chip's small cores: one in two cycles of 1.5 GHz."""
BATTERY = 15 * 3600.0
"""Energy of a phone's battery of 15 Wh, in joules."""


@dataclass(frozen=True)
class Estimate:
    """=Bounds on the cost of a word.

    Attributes:
        seconds: seconds of one core.
        joules: energy of the chip.
        words: number of words for one hundredth of a battery.
    """

    seconds: tuple[float, float]
    joules: tuple[float, float]
    words: tuple[float, float]


@dataclass(frozen=True)
class Counted:
    """=Instructions per word, in consecutive blocks.

    Attributes:
        before: number of words released before them.
        blocks: instructions per word in each block.
    """

    before: int
    blocks: Sequence[float]

    @property
    def word(self) -> float:
        """The mean number of instructions per word, over all blocks."""
        return mean(self.blocks)

    @property
    def drift(self) -> float:
        """The later half's instructions, divided by the earlier's; 1 without any compilation."""
        half = len(self.blocks) // 2
        return mean(self.blocks[half:]) / mean(self.blocks[:half])


@dataclass(frozen=True)
class Program:
    """A program for the emulated machine.

    Attributes:
        machine: folder of its libraries, in ``CACHE``; "" if it needs none.
        command: command with its arguments.
        before: number of blocks until it has compiled frequent code.
        blocks: number of blocks counted then.
        tasks: its tasks.
        libraries: further folders of libraries.
    """

    machine: str
    command: Sequence[str]
    before: int = 2
    blocks: int = 10
    tasks: Sequence[str] = (SINGLE, TEXT)
    libraries: str = ""


def run(bench: Bench) -> Finding:
    """Count instructions, and estimate their time and energy."""
    programs, missing = _programs(bench)
    counted: dict[str, dict[str, Counted]] = {}
    for name, program in programs.items():
        before, blocks = (1, 2) if bench.quick else (program.before, program.blocks)
        counted[name] = {}
        with counting(bench.folder, program) as (ask, count):
            for task in program.tasks:
                if task == TEXT and not bench.bundle.manifest.get("recommended"):
                    continue
                progress(f"cost: {name}, {task}")
                counted[name][task] = count_blocks(partial(ask, task), count, before, blocks)
    return _finding(counted, missing)


def count_blocks(
    do: Callable[[], object], count: Callable[[], int], before: int, blocks: int
) -> Counted:
    """Count the instructions per word in consecutive blocks.

    Args:
        do: function that releases the words of a block.
        count: function that returns the number of instructions since the program's start.
        before: number of uncounted blocks.
        blocks: number of counted blocks.
    """
    for _ in range(before):
        do()
    counts = [count()]
    for _ in range(blocks):
        do()
        counts.append(count())
    words = [(after - start) / WORDS for start, after in pairwise(counts)]
    return Counted(before * WORDS, words)


def estimate(instructions: float) -> Estimate:
    """Return the time and energy that a word of ``instructions`` may take on a phone."""
    least, most = instructions * LEAST_JOULES, instructions * MOST_JOULES
    return Estimate(
        seconds=(instructions / FASTEST, instructions / SLOWEST),
        joules=(least, most),
        words=(0.01 * BATTERY / most, 0.01 * BATTERY / least),
    )


def prepare(folder: Path, languages: Sequence[str]) -> None:
    """Get the emulated machine, and programs for it, into ``folder`` and ``CACHE``.

    Raises:
        click.ClickException: they aren't available.
    """
    progress(f"cost: getting {', '.join(['QEMU', *languages])} for ARM")
    done = subprocess.run(
        ["sh", "benchmarks/arm64/prepare.sh", str(folder), *languages],
        cwd=ROOT,
        env={**os.environ, "BRR_ARM": str(CACHE)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it says nothing"]
        raise click.ClickException(
            f"benchmarks/arm64/prepare.sh can't get QEMU and programs for ARM: {said[-1]}; "
            "run cost on Debian for x86-64, with gcc and debian-archive-keyring"
        )


def _programs(bench: Bench) -> tuple[dict[str, Program], list[str]]:
    """Return the programs by name, and the missing ones."""
    class_path, script = compiled_kotlin(bench.folder), compiled_typescript()
    swift = _has_swift()
    present = {"kotlin": class_path, "swift": swift, "typescript": script}
    prepare(bench.folder, [name for name, found in present.items() if found])
    texts = read_written(FOLDER / KNOWN)
    words = [word for each in texts for word in bench.bundle.tokenize(each.text)][:WORDS]
    epsilon, _ = bench.epsilons(LOSS)
    arguments = [str(bench.bundle.path), str(write_words(bench, words)), repr(epsilon)]
    arguments.append(new_folder(bench))
    bits, task_bits = bench.bundle.bits, bench.bundle.manifest.get("task_bits", 0)
    sizes = [str(each) for each in (WORDS, len(bench.bundle), bits // 64, task_bits // 64)]
    found = {
        "C, the sums alone": Program("", [str(bench.folder / "kernel"), *sizes], tasks=[SINGLE])
    }
    if swift:
        found["Swift"] = Program(
            "arm64-swift",
            [str(bench.folder / "speed"), *arguments],
            libraries=str(CACHE / "arm64-swift/usr/libexec/swift/lib/swift/linux"),
        )
    if class_path:
        java = str(CACHE / "arm64-jvm/usr/lib/jvm/java-17-openjdk-arm64/bin/java")
        options = ["-Xmx256m", "-XX:+UseSerialGC", "-cp", class_path, SPEED]
        found["Kotlin, JVM 17"] = Program("arm64-jvm", [java, *options, *arguments], *COMPILING)
    if script:
        node = str(CACHE / "node-arm64/bin/node")
        for name, option, blocks in (
            ("TypeScript, Node 24", "--disable-wasm-trap-handler", COMPILING),
            ("TypeScript, Node 24, interpreted", "--jitless", INTERPRETING),
        ):
            command = [node, option, str(script), *arguments]
            found[name] = Program("arm64-lib", command, *blocks)
    return found, [name for name, there in present.items() if not there]


def _has_swift() -> bool:
    asked = 'work="" && . tests/arm/machines.sh && has_swift'
    environment = {**os.environ, "BRR_ARM": str(CACHE)}
    done = subprocess.run(
        ["sh", "-c", asked], cwd=ROOT, env=environment, capture_output=True, check=False
    )
    return not done.returncode


@contextmanager
def counting(
    folder: Path, program: Program
) -> Iterator[tuple[Callable[[str], float], Callable[[], int]]]:
    """Run a program; return functions that do a task there, and count the instructions so far."""
    into = folder / "count"
    into.unlink(missing_ok=True)
    qemu = CACHE / "qemu-user"
    command = [
        qemu / "lib64/ld-linux-x86-64.so.2",
        *("--library-path", f"{qemu}/lib/x86_64-linux-gnu:{qemu}/usr/lib/x86_64-linux-gnu"),
        qemu / "usr/bin/qemu-aarch64",
        *("-plugin", f"{folder / 'count.so'},into={into}"),
        *(("-L", CACHE / program.machine) if program.machine else ()),
        *(("-E", f"LD_LIBRARY_PATH={program.libraries}") if program.libraries else ()),
        *program.command,
    ]
    with answering([str(word) for word in command]) as ask:
        yield ask, lambda: int.from_bytes(into.read_bytes(), sys.byteorder)


def _finding(counted: dict[str, dict[str, Counted]], missing: Sequence[str]) -> Finding:
    return Finding(
        title="cost: instructions a word on ARM with 64 bits, and what 1,000 words may take",
        columns=(
            *("", "released", "million a word", "least", "most", "drift"),
            *("ms a word", "J, 1,000 words", "million words, 1% of a battery"),
        ),
        rows=[
            (
                name,
                task,
                *(f"{each / 1e6:.3f}" for each in (one.word, min(one.blocks), max(one.blocks))),
                f"{one.drift:.3f}",
                between(estimate(one.word).seconds, 1e3),
                between(estimate(one.word).joules, 1e3),
                between(estimate(one.word).words, 1e-6),
            )
            for name, tasks in counted.items()
            for task, one in tasks.items()
        ],
        notes=(
            f"instructions of all threads, counted by QEMU, in blocks of {WORDS} words, after "
            "others that aren't counted; least and most are of the blocks",
            "drift: the later half of the blocks / the earlier half",
            "the system's own instructions, such as those that make random bytes, aren't counted",
            f"energy: {LEAST_JOULES * 1e12:.0f} to {MOST_JOULES * 1e12:.0f} pJ an instruction; the "
            "least is without memory's, the most includes it",
            f"time: {SLOWEST / 1e9:.2f} to {FASTEST / 1e9:.1f} instructions a nanosecond",
            f"battery: {BATTERY / 3600:.0f} Wh",
            "an estimate: no phone was measured",
            *(f"{name} is LEFT OUT: its tools are missing" for name in missing),
        ),
        numbers={
            name: {
                task: {"before": one.before, "blocks": list(one.blocks), "drift": one.drift}
                for task, one in tasks.items()
            }
            for name, tasks in counted.items()
        },
    )


def between(ends: tuple[float, float], unit: float = 1.0) -> str:
    """Return both ends of a range, with two significant digits."""
    return "–".join(f"{float(f'{end * unit:.1e}'):.10f}".rstrip("0").rstrip(".") for end in ends)
