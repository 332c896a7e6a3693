"""Words a second of every mechanism in batches, beside how published implementations do it.

They release one word at a time, and search an inverted file (faiss IndexIVFFlat) with its default
of one probed cell, or with as many as it takes to be right.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.peers import FullSize, flat_search, recall
from benchmarks.report import Claim, Finding
from benchmarks.searches import build_flat
from benchmarks.speed import LOSS, RECALL
from benchmarks.timing import interleave, ratio
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Setting
from brrkit_toolchain.channel import FULL_SIZE, Channel
from brrkit_toolchain.channel.on_codes import bundle_of

FLAT_SINGLE = "laplace, one word at a time, IndexFlatL2"
IVF_SINGLE = "laplace, one word at a time, IndexIVFFlat, default"
IVF_RECALL = f"laplace, one word at a time, IndexIVFFlat, recall >= {RECALL}"

_WORDS = 1_024  # in a batch
_SINGLE = 25  # one at a time


def run(bench: Bench) -> Finding:
    """Release random words by every mechanism, in turn."""
    faiss.omp_set_num_threads(1)
    progress("throughput: IVF index")
    ids = bench.sample(_WORDS)
    batched = {name: partial(mechanism, ids) for name, mechanism in _mechanisms(bench).items()}
    singles, recalls, probes = _published(bench)
    words = [bench.embeddings.words[i] for i in ids[:_SINGLE]]
    rounds = 3 if bench.quick else 9
    progress(f"throughput: {rounds} rounds")
    tasks: dict[str, Callable[[], object]] = {
        **batched,
        **{name: partial(_each, mechanism, words) for name, mechanism in singles.items()},
    }
    counts = dict.fromkeys(batched, len(ids)) | dict.fromkeys(singles, len(words))
    times = {
        name: [seconds / counts[name] for seconds in found]
        for name, found in interleave(tasks, rounds).items()
    }
    return Finding(
        title=f"throughput: words a second at E = epsilon * P_avg = {LOSS:g}",
        columns=("", "words a second", "recall@1"),
        rows=[
            (name, f"{1 / median(found):,.0f}", f"{recalls[name]:.3f}" if name in recalls else "-")
            for name, found in times.items()
        ],
        claims=[
            Claim(f"{name} / {peer}, words a second", ratio(times[peer], times[name]))
            for name, peer in (
                ("laplace", FLAT_SINGLE),
                ("laplace", IVF_RECALL),
                ("brr", FLAT_SINGLE),
                ("brr", IVF_RECALL),
            )
        ],
        notes=(
            f"one thread; medians of {rounds} rounds in turn; batches of {len(ids):,} different "
            f"random words, or {len(words)} words one at a time",
            "batched mechanisms are those of brrkit_toolchain.channel, for measurement; what "
            "ships is timed by the benchmark 'speed'",
            "exponential scans once for each different word: texts, which repeat words, are faster",
            f"IndexIVFFlat: {_cells(bench)} cells; {probes} probed for recall >= {RECALL}, 1 by "
            "default; recall@1 as in 'speed'",
        ),
        numbers={"seconds": times, "recall": recalls, "probes": probes},
    )


def _mechanisms(bench: Bench) -> dict[str, Any]:
    """Return every batched mechanism at ``LOSS``; Mahalanobis at Laplace's epsilon."""
    on_codes, full_size = bench.epsilons(LOSS)
    return {
        name: Channel(
            bundle_of(bench.bundle.codes),
            Setting(on_codes if name in MECHANISMS else full_size, name),
            bench.embeddings.vectors,
        ).releaser(np.random.default_rng(0))
        for name in (*FULL_SIZE, *MECHANISMS)
    }


def _published(bench: Bench) -> tuple[dict[str, FullSize], dict[str, float], int]:
    """Return Laplace with each search, their recall, and the cells probed for ``RECALL``."""
    words, vectors = bench.embeddings.words, bench.embeddings.vectors
    _, epsilon = bench.epsilons(LOSS)
    flat = flat_search(build_flat(vectors))
    queries = FullSize(words, vectors, epsilon, flat).noised(
        bench.sample(100 if bench.quick else 500, seed=1)
    )
    index = _inverted_file(bench)

    def measured(probes: int) -> float:
        index.nprobe = probes
        return recall(vectors, queries, flat_search(index)(queries))

    probes = 1
    while measured(probes) < RECALL and probes < index.nlist:
        probes = min(2 * probes, index.nlist)

    def probing(count: int) -> Callable[[NDArray[np.float32]], list[int]]:
        search = flat_search(index)

        def run_search(rows: NDArray[np.float32]) -> list[int]:
            index.nprobe = count
            return search(rows)

        return run_search

    searches = {FLAT_SINGLE: flat, IVF_SINGLE: probing(1), IVF_RECALL: probing(probes)}
    recalls = {name: recall(vectors, queries, search(queries)) for name, search in searches.items()}
    mechanisms = {
        name: FullSize(words, vectors, epsilon, search) for name, search in searches.items()
    }
    return mechanisms, recalls, probes


def _inverted_file(bench: Bench) -> Any:
    vectors = np.ascontiguousarray(bench.embeddings.vectors)
    quantizer = faiss.IndexFlatL2(vectors.shape[1])
    index = faiss.IndexIVFFlat(quantizer, vectors.shape[1], _cells(bench))
    index.train(vectors)
    index.add(vectors)
    return index


def _cells(bench: Bench) -> int:
    """Return the customary number of cells: the root of the number of words."""
    return max(1, round(math.sqrt(len(bench.bundle))))


def _each(mechanism: FullSize, words: list[str]) -> None:
    for word in words:
        mechanism.word(word)
