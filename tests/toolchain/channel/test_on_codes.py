"""Draws of many words at once have the runtime's distributions; broken ones fail the same tests.

A p-value of a right draw is below ``FALSE_ALARM_RATE`` with about that probability; some 60 are
computed, from seeded sources.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from brrkit import BrrError, Privatizer, WordBundle
from brrkit.exact import flip_threshold
from brrkit.hamming import HammingIndex
from brrkit.setting import Setting
from brrkit_toolchain.bundle.writer import masses_of
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing import bigram_base, on_codes
from brrkit_toolchain.channel.drawing.on_codes import (
    BatchedMechanism,
    RandomSource,
    bundle_of,
    releaser,
)
from brrkit_toolchain.channel.drawing.random_numbers import first_above, random_flips, uniform_below
from brrkit_toolchain.codes import histograms, scans
from brrkit_toolchain.language.model import LanguageModel

FALSE_ALARM_RATE = 1e-9
DRAWS = 20_000


def source(seed: int) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


def test_masses_of_zero_are_passed_over() -> None:
    masses = np.array([[0, 2, 2, 5], [1, 1, 1, 1]])
    rows, numbers = np.array([0, 0, 0, 0, 1]), np.array([0, 1, 2, 4, 0], np.uint64)
    assert first_above(masses, rows, numbers).tolist() == [1, 1, 3, 3, 0]


class TestUniform:
    BOUNDS = (1, 2, 3, 10, 255, 3 << 61, (1 << 63) - 1)

    def test_below_every_bound(self) -> None:
        bounds = np.array(self.BOUNDS * 2_000)
        numbers = uniform_below(bounds, source(1))
        assert (numbers < bounds.astype(np.uint64)).all()

    @staticmethod
    def pvalue(bound: int, draw: Callable[..., NDArray[np.uint64]]) -> float:
        """Count the numbers in equal parts of the range."""
        numbers = draw(np.full(40_000, bound), source(bound % 97))
        parts = min(bound, 12)
        counts = np.bincount([int(n) * parts // bound for n in numbers], minlength=parts)
        exact = np.array(
            [-(-(i + 1) * bound // parts) - -(-i * bound // parts) for i in range(parts)]
        )
        return float(stats.chisquare(counts, 40_000 * (exact / bound)).pvalue)

    @pytest.mark.parametrize("bound", BOUNDS[1:])
    def test_uniform(self, bound: int) -> None:
        assert self.pvalue(bound, uniform_below) > FALSE_ALARM_RATE

    def test_a_remainder_fails(self) -> None:
        def remainder(bounds: NDArray[np.int64], source: Any) -> NDArray[np.uint64]:
            numbers = np.frombuffer(source(8 * len(bounds)), "<u8")
            return numbers % bounds.astype(np.uint64)

        assert self.pvalue(3 << 61, remainder) < FALSE_ALARM_RATE

    def test_different_bounds_in_a_call(self) -> None:
        """A number that is drawn again takes the bound of its own place."""
        bounds = np.tile([5, 1 << 40, 7], 20_000)
        numbers = uniform_below(bounds, source(5))
        for place, bound in ((0, 5), (2, 7)):
            counts = np.bincount(numbers[place::3].astype(int), minlength=bound)
            assert stats.chisquare(counts).pvalue > FALSE_ALARM_RATE

    def test_a_short_source_is_refused(self) -> None:
        with pytest.raises(BrrError, match="random source returned 5 bytes"):
            uniform_below(np.array([9]), lambda _: bytes(5))


class TestFlips:
    @staticmethod
    def pvalue(threshold: int, flip: Callable[..., NDArray[np.uint64]]) -> float:
        """Test the number of flips, over all bits and for each."""
        rows = 20_000
        bits = np.unpackbits(flip((rows, 2), threshold, source(threshold)).view(np.uint8), axis=1)
        probability = threshold / 2**32
        whole = stats.binomtest(int(bits.sum()), bits.size, probability).pvalue
        each = (bits.sum(axis=0) - rows * probability) ** 2 / rows
        statistic = each.sum() / (probability * (1 - probability))
        return min(float(whole), float(stats.chi2.sf(statistic, 128)))

    @pytest.mark.parametrize(
        "threshold",
        [flip_threshold(0.01), flip_threshold(1.0), flip_threshold(5.0), 1 << 31, 3 << 24],
    )
    def test_rate(self, threshold: int) -> None:
        assert self.pvalue(threshold, random_flips) > FALSE_ALARM_RATE

    @pytest.mark.parametrize("factor", [0.98, 1.02])
    def test_a_rate_2_percent_off_fails(self, factor: float) -> None:
        def off(shape: tuple[int, ...], threshold: int, source: Any) -> NDArray[np.uint64]:
            return random_flips(shape, round(threshold * factor), source)

        assert self.pvalue(flip_threshold(1.0), off) < FALSE_ALARM_RATE

    def test_every_bit_of_the_threshold_counts(self) -> None:
        """The whole comparison, on numbers next to the threshold: bit j of a word is number j's."""
        threshold = 0x9A5F_0C37
        numbers = [threshold ^ (1 << place) for place in range(32)]
        numbers += [threshold - 1, threshold, threshold + 1, 0, 2**32 - 1, *range(27)]
        words = [
            sum((number >> place & 1) << j for j, number in enumerate(numbers))
            for place in range(31, -1, -1)
        ]
        given = iter(words)
        found = int(random_flips((1,), threshold, lambda _: next(given).to_bytes(8, "little"))[0])
        assert [found >> j & 1 for j in range(64)] == [int(n < threshold) for n in numbers]

    def test_equal_numbers_do_not_flip(self) -> None:
        # Whatever its bits say, a word is asked for while one of its 64 numbers is undecided.
        asked: list[int] = []

        def ones(size: int) -> bytes:
            asked.append(size)
            return b"\xff" * size

        assert random_flips((3,), 2**32 - 1, ones).tolist() == [0, 0, 0]  # equal to the end
        assert asked == [24] * 32


class TestAgainstTheRuntime:
    @staticmethod
    def released(
        bundle: WordBundle, name: str, epsilon: float, seed: int = 1, **parameters: Any
    ) -> NDArray[np.int64]:
        """Return how often each word [8, 8] came out, by the word that went in."""
        privatizer = Privatizer(bundle, Setting(epsilon, name, parameters))
        inputs = np.random.default_rng(0).permutation(np.repeat(np.arange(8), DRAWS))
        released = releaser(bundle, privatizer.mechanism, source(seed))(inputs)
        return np.bincount(inputs * 8 + released, minlength=64).reshape(8, 8)

    @classmethod
    def pvalue(cls, bundle: WordBundle, epsilon: float, **parameters: Any) -> float:
        """Test the exponential mechanism's draws against its exact distribution."""
        privatizer = Privatizer(bundle, Setting(epsilon, parameters=parameters))
        found = cls.released(bundle, "exponential", epsilon, **parameters)
        pvalues = []
        for word, counts in enumerate(found):
            exact = [float(p) for p in privatizer.distribution(f"w{word}").values()]
            pvalues.append(stats.chisquare(counts, np.array(exact) * DRAWS).pvalue)
        return float(min(pvalues))

    @pytest.mark.parametrize(("epsilon", "radius"), [(0.15, 0), (0.4, 0), (0.3, 8)])
    def test_exponential_has_the_exact_distribution(
        self, eight: WordBundle, epsilon: float, radius: int
    ) -> None:
        assert self.pvalue(eight, epsilon, radius=radius) > FALSE_ALARM_RATE

    @pytest.mark.parametrize(
        ("name", "epsilon", "parameters"),
        [("brr", 0.4, {}), ("vickrey", 0.2, {"t": 0.3}), ("vickrey", 0.2, {"t": (0.0, 0.1, 0.05)})],
    )
    def test_same_frequencies(
        self, eight: WordBundle, name: str, epsilon: float, parameters: dict[str, Any]
    ) -> None:
        setting = Setting(epsilon, name, parameters)
        privatizer = Privatizer(eight, setting, random=source(12))
        released = self.released(eight, name, epsilon, **parameters)
        for word, counts in enumerate(released):
            one_by_one = [int(out[1:]) for out in privatizer.words([f"w{word}"] * 4_000)]
            table = np.array([counts, np.bincount(one_by_one, minlength=8)])
            table = table[:, table.sum(axis=0) > 0]
            assert stats.chi2_contingency(table).pvalue > FALSE_ALARM_RATE

    def test_numbers_that_are_too_small_fail(self, eight: WordBundle, monkeypatch: Any) -> None:
        """The masses are compared with numbers that are too small by a 64th."""
        right = first_above

        def too_small(masses: Any, rows: Any, numbers: Any) -> Any:
            return right(masses, rows, numbers - numbers // np.uint64(64))

        monkeypatch.setattr(on_codes, "first_above", too_small)
        assert self.pvalue(eight, 0.15) < FALSE_ALARM_RATE

    def test_one_position_for_all_fails(self, eight: WordBundle, monkeypatch: Any) -> None:
        right = scans.ids_at

        def first(*arguments: Any) -> Any:
            *scanned, positions, measure = arguments
            return right(*scanned, np.zeros_like(positions), measure)

        monkeypatch.setattr(scans, "ids_at", first)
        assert self.pvalue(eight, 0.15) < FALSE_ALARM_RATE


class TestTexts:
    """Texts of two words whose second follows the first's output, as the runtime draws them."""

    MODEL = LanguageModel(
        np.array([40, 8, 3, 50, 8, 1, 20, 9], np.uint8),
        np.array([0, 0, 3, 3, 3, 6], np.uint32),
        np.array([1, 5, 0, 2, 7, 3], np.uint32),
        np.array([60, 66, 52, 64, 40, 70], np.uint8),
    )

    def pvalue(self, eight: WordBundle, follow: Any = None) -> float:
        bundle = replace(eight, masses=masses_of(self.MODEL))
        privatizer = Privatizer(
            bundle, Setting(0.3, parameters={"radius": 8, "cap": 9.0, "base": "bigram"})
        )
        release = releaser(bundle, privatizer.mechanism, source(5))
        typed = np.tile(np.array([2, 3]), DRAWS)
        texts = np.repeat(np.arange(DRAWS), 2)
        released = release(typed, texts if follow is None else follow(texts))
        found = np.zeros((8, 8))
        np.add.at(found, (released[::2], released[1::2]), 1)
        first = np.array(list(map(float, privatizer.distribution("w2").values())))
        second = [privatizer.distribution("w3", before=f"w{h}").values() for h in range(8)]
        expected = DRAWS * first[:, None] * np.array([list(map(float, row)) for row in second])
        many = expected > 5
        return float(
            stats.chisquare(
                np.append(found[many], found[~many].sum()),
                np.append(expected[many], expected[~many].sum()),
            ).pvalue
        )

    def test_the_second_word_follows_the_first_s_output(self, eight: WordBundle) -> None:
        assert self.pvalue(eight) > FALSE_ALARM_RATE

    def test_words_by_themselves_fail(self, eight: WordBundle) -> None:
        assert self.pvalue(eight, lambda texts: np.arange(len(texts))) < FALSE_ALARM_RATE

    def test_one_text_of_all_fails(self, eight: WordBundle) -> None:
        assert self.pvalue(eight, np.zeros_like) < FALSE_ALARM_RATE

    def test_few_random_numbers_at_a_time(
        self, eight: WordBundle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        right = bigram_base.random_uint64
        monkeypatch.setattr(bigram_base, "random_uint64", lambda _count, random: right(50, random))
        assert self.pvalue(eight) > FALSE_ALARM_RATE


@pytest.mark.parametrize("kept", [0, 3, 8])
@pytest.mark.parametrize("base", ["uniform", "unigram", "bigram"])
def test_what_is_kept_of_a_word_is_what_a_scan_gives(
    eight: WordBundle, base: str, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = replace(eight, masses=masses_of(TestTexts.MODEL))
    mechanism = Privatizer(bundle, Setting(0.3, parameters={"base": base})).mechanism
    calls = [np.array([0, 2, 2, 5]), np.array([5, 2, 7, 0, 3, 3]), np.arange(8)]
    monkeypatch.setattr(on_codes, "_KEPT_MASSES", kept * 65)
    release = releaser(bundle, mechanism, once := source(4))
    found = [release(ids, np.zeros_like(ids)) for ids in calls]
    again = source(4)
    for ids, expected in zip(calls, found, strict=True):
        anew = releaser(bundle, mechanism, again)
        assert np.array_equal(anew(ids, np.zeros_like(ids)), expected)
    assert once(8) == again(8)


class TestIndependence:
    """Equal words share scans, not draws: neighbors in a text are independent."""

    @staticmethod
    def pvalue(bundle: WordBundle, release: Callable[[RandomSource], BatchedMechanism]) -> float:
        """Test pairs of occurrences of one word, next to each other, for independence."""
        released = release(source(8))(np.zeros(2 * DRAWS, np.intp))
        table = np.bincount(released[::2] * 8 + released[1::2], minlength=64).reshape(8, 8)
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        return float(stats.chi2_contingency(table).pvalue)

    @pytest.mark.parametrize("name", ["brr", "vickrey", "exponential"])
    def test_pairs(self, eight: WordBundle, name: str) -> None:
        mechanism = Privatizer(eight, Setting(0.15, name)).mechanism
        assert self.pvalue(eight, partial(releaser, eight, mechanism)) > FALSE_ALARM_RATE

    def test_shared_draws_fail(self, eight: WordBundle) -> None:
        mechanism = Privatizer(eight, Setting(0.15)).mechanism

        def shared(random: RandomSource) -> BatchedMechanism:
            right = releaser(eight, mechanism, random)
            return lambda ids, _texts=None: np.repeat(right(ids[::2]), 2)

        assert self.pvalue(eight, shared) < FALSE_ALARM_RATE

    @pytest.mark.parametrize("name", ["brr", "vickrey", "exponential"])
    def test_no_byte_is_used_twice(
        self, eight: WordBundle, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Every draw's bytes are asked for, in every call anew."""
        monkeypatch.setattr(on_codes, "_WORDS_AT_A_TIME", 3)
        monkeypatch.setattr(on_codes, "_CODES_AT_A_TIME", 1_000)
        given: list[bytes] = []
        right = source(9)

        def watched(size: int) -> bytes:
            given.append(right(size))
            return given[-1]

        release = releaser(eight, Privatizer(eight, Setting(0.15, name)).mechanism, watched)
        ids = np.arange(4_000) % 8
        first, second = release(ids), release(ids)
        assert not np.array_equal(first, second)
        least = 2 * 8 if name == "exponential" else 6 * 8
        assert sum(map(len, given)) >= 2 * len(ids) * least


def test_any_number_of_words(eight: WordBundle) -> None:
    for name in ("brr", "vickrey", "exponential"):
        release = releaser(eight, Privatizer(eight, Setting(22.0, name)).mechanism)
        for count in (0, 1, 4_097):
            assert release(np.arange(count) % 8).shape == (count,)


def test_equal_words_are_scanned_twice(eight: WordBundle, monkeypatch: pytest.MonkeyPatch) -> None:
    scanned: list[int] = []
    for module, name in ((histograms, "histograms"), (scans, "ids_at")):
        right = getattr(module, name)

        def counted(planes: Any, queries: Any, *rest: Any, right: Any = right) -> Any:
            scanned.append(len(queries))
            return right(planes, queries, *rest)

        monkeypatch.setattr(module, name, counted)
    release = releaser(eight, Privatizer(eight, Setting(0.15)).mechanism)
    release(np.arange(10_000) % 5)
    assert scanned == [5, 5]


@pytest.mark.parametrize("name", ["brr", "vickrey", "exponential"])
def test_a_seeded_generator_repeats(eight: WordBundle, name: str) -> None:
    ids = np.arange(4_000) % 8

    def drawn(seed: int) -> NDArray[np.int64]:
        generator = np.random.default_rng(seed)
        return Channel(bundle_of(eight.codes), Setting(0.4, name)).releaser(generator)(ids)

    assert np.array_equal(drawn(7), drawn(7))
    assert not np.array_equal(drawn(7), drawn(8))


@pytest.mark.parametrize(("t", "rank"), [(0.0, 0), (1.0, 1), ((900.0, 900.0, 0.0), 2)])
def test_vickrey_takes_the_rank(t: Any, rank: int) -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 2**64, (300, 2), np.uint64)
    ids = np.arange(3_000) % 300
    released = Channel(bundle_of(codes), Setting(0.8, "vickrey", {"t": t})).releaser(
        np.random.default_rng(1)
    )(ids)
    random = np.random.default_rng(1).bytes
    noised = codes[ids] ^ random_flips((3_000, 2), flip_threshold(0.8), random)
    assert np.array_equal(released, HammingIndex(codes).nearest(noised, 3)[0][:, rank])
