"""Exact search, against Python integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit import hamming
from brrkit.hamming import HammingIndex, _bitwise_count

BLOCK = 64


@pytest.fixture(params=[BLOCK, hamming._CODES_PER_STEP], ids=["small blocks", "real blocks"])
def _blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hamming, "_CODES_PER_STEP", request.param)
    monkeypatch.setattr(hamming, "_SCRATCH", hamming._Scratch())


def random_codes(count: int, bits: int, seed: int = 0) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 2**64, (count, bits // 64), np.uint64)


def as_integers(codes: NDArray[np.uint64]) -> list[int]:
    return [int.from_bytes(code.tobytes(), "little") for code in codes]


def brute_force(codes: NDArray[np.uint64], queries: NDArray[np.uint64]) -> list[list[int]]:
    integers = as_integers(codes)
    return [[(q ^ c).bit_count() for c in integers] for q in as_integers(queries)]


@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize("bits", range(64, 513, 64))
@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_distances_and_nearest(bits: int, size: int) -> None:
    codes, queries = random_codes(size, bits), random_codes(19, bits, seed=1)
    index = HammingIndex(codes)
    expected = brute_force(codes, queries)

    assert len(index) == size
    assert [index.distances(query).tolist() for query in queries] == expected
    one, its_distance = index.nearest(queries)
    assert np.array_equal([one, its_distance], index.nearest(queries, 1))
    for k in sorted({1, min(2, size), min(5, size), size}):
        ids, distances = index.nearest(queries, k)
        assert ids.shape == distances.shape == (19, k)
        for row, all_distances in enumerate(expected):
            best = sorted(range(size), key=all_distances.__getitem__)[:k]  # stable: lower rank
            assert ids[row].tolist() == best
            assert distances[row].tolist() == [all_distances[i] for i in best]


BUSY = """
import os
import time

os.environ["OPENBLAS_NUM_THREADS"] = "2"  # whatever OMP_NUM_THREADS says
import numpy as np

from brrkit.hamming import HammingIndex

generator = np.random.default_rng(0)


def others(work):
    whole, own = time.process_time(), time.thread_time()
    work()
    return (time.process_time() - whole) - (time.thread_time() - own)


def least(work):
    # Threads of a library that has just been loaded may still be starting, for long if it is busy.
    return next((found for _ in range(100) if (found := others(work)) < 0.005), 1)


for planes in (1, 4):
    codes = generator.integers(0, 2**64, (20_000, planes), np.uint64)
    index = HammingIndex(codes)
    for k in (1, 2):
        print(least(lambda: index.nearest(codes[:1_000], k)))
matrix = np.ones((2_000, 2_000), np.float32)
print(others(lambda: matrix @ matrix))
"""


def test_a_batch_is_searched_by_the_calling_thread_alone(run_python: Callable[..., str]) -> None:
    """Threads that wait for one another made a batch 20 times slower on a busy machine."""
    *of_searches, of_product = map(float, run_python(BUSY).split())
    assert len(of_searches) == 4
    assert max(of_searches) < 0.005
    if of_product < 0.005:
        pytest.skip("this NumPy's BLAS uses one thread, so this test can't tell")


@pytest.mark.parametrize("k", [1, 3, 40])
def test_no_queries_have_no_neighbors(k: int) -> None:
    ids, distances = HammingIndex(random_codes(50, 256)).nearest(random_codes(0, 256), k)
    assert ids.shape == distances.shape == (0, k)


@pytest.mark.parametrize("k", [1, 2, 31, 32, 33, 99, 100])
def test_ties_go_to_the_lower_rank(k: int) -> None:
    codes = np.tile(random_codes(4, 128), (25, 1))  # every code 25 times
    ids, distances = HammingIndex(codes).nearest(codes[2:3], k)
    nearest_first = [*range(2, 100, 4)][:k]
    assert ids[0, : len(nearest_first)].tolist() == nearest_first
    assert distances[0, : len(nearest_first)].tolist() == [0] * len(nearest_first)
    assert len(set(ids[0].tolist())) == k
    pairs = list(zip(distances[0].tolist(), ids[0].tolist(), strict=True))
    assert pairs == sorted(pairs)


@pytest.mark.parametrize("bits", range(64, 513, 64))
def test_every_distance_up_to_the_number_of_bits(bits: int) -> None:
    """From 0 to complements, with 255, 256 and 257: a byte doesn't hold them all."""
    codes = random_codes(1, bits).repeat(bits + 1, axis=0)
    flat = codes.view(np.uint8)
    for distance in range(bits + 1):
        ones = np.arange(bits) < distance
        flat[distance] ^= np.packbits(ones, bitorder="little")
    assert HammingIndex(codes).distances(codes[0]).tolist() == list(range(bits + 1))
    ids, found = HammingIndex(codes[::-1]).nearest(codes[:1], bits + 1)
    assert ids[0].tolist() == list(range(bits, -1, -1))
    assert found[0].tolist() == list(range(bits + 1))
    assert found.dtype == np.int64


@pytest.mark.parametrize("bits", [64, 128, 192, 256, 512])
def test_the_farthest_words_are_still_ranked(bits: int) -> None:
    """The mark for words already taken is above every distance, complements included."""
    codes = np.concatenate([random_codes(1, bits)] * 3)
    codes[1:] = ~codes[1:]
    ids, distances = HammingIndex(codes).nearest(codes[:1], 3)
    assert ids.tolist() == [[0, 1, 2]]
    assert distances.tolist() == [[0, bits, bits]]


def test_population_count_without_numpy_2() -> None:
    special = [0, 1, 2**63, 2**64 - 1, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 2**32, 2**32 - 1]
    words = np.array(special + random_codes(5000, 64)[:, 0].tolist(), np.uint64)
    expected = [word.bit_count() for word in words.tolist()]
    counts = np.empty(len(words), np.uint8)
    _bitwise_count(words.copy(), counts)
    assert counts.tolist() == expected
    hamming._count(words, counts)
    assert counts.tolist() == expected


def test_search_without_numpy_2(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, queries = random_codes(300, 256), random_codes(20, 256, seed=1)
    expected = brute_force(codes, queries)
    monkeypatch.setattr(hamming, "_count", _bitwise_count)
    index = HammingIndex(codes)
    assert [index.distances(query).tolist() for query in queries] == expected


def test_a_query_changes_nothing() -> None:
    codes, queries = random_codes(100, 256), random_codes(20, 256, seed=1)
    index = HammingIndex(codes)
    before = (codes.copy(), queries.copy(), index.planes.copy())
    index.nearest(queries, 5)
    index.nearest(queries, 50)
    assert all(map(np.array_equal, before, (codes, queries, index.planes)))
