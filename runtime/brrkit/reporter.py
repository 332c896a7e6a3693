"""A device's daily reports: a uniform sample of the day's words, released for counts.

``spec/reports.md`` specifies batches. ``docs/explanation/proofs.md``, "Counts", bounds the privacy
loss of a person's day.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from brrkit.budget import PrivacyBudget
from brrkit.bundle import WordBundle
from brrkit.counts import Counts
from brrkit.randomness import RandomSource, draw, uniform_below

_DAY_SECONDS = 24 * 3600
_LEAST_BATCH_BYTES = 1024


class Reporter:
    """Collects a day's reports: at most ``words_a_day``, a uniform sample of the day's words.

    Each word is released when it is typed. Its release joins the sample, replaces an earlier one or
    is dropped (reservoir sampling: Vitter 1985, algorithm R). So nothing typed is kept, and reports
    have the same distribution as if the words had been chosen first. Reports are kept only in this
    process's memory. Don't use it in several threads at once.
    """

    def __init__(
        self,
        counts: Counts,
        *,
        budget: PrivacyBudget | None = None,
        random: RandomSource = os.urandom,
    ) -> None:
        """Begin a day.

        Args:
            counts: releases the words; its setting limits their number per day.
            budget: counts ``counts.loss`` for each report of the day, before the draw. It may also
                be the budget for text: ``docs/how-to/run-for-months.md``, "Set a daily
                limit".
            random: source of random bytes for the sample and for the batch's id. Don't set it in
                production.

        """
        self._counts = counts
        self._most = counts.setting.words_a_day
        self._budget = budget
        self._random = random
        self._seen = 0
        self._sample: list[str] = []

    def add(self, words: Sequence[str]) -> None:
        """Release typed ``words``, and keep the releases that the sample selects.

        Raises:
            ParameterError: ``words`` isn't a list of strings.
            BudgetError: the budget doesn't allow another report; the words weren't released.
            MemoryFileError: the memory's key can't be used; the words weren't released.
        """
        new = min(len(words), self._most - len(self._sample))
        if self._budget is not None and new > 0:
            self._budget.spend(self._counts.loss, new, unit=self._counts.bundle.digest)
        for released in self._counts.words(words):
            self._seen += 1
            place = place_of(self._seen, self._most, self._random)
            if place < self._most:
                self._sample[place : place + 1] = [released]  # behind the last, or in its place

    def batch(self, start: str, end: str) -> bytes | None:
        """Return the day's reports as a batch of JSON, and begin another day; None without reports.

        Spaces pad the batch to a power of two of at least 1,024 bytes, so its size reveals little.

        Args:
            start: start of the period that the batch names, such as ``2026-11-16T00:00:00Z``.
            end: end of this period.
        """
        words, self._sample, self._seen = sorted(self._sample), [], 0
        if not words:
            return None
        made = self._counts.bundle, self._counts.stated(self._repeats)
        return batch_of("brr-reports", *made, (start, end), words, self._random)

    @property
    def _repeats(self) -> int:
        """The largest number of reports of one word on the days that a memory's period overlaps."""
        memory = self._counts.memory
        return 1 if memory is None else self._most * (ceil(memory.period / _DAY_SECONDS) + 1)


def place_of(seen: int, most: int, random: RandomSource) -> int:
    """Return the place, from 0, of a day's next item in a sample; from ``most`` on, it is dropped.

    Reservoir sampling (Vitter 1985, algorithm R): draws one uniform integer if all places are
    taken.

    Args:
        seen: number of the day's items, including this one.
        most: number of places.
        random: source of random bytes.
    """
    return seen - 1 if seen <= most else uniform_below(seen, random)


def batch_of(
    form: str,
    bundle: WordBundle,
    stated: str | Mapping[str, Any],
    period: tuple[str, str],
    words: Sequence[str],
    random: RandomSource,
) -> bytes:
    """Return a batch of JSON with a random id: ``spec/reports.md``.

    Args:
        form: the batch's ``format``.
        bundle: the bundle that released the words.
        stated: the setting, in the form of reports.
        period: start and end of the period.
        words: the released words, in their final order.
        random: source of the 16 bytes of the id.
    """
    batch = {
        "format": form,
        "format_version": 1,
        "bundle": bundle.manifest["sha256"],
        "setting": stated,
        "batch": draw(16, random).hex(),
        "period": dict(zip(("start", "end"), period, strict=True)),
        "words": words,
    }
    return padded(json.dumps(batch, ensure_ascii=False).encode())


def padded(batch: bytes) -> bytes:
    """Return JSON padded with spaces: ``spec/reports.md``, "Size"."""
    return batch.ljust(max(_LEAST_BATCH_BYTES, 1 << (len(batch) - 1).bit_length()))
