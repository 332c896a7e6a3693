"""The frozen cases of ``spec``, which all runtimes read: how this one reads and answers them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from brrkit import Counts, Frames, Mark, Memory, Privatizer, TextReporter, WordBundle
from brrkit.budget import cost_of
from brrkit.counts import RandomizedResponse
from brrkit.exact import decay, flip_threshold, threshold_epsilon, weight_table, weights_epsilon
from brrkit.memory import MemoryKey
from brrkit.setting import CountsSetting, Setting

SPEC = Path(__file__).parents[2] / "spec"
BUNDLES = ("spaced", "unspaced", "tasks", "policy", "list")
FILES = ("releases", "counts", "memory", "frames")

Case = dict[str, Any]


def read(name: str) -> Case:
    """Return the content of a file of ``spec/vectors``."""
    content: Case = json.loads((SPEC / "vectors" / f"{name}.json").read_text("utf-8"))
    return content


@cache
def bundle(name: str) -> WordBundle:
    """Open a conformance bundle."""
    return WordBundle.open(SPEC / "conformance" / name)


def of_bundles(kind: str) -> Iterator[tuple[WordBundle, Case]]:
    """Yield the cases of a kind, with their bundles: golden ones and those of vectors."""
    for name in BUNDLES:
        golden = json.loads((SPEC / "conformance" / name / "parity.json").read_text("utf-8"))
        files = (read(file)["bundles"].get(name, {}) for file in FILES)
        for content in (golden, *files):
            for case in content.get(kind, ()):
                yield bundle(name), case


class KnownKey(Memory):
    """A memory with a case's key, without a file."""

    def __init__(self, case: Case) -> None:
        self._key = MemoryKey(case["number"], bytes.fromhex(case["key"]))

    def key(self) -> MemoryKey:
        """Return the key."""
        return self._key


def setting_of(case: Case) -> Setting:
    """Return the setting for text that a case states."""
    return Setting(case["epsilon"], case["mechanism"], case.get("parameters", {}))


def privatizer_of(opened: WordBundle, case: Case, source: Callable[[int], bytes]) -> Privatizer:
    """Make the privatizer that a case describes."""
    return Privatizer(
        opened,
        setting_of(case),
        oov=case.get("oov", "random"),
        memory=KnownKey(case) if "key" in case else None,
        second_epsilon=case.get("second_epsilon"),
        random=source,
    )


def release(privatizer: Privatizer, case: Case) -> str | list[str]:
    """Return what comes out of what was typed: a text, or a list of words."""
    if isinstance(case["typed"], list):
        return privatizer.words(case["typed"])
    marks = [Mark(*mark) for mark in case.get("marks", [])]
    return privatizer.text(case["typed"], marks, case.get("rest", "release"))


def counts_of(opened: WordBundle, case: Case, source: Callable[[int], bytes]) -> Counts:
    """Make what a case of counts describes."""
    return Counts(
        opened,
        CountsSetting(case["cap"], case.get("words_a_day", 1)),
        memory=KnownKey(case) if "key" in case else None,
        second_cap=case.get("second_cap"),
        random=source,
    )


def days_of(opened: WordBundle, case: Case, source: Callable[[int], bytes]) -> list[list[Case]]:
    """Return the batches of each day that a case's steps end, as it has them."""
    reporter = TextReporter(
        opened, setting_of(case), frames=Frames(**case["frames"]), random=source
    )
    days = filter(None, (batches_of(reporter, step) for step in case["steps"]))
    return [[made(batch) for batch in day] for day in days]


def batches_of(reporter: TextReporter, step: Case) -> list[bytes]:
    """Do what a step says; return the batches that it gives."""
    if "add" in step:
        reporter.add(step["add"], [Mark(*mark) for mark in step.get("marks", ())])
    elif "word" in step:
        reporter.word(step["word"])
    elif "end" in step:
        reporter.end()
    else:
        return reporter.batches("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z")
    return []


def made(batch: bytes) -> Case:
    """Return what a case says of a batch."""
    return {name: json.loads(batch)[name] for name in ("batch", "words")}


def numbers(
    epsilon: float,
    bits: int,
    total: int,
    t: float,
    distance: int,
    radius: int,
    cap: float | None,
    symbols: int,
) -> Case:
    """Return a case of ``exact.json``, which follows from the arguments."""
    threshold = flip_threshold(epsilon)
    response = None if cap is None else RandomizedResponse.of(cap, symbols)
    weights = weight_table(epsilon, bits, total, radius, cap)
    return {
        "epsilon": epsilon,
        "bits": bits,
        "total": total,
        "t": t,
        "distance": distance,
        "radius": radius,
        "cap": cap,
        "symbols": symbols,
        "threshold": threshold,
        "keep_threshold": None if response is None else response.threshold,
        "counts_loss": None if response is None else response.loss,
        "weights": hashlib.sha256(np.array(weights, "<i8").tobytes()).hexdigest(),
        "effective_threshold": threshold_epsilon(threshold),
        "effective_weights": weights_epsilon(weights),
        "decay": decay(Fraction(t) * distance),
        "cost": cost_of(epsilon),
    }
