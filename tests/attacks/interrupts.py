"""SIGINT, SIGTERM and SIGKILL at random times: nothing is lost, and no hang.

    python tests/attacks/interrupts.py --count 200 --seed 0

Commands are interrupted from the instant on that their handler is there (what Python does before
that isn't theirs) until they are done: while they import, in a build's threads, between two
renames, and by two signals at once. SIGINT and SIGTERM: one line, exit code 130, nothing left
behind. After SIGKILL hidden files may be left, but what was there is there, as it was or as it was
to become; ``clients.py`` does the same to a receiver that takes reports. Prints every case that
ended badly, and exits with 1 if there was one.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from commands import CANARY, NO_LINES, RECEIVER, make_fixtures, say, state

KILLS = 0.25  # share of the interrupts that are by SIGKILL
TIMEOUT = 600  # seconds after the signal: longer is a hang, even on a busy machine
AGAIN = 10  # seconds: Python forgets a signal that comes in the instant before it waits
# With as many threads as users have, whatever the tests around this take.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
# The receiver is in the repository alone.
ROOT = str(Path(__file__).parents[2])
ENVIRONMENT["PYTHONPATH"] = os.pathsep.join([*filter(None, [ENVIRONMENT.get("PYTHONPATH")]), ROOT])


@dataclass(frozen=True)
class Victim:
    """A command to interrupt.

    Attributes:
        arguments: of ``brr``.
        seconds: about as long as it takes; it is interrupted until then.
        grows: a folder that keeps, on purpose, what is complete.
    """

    arguments: tuple[str, ...]
    seconds: float
    grows: str = ""

    @property
    def command(self) -> list[str]:
        """What runs it."""
        module = [] if self.arguments[:1] == RECEIVER else ["brrkit_toolchain"]
        return [sys.executable, "-m", *module, *self.arguments]

    @property
    def writes(self) -> set[str]:
        """Names in its folder that it may replace, by what is whole."""
        given = dict(pairwise(self.arguments))
        outputs = ("--output", "--page", "--json", "--export")
        names = {given[option] for option in outputs if option in given}
        return names | ({self.arguments[1]} if "--write" in self.arguments else set())


REPORTS = ("reports.csv", "--bundle", "bundle", "--epsilon", "0.8")
SETTING = '{"mechanism": "exponential", "epsilon": 1, "parameters": {}}'
LISTENS = ("--bundle", "bundle", "--port", "0", "--expect", SETTING)
TEXTS = ("--embeddings", "e.txt", "--data", "reviews.csv")
CORPUS = ("--input", "reviews.csv", "--output", "old.csv", "--column", "text", "--epsilon", "1")
VICTIMS = (
    Victim(("build", "--output", "built"), 25),  # the sample, and its threads
    Victim(("build", "--embeddings", "e.txt", "--output", "built", "--effort", "low"), 3),
    Victim(
        ("build", "--embeddings", "e.txt", "--output", "bundle", "--effort", "low", "--force"), 3
    ),
    Victim(("build", "--embeddings", "e.txt", "--output", "built", "--method", "autoencoder"), 10),
    Victim(("inspect", "bundle"), 0.3),
    Victim(("verify", "bundle", "--embeddings", "e.txt", "--json", "verified.json"), 1.5),
    Victim(("measure", "bundle", "--epsilon", "1"), 1),
    Victim(("calibrate", "bundle", "--write"), 2),
    Victim(("audit", "bundle", "--mechanism", "brr", "--json", "audited.json"), 15),
    Victim(("report", "bundle", "--output", "page.html"), 45),
    Victim(("privatize", "bundle", "--input", "pipe", "--epsilon", "1"), 2),
    Victim(("neighbors", "bundle", "w1"), 0.3),
    Victim(("evaluate", "bundle", "--epsilon", "1", *TEXTS), 6),
    Victim(("estimate", *REPORTS, "--output", "old.csv", "--page", "old.html"), 4),
    Victim(("estimate", *REPORTS, "--compare", "again.csv", "--output", "old.csv"), 5),
    Victim((*RECEIVER, "--store", "reports.db", "--export", "old.jsonl"), 0.5),
    Victim((*RECEIVER, "--store", "reports.db", *LISTENS), 1.5),
    Victim((*RECEIVER, "--store", "new.db", *LISTENS), 1.5, "new.db"),
    Victim(("privatize", "bundle", *CORPUS), 2),
    Victim(("privatize", "bundle", *CORPUS, "--jobs", "2"), 3),
    Victim(
        ("vectors", "bundle", "--embeddings", "e.txt", "--output", "old.csv", "--epsilon", "1"), 2
    ),
    Victim(("list", "strings.csv", "--output", "listed"), 1),
    Victim(("list", "strings.csv", "--output", "a-list", "--force"), 1),
    Victim(
        ("candidates", "bundle", "--text", "text.txt", "--least", "1", "--output", "old.csv"), 1
    ),
)
QUICK = (2, 1, 4, 6, 7, 10, 11, 15, 16, 18)


def ready(process: subprocess.Popen[bytes]) -> bool:
    """Wait until a process has a handler for SIGTERM; tell whether it still runs."""
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        try:
            lines = status.read_text().splitlines()
        except OSError:
            continue
        caught = next((line.split()[1] for line in lines if line.startswith("SigCgt:")), "0")
        if int(caught, 16) >> (signal.SIGTERM - 1) & 1:
            return True
        time.sleep(0.001)
    return False


def heed() -> None:
    """Let SIGINT do what it does: what a shell runs in the background ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Ending:
    code: int | None
    out: bytes
    err: bytes
    seconds: float


def interrupt(victim: Victim, folder: Path, delay: float, signals: list[int]) -> Ending | None:
    """Start a command, signal it after a delay; None if it was done before."""
    with subprocess.Popen(
        victim.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**ENVIRONMENT, "TMPDIR": str(folder / "temporary"), **NO_LINES},
        preexec_fn=heed,  # noqa: PLW1509 - there are no threads
    ) as process:
        if ready(process):
            with suppress(subprocess.TimeoutExpired):
                process.wait(delay)
        done = process.poll() is not None
        start = time.monotonic()
        for number in signals:
            process.send_signal(number)
        while True:
            try:
                out, err = process.communicate(timeout=AGAIN)
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() - start > TIMEOUT:
                    process.kill()
                    out, err = process.communicate()
                    return Ending(None, out, err, TIMEOUT)
                process.send_signal(signals[-1])
    # A signal after the work is done doesn't undo it.
    if done or (process.returncode == 0 and not err):
        return None
    return Ending(process.returncode, out, err, time.monotonic() - start)


def judge(
    victim: Victim, ending: Ending, before: dict[str, str], after: dict[str, str]
) -> list[str]:
    """Return what is wrong with how an interrupted command ended."""
    if ending.code is None:
        return [f"hangs (more than {TIMEOUT} s)"]
    if CANARY.encode() in ending.out + ending.err:
        return ["typed text is shown"]
    if ending.code == -signal.SIGKILL:
        return [f"lost or changed: {name}" for name in lost(victim, before, after)]
    problems = []
    if ending.code != 130:
        problems.append(f"exit code {ending.code}")
    if ending.err != b"Interrupted.\n":
        problems.append(f"standard error {ending.err[-300:]!r}")
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    for name in sorted(changed):
        complete = victim.grows and name.split("/")[0] == victim.grows
        if "writing-" in name or "building-" in name or "replaced-" in name or not complete:
            problems.append(f"left or changed: {name}")
    return problems


def lost(victim: Victim, before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return what isn't any more, or is something else, though the command doesn't write it."""
    written = victim.writes | {victim.grows}
    return [
        name
        for name, old in before.items()
        if name not in after or (after[name] != old and name.split("/")[0] not in written)
    ]


@contextmanager
def fixtures() -> Iterator[Callable[[], Path]]:
    """Yield a function that returns a fresh folder of fixtures."""
    with tempfile.TemporaryDirectory() as temporary:
        places = iter(range(10**6))
        template = Path(temporary) / "template"
        template.mkdir()
        make_fixtures(template)
        (template / "temporary").mkdir()
        shutil.copy(template / "reports.csv", template / "again.csv")
        for name in ("old.csv", "old.html", "old.jsonl"):
            (template / name).write_text("an old result")

        def fresh() -> Path:
            folder = Path(temporary) / str(next(places))
            # There are pipes and sockets, which shutil doesn't copy.
            subprocess.run(["cp", "-a", template, folder], check=True)
            return folder

        yield fresh


def attack(
    count: int,
    seed: int,
    victims: tuple[Victim, ...] = VICTIMS,
    report: Callable[[str], None] = say,
) -> int:
    """Interrupt commands ``count`` times, report what ends badly, and return the number of that."""
    rng = random.Random(seed)
    bad = 0
    seconds: list[float] = []
    kinds: Counter[str] = Counter()
    with fixtures() as fresh:
        folder = fresh()
        number = 0
        while number < count:
            victim = victims[rng.randrange(len(victims))]
            # A third comes in the first half second, during the imports.
            delay = rng.choice(
                [rng.uniform(0, 0.5), *(rng.uniform(0, victim.seconds) for _ in "12")]
            )
            signals = [
                rng.choice([signal.SIGINT, signal.SIGTERM]) for _ in range(rng.choice([1, 1, 2]))
            ]
            if rng.random() < KILLS:
                signals = [signal.SIGKILL]
            before = state(folder)
            ending = interrupt(victim, folder, delay, signals)
            after = state(folder)
            if ending is not None:
                number += 1
                if number % 20 == 0:
                    print(f"{number} interrupts, {bad} ended badly", file=sys.stderr, flush=True)
                kinds[victim.arguments[0]] += 1
                seconds.append(ending.seconds)
                problems = judge(victim, ending, before, after)
                if problems:
                    bad += 1
                    names = "+".join(signal.Signals(each).name for each in signals)
                    report(
                        f"{number}: {names} after {delay:.3f} s: brr {' '.join(victim.arguments)}"
                    )
                    report(f"   {'; '.join(problems)}")
            if after != before:
                folder = fresh()
    report(
        f"{count} interrupts: {bad} ended badly; of {dict(kinds)}; the longest took "
        f"{max(seconds):.1f} s"
    )
    return bad


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    sys.exit(1 if attack(chosen.count, chosen.seed) else 0)
