"""What a device with a budget shows: the Python runtime's is that of the proofs, refusals too."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from proven_device import SPEC, Case, Line, lived, needs_program, tables

from brrkit import (
    BudgetError,
    Counts,
    Frames,
    Memory,
    PrivacyBudget,
    Privatizer,
    Reporter,
    TextReporter,
    WordBundle,
)
from brrkit.budget import cost_of
from brrkit.memory import MemoryKey
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


class KnownKey(Memory):
    """A memory with a case's key, without a file."""

    period = 3600

    def __init__(self, case: Case) -> None:
        self._key = MemoryKey(case["number"], bytes.fromhex(case["key"]))

    def key(self) -> MemoryKey:
        return self._key


LIMIT, PERIOD = 50, 100  # epsilon, seconds
WORDS, A_DAY = 3, 2  # of a frame; frames
DAY = "2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z"
MS = 20_000


class Device:
    """Python's texts, counts and frames, which one budget pays for."""

    def __init__(self, bundle: WordBundle, case: Case, state: Path) -> None:
        self.source, self.ms = Taken(3), 0
        setting = Setting(case["epsilon"], parameters=case["parameters"])
        of_counts = CountsSetting(case["cap"], case["words_a_day"])
        memory = KnownKey(case) if "key" in case else None
        twice = case.get("second_epsilon"), case.get("second_cap")
        budget = PrivacyBudget(LIMIT, PERIOD, state, clock=lambda: Instant(self.ms, self.ms, ""))
        paid: Any = {"budget": budget, "random": self.source}
        self.texts = Privatizer(bundle, setting, memory=memory, second_epsilon=twice[0], **paid)
        self.counts = Counts(
            bundle, of_counts, memory=memory, second_cap=twice[1], random=self.source
        )
        self.reporter = Reporter(self.counts, **paid)
        self.frames = TextReporter(bundle, setting, frames=Frames(WORDS, A_DAY), **paid)

    def shown(self, event: str, typed: Sequence[str]) -> list[str]:
        """Do what an event says; return what leaves, or an app is told."""
        try:
            return self._left(event, typed) or ["nothing"]
        except BudgetError:
            return ["refused"]

    def _left(self, event: str, typed: Sequence[str]) -> list[str]:
        sample, frames = self.reporter._sample, self.frames._sample
        if event == "writes":
            return ["words", *self.texts.words(typed)]
        if event == "ends-counts":
            self.reporter.batch(*DAY)
            return ["counted", *sample]
        if event == "ends-frames" and frames:
            self.frames.batches(*DAY)
            return ["framed", *(word for frame in frames for word in frame)]
        if event == "counts":
            self.reporter.add(typed)
        elif event == "begins-frames":
            self.frames.begin_day()
        elif event == "frames" and frames:
            for word in typed:
                self.frames.word(word)
            self.frames.end()
        elif event == "time":
            self.ms += MS
        return []


CASE: Case = {"epsilon": 1.0, "parameters": {"cap": 9.0}, "cap": 2.0, "words_a_day": 3}
WITH_MEMORY = {**CASE, "second_epsilon": 2.0, "second_cap": 5.0, "number": 7, "key": "5a" * 32}
UNKNOWN = "qzxv"
EVENTS = ["writes", "counts", "counts", "ends-counts", "time"]
FRAMES = ["begins-frames", "frames", "frames", "ends-frames"]


@pytest.mark.parametrize(
    ("name", "case", "kinds"),
    [
        ("tasks", CASE, [*EVENTS, *FRAMES]),
        ("policy", CASE, [*EVENTS, *FRAMES]),
        ("policy", WITH_MEMORY, EVENTS),  # frames have none, and so another cost of a word
    ],
    ids=["tasks", "policy", "memory"],
)
def test_a_device_that_refuses(name: str, case: Case, kinds: Sequence[str], tmp_path: Path) -> None:
    bundle, choose = tables(SPEC / "conformance" / name), random.Random(4)
    device = Device(bundle.opened, case, tmp_path / "budget")
    events: list[Line] = []
    shown = []
    for _ in range(160):
        event = choose.choice(kinds)
        typed = choose.choices([*bundle.words, UNKNOWN], k=choose.randrange(1, 6))
        shown.append(device.shown(event, typed))
        tokens = [bundle.typed(word) for word in typed]
        fields = {"writes": ["-", *tokens], "counts": tokens, "frames": tokens}
        events.append((event, *fields.get(event, [MS, device.ms] if event == "time" else [])))
    lines = [*bundle.of_text(case), *bundle.report(case), ("a-day", A_DAY, WORDS)]
    if "key" in case:
        for word in (*bundle.words, UNKNOWN):
            lines += [bundle.keyed(case, word), bundle.keyed_symbol(case, word)]
    costs = cost_of(device.texts.certified_epsilon), cost_of(device.counts.loss)
    budget = (LIMIT * 10**9, PERIOD * 1000, *costs)
    found, unused = lived(lines, device.source.bytes.hex(), *events, budget=budget)
    assert shown == [
        [said, *bundle.named(" ".join(ids).replace(",", " ").split())] for said, *ids in found
    ]
    assert unused == 0
    framed = {"framed"} if "frames" in kinds else set()
    assert {said for said, *_ in shown} == {"nothing", "refused", "words", "counted"} | framed


def test_a_runtime_that_pays_less_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spend = PrivacyBudget.spend

    def wrong(budget: PrivacyBudget, epsilon: float, words: int, *, unit: str) -> None:
        spend(budget, epsilon, min(words, 2), unit=unit)

    monkeypatch.setattr(PrivacyBudget, "spend", wrong)
    with pytest.raises(AssertionError):
        test_a_device_that_refuses("tasks", CASE, EVENTS, tmp_path)
