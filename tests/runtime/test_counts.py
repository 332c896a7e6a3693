"""Words released for counts: the guarantee, the draws, a memory, and a day's sample.

``violations`` compares frequencies with docs/explanation/proofs.md, "Counts", by chi-square at a
false-alarm rate below 10^-7 (the fixture says why), with seeded sources. The broken versions kept
below must fail it.
"""

from __future__ import annotations

import gc
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from brrkit import (
    BudgetError,
    Counts,
    Memory,
    ParameterError,
    PrivacyBudget,
    Reporter,
    WordBundle,
)
from brrkit.counts import UNKNOWN, RandomizedResponse
from brrkit.exact import CAP_MAX, CAP_MIN, KEEP_ONE, keep_threshold
from brrkit.memory import MemoryKey
from brrkit.randomness import RandomSource, uniform_below
from brrkit.reporter import padded
from brrkit.setting import CountsSetting

ChiSquare = Callable[[Sequence[int], Sequence[float]], float]

CODES = [0, 0, 1, 2**64 - 1]  # two words have one code: that doesn't matter here
WORDS = ["word", "twin", "near", "far"]
SYMBOLS = [*WORDS, UNKNOWN]
CAP = 1.5
DRAWS = 12_000
PERIODS = 200  # whatever the bundle's digest: one of five symbols is missing once in 10^10
SECRET = "hunter2secret"
CAPS = [CAP_MIN, 0.1, 1.0, 9.432, 22.18, CAP_MAX]
SIZES = [3, 5, 49_969, 2**24 + 1]


@pytest.fixture(scope="module")
def words(bundle_of: Callable[..., WordBundle]) -> WordBundle:
    return bundle_of(CODES, WORDS)


class KnownKey(Memory):
    """A memory without a file."""

    def __init__(self, seed: int, period: float = 30 * 24 * 3600.0) -> None:
        self.period = period
        self._key = MemoryKey(1, random.Random(seed).randbytes(32))

    def key(self) -> MemoryKey:
        return self._key


def given(*numbers: int) -> Given:
    """Return a source of these numbers."""
    return Given(list(numbers))


class Given:
    """A source of these 8-byte numbers, each of which must be asked for by itself."""

    def __init__(self, left: list[int]) -> None:
        self.left = left

    def __call__(self, size: int) -> bytes:
        assert size == 8
        return self.left.pop(0).to_bytes(8, "little")


def operations(action: Callable[[], Any]) -> tuple[tuple[tuple[str, int], ...], Any]:
    """Return the bytecodes that ``action`` runs, by function and place, and what it returns."""
    steps: list[tuple[str, int]] = []

    def trace(frame: Any, event: str, _argument: object) -> Any:
        frame.f_trace_opcodes = True
        if event == "opcode":
            steps.append((frame.f_code.co_name, frame.f_lasti))
        return trace

    before = sys.gettrace()
    gc.disable()  # a collection can run anybody's code
    sys.settrace(trace)
    try:
        result = action()
    finally:
        sys.settrace(before)
        gc.enable()
    return tuple(steps), result


class TestThreshold:
    @pytest.mark.parametrize(("cap", "symbols"), [*product(CAPS, SIZES)])
    def test_it_is_the_specified_one(self, cap: float, symbols: int) -> None:
        with localcontext() as context:
            context.prec = 150
            gain = Decimal(cap).exp() - 1
            exact = 2**63 * gain / (gain + symbols)
            assert keep_threshold(cap, symbols) == math.floor(exact)

    @pytest.mark.parametrize(("cap", "symbols"), [*product(CAPS, SIZES)])
    def test_no_two_symbols_lose_more_than_the_cap(self, cap: float, symbols: int) -> None:
        kept = Fraction(keep_threshold(cap, symbols), KEEP_ONE)
        ratio = (kept + (1 - kept) / symbols) / ((1 - kept) / symbols)
        with localcontext() as context:
            context.prec = 150
            assert Decimal(ratio.numerator) / ratio.denominator <= Decimal(cap).exp()
        loss = RandomizedResponse.of(cap, symbols).loss
        assert loss <= cap
        with localcontext() as context:
            context.prec = 150
            assert Decimal(ratio.numerator) / ratio.denominator <= Decimal(loss).exp()

    @pytest.mark.parametrize("cap", [0, -1, CAP_MAX * 1.001, math.nan, math.inf, "much", None])
    def test_a_cap_out_of_range_is_refused(self, words: WordBundle, cap: Any) -> None:
        if cap is None:
            with pytest.raises(ParameterError, match="--for counts"):
                Counts(words)
            return
        with pytest.raises(ParameterError, match="cap must be a number from"):
            Counts(words, CountsSetting(cap))
        with pytest.raises(ParameterError, match="cap must be a number from"):
            Counts(words, CountsSetting(1.0), memory=KnownKey(1), second_cap=cap)


class TestDraw:
    def test_it_changes_at_the_threshold(self, words: WordBundle) -> None:
        threshold = keep_threshold(CAP, len(SYMBOLS))

        def drawn(*numbers: int) -> str:
            return Counts(words, CountsSetting(CAP), random=given(*numbers)).word("near")

        for i, symbol in enumerate(SYMBOLS):
            assert drawn(0, i) == drawn(threshold - 1, i) == "near"
            # The highest bit is no part of a number.
            assert drawn(2**63 + threshold - 1, i) == "near"
            assert drawn(threshold, i) == symbol
            assert drawn(2**63 - 1, 7, 8 + i) == symbol  # 7 isn't below 5; the mask is 7

    def test_words_are_drawn_one_after_the_other(self, words: WordBundle) -> None:
        source = given(KEEP_ONE - 1, 2, 0, 3, KEEP_ONE - 1, 4)
        assert Counts(words, CountsSetting(CAP), random=source).words(["far", "Twin's", "far"]) == [
            *("near", "twin", UNKNOWN)
        ]

    def test_an_unknown_word_is_a_symbol_of_its_own(self, words: WordBundle) -> None:
        for typed in (SECRET, "", "hello, world", "two words"):
            assert Counts(words, CountsSetting(CAP), random=given(0, 0)).word(typed) == UNKNOWN

    def test_what_is_done_does_not_tell_a_kept_symbol(self) -> None:
        """Neither does the time then, but for the machine's caches."""
        response = RandomizedResponse.of(CAP, 4)
        done = set()
        for number, drawn in product(
            (0, response.threshold - 1, response.threshold, KEEP_ONE - 1), range(4)
        ):
            source = given(number, drawn)
            expected = 1 if number < response.threshold else drawn
            steps, released = operations(partial(response, 1, source))
            assert (released, source.left) == (expected, [])
            done.add(steps)
        assert len(done) == 1

    def test_what_is_done_for_a_word_does_not_tell_a_kept_one(
        self, bundle_of: Callable[..., WordBundle]
    ) -> None:
        """A kept word, and one that is drawn: after a memory's first draw, too."""
        three = bundle_of(CODES[:3], WORDS[:3])  # and unknown: of four numbers none is drawn again
        keep, change = 0, KEEP_ONE - 1
        done, firsts = set(), set()
        for number, drawn in ((keep, 0), (keep, 3), (change, 2)):
            counts = Counts(three, CountsSetting(CAP), random=given(number, drawn))
            steps, released = operations(partial(counts.word, "near"))
            assert released == "near"
            done.add(steps)
        assert len(done) == 1
        done.clear()
        for seed in range(PERIODS):
            counts = Counts(
                three, CountsSetting(CAP), memory=KnownKey(seed), random=given(change, 2, keep, 0)
            )
            steps, released = operations(partial(counts.word, "near"))
            assert released == "near"
            done.add(steps)
            firsts.add(counts.word("near"))
        assert len(done) == 1
        assert firsts == {*WORDS[:3], UNKNOWN}

    @pytest.mark.parametrize("wrong", ["word", [1], [None], b"word"])
    def test_only_lists_of_strings_are_taken(self, words: WordBundle, wrong: Any) -> None:
        with pytest.raises(ParameterError, match="list of strings"):
            Counts(words, CountsSetting(CAP)).words(wrong)

    def test_nothing_typed_is_shown(self, words: WordBundle) -> None:
        counts = Counts(words, CountsSetting(CAP))
        counts.word(SECRET)
        assert repr(counts) == "<Counts cap=1.5>"
        assert SECRET not in repr(vars(counts))


def violations(counts: Counts, kept: float, chi_square: ChiSquare) -> list[str]:
    """Return the typed words whose outputs aren't distributed as they should be."""
    k = len(SYMBOLS)
    found = []
    for typed in [*WORDS, SECRET]:
        seen = Counter(counts.words([typed] * DRAWS))
        own = UNKNOWN if typed == SECRET else typed
        expected = [kept * (symbol == own) + (1 - kept) / k for symbol in SYMBOLS]
        if chi_square([seen[symbol] for symbol in SYMBOLS], expected) > 1:
            found.append(typed)
    return found


def test_outputs_are_distributed_as_proven(words: WordBundle, chi_square: ChiSquare) -> None:
    counts = Counts(words, CountsSetting(CAP), random=random.Random(1).randbytes)
    assert not violations(counts, (math.exp(CAP) - 1) / (math.exp(CAP) - 1 + 5), chi_square)
    assert float(counts.kept) == pytest.approx((math.exp(CAP) - 1) / (math.exp(CAP) - 1 + 5))


MORE = keep_threshold(CAP, len(SYMBOLS) - 1)


class KeepsMore(RandomizedResponse):
    """The threshold of k - 1 other symbols."""

    def __call__(self, symbol: int, random: RandomSource) -> int:
        return RandomizedResponse(self.symbols, MORE)(symbol, random)


class DrawsWords(RandomizedResponse):
    """Unknown words don't come out by chance: who sees one knows that one was typed."""

    def __call__(self, symbol: int, random: RandomSource) -> int:
        if uniform_below(KEEP_ONE, random) < self.threshold:
            return symbol
        return uniform_below(self.symbols - 1, random)


class DrawsOthers(RandomizedResponse):
    """What isn't kept is another symbol."""

    def __call__(self, symbol: int, random: RandomSource) -> int:
        if uniform_below(KEEP_ONE, random) < self.threshold:
            return symbol
        return (symbol + 1 + uniform_below(self.symbols - 1, random)) % self.symbols


class Biased(RandomizedResponse):
    """What isn't kept is a remainder."""

    def __call__(self, symbol: int, random: RandomSource) -> int:
        if uniform_below(KEEP_ONE, random) < self.threshold:
            return symbol
        return random(1)[0] % 8 % self.symbols


@pytest.mark.parametrize("broken", [KeepsMore, DrawsWords, DrawsOthers, Biased])
def test_broken_versions_are_found(
    words: WordBundle, chi_square: ChiSquare, broken: type[RandomizedResponse]
) -> None:
    counts = Counts(words, CountsSetting(CAP), random=random.Random(1).randbytes)
    kept, counts._first = float(counts.kept), broken(5, counts._first.threshold)
    assert violations(counts, kept, chi_square)


class TestMemory:
    def test_a_word_is_kept_once_in_a_period(self, words: WordBundle) -> None:
        firsts = set()
        for seed in range(PERIODS):
            memory = KnownKey(seed)
            counts = Counts(words, CountsSetting(CAP), memory=memory, second_cap=CAP_MAX)
            seen = {counts.word("near") for _ in range(20)}  # the second draw changes nothing
            assert len(seen) == 1
            firsts |= seen
        assert firsts == set(SYMBOLS)

    def test_unknown_words_share_one_first_draw(self, words: WordBundle) -> None:
        """One of its own would be a pseudonym: how often each was typed could be read."""
        firsts = set()
        for seed in range(PERIODS):
            counts = Counts(words, CountsSetting(0.1), memory=KnownKey(seed), second_cap=CAP_MAX)
            typed = ["", "two words", "\ud800", *(f"{SECRET}{i}" for i in range(9))]
            (first,) = set(counts.words(typed))  # the second draw changes nothing
            firsts.add(first)
        assert firsts == set(SYMBOLS)

    def test_both_draws_together(self, words: WordBundle, chi_square: ChiSquare) -> None:
        source = random.Random(2)

        class Renewed(KnownKey):
            def key(self) -> MemoryKey:
                return MemoryKey(1, source.randbytes(32))

        counts = Counts(
            words,
            CountsSetting(2.0),
            memory=Renewed(0),
            second_cap=3.0,
            random=random.Random(3).randbytes,
        )
        kept = RandomizedResponse.of(2.0, 5).kept * RandomizedResponse.of(3.0, 5).kept
        assert counts.kept == kept
        seen: Counter[str] = Counter()
        for _ in range(3_000):
            seen[counts.word("far")] += 1
        expected = [float(kept) * (s == "far") + float(1 - kept) / 5 for s in SYMBOLS]
        assert chi_square([seen[s] for s in SYMBOLS], expected) <= 1

    def test_the_second_cap_is_twice_the_first(self, words: WordBundle) -> None:
        counts = Counts(words, CountsSetting(1.25), memory=KnownKey(1))
        assert counts.second_cap == 2.5
        assert repr(counts) == "<Counts cap=1.25, second_cap=2.5>"
        assert Counts(words, CountsSetting(60.0), memory=KnownKey(1)).second_cap == CAP_MAX
        with pytest.raises(ParameterError, match="give a memory"):
            Counts(words, CountsSetting(1.0), second_cap=2.0)

    def test_each_setting_has_first_draws_of_its_own(self, bundle: WordBundle) -> None:
        def drawn(cap: float) -> list[str]:
            counts = Counts(bundle, CountsSetting(cap), memory=KnownKey(5), second_cap=CAP_MAX)
            return counts.words([bundle.vocabulary.word(i) for i in range(30)])

        assert drawn(0.1) == drawn(0.1)
        assert drawn(0.1) != drawn(0.1000001)


class TestRecommended:
    def recommending(self, bundle: WordBundle, **fields: Any) -> WordBundle:
        setting = {"cap": CAP, "words_a_day": 3, "goal": "a test", "measured": {}} | fields
        return replace(bundle, manifest={**bundle.manifest, "counts": setting})

    def test_it_is_used_where_nothing_is_stated(self, words: WordBundle) -> None:
        counts = Counts(self.recommending(words))
        assert (counts.setting.cap, counts.setting.words_a_day) == (CAP, 3)
        assert counts.stated(9) == "counts"
        assert Counts(words, CountsSetting(CAP)).stated(9) == {"mechanism": "counts", "cap": CAP}
        memory = Counts(self.recommending(words), memory=KnownKey(1))
        assert memory.stated(9) == {
            **{"mechanism": "counts", "cap": CAP},
            **{"second_cap": 2 * CAP, "repeats": 9},
        }

    @pytest.mark.parametrize(
        "wrong",
        [
            *({"cap": cap} for cap in (0, 89, "1", None, True)),
            *({"words_a_day": m} for m in (0, 1_001, 1.0, "1", None, True)),
            {"goal": 1},
            *({"measured": shares} for shares in ([], {"isolated": 1.1}, {"isolated": "1"}, None)),
        ],
    )
    def test_others_are_none(self, words: WordBundle, wrong: dict[str, Any]) -> None:
        assert self.recommending(words).counts is not None
        assert self.recommending(words, **wrong).counts is None


def paths(most: int, seen: int) -> Iterator[tuple[int, ...]]:
    """Yield all draws that choose ``most`` of ``seen`` words."""
    yield from product(*(range(i) for i in range(most + 1, seen + 1)))


class TestReporter:
    @pytest.mark.parametrize(("most", "typed"), [(1, 4), (2, 5), (3, 5), (3, 2)])
    def test_the_sample_is_uniform(self, words: WordBundle, most: int, typed: int) -> None:
        chosen: Counter[tuple[int, ...]] = Counter()
        for path in paths(most, typed):
            named = [str(i) for i in range(typed)]
            reporter = Reporter(Spelled(words, named, most), random=given(*path))
            reporter.add(named)
            chosen[tuple(sorted(map(int, reporter._sample)))] += 1
        assert len(chosen) == math.comb(typed, min(most, typed))
        assert len(set(chosen.values())) == 1

    def test_a_batch_is_as_documented(self, words: WordBundle) -> None:
        reporter = Reporter(Spelled(words, ["b", "a", "b"], 3), random=bytes)
        reporter.add(["b", "a", "b"])
        batch = json.loads(reporter.batch("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z") or b"")
        assert batch == {
            "format": "brr-reports",
            "format_version": 1,
            "bundle": words.manifest["sha256"],
            "setting": {"mechanism": "counts", "cap": CAP},
            "batch": "0" * 32,
            "period": {"start": "2026-11-16T00:00:00Z", "end": "2026-11-17T00:00:00Z"},
            "words": ["a", "b", "b"],
        }
        assert reporter.batch("2026-11-17T00:00:00Z", "2026-11-18T00:00:00Z") is None

    @pytest.mark.parametrize(
        ("size", "most"),
        [(2, 1024), (1023, 1024), (1024, 1024), (1025, 2048), (2049, 4096), (10**6, 1 << 20)],
    )
    def test_a_batch_has_one_of_few_sizes(self, size: int, most: int) -> None:
        """As in the other languages' tests."""
        json_of_size = b"{" + b"x" * (size - 1)
        assert padded(json_of_size) == json_of_size + b" " * (most - size)

    def test_batches_of_a_day_have_one_size(self, words: WordBundle) -> None:
        sizes = set()
        for typed in range(1, 40):
            reporter = Reporter(Spelled(words, ["b"] * typed, 50))
            reporter.add(["b"] * typed)
            sizes.add(len(reporter.batch("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z") or b""))
        assert sizes == {1024}

    def test_how_often_a_word_can_repeat(self, words: WordBundle) -> None:
        counts = Counts(words, CountsSetting(CAP, 5), memory=KnownKey(1, period=36 * 3600.0))
        reporter = Reporter(counts)
        reporter.add(["word"])
        setting = json.loads(reporter.batch("", "") or b"")["setting"]
        assert setting["repeats"] == 15  # one period touches three days

    def test_a_budget_is_of_what_leaves(
        self, words: WordBundle, budget: PrivacyBudget, state: Path
    ) -> None:
        counts = Counts(words, CountsSetting(4.0, 2))
        reporter = Reporter(counts, budget=budget)  # of 10 an hour
        reporter.add(["word"] * 50)
        assert budget.remaining() == pytest.approx(10 - 2 * counts.loss, abs=1e-6)
        assert reporter.batch("", "") is not None
        with pytest.raises(BudgetError):
            reporter.add(["word"])
        assert reporter.batch("", "") is None

    @pytest.mark.parametrize("wrong", [0, 1_001, -1, 1.5, "3", True])
    def test_a_number_out_of_range_is_refused(self, words: WordBundle, wrong: Any) -> None:
        with pytest.raises(ParameterError, match="words_a_day must be"):
            Counts(words, CountsSetting(CAP, wrong))


class Spelled(Counts):
    """Releases what is said."""

    def __init__(self, bundle: WordBundle, released: Sequence[str], most: int) -> None:
        super().__init__(bundle, CountsSetting(CAP, most))
        self._left = list(released)

    def words(self, words: Sequence[str]) -> list[str]:
        return [self._left.pop(0) for _ in words]
