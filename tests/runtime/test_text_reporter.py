"""A day of text in frames: what leaves, what is paid, and the same tests on broken reporters.

Reporters are held against docs/explanation/proofs.md, "Frames". The chi-square tests have seeded
sources; without these the rate of false alarms would be below 10^-9 each: with at most 8 degrees of
freedom the fixture's critical value is one of 10^-12. Each broken version must fail one test.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest

from brrkit import (
    BudgetError,
    Frames,
    Mark,
    ParameterError,
    PrivacyBudget,
    Privatizer,
    TextReporter,
    WordBundle,
)
from brrkit.randomness import uniform_below
from brrkit.setting import Setting

ChiSquare = Callable[[Sequence[int], Sequence[float]], float]
Day = Sequence[Sequence[str]]
"""Texts, each a sequence of words."""

Distribution = dict[tuple[Any, ...], Fraction]

CAP = 1.5
SETTING = Setting(0.5, parameters={"radius": 0, "base": "unigram", "cap": CAP})
SURE = Setting(22.18, parameters={"radius": 0})
WORDS = ["near", "by", "far"]
SECRET = "hunter2secret"
DRAWS = 4_000
PERIOD = "2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z"

NONE: Day = []
DAY: Day = [["far"], ["far", "by"], ["near"], [SECRET]]


@pytest.fixture(scope="module")
def words(bundle_of: Callable[..., WordBundle]) -> WordBundle:
    return bundle_of([0, 0b111, 2**64 - 1], WORDS, [7, 4, 5])


class Payments(PrivacyBudget):
    """Keeps what is spent, and allows it."""

    def __init__(self) -> None:
        self.spent: list[tuple[float, int, str]] = []

    def spend(self, epsilon: float, words: int = 1, *, unit: str) -> None:
        self.spent.append((epsilon, words, unit))


def lived(reporter: TextReporter, day: Day) -> list[list[str]]:
    """Type a day; return the words of its batches."""
    for text in day:
        for word in text:
            reporter.word(word)
        reporter.end()
    return [json.loads(batch)["words"] for batch in reporter.batches(*PERIOD)]


def frame_of(privatizer: Privatizer, piece: Sequence[str]) -> Distribution:
    """Return the probability of each frame of a piece, whose words are drawn independently."""
    every = [privatizer.distribution(word) for word in WORDS]
    masses = [Fraction(mass, 16) for mass in (7, 4, 5)]
    unknown = {y: sum(p * of[y] for p, of in zip(masses, every, strict=True)) for y in WORDS}
    known = dict(zip(WORDS, every, strict=True))
    drawn = [known.get(word, unknown) for word in piece]
    return {
        frame: math.prod((of[y] for of, y in zip(drawn, frame, strict=True)), start=Fraction(1))
        for frame in product(WORDS, repeat=len(piece))
    }


def as_proven(bundle: WordBundle, day: Day, frames: Frames) -> Distribution:
    """Return the probability of a day's frames in order: a uniform sample, released as texts."""
    privatizer, size = Privatizer(bundle, SETTING), frames.words
    pieces = [text[i : i + size] for text in day for i in range(0, len(text), size)]
    filled = [[*piece, *[SECRET] * size][:size] for piece in pieces]
    chosen = list(combinations(range(len(filled)), min(len(filled), frames.a_day)))
    found: Counter[tuple[Any, ...]] = Counter()
    for places in chosen:
        inputs = [filled[i] for i in places]
        inputs += [[SECRET] * size] * (frames.a_day - len(inputs))
        parts = [frame_of(privatizer, each).items() for each in inputs]
        for part in product(*parts):
            key = tuple(sorted((frame for frame, _ in part), key=by_ids))
            found[key] += math.prod((p for _, p in part), start=Fraction(1)) / len(chosen)
    return dict(found)


def by_ids(frame: Sequence[str]) -> list[int]:
    return [WORDS.index(word) for word in frame]


def is_as_proven(
    reporter: type[TextReporter], words: WordBundle, frames: Frames, day: Day, test: ChiSquare
) -> bool:
    """Tell whether a day's frames are distributed as the page says."""
    made = reporter(words, SETTING, frames=frames, random=random.Random(1).randbytes)
    drawn = Counter(tuple(map(tuple, lived(made, day))) for _ in range(DRAWS))
    expected = as_proven(words, day, frames)
    assert set(drawn) <= set(expected)
    return test([drawn[key] for key in expected], list(map(float, expected.values()))) <= 1


def shapes_and_payments(reporter: type[TextReporter], words: WordBundle) -> tuple[set[str], ...]:
    """Return how many words the frames of different days have, and what is paid for each day."""
    shapes, payments = set(), set()
    for day in (NONE, DAY, [*DAY, ["far"] * 9] * 3):
        budget = Payments()
        made = reporter(words, SETTING, frames=Frames(2, 3), budget=budget)
        shapes |= {str([len(frame) for frame in lived(made, day)]) for _ in range(2)}
        payments.add(str(budget.spent))
    return shapes, payments


@pytest.mark.parametrize("frames", [Frames(1, 2), Frames(2, 1)], ids=str)
@pytest.mark.parametrize("day", [NONE, DAY[:1], DAY], ids=len)
def test_what_leaves_is_as_proven(
    words: WordBundle, frames: Frames, day: Day, chi_square: ChiSquare
) -> None:
    assert is_as_proven(TextReporter, words, frames, day, chi_square)


def test_every_day_has_one_shape_and_one_payment(words: WordBundle) -> None:
    shapes, payments = shapes_and_payments(TextReporter, words)
    assert shapes == {"[2, 2, 2]"}
    loss = Privatizer(words, SETTING).certified_epsilon
    assert payments == {str([(loss, 6, words.digest)] * 2)}


class FrequentFillers(TextReporter):
    """Fillers are of the most frequent word, and not of those that stand for unknown ones."""

    def begin_day(self) -> None:
        if not self._sample:
            super().begin_day()
            self._sample = [self._privatizer.words(WORDS[:1] * len(f)) for f in self._sample]


class KnownFill(TextReporter):
    """A piece is filled by the most frequent word."""

    def end(self) -> None:
        while self._piece:
            self._release(0)


class FirstPieces(TextReporter):
    """What comes when all frames are taken is dropped."""

    def _take(self, frame: list[str]) -> None:
        if self._seen < self._frames.a_day:
            super()._take(frame)


class LastPieces(TextReporter):
    """What comes when all frames are taken replaces one in any case."""

    def _take(self, frame: list[str]) -> None:
        self._seen = min(self._seen, self._frames.a_day)
        super()._take(frame)
        if self._seen > self._frames.a_day:
            self._sample[uniform_below(self._frames.a_day, self._random)] = frame


class OneTooFew(TextReporter):
    """The piece that comes is left out of those among which it is drawn."""

    def _take(self, frame: list[str]) -> None:
        if self._seen >= self._frames.a_day:
            self._seen -= 1
            super()._take(frame)
        super()._take(frame)


class TypedOnly(TextReporter):
    """A day has no more frames than pieces were typed."""

    def batches(self, start: str, end: str) -> list[bytes]:
        self.end()
        seen = self._seen
        return super().batches(start, end)[:seen]


class Unfilled(TextReporter):
    """The last piece of a text stays short."""

    def end(self) -> None:
        if self._piece:
            self._take(self._piece)
            self._piece = []


class PaysForWords(TextReporter):
    """What is typed costs."""

    def _release(self, typed: int | None) -> None:
        if self._budget is not None:
            self._budget.spend(self._privatizer.certified_epsilon, unit=self._bundle.digest)
        super()._release(typed)


class PaysWhenTyped(TextReporter):
    """A day without typing is free."""

    def batches(self, start: str, end: str) -> list[bytes]:
        budget = self._budget
        self._budget = None
        batches = super().batches(start, end)
        self._budget = budget
        return batches


@pytest.mark.parametrize(
    ("broken", "frames", "day"),
    [
        (FrequentFillers, Frames(1, 2), NONE),
        (KnownFill, Frames(2, 1), DAY[:1]),
        (FirstPieces, Frames(1, 2), DAY),
        (LastPieces, Frames(1, 2), DAY),
        (OneTooFew, Frames(2, 1), DAY),
    ],
)
def test_other_distributions_are_found(
    words: WordBundle,
    broken: type[TextReporter],
    frames: Frames,
    day: Day,
    chi_square: ChiSquare,
) -> None:
    assert not is_as_proven(broken, words, frames, day, chi_square)


@pytest.mark.parametrize("broken", [TypedOnly, Unfilled, PaysForWords, PaysWhenTyped])
def test_other_shapes_and_payments_are_found(words: WordBundle, broken: type[TextReporter]) -> None:
    assert max(map(len, shapes_and_payments(broken, words))) > 1


def pairs() -> Iterator[tuple[Day, Day, float]]:
    """Yield two days of one frame's words, and what they lose by the page, at most."""
    one = [["far"], ["near"], ["by"]]
    yield one, [["far"], ["far"], ["by"]], min(0.5 * 64, CAP)  # a word differs
    yield one, [["by"], ["far"], ["near"]], 0.0  # the order of the texts alone
    yield one[:1], [], CAP  # a text of one piece more: where a filler is
    yield one, one[:2], CAP  # and where another piece is
    yield [*one, ["far", "near"]], one, 2 * CAP  # of two
    yield one, [["by"]] * 9, 2 * CAP  # anything


@pytest.mark.parametrize(("day", "other", "most"), [*pairs()])
def test_no_two_days_lose_more_than_is_said(
    words: WordBundle, day: Day, other: Day, most: float
) -> None:
    frames = Frames(1, 2)
    first, second = (as_proven(words, each, frames) for each in (day, other))
    losses = [abs(math.log(first[key] / second[key])) for key in first]
    assert first.keys() == second.keys()
    assert max(losses) <= most + 1e-12
    assert most == 0 or max(losses) > most / 20


class TestDay:
    def test_a_batch_is_as_documented(self, words: WordBundle) -> None:
        reporter = TextReporter(words, SURE, frames=Frames(2, 1), random=random.Random(1).randbytes)
        reporter.add("far, Near!")
        [batch] = reporter.batches(*PERIOD)
        assert len(batch) == 1024
        content = json.loads(batch)
        assert len(content.pop("batch")) == 32
        assert content == {
            "format": "brr-frames",
            "format_version": 1,
            "bundle": words.manifest["sha256"],
            "setting": {
                "mechanism": "exponential",
                "epsilon": 22.18,
                "parameters": {"radius": 0},
            },
            "period": dict(zip(("start", "end"), PERIOD, strict=True)),
            "words": ["far", "near"],
        }

    def test_words_of_a_text_in_progress(self, words: WordBundle) -> None:
        reporter = TextReporter(words, SURE, frames=Frames(2, 4))
        for word in ("far", "by", "Near"):
            reporter.word(word)
        reporter.add("far by", [Mark(0, 3)])
        reporter.word("by")
        frames = [json.loads(batch)["words"] for batch in reporter.batches(*PERIOD)]
        assert ["far", "by"] in frames
        assert sorted(frame[0] for frame in frames if frame != ["far", "by"])[:1] == ["by"]
        assert "near" in {frame[0] for frame in frames}
        assert len(frames) == 4

    def test_a_piece_follows_nothing_and_a_filler_what_is_before_it(
        self, bundle_of: Callable[..., WordBundle]
    ) -> None:
        follows = {"near": "far", "by": "near", "far": "near"}  # but for one word in 10^10
        bigrams = {(WORDS.index(a), WORDS.index(b)): 255 for a, b in follows.items()}
        bundle = bundle_of([0, 0b111, 2**64 - 1], WORDS, [1, 1, 1], bigrams)
        setting = Setting(1e-9, parameters={"radius": 0, "base": "bigram"})
        source = random.Random(1).randbytes
        reporter = TextReporter(bundle, setting, frames=Frames(4, 40), random=source)
        frames = lived(reporter, [["near"], ["far", "by"], ["by"] * 7] * 12)
        assert {first for first, *_ in frames} == set(WORDS)
        assert all(b == follows[a] for frame in frames for a, b in pairwise(frame))

    def test_nothing_typed_is_held(self, words: WordBundle) -> None:
        reporter = TextReporter(words, SETTING, frames=Frames(8, 2))
        reporter.add(f"{SECRET} {SECRET}")
        reporter.word(SECRET)
        assert SECRET not in repr(vars(reporter))
        assert SECRET not in repr(vars(reporter._stream))
        assert len(reporter._piece) == 1

    def test_a_day_that_a_budget_refuses(
        self, words: WordBundle, budget: PrivacyBudget, state: Path
    ) -> None:
        def none(size: int) -> bytes:
            raise AssertionError("drawn")

        privatizer = Privatizer(words, SETTING)
        most = int(10 // privatizer.certified_epsilon)  # of 10 an hour
        reporter = TextReporter(words, SETTING, frames=Frames(1, most), budget=budget)
        assert len(lived(reporter, [["far"] * 40])) == most
        refused = TextReporter(words, SETTING, frames=Frames(1, most), budget=budget, random=none)
        for action in (
            lambda: refused.add("far"),
            lambda: refused.word("far"),
            refused.begin_day,
            lambda: refused.batches(*PERIOD),
        ):
            with pytest.raises(BudgetError):
                action()
        refused.end()

    def test_a_bundles_own(self, words: WordBundle) -> None:
        own = {"words": 3, "a_day": 2}
        recommended = {**SETTING.stated, "goal": "a test"}
        manifest = {**words.manifest, "frames": own, "recommended": recommended}
        framed = replace(words, manifest=manifest)
        assert framed.frames == Frames(3, 2)
        batches = TextReporter(framed).batches(*PERIOD)
        assert [json.loads(batch)["setting"] for batch in batches] == ["recommended"] * 2
        assert {len(json.loads(batch)["words"]) for batch in batches} == {3}
        assert words.frames is None
        with pytest.raises(ParameterError, match="the bundle has no frames; give Frames"):
            TextReporter(words, SETTING)

    @pytest.mark.parametrize(
        "wrong",
        [(0, 1), (65, 1), (1, 0), (1, 1001), (9, 911), (8.0, 1), (1, True), ("8", 8)],
    )
    def test_numbers_out_of_range_are_refused(self, words: WordBundle, wrong: Any) -> None:
        with pytest.raises(ParameterError, match="1 to 64 words"):
            TextReporter(words, SETTING, frames=Frames(*wrong))

    @pytest.mark.parametrize("wrong", [None, 3, b"far", ["far"]])
    def test_only_strings_are_taken(self, words: WordBundle, wrong: Any) -> None:
        reporter = TextReporter(words, SETTING, frames=Frames(1, 1))
        for take in (reporter.add, reporter.word):
            with pytest.raises(ParameterError, match="takes a string"):
                take(wrong)
        with pytest.raises(ParameterError, match="frames must be a Frames object"):
            TextReporter(words, SETTING, frames=(8, 8))  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="mark 1"):
            reporter.add("far", [Mark(0, 9)])
        assert reporter._sample == []  # no day has begun
