"""The source's neighbors and similarities that the codes keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.normal_form import normalize
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.io.files import text_lines

WordPairs = Mapping[str, Sequence[tuple[str, str, float]]]
"""Rated pairs (word, word, score), by the name of their set."""

_FEWEST_PAIRS = 30  # with fewer pairs, a correlation is meaningless
_ROWS_AT_A_TIME = 64  # words whose cosines with all others are in memory, in each thread


@dataclass(frozen=True)
class Similarity:
    """Spearman correlation with human judgments, over the pairs whose words are both known."""

    codes: float
    float32: float
    pairs: int


@dataclass(frozen=True)
class Quality:
    """Quality of a bundle's codes.

    Attributes:
        nn10: NN@10, the mean share of the 10 nearest words by cosine that are among the 10
            nearest by Hamming distance.
        similarity: by the name of each set of word pairs.
    """

    nn10: float
    similarity: dict[str, Similarity]


def measure_quality(
    words: Sequence[str],
    vectors: NDArray[np.float32],
    codes: NDArray[np.uint64],
    word_pairs: WordPairs,
    *,
    seed: int = 0,
) -> Quality:
    """Measure ``codes`` uint64[n, bits / 64] of ``words`` against ``vectors`` float32[n, d]."""
    return Quality(
        nn10=neighbor_overlap(vectors, codes, seed=seed),
        similarity=word_similarity(words, vectors, codes, word_pairs),
    )


def neighbor_overlap(
    vectors: NDArray[np.float32],
    codes: NDArray[np.uint64],
    *,
    k: int = 10,
    queries: int = 1_000,
    seed: int = 0,
) -> float:
    """Return NN@k: the mean overlap of k nearest words by cosine and by Hamming distance.

    A word isn't its own neighbor. At equal distances, words of lower rank come first.

    Args:
        vectors: float32[n, d].
        codes: uint64[n, bits / 64].
        k: number of neighbors; n - 1 if that is less.
        queries: number of random words; n if that is less.
        seed: seed of the choice of words.
    """
    from threadpoolctl import threadpool_limits

    from brrkit_toolchain.codes.scans import nearest, over_rows

    words = len(vectors)
    k = min(k, words - 1)
    generator = np.random.default_rng(seed)
    rows = generator.choice(words, min(queries, words), replace=False)
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
    by_code, _ = nearest(codes.T.copy(), codes[rows], k + 1)
    shared = np.zeros(len(rows), np.int64)

    def count(start: int, stop: int) -> None:
        for top in range(start, stop, _ROWS_AT_A_TIME):
            places = range(top, min(top + _ROWS_AT_A_TIME, stop))
            block = unit[rows[places]] @ unit.T
            block[np.arange(len(block)), rows[places]] = -inf
            limits = np.partition(block, words - k, axis=1)[:, words - k]
            for place, cosines, limit in zip(places, block, limits, strict=True):
                near = np.flatnonzero(cosines >= limit)
                near = near[np.argsort(-cosines[near], kind="stable")][:k]
                near_code = by_code[place][by_code[place] != rows[place]][:k]
                shared[place] = len(np.intersect1d(near, near_code))

    with threadpool_limits(1, "blas"):  # threads that wait for a share of a product take time
        over_rows(count, len(rows), description="Neighbors", progress=False)
    return float(shared.sum()) / (k * len(rows))


def word_similarity(
    words: Sequence[str],
    vectors: NDArray[np.float32],
    codes: NDArray[np.uint64],
    word_pairs: WordPairs,
) -> dict[str, Similarity]:
    """Correlate cosine and Hamming similarity with human judgments; sets too small are left out.

    Args:
        words: words in rank order.
        vectors: float32[n, d].
        codes: uint64[n, bits / 64].
        word_pairs: rated pairs, by set.
    """
    ids = {word: word_id for word_id, word in enumerate(words)}
    result = {}
    for name, pairs in word_pairs.items():
        known = [(ids[a], ids[b], score) for a, b, score in pairs if a in ids and b in ids]
        if len(known) < _FEWEST_PAIRS:
            continue
        left, right, scores = (np.array(column) for column in zip(*known, strict=True))
        cosines = pair_cosines(vectors[left], vectors[right])
        distances = pair_distances(codes[left], codes[right])
        if np.ptp(scores) == 0 or np.ptp(distances) == 0 or np.ptp(cosines) == 0:
            continue  # the correlation is undefined
        result[name] = Similarity(
            codes=spearman(-distances, scores),
            float32=spearman(cosines, scores),
            pairs=len(known),
        )
    return result


def spearman(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the rank correlation of two arrays [m]."""
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the rank of each number [m]; equal numbers share their mean rank."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks


def pair_cosines(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosine [m] of each row of ``left`` with that of ``right``, both float32[m, d]."""
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosines: NDArray[np.float32] = np.einsum("ij,ij->i", left, right) / np.maximum(norms, 1e-30)
    return cosines


def pair_distances(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the Hamming distance [m] of each row of ``left`` to that of ``right``.

    Both are codes uint64[m, bits / 64].
    """
    distances: NDArray[np.int64] = unpack(left ^ right).sum(axis=1, dtype=np.int64)
    return distances


def read_word_pairs(
    folder: Path, writing: Writing = ENGLISH
) -> dict[str, list[tuple[str, str, float]]]:
    """Read every ``*.txt`` in ``folder`` whose lines are ``word word score``.

    The words are normalized by ``writing``.

    Columns are separated by spaces or tabs; other files, such as analogies, are left out.

    Raises:
        ParameterError: there is no such folder, a file can't be read, or none has word pairs.
    """
    if not folder.is_dir():
        raise ParameterError(
            f"{folder}: not a folder of word pairs; name the one that contains them"
        )
    sets = {}
    for path in sorted(folder.glob("*.txt")):
        lines = list(text_lines(path, "a list of word pairs", errors="replace"))
        pairs = [pair for line in lines if line.strip() and (pair := _pair(line, writing))]
        if pairs and len(pairs) > len(lines) / 2:
            sets[path.stem] = pairs
    if not sets:
        raise ParameterError(
            f"{folder}: no file of 'word word score' lines; name the folder that contains them"
        )
    return sets


def find_word_pairs(embeddings: str | Path) -> Path | None:
    """Return the folder ``wordsim`` next to the embeddings' file, or next to its folder, if any."""
    folder = Path(embeddings).absolute().parent
    for candidate in (folder / "wordsim", folder.parent / "wordsim"):
        if candidate.is_dir():
            return candidate
    return None


def _pair(line: str, writing: Writing) -> tuple[str, str, float] | None:
    columns = line.split()
    try:
        score = float(columns[2])
    except (IndexError, ValueError):
        return None
    if not isfinite(score):
        return None
    return normalize(columns[0], writing), normalize(columns[1], writing), score
