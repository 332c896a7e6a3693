"""What a device with a budget shows: the Python runtime's is that of the proofs, refusals too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from proven_device import SPEC, Line, lived, needs_program, tables

from brrkit import (
    BudgetError,
    Counts,
    Frames,
    PrivacyBudget,
    Privatizer,
    Reporter,
    TextReporter,
)
from brrkit.budget import cost_of
from brrkit.period import Instant
from brrkit.setting import CountsSetting, Setting

pytestmark = needs_program


class Taken:
    """Random bytes, and those of them that are not a batch's id."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.bytes = b""

    def __call__(self, size: int) -> bytes:
        part = self._random.randbytes(size)
        self.bytes += part if size == 8 else b""
        return part


DAY = "2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z"


@pytest.mark.parametrize("name", ["tasks", "policy"])
def test_a_device_that_refuses(name: str, tmp_path: Path) -> None:
    """Python's texts, counts and frames, which one budget pays for."""
    bundle, source, choose, ms = tables(SPEC / "conformance" / name), Taken(3), random.Random(4), 0
    case = {"epsilon": 1.0, "parameters": {"cap": 9.0}, "cap": 2.0, "words_a_day": 3}
    setting = Setting(1.0, parameters=case["parameters"])
    budget = PrivacyBudget(50, 100, tmp_path / "budget", clock=lambda: Instant(ms, ms, ""))
    privatizer = Privatizer(bundle.opened, setting, budget=budget, random=source)
    counts = Counts(bundle.opened, CountsSetting(2.0, 3), random=source)
    reporter = Reporter(counts, budget=budget, random=source)
    frames = TextReporter(bundle.opened, setting, frames=Frames(3, 2), budget=budget, random=source)
    events: list[Line] = []
    shown: list[list[str]] = []
    for _ in range(150):
        kind = choose.choice(
            ["writes", "counts", "counts", "ends-counts", "frames", "frames", "ends-frames", "time"]
        )
        typed = choose.choices([*bundle.words, "qzxv"], k=choose.randrange(1, 6))
        left: list[str] = ["nothing"]
        try:
            if kind == "writes":
                left = ["words", *privatizer.words(typed)]
            elif kind == "counts":
                reporter.add(typed)
            elif kind == "ends-counts":
                left = ["counted", *reporter._sample]
                reporter.batch(*DAY)
            elif kind == "frames":
                events.append(("begins-frames",))
                frames.begin_day()
                shown.append(left)
                for word in typed:
                    frames.word(word)
                frames.end()
            elif kind == "ends-frames" and frames._sample:
                left = ["framed", *(word for frame in frames._sample for word in frame)]
                frames.batches(*DAY)
            elif kind == "time":
                ms += 20_000
        except BudgetError:
            left = ["refused"]
        tokens = list(map(bundle.typed, typed))
        of_event = {"writes": ("-", *tokens), "time": (20_000, ms)}
        of_event |= dict.fromkeys(("counts", "frames"), tuple(tokens))
        shown.append(left)
        if (kind, left) == ("frames", ["refused"]):
            shown.append(["nothing"])
        events.append((kind, *of_event.get(kind, ())))
    costs = cost_of(privatizer.certified_epsilon), cost_of(counts.loss)
    lines = [*bundle.of_text(case), *bundle.report(case), ("a-day", 2, 3)]
    paid = (50 * 10**9, 100_000, *costs)
    found, unused = lived(lines, source.bytes.hex(), *events, budget=paid)
    proven_ones = [
        [said, *bundle.named(" ".join(ids).replace(",", " ").split())] for said, *ids in found
    ]
    assert proven_ones == shown
    assert unused == 0
    assert {said for said, *_ in shown} == {"nothing", "refused", "words", "counted", "framed"}
