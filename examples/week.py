"""A week of many phones on one machine: typed words, reports, and the rising word.

    python -m examples.week reviews.txt --output week

Each phone types one line of ``reviews.txt`` (one text per line) a day, through the code of a real
phone, and posts the day's reports to ``examples.receiver``. From the fourth day, people use one
word twice as often. Then ``brr estimate --compare`` finds the words that changed, and writes the
page ``week/changes.html``. It doesn't know the answer.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tqdm import tqdm

from brrkit import Counts, Reporter, WordBundle
from brrkit.bundle import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

MONDAY = date(2026, 11, 16)
CHANGE = 3  # the day from which on the word is used twice as often
WORDS = 60  # that a phone types a day, at most
BRR = (sys.executable, "-m", "brrkit_toolchain")
RECEIVER = (sys.executable, "-m", "examples.receiver")


@dataclass(frozen=True)
class Week:
    """The arguments of a process that simulates some phones.

    Attributes:
        bundle: their bundle.
        text: file of texts, one per line.
        address: address of the receiver.
        rising: the word that is typed twice as often from ``CHANGE``.
    """

    bundle: Path
    text: Path
    address: str
    rising: str


def play(week: Week, phones: range, seed: int) -> int:
    """Simulate some phones' week, typed by ``seed``; return the number of sent batches."""
    bundle = WordBundle.open(week.bundle)
    counts = Counts(bundle)  # its randomness is the operating system's, as on a phone
    lines = week.text.read_text("utf-8").splitlines()
    typist, left = random.Random(seed), 0
    target = urlsplit(week.address)
    connection = http.client.HTTPConnection(target.hostname or "", target.port)
    for day in range(7):
        start, end = MONDAY + timedelta(day), MONDAY + timedelta(day + 1)
        for _ in phones:
            reporter = Reporter(counts)
            typed = bundle.tokenize(typist.choice(lines))[:WORDS]
            if day >= CHANGE:
                typed = [word for word in typed for _ in range(1 + (word == week.rising))]
            reporter.add(typed)
            batch = reporter.batch(f"{start}T00:00:00Z", f"{end}T00:00:00Z")
            if batch is None:
                continue
            send(connection, target.path, batch)
            left += 1
    connection.close()
    return left


def send(connection: http.client.HTTPConnection, path: str, batch: bytes) -> None:
    """Send a batch, again where the receiver has closed the connection since the last one."""
    while True:
        try:
            connection.request("POST", path, batch, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
        except (BrokenPipeError, ConnectionResetError):
            connection.close()
            continue
        if answer.status != 200:
            raise SystemExit(f"the receiver answered {answer.status}")
        return


@contextmanager
def receiver(bundle: Path, store: Path) -> Iterator[str]:
    """Run the receiver; give its address."""
    command = [*RECEIVER, "--bundle", str(bundle), "--store", str(store), "--port", "0"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
    try:
        said = process.stdout.readline() if process.stdout else ""
        found = re.search(r"http://\S+", said)
        if found is None:
            raise SystemExit("the receiver doesn't run")
        yield found[0]
    finally:
        process.terminate()
        process.wait()


def by_change(exported: Path, before: Path, after: Path) -> None:
    """Write the batches of the days before the change, and of those after."""
    change = f"{MONDAY + timedelta(CHANGE)}T00:00:00Z"
    starts = re.compile(rb'"start":"([^"]+)"')
    with exported.open("rb") as lines, before.open("wb") as early, after.open("wb") as late:
        for line in lines:
            start = starts.search(line)
            (early if start and start[1].decode() < change else late).write(line)


def main() -> None:
    """Simulate the week, and estimate the changes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path, help="texts to type from, one a line")
    parser.add_argument("--output", type=Path, required=True, help="a folder to write into")
    parser.add_argument("--bundle", type=Path, default=SAMPLE, help="with a setting for counts")
    parser.add_argument("--phones", type=int, default=20_000)
    parser.add_argument("--rising", default="movie", help="the word that is used twice as often")
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    folder = chosen.output
    folder.mkdir(exist_ok=True)
    # A receiver waits for the disk at each batch. For made-up words, memory suffices.
    memory = Path("/dev/shm")
    kept_in = memory if memory.is_dir() else folder
    store = kept_in / f"brr-week-{os.getpid()}.db"
    began = time.monotonic()
    parts = [range(i, chosen.phones, 8 * chosen.processes) for i in range(8 * chosen.processes)]
    with (
        receiver(chosen.bundle, store) as address,
        ProcessPoolExecutor(chosen.processes) as pool,
        tqdm(total=chosen.phones, unit=" phones") as bar,
    ):
        week = Week(chosen.bundle, chosen.text, address, chosen.rising)
        batches = 0
        for part, left in zip(
            parts, pool.map(play, [week] * len(parts), parts, range(len(parts))), strict=True
        ):
            batches += left
            bar.update(len(part))
    played = time.monotonic() - began
    exported, before, after = (folder / f"{name}.jsonl" for name in ("all", "before", "after"))
    subprocess.run([*RECEIVER, "--store", store, "--export", exported], check=True)
    store.unlink()
    by_change(exported, before, after)
    page = folder / "changes.html"
    print(f"{chosen.phones:,} phones sent {batches:,} batches in {played:.0f} s", flush=True)
    subprocess.run(
        [
            *(*BRR, "estimate", before, "--bundle", chosen.bundle, "--top", "10"),
            *("--word", chosen.rising, "--compare", after, "--page", page),
        ],
        check=True,
    )


if __name__ == "__main__":
    main()
