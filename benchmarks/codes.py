"""Quality of codes: the default method and the paper's at several lengths, side by side.

*Quality*: Spearman x 100 with human judgments for each set of word pairs, NN@10, words that share a
code, and seconds. *Under noise*: the utility with every mechanism at equal estimated privacy loss E
= epsilon * P_avg, with radius 0 for ``exponential`` (a radius is for an equal attack). The codes
have one seed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from brrkit.mechanisms import MECHANISMS
from brrkit_toolchain.channel import LAPLACE
from brrkit_toolchain.channel.privacy_loss.distances import measure_distances
from brrkit_toolchain.codes import make_codes
from brrkit_toolchain.defaults import DEFAULT_METHOD
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.utility.curves import ESTIMATED_LOSSES
from brrkit_toolchain.utility.neighbors import (
    WordPairs,
    find_word_pairs,
    measure_quality,
    read_word_pairs,
)
from brrkit_toolchain.utility.retention import CodedVectors, Utility, utility_at

METHODS = (DEFAULT_METHOD, "autoencoder")
BITS = (64, 128, 256)
FLOAT32 = "float32"
_GRID = np.geomspace(2, 400, 24)  # further losses, for the figure, and for the cosine at a share
_WORDS = 1_000
_LEFT_OUT = "-"

Scores = dict[str, float]
"""By name: Spearman x 100 for each set of word pairs, NN@10, equal codes, seconds."""


def run(bench: Bench) -> Finding:
    """Learn codes of every kind, and measure them."""
    source = bench.embeddings
    folder = find_word_pairs(bench.file)
    pairs = read_word_pairs(folder) if folder else {}
    scores = {FLOAT32: _float32(source, pairs)}
    kept: dict[str, dict[str, Utility]] = {}
    for method in METHODS:
        for bits in BITS[: 1 if bench.brief else None]:
            kind = f"{method} {bits}"
            progress(f"codes: {kind}")
            start = time.perf_counter()
            made = make_codes(
                source.vectors,
                bits=bits,
                method=method,
                effort=bench.bundle.manifest["method"]["effort"],
            ).packed
            seconds = time.perf_counter() - start
            scores[kind] = _score(source, pairs, made) | {"seconds": seconds}
            kept |= _under_noise(source, kind, made, first=not kept)
    return Finding(
        title="codes: Spearman x 100 with human judgments, neighbors kept; what mechanisms keep",
        columns=("", *_names(scores)),
        rows=_quality_rows(scores),
        further=(_loss_table(kept),),
        notes=(
            f"codes of one seed; under noise {_WORDS:,} random words: the standard error of a "
            "share is at most 0.016",
            "cosines of output to input, of the float vectors with their mean removed",
        ),
        numbers={
            "quality": scores,
            "noise": {
                name: {
                    estimated_loss: asdict(utility) for estimated_loss, utility in points.items()
                }
                for name, points in kept.items()
            },
        },
    )


def _score(source: Embeddings, pairs: WordPairs, codes: NDArray[np.uint64]) -> Scores:
    quality = measure_quality(source.words, source.vectors, codes, pairs)
    similar = {name: 100 * score.codes for name, score in quality.similarity.items()}
    equal = float(len(codes) - len(np.unique(codes, axis=0)))
    return {**similar, "NN@10": quality.nn10, "equal codes": equal}


def _float32(source: Embeddings, pairs: WordPairs) -> Scores:
    anything = np.random.default_rng(0).integers(
        1 << 63, size=(len(source.vectors), 1), dtype=np.uint64
    )
    quality = measure_quality(source.words, source.vectors, anything, pairs)
    similar = {name: 100 * score.float32 for name, score in quality.similarity.items()}
    return {**similar, "NN@10": 1.0}


def _names(scores: Mapping[str, Scores]) -> list[str]:
    return list(dict.fromkeys(name for score in scores.values() for name in score))


def _quality_rows(scores: Mapping[str, Scores]) -> list[list[str]]:
    digits = {"NN@10": 3, "equal codes": 0, "seconds": 0}
    return [
        [
            kind,
            *(
                f"{score[name]:.{digits.get(name, 1)}f}" if name in score else _LEFT_OUT
                for name in _names(scores)
            ),
        ]
        for kind, score in scores.items()
    ]


def _under_noise(
    source: Embeddings, kind: str, codes: NDArray[np.uint64], *, first: bool
) -> dict[str, dict[str, Utility]]:
    """Return the utility at each E of the grid and of the table, by mechanism and codes."""
    words = len(source.vectors)
    ids = np.random.default_rng(0).choice(words, min(words, _WORDS), replace=False)
    distances = measure_distances(source.vectors, codes, progress=False)
    coded = CodedVectors(source.vectors, codes, distances)
    kept: dict[str, dict[str, Utility]] = {}
    for name in (LAPLACE, *MECHANISMS) if first else MECHANISMS:
        on = f"{name}, {FLOAT32 if name == LAPLACE else kind}"
        kept[on] = {
            f"{estimated_loss:g}": utility_at(
                estimated_loss,
                name,
                coded,
                ids,
                np.random.default_rng(1),
                {"radius": 0} if name == "exponential" else {},
            )
            for estimated_loss in sorted({*_GRID.tolist(), *ESTIMATED_LOSSES})
        }
    return kept


def _loss_table(kept: Mapping[str, Mapping[str, Utility]]) -> list[list[str]]:
    rows = [
        ["unchanged / cosine at E", *(f"{estimated_loss:g}" for estimated_loss in ESTIMATED_LOSSES)]
    ]
    for name, points in kept.items():
        there = (points[f"{estimated_loss:g}"] for estimated_loss in ESTIMATED_LOSSES)
        rows.append([name, *(f"{point.unchanged:.2f} / {point.cosine:.2f}" for point in there)])
    return rows
