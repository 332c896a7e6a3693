"""Attack a privacy budget, and print what came of it.

    python tests/attacks/budget_figures.py

Each line is an attack, what it got, and what it would have got from a budget that trusts the clock,
follows links, or takes a damaged state for what it says. Takes a few seconds.
"""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from brrkit import (
    BrrError,
    BudgetError,
    BudgetFileError,
    ParameterError,
    PrivacyBudget,
)
from brrkit.period import Instant, device_clock

DAY = 24 * 3600
UNIT = hashlib.sha256(b"an index").hexdigest()


def clock_steps(folder: Path) -> int:
    """Set the clock a day forward 19 times; return the words released under a limit of 2."""
    days = 0

    def clock() -> Instant:
        now = device_clock()
        return now._replace(time=now.time + days * DAY * 1000)

    budget = PrivacyBudget(2, DAY, folder / "state", clock=clock)
    released = 0
    for days in range(20):  # noqa: B007 - the clock reads it
        released += spend_all(budget, 2)
    return released


def spend_all(budget: PrivacyBudget, times: int) -> int:
    """Return how many of so many words are released."""
    released = 0
    for _ in range(times):
        try:
            budget.spend(1, unit=UNIT)
            released += 1
        except (BudgetError, BudgetFileError):
            continue
    return released


def release_to(path: Path) -> int:
    """Release from a path what a limit of 100 allows."""
    return spend_all(PrivacyBudget(100, DAY, path), 100)


def links(folder: Path, kind: str) -> int:
    """Release from two paths at once in 4 processes; return the words under a limit of 100."""
    state, link = folder / "state", folder / "link"
    released = spend_all(PrivacyBudget(100, DAY, state), 1)
    if kind == "symbolic":
        link.symlink_to(state)
    elif kind == "hard":
        link.hardlink_to(state)
    else:  # of the directory: that one is the same budget
        (folder / "alias").symlink_to(folder)
        link = folder / "alias" / "state"
    with get_context("fork").Pool(4) as pool:
        return released + sum(pool.map(release_to, [state, link] * 2, chunksize=1))


def flipped(line: bytes) -> Iterator[bytes]:
    """Flip every bit."""
    for place in range(len(line)):
        for bit in range(8):
            yield line[:place] + bytes([line[place] ^ 1 << bit]) + line[place + 1 :]


def damages(folder: Path) -> tuple[int, int]:
    """Return how many flipped bits give budget back, or anything but a refusal, and of how many."""
    state = folder / "state"
    budget = PrivacyBudget(100, DAY, state)
    budget.spend(1.5, 40, unit=UNIT)
    line = state.read_bytes()
    accepted = 0
    with state.open("r+b", buffering=0) as file:  # a file system takes longer to empty it first
        for damaged in flipped(line):
            file.seek(0)
            file.write(damaged)
            try:
                budget.remaining()
                accepted += 1
            except BudgetFileError:
                continue
    return accepted, 8 * len(line)


def twice(folder: Path) -> bool:
    """Return whether a field that is there twice is accepted, with a digest that fits."""
    state = folder / "state"
    budget = PrivacyBudget(100, DAY, state)
    budget.spend(1.5, 40, unit=UNIT)
    fields = state.read_bytes().split(b', "sha256"')[0] + b', "spent": 0'
    digest = hashlib.sha256(fields).hexdigest().encode()
    state.write_bytes(fields + b', "sha256": "' + digest + b'"}\n')
    try:
        budget.remaining()
    except BudgetFileError:
        return False
    return True


def odd_counts(folder: Path) -> int:
    """Return how many wrong numbers of words end in anything but one clear error, or stay."""
    bad = 0
    budget = PrivacyBudget(100, DAY, folder / "state")
    wrong: list[Any] = [0.5, 1.0, -1, True, "1", None, float("nan"), 10**400, 2**31, [1]]
    for words in wrong:
        try:
            budget.spend(1, words, unit=UNIT)
            bad += 1
        except ParameterError:
            bad += (folder / "state").exists()
    budget.spend(1, unit=UNIT)
    return bad


def fifos(folder: Path) -> int:
    """Put a FIFO in every place; return how often that hangs."""
    hangs = 0
    for name in ("state", "state.lock", "state.new"):
        path = folder / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        child = os.fork()
        if child == 0:
            signal.alarm(600)  # it kills; a busy machine takes less
            try:
                PrivacyBudget(100, DAY, folder / "state").spend(1, unit=UNIT)
            except BrrError:
                os._exit(0)
            os._exit(0)
        hangs += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        path.unlink(missing_ok=True)
    return hangs


def main() -> None:
    """Print the figures."""
    with TemporaryDirectory() as root:
        number = 0

        def fresh() -> Path:
            nonlocal number
            number += 1
            folder = Path(root) / str(number)
            folder.mkdir()
            return folder

        print(f"clock set forward 19 times: {clock_steps(fresh())} words under a limit of 2 (40)")
        for kind in ("symbolic", "hard", "directory"):
            print(f"{kind} link, 4 processes: {links(fresh(), kind)} words of 100 (up to 199)")
        accepted, flips = damages(fresh())
        print(f"flipped bits: {accepted} of {flips} accepted (17 of 936)")
        print(f"a field twice: {'accepted' if twice(fresh()) else 'refused'} (accepted)")
        print(f"wrong numbers of words: {odd_counts(fresh())} of 10 accepted or stored")
        print(f"FIFOs: {fifos(fresh())} of 3 hang (3)")


if __name__ == "__main__":
    main()
