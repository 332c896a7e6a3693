"""Batches of several weeks, with a known truth."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.counts import RandomizedResponse
from brrkit_counting.response import ApproximateResponse

CAP = 9.0
SETTING = {"mechanism": "counts", "cap": CAP}
MONDAY = date(2026, 11, 2)


def response(symbols: int) -> ApproximateResponse:
    """What the setting does to so many symbols."""
    return ApproximateResponse(float(RandomizedResponse.of(CAP, symbols).kept), symbols)


def day(number: int, days: int = 1) -> dict[str, str]:
    """Return the period of so many days from a day on, 0 for the first Monday."""
    ends = (MONDAY + timedelta(number), MONDAY + timedelta(number + days))
    return dict(zip(("start", "end"), (f"{end}T00:00:00Z" for end in ends), strict=True))


def batch(bundle: WordBundle, identity: int, **fields: Any) -> dict[str, Any]:
    """Return a batch; ``fields`` of None are left out."""
    made = {
        "format": "brr-reports",
        "format_version": 1,
        "bundle": bundle.manifest["sha256"],
        "setting": SETTING,
        "batch": f"{identity:032x}",
        "period": day(0),
        "counts": {},
    }
    return {name: value for name, value in (made | fields).items() if value is not None}


def weeks(
    bundle: WordBundle, shares: Sequence[Mapping[str, float]], reports: int, seed: int = 1
) -> list[dict[str, Any]]:
    """Return two batches of each week, in which words are typed with these shares of it.

    What the shares leave is of unknown words.
    """
    generator = np.random.default_rng(seed)
    words = [*map(bundle.vocabulary.word, range(len(bundle))), ""]
    made = []
    for week, typed in enumerate(shares):
        truth = np.array([typed.get(word, 0.0) for word in words])
        truth[-1] = 1 - truth.sum()
        for half in (0, 1):
            counts = _drawn(truth, reports // 2, generator)
            named = {word: int(count) for word, count in zip(words, counts, strict=True) if count}
            period = day(7 * week + 3 * half, 2)
            made.append(batch(bundle, 2 * week + half, period=period, counts=named))
    return made


def _drawn(
    truth: NDArray[np.float64], reports: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    typed = generator.choice(len(truth), reports, p=truth)
    return np.bincount(response(len(truth)).draw(typed, generator), minlength=len(truth))


def lines(batches: Sequence[Mapping[str, Any]]) -> str:
    """Return batches as JSON lines."""
    return "".join(json.dumps(each) + "\n" for each in batches)
