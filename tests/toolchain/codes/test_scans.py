"""The compiled scans against NumPy's, and against the device's index."""

from __future__ import annotations

import numpy as np
import pytest
from bundle_tools import brute_force_distances
from numpy.typing import NDArray

from brrkit.hamming import HammingIndex
from brrkit_toolchain.codes import histograms, scans
from brrkit_toolchain.codes.histograms import all_histograms
from brrkit_toolchain.codes.scans import most_probable, over_rows


@pytest.mark.parametrize("bits", [64, 192, 512])
@pytest.mark.parametrize("words", [2, 1_300])
def test_histograms_are_those_of_the_distances(bits: int, words: int) -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 2**64, (words, bits // 64), np.uint64)
    codes[1] = ~codes[0]  # every bit differs: the last column

    found = all_histograms(codes)
    some = np.arange(words)[::-1]
    assert np.array_equal(all_histograms(codes, some), found[::-1])

    distances = brute_force_distances(codes)
    expected = [np.bincount(row, minlength=bits + 1) for row in distances]
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("threads", [1, 3])
def test_every_row_is_visited_once(threads: int) -> None:
    visits = np.zeros(2_000, np.int64)

    def kernel(start: int, stop: int) -> None:
        visits[start:stop] += 1

    over_rows(kernel, len(visits), description="", progress=False, threads=threads)
    assert (visits == 1).all()


@pytest.mark.parametrize("rows", [10, 2_000])
def test_an_error_in_a_kernel_is_not_lost(rows: int) -> None:
    def kernel(start: int, stop: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        over_rows(kernel, rows, description="", progress=False)


# Few different bits: most words tie with others, and many have the same code. More of them than the
# 65,536 whose ids are compared by their lowest 16 bits.
@pytest.fixture(scope="module", params=[(64, 70_001), (256, 513)])
def index(request: pytest.FixtureRequest) -> HammingIndex:
    bits, words = request.param
    codes = np.random.default_rng(1).integers(0, 64, (words, bits // 64)).astype(np.uint64)
    codes[7] = ~codes[3]  # every bit differs
    return HammingIndex(codes)


@pytest.fixture(scope="module")
def queries(index: HammingIndex) -> NDArray[np.uint64]:
    others = np.random.default_rng(2).integers(0, 2**64, (6, len(index.planes)), np.uint64)
    return np.concatenate([np.ascontiguousarray(index.planes.T[:8]), others])


class TestQueries:
    @pytest.mark.parametrize("most", [2, 2**14, 2**40])
    def test_histograms(self, index: HammingIndex, queries: NDArray[np.uint64], most: int) -> None:
        bits = 64 * len(index.planes)
        measure = np.random.default_rng(4).integers(1, most, len(index))
        expected = [
            [int(measure[row == distance].sum()) for distance in range(bits + 1)]
            for row in map(index.distances, queries)
        ]
        assert np.array_equal(histograms.histograms(index.planes, queries, measure), expected)

    @pytest.mark.parametrize("total", [2**31 - 1, 2**31, 2**47])
    @pytest.mark.parametrize("words", [2, 3, 8])
    def test_the_largest_measures_of_a_histogram(self, words: int, total: int) -> None:
        """All at one distance: no half of a number runs into the other."""
        for place in range(words):
            measure = np.ones(words, np.int64)
            measure[place] += total - words
            found = histograms.histograms(
                np.full((1, words), 5, np.uint64), np.zeros((1, 1), np.uint64), measure
            )
            assert found[0].tolist() == [0, 0, total, *[0] * 62]

    @pytest.mark.parametrize("k", [1, 2, 9, 64])
    def test_nearest_with_all_ties(
        self, index: HammingIndex, queries: NDArray[np.uint64], k: int
    ) -> None:
        ids, distances = scans.nearest(index.planes, queries, k)
        expected_ids, expected = index.nearest(queries, k)
        assert np.array_equal(distances, expected)
        assert np.array_equal(ids, expected_ids)

    def test_nearest_to_more_codes_than_a_thread_takes(self) -> None:
        codes = np.random.default_rng(5).integers(0, 2**64, (1_300, 1), np.uint64)
        ids, distances = scans.nearest(np.ascontiguousarray(codes.T), ~codes, 3)
        away = 64 - brute_force_distances(codes)
        assert np.array_equal(ids, np.argsort(away, axis=1, kind="stable")[:, :3])
        assert np.array_equal(distances, np.sort(away, axis=1)[:, :3])

    def test_nearest_of_more_ties_than_a_block_has(self) -> None:
        planes = np.zeros((1, 200_000), np.uint64)
        planes[0, 65_530:131_080] = 1  # the second nearest's ids reach over both ends of a block
        ids, distances = scans.nearest(planes, np.ones((1, 1), np.uint64), 65_560)
        expected = [*range(65_530, 131_080), *range(10)]
        assert ids[0].tolist() == expected
        assert distances[0].tolist() == [0] * 65_550 + [1] * 10

    @pytest.mark.parametrize("draws_of_a_word", [0, 1, 32, 33, 300])
    def test_ids_at(
        self, index: HammingIndex, queries: NDArray[np.uint64], draws_of_a_word: int
    ) -> None:
        generator = np.random.default_rng(3)
        measure = generator.integers(1, 4, len(index))
        starts = np.arange(len(queries) + 1) * draws_of_a_word
        expected, distances, positions = [], [], []
        for scanned in map(index.distances, queries):
            for chosen in generator.integers(0, len(index), draws_of_a_word):
                expected.append(chosen)
                distances.append(scanned[chosen])
                there = np.flatnonzero(scanned == scanned[chosen])
                before = measure[there[there < chosen]].sum()
                positions.append(before + generator.integers(measure[chosen]))
        found = scans.ids_at(
            index.planes,
            queries,
            starts,
            np.array(distances, np.intp),
            np.array(positions, np.uint64),
            measure,
        )
        assert found.tolist() == expected


def test_distances(index: HammingIndex, queries: NDArray[np.uint64]) -> None:
    for query in queries:
        assert np.array_equal(scans.distances(index.planes, query), index.distances(query))


def test_most_probable() -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 2**16, (700, 1), np.uint64)
    seen = codes[:9] ^ np.uint64(9)
    tables, scales = np.sort(generator.random((3, 65)))[:, ::-1].copy(), generator.random((3, 700))
    tables[1, 1:] = 0  # one that reaches no other code
    best, named = most_probable(seen, codes, tables, scales)
    distances = brute_force_distances(np.concatenate([seen, codes]))[:9, 9:]
    for table, scale, most, chosen in zip(tables, scales, best, named, strict=True):
        joint = table[distances] * scale
        assert most.tolist() == joint.max(axis=1).tolist()
        assert joint[np.arange(9), chosen].tolist() == most.tolist()
    joint = tables[0][distances] * scales[0]
    assert named[0].tolist() == joint.argmax(axis=1).tolist()
