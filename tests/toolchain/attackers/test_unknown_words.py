"""What one released word tells of whether an unknown one was typed, exactly, from distributions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.masses import Masses, draw_by
from brrkit.mechanisms.exponential import Exponential
from brrkit.packed import PackedNumbers
from brrkit.setting import Setting
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.drawing.stand_ins import draw_stand_ins, stand_in_shares

WORDS = 120


@pytest.fixture(scope="module")
def bundle() -> WordBundle:
    """Words in clusters of six, whose masses fall as those of a language."""
    generator = np.random.default_rng(5)
    codes = np.repeat(generator.integers(0, 1 << 63, (WORDS // 6, 1), np.uint64), 6, axis=0)
    for _ in range(5):
        codes ^= np.uint64(1) << generator.integers(0, 64, codes.shape, np.uint64)
    generator.shuffle(codes)
    levels = np.round(16 + 60 / (1 + np.arange(WORDS) / 4)).astype(np.uint8)
    none = PackedNumbers(memoryview(b""), 0, 1)
    return bundle_of(codes, Masses(levels, none, none, np.zeros(0, np.uint8)))


def recognized(known: NDArray[np.float64], unknown: NDArray[np.float64]) -> float:
    """Return the AUC of the best test, of one output, whether an unknown word was typed.

    Args:
        known: how often each word comes out for known ones.
        unknown: and for unknown ones.
    """
    ratio = unknown / known
    above = (ratio[:, None] > ratio) + (ratio[:, None] == ratio) / 2
    return float(unknown @ above @ known)


@pytest.mark.parametrize("base", ["uniform", "unigram"])
def test_unknown_words_look_like_ordinary_ones(bundle: WordBundle, base: str) -> None:
    """What is typed isn't as the masses say: half of its words are twice as frequent as there."""
    by_mass = stand_in_shares(bundle.masses)
    typed = by_mass * np.random.default_rng(1).choice([1, 2], WORDS)
    typed /= typed.sum()
    for epsilon in (0.3, 0.8, 1.5):
        mechanism = Exponential(bundle, epsilon, 4, base)
        rows = np.array([list(map(float, mechanism.distribution(code))) for code in bundle.codes])
        known, by_masses, alike = typed @ rows, by_mass @ rows, rows.mean(axis=0)
        found = Channel(bundle, Setting(epsilon, parameters={"radius": 4, "base": base})).linear
        np.testing.assert_allclose(found.unknown, by_masses, rtol=1e-12)
        assert 0.5 < recognized(known, by_masses) < recognized(known, alike) - 0.02


def test_the_more_a_release_says_the_more_masses_hide(bundle: WordBundle) -> None:
    """Without noise uniform stand-ins would tell most."""
    by_mass, alike = stand_in_shares(bundle.masses), np.full(WORDS, 1 / WORDS)
    gained = []
    for epsilon in (0.3, 0.8, 1.5):
        mechanism = Exponential(bundle, epsilon, 4, "unigram")
        rows = np.array([list(map(float, mechanism.distribution(code))) for code in bundle.codes])
        gained.append(recognized(by_mass @ rows, alike @ rows) - 0.5)
        assert recognized(by_mass @ rows, by_mass @ rows) == pytest.approx(0.5)
    assert all(a < b for a, b in pairwise(gained))


def test_many_are_drawn_as_one_is(bundle: WordBundle) -> None:
    """By the runtime, from the same random bytes."""
    one, many = (np.random.default_rng(3).bytes for _ in range(2))
    drawn = [draw_by(bundle.masses.cumulative, one) for _ in range(300)]
    again = [int(draw_stand_ins(bundle.masses, 1, many)[0]) for _ in range(300)]
    assert drawn == again
    assert len(set(drawn)) > WORDS / 2
