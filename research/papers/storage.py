"""Storage and time, the rows of BRR's section 6: index, vocabulary with embeddings, time per word.

Both mechanisms release one word at a time, like a device; Madlib with each available search. More
comparisons, batches and memory are in ``benchmarks``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.searches import TREES, build_annoy, build_flat
from brrkit import Privatizer, WordBundle
from brrkit.bundle import INDEX, MANIFEST, RANDOMIZER
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.channel.drawing.full_size import laplace_noise
from brrkit_toolchain.io.files import temporary_folder
from research.papers.bundle_words import BundleWords
from research.papers.contenders import DEVICE, MADLIB
from research.papers.results import Results, Unit
from research.papers.scale import Scale
from research.papers.summary import Evaluated, Findings, Table, shown
from research.papers.texts import run_units

NAME = "storage"
METRICS = ("index_bytes", "vocabulary_bytes", "seconds")
TITLE = "Storage and time (BRR, section 6)"

LOSS = 44.0
"""E = epsilon * P_avg of every mechanism; the time hardly depends on it."""

_OURS = "runtime"
_FLAT = "faiss IndexFlatL2"
_NUMPY = "NumPy"
_ANNOY = "Annoy"
_PAPER = ("97.9%", "98.5%", "68%")


def size(scale: Scale) -> str:
    """Describe the size of a trial."""
    return f"{scale.timed:,} words a trial"


@dataclass(frozen=True)
class _Candidate:
    """=A releaser of words.

    Attributes:
        index: size of the index in bytes.
        vocabulary: size of the words with their codes or vectors in bytes.
        release: function of a word's id.
    """

    index: int
    vocabulary: int
    release: Callable[[int], object]


def run(
    bundle: WordBundle,
    bundle_words: BundleWords,
    scale: Scale,
    results: Results,
    *,
    progress: bool = True,
) -> None:
    """Measure the size and the time of each candidate in the units without results.

    Args:
        bundle: bundle of ``bundle_words``; its runtime is timed.
        bundle_words: its words and their vectors.
        scale: number of words timed in each trial, and of trials.
        results: results to which rows are added, with ``METRICS``.
        progress: show a bar on standard error.
    """
    from threadpoolctl import threadpool_limits

    kinds: dict[tuple[str, str], Callable[[], _Candidate]] = {
        (DEVICE[0].mechanism, _OURS): lambda: _device(bundle, bundle_words),
        (MADLIB.mechanism, _FLAT): lambda: _flat(bundle_words),
        (MADLIB.mechanism, _NUMPY): lambda: _numpy(bundle_words),
    }
    if find_spec("annoy"):
        kinds[MADLIB.mechanism, _ANNOY] = lambda: _annoy(bundle_words)
    made: dict[tuple[str, str], _Candidate] = {}

    def measure(unit: Unit) -> Mapping[str, float]:
        name = unit.mechanism, unit.parameter
        candidate = made.get(name) or made.setdefault(name, kinds[name]())
        ids = unit.generator("words").integers(len(bundle_words.words), size=scale.timed).tolist()
        with threadpool_limits(1):
            seconds = median(_seconds(candidate.release, word_id) for word_id in ids)
        return {
            "index_bytes": candidate.index,
            "vocabulary_bytes": candidate.vocabulary,
            "seconds": seconds,
        }

    device, full = (LOSS / bundle_words.average(contender) for contender in (DEVICE[0], MADLIB))
    units = [
        Unit(*name, device if name[1] == _OURS else full, LOSS, trial)
        for trial in range(scale.trials)
        for name in kinds
    ]
    run_units(results, units, measure, progress=progress)


def _seconds(release: Callable[[int], object], word_id: int) -> float:
    start = time.perf_counter()
    release(word_id)
    return time.perf_counter() - start


def _device(bundle: WordBundle, bundle_words: BundleWords) -> _Candidate:
    privatizer = Privatizer(bundle, Setting(LOSS / bundle_words.average(DEVICE[0]), "brr"))
    shipped = sum((bundle.path / name).stat().st_size for name in (MANIFEST, INDEX, RANDOMIZER))
    words = bundle_words.words
    return _Candidate(bundle.codes.nbytes, shipped, lambda i: privatizer.word(words[i]))


def _madlib(
    bundle_words: BundleWords, index: int, search: Callable[[NDArray[np.float32]], object]
) -> _Candidate:
    """Return Madlib with a search that takes a vector float32[1, d]."""
    generator = np.random.default_rng(0)
    epsilon = LOSS / bundle_words.average(MADLIB)
    vectors = bundle_words.vectors
    text = sum(len(word.encode()) + 1 for word in bundle_words.words)

    def release(word_id: int) -> object:
        vector = vectors[word_id : word_id + 1]
        return search(vector + laplace_noise(vector.shape, epsilon, generator))

    return _Candidate(index, vectors.nbytes + text, release)


def _flat(bundle_words: BundleWords) -> _Candidate:
    import faiss

    index = build_flat(bundle_words.vectors)
    size = faiss.serialize_index(index).nbytes
    return _madlib(bundle_words, size, lambda query: index.search(query, 1))


def _numpy(bundle_words: BundleWords) -> _Candidate:
    vectors = bundle_words.vectors
    norms = np.einsum("ij,ij->i", vectors, vectors)
    return _madlib(
        bundle_words, vectors.nbytes, lambda query: int((norms - 2 * (vectors @ query[0])).argmin())
    )


def _annoy(bundle_words: BundleWords) -> _Candidate:
    index = build_annoy(bundle_words.vectors)
    with temporary_folder() as folder:
        file = folder / "index"
        index.save(str(file))
        size = file.stat().st_size
        index.load(str(file), prefault=True)
    return _madlib(bundle_words, size, lambda query: index.get_nns_by_vector(query[0].tolist(), 1))


def findings(evaluated: Evaluated) -> Findings:
    """Return sizes and times, and our savings compared with Madlib."""
    names = {(row.mechanism, row.parameter): None for row in evaluated.rows}
    values = {
        name: [evaluated.estimate(metric, *name, LOSS) for metric in METRICS] for name in names
    }
    complete = {
        name: there
        for name, found in values.items()
        if len(there := [value for value in found if value is not None]) == len(METRICS)
    }
    ours = complete.get((DEVICE[0].mechanism, _OURS), [])
    measured, saved = [], []
    for (mechanism, search), found in complete.items():
        label = f"{mechanism}, {search}"
        index, vocabulary, seconds = found
        micro = Estimate(1e6 * seconds.value, 1e6 * seconds.low, 1e6 * seconds.high)
        sizes = [f"{size.value / 1e6:.2f}" for size in (index, vocabulary)]
        measured.append([label, *sizes, shown(micro, 0)])
        if ours and search != _OURS:
            shares = [1 - own.value / other.value for own, other in zip(ours, found, strict=True)]
            saved.append([label, *(f"{share:.1%}" for share in shares)])
    saved.append(["BRR, section 6 (Madlib with Annoy)", *_PAPER])
    columns = ("index", "words with codes or vectors", "time per word")
    return Findings(
        notes=[
            f"{evaluated.settings['words']:,} words x {evaluated.settings['dimensions']} "
            f"dimensions in float32, {evaluated.settings['bits']} bits. Times are medians over "
            f"words released one at a time on one thread, at E = {LOSS:g}. `brr` runs in the "
            "published runtime. Its index consists of the codes, and its words with codes are the "
            f"whole bundle. Annoy has {TREES} trees and its default search, which misses most "
            "nearest neighbors. The other searches are exact.",
        ],
        figures=[],
        tables=[
            Table(
                "Sizes in MB, and time per word in microseconds",
                [
                    "mechanism, search",
                    f"{columns[0]}, MB",
                    f"{columns[1]}, MB",
                    f"{columns[2]}, µs",
                ],
                measured,
            ),
            Table(
                "Savings of `brr` compared with each alternative",
                ["mechanism, search", *columns],
                saved,
            ),
        ],
    )
