"""Sums by part and distance, against one word after the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit import hamming, parts
from brrkit.hamming import HammingIndex, _bitwise_count
from brrkit.parts import Parts

PART = 8
BITS = [64, 128, 192, 256, 512]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_NUMBERED_PART", PART)
    monkeypatch.setattr(parts, "_LARGEST_PART", PART)
    monkeypatch.setattr(parts, "_SCRATCH", parts._Scratch())


def at_each_distance(bits: int, words: int) -> NDArray[np.uint64]:
    """Return codes as far from 0 as their ids say, and from ``bits`` on all as far as that."""
    ones = np.arange(bits) < np.arange(words)[:, None]
    return np.packbits(ones, axis=1, bitorder="little").view(np.uint64)


def check(codes: NDArray[np.uint64], query: NDArray[np.uint64]) -> int:
    """Compare what is found with all words' distances; return the number of parts."""
    index, count, bits = HammingIndex(codes), len(codes), 64 * codes.shape[1]
    masses = np.random.default_rng(7).integers(1, 2**40, count)
    made = Parts(index, masses)
    distances = index.distances(query).tolist()
    scanned = made.scan(query)
    part_of = np.arange(count) // made._size
    assert made._size <= PART
    expected = np.zeros((part_of[-1] + 1, bits + 1), np.int64)
    for word, distance in enumerate(distances):
        expected[part_of[word], distance] += masses[word]
    nothing = np.zeros(0, np.intp), np.zeros(0, np.int64)
    measures = made.measures(scanned, *nothing)
    assert measures.dtype == np.int64
    assert np.array_equal(measures, expected)
    ids = np.arange(count)[::3]
    for word in ids.tolist():
        expected[part_of[word], distances[word]] += masses[word] + 1
    assert np.array_equal(made.measures(scanned, ids, masses[ids] + 1), expected)
    for part, distance in {*zip(part_of.tolist(), distances, strict=True), (0, bits), (0, 0)}:
        first, behind, measure = made.words_at(scanned, part, distance)
        there = [i for i in range(count) if (part_of[i], distances[i]) == (part, distance)]
        assert (first + behind).tolist() == there
        assert measure.tolist() == masses[there].tolist()
        assert not np.shares_memory(measure, masses)
    return len(measures)


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("words", [1, PART - 1, PART, PART + 1, 3 * PART + 5])
def test_measures_and_words(bits: int, words: int) -> None:
    codes = np.random.default_rng(words).integers(0, 2**64, (words, bits // 64), np.uint64)
    for query in (codes[0], ~codes[-1], codes[words // 2]):
        assert check(codes, query) == -(-words // PART)


@pytest.mark.parametrize("bits", BITS)
def test_every_distance(bits: int) -> None:
    """None runs into the number of the word's part."""
    check(at_each_distance(bits, 2 * bits), np.zeros(bits // 64, np.uint64))


@pytest.mark.parametrize("bits", BITS)
def test_without_numpy_2(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hamming, "_count", _bitwise_count)
    check(at_each_distance(bits, 2 * bits), np.zeros(bits // 64, np.uint64))


def test_a_scan_leaves_nothing_behind() -> None:
    """Vocabularies of other sizes and codes take turns in one buffer."""

    def sizes() -> Iterator[tuple[int, int]]:
        for words in (3, 5 * PART, 2, 40 * PART, 2 * PART + 1):
            for bits in (64, 256, 128):
                yield words, bits

    for words, bits in sizes():
        codes = np.random.default_rng(words).integers(0, 2**64, (words, bits // 64), np.uint64)
        check(codes, ~codes[0])
        check(codes, codes[0])


def test_real_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many words as a draw's vocabulary has: the sum over parts is that over all words."""
    monkeypatch.undo()
    for bits in (64, 128):
        codes = np.random.default_rng(1).integers(0, 2**64, (40_000, bits // 64), np.uint64)
        index, masses = HammingIndex(codes), np.arange(1, 40_001)
        made = Parts(index, masses)
        nothing = np.zeros(0, np.intp), np.zeros(0, np.int64)
        found = made.measures(made.scan(codes[5]), *nothing).sum(axis=0)
        expected = np.bincount(index.distances(codes[5]), masses, bits + 1)
        assert found.tolist() == expected.tolist()
        assert made.words_at(made.scan(codes[5]), 0, 0)[1].tolist() == [5]
