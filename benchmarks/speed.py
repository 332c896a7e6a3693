"""Time to privatize a word, always with the recall of its search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.peers import FullSize, Search, annoy_search, flat_search, product_search, recall
from benchmarks.report import TARGET_SIZE, Claim, Finding
from benchmarks.searches import TREES, build_flat
from benchmarks.timing import Times, interleave, ratio
from brrkit import Privatizer
from brrkit.mechanisms import MECHANISMS
from brrkit.mechanisms.brr import BRR
from brrkit.setting import Setting
from brrkit_toolchain.codes.packing import unpack

LOSS = 44.0
"""E = epsilon * P_avg of every mechanism."""

RECALL = 0.9
"""Recall that Annoy must reach for a fair comparison."""

FLAT = "Laplace + faiss IndexFlatL2"
PRODUCT = "Laplace + NumPy product"
ANNOY_DEFAULT = "Laplace + Annoy, default"
ANNOY = f"Laplace + Annoy, recall >= {RECALL}"
SEARCH = "search: runtime"
BINARY = "search: faiss IndexBinaryFlat"
READ = "a sum over the codes"

_TARGETS = {64: 100.0}  # microseconds per word, by bits
_SINGLE = 25  # words a turn, one call each
_BATCH = 256  # words a turn, in one call


@dataclass(frozen=True)
class Candidate:
    """=A timed task.

    Attributes:
        single: function of one of ``inputs``.
        batched: function of all of them; None if only single calls are possible.
        inputs: words, or queries.
        recall: recall@1 of its search; None if it doesn't search a nearest word.
    """

    single: Callable[[Any], object]
    batched: Callable[[Any], object] | None
    inputs: Any
    recall: float | None


def run(bench: Bench) -> Finding:
    """Time every mechanism and search, single and batched, in turn."""
    faiss.omp_set_num_threads(1)
    progress("speed: recall")
    full_size, search_k = _full_size(bench)
    candidates = {**_device(bench), **full_size}
    rounds = 3 if bench.quick else 15
    progress(f"speed: {rounds} rounds")
    single, batched = _time(candidates, rounds)

    def compare(first: str, second: str, target: float | None = None) -> list[Claim]:
        label = f"{first} / {second}"
        return [
            Claim(f"{label}, single", ratio(single[first], single[second]), "<=", target),
            Claim(f"{label}, batched", ratio(batched[first], batched[second]), "<=", target),
        ]

    return Finding(
        title=f"speed: microseconds a word at E = epsilon * P_avg = {LOSS:g}",
        columns=("", "single", "batched", "recall@1"),
        rows=[
            (name, _micro(single[name]), _micro(batched.get(name)), _share(candidate.recall))
            for name, candidate in candidates.items()
        ],
        claims=(
            Claim(
                "brr, single",
                1e6 * median(single["brr"]),
                "<=",
                _TARGETS.get(bench.bundle.bits),
                "us",
                f"{TARGET_SIZE} -> {bench.bundle.bits} bits",
            ),
            Claim(f"brr / {ANNOY_DEFAULT}, single", ratio(single["brr"], single[ANNOY_DEFAULT])),
            Claim(f"brr / {ANNOY}, single", ratio(single["brr"], single[ANNOY]), "<=", 0.25),
            Claim(f"brr batched / {ANNOY}", ratio(batched["brr"], single[ANNOY]), "<=", 0.1),
            *compare("exponential", "brr", 2),
            Claim(f"exponential / {READ}, single", ratio(single["exponential"], single[READ])),
            Claim("brr, batched / single", ratio(batched["brr"], single["brr"]), "<=", 1),
            *compare("brr", FLAT),
            *compare("brr", PRODUCT),
            *compare(SEARCH, BINARY),
        ),
        notes=(
            f"one thread; medians of {rounds} rounds in turn; {_SINGLE} words a round single, "
            f"{_BATCH} in one call batched",
            "Laplace is the full-size mechanism; mechanisms run from word to word, noise included; "
            "the searches alone get codes that brr has noised",
            "a sum over the codes reads each once: no mechanism that looks at all words is faster",
            "recall@1: share of answers at the least distance from the noised query, against "
            "double precision; exponential looks for no nearest word",
            f"Annoy: {TREES} trees, euclidean, search_k {search_k:,} for recall >= {RECALL}; it "
            "has no batched search",
        ),
        numbers={
            "single": single,
            "batched": batched,
            "recall": {name: candidate.recall for name, candidate in candidates.items()},
            "search_k": search_k,
        },
    )


def _time(candidates: Mapping[str, Candidate], rounds: int) -> tuple[Times, Times]:
    """Return the seconds per word, single and batched, of each round."""
    tasks: dict[tuple[str, int], Callable[[], object]] = {}  # tasks by name and number of words
    for name, candidate in candidates.items():
        tasks[name, _SINGLE] = partial(_each, candidate.single, candidate.inputs[:_SINGLE])
        if candidate.batched:
            tasks[name, len(candidate.inputs)] = partial(candidate.batched, candidate.inputs)
    times: tuple[Times, Times] = {}, {}
    for (name, words), seconds in interleave(tasks, rounds).items():
        times[words != _SINGLE][name] = [value / words for value in seconds]
    return times


def _device(bench: Bench) -> dict[str, Candidate]:
    """Return the runtime's mechanisms, its search, and that of faiss."""
    bundle = bench.bundle
    epsilon, _ = bench.epsilons(LOSS)
    words = [bundle.vocabulary.word(i) for i in bench.sample(_BATCH)]
    codes = bundle.codes[bench.sample(_queries(bench), seed=1)]
    noised = BRR(bundle, epsilon).randomizer(codes, np.random.default_rng(2).bytes)
    binary = faiss.IndexBinaryFlat(bundle.bits)
    binary.add(np.ascontiguousarray(bundle.codes).view(np.uint8))
    points, queries = _signs(bundle.codes), _signs(noised)

    def by_runtime(codes: NDArray[np.uint64], k: int = 1) -> list[int]:
        ids: list[int] = bundle.index.nearest(codes, k)[0][:, 0].tolist()
        return ids

    def by_faiss(codes: NDArray[np.uint64]) -> list[int]:
        ids: list[int] = binary.search(codes.view(np.uint8), 1)[1][:, 0].tolist()
        return ids

    found = recall(points, queries, by_runtime(noised))
    recalls: dict[str, float | None] = dict.fromkeys(MECHANISMS)
    recalls |= {"brr": found, "vickrey": recall(points, queries, by_runtime(noised, 2))}
    privatizers = {name: Privatizer(bundle, Setting(epsilon, name)) for name in MECHANISMS}
    rows, numbers = noised[:_BATCH], bundle.codes.ravel()
    return {
        **{
            name: Candidate(p.word, p.words, words, recalls[name])
            for name, p in privatizers.items()
        },
        SEARCH: Candidate(lambda row: by_runtime(row[None]), by_runtime, rows, found),
        BINARY: Candidate(
            lambda row: by_faiss(row[None]),
            by_faiss,
            rows,
            recall(points, queries, by_faiss(noised)),
        ),
        READ: Candidate(lambda _row: np.add.reduce(numbers), None, rows, None),
    }


def _full_size(bench: Bench) -> tuple[dict[str, Candidate], int]:
    """Return the full-size mechanism with each search, and Annoy's search_k for ``RECALL``."""
    words, vectors = bench.embeddings.words, bench.embeddings.vectors
    _, epsilon = bench.epsilons(LOSS)
    inputs = [words[i] for i in bench.sample(_BATCH)]
    exact = flat_search(build_flat(vectors))
    queries = FullSize(words, vectors, epsilon, exact).noised(bench.sample(_queries(bench), seed=1))

    def measured(search: Search) -> float:
        return recall(vectors, queries, search(queries))

    search_k = _least_search_k(lambda k: measured(annoy_search(bench.annoy, k)), len(words))
    searches = {
        FLAT: exact,
        PRODUCT: product_search(vectors),
        ANNOY_DEFAULT: annoy_search(bench.annoy, -1),
        ANNOY: annoy_search(bench.annoy, search_k),
    }
    candidates = {}
    for name, search in searches.items():
        mechanism = FullSize(words, vectors, epsilon, search)
        batched = mechanism.words if name in {FLAT, PRODUCT} else None
        candidates[name] = Candidate(mechanism.word, batched, inputs, measured(search))
    return candidates, search_k


def _least_search_k(recall_at: Callable[[int], float], words: int) -> int:
    """Return about the smallest search_k that reaches ``RECALL``, by doubling and bisection."""
    high = TREES
    while recall_at(high) < RECALL and high < TREES * words:  # exhaustive from there
        high *= 2
    low = high // 2
    for _ in range(4):
        middle = (low + high) // 2
        low, high = (low, middle) if recall_at(middle) >= RECALL else (middle, high)
    return high


def _each(call: Callable[[Any], object], inputs: Sequence[Any]) -> None:
    for item in inputs:
        call(item)


def _queries(bench: Bench) -> int:
    return 100 if bench.quick else 500


def _signs(codes: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Return codes as vectors of -1 and 1, whose squared L2 distance is 4 times Hamming's."""
    return 2 * unpack(codes).astype(np.float32) - 1


def _micro(seconds: list[float] | None) -> str:
    return f"{1e6 * median(seconds):.0f}" if seconds else "-"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
