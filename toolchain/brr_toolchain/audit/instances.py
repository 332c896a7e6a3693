"""What the audit runs on: a dozen words, cut from a bundle, where epsilon * d is about 1.

Each metric has two instances with the same words.

* The words' own codes or vectors, with pairs that are as near as the bundle has them. Codes of
  real words are tens of bits apart, though, and noise in hundreds of dimensions hardly ever points
  from one word to another: no event that a sample can show comes near the bound e^(epsilon d).
* Codes that differ in a few bits, or vectors in a plane. There simple events have the loss
  epsilon * d exactly, or nearly, so that a slightly larger loss is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brr_runtime import Bundle, ParameterError
from brr_runtime.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brr_toolchain.bundle import (
    encode_index,
    encode_json,
    encode_manifest,
    write_bundle,
)
from brr_toolchain.parity import UNKNOWN_WORD, golden_cases

WORDS = 12
"""Words of every instance."""

_FREQUENT = 4  # of them are the most frequent: what lists of stop words hold
_NEAR = 4  # of them are in the nearest pairs
_SEARCHED = 1_024  # words among which the nearest pairs are looked for

# A cube of three bits, and four neighbours of its origin. In the cube, "bit i is as in x" is an
# event with exactly the loss epsilon between words that differ there. The others make the origin's
# surroundings denser than theirs: it shows when a normalizer is forgotten. Ties go to the lower
# rank, so they don't take from the cube's other corners.
_PATTERNS = (*range(8), 8, 16, 32, 64)
_PATTERN_BITS = 7

_PLANE = [(column, row) for column in range(1, 5) for row in range(1, 4)]


@dataclass(frozen=True)
class Instance:
    """Words with distances, and the epsilon at which they are audited.

    Attributes:
        name: which of the two.
        words: in rank order.
        distances: float64[n, n], in the metric of the claim.
        epsilon: per unit of distance; the nearest pairs have epsilon * d = 1.
        bundle: the directory of the small bundle, where the metric is Hamming.
        vectors: float32[n, d], where it is Euclidean.
    """

    name: str
    words: tuple[str, ...]
    distances: NDArray[np.float64]
    epsilon: float
    bundle: Path | None = None
    vectors: NDArray[np.float32] | None = None


def code_instances(bundle: Bundle, folder: Path) -> list[Instance]:
    """Cut two small bundles from ``bundle``, with its randomizer, and write them into ``folder``.

    Raises:
        ParameterError: the bundle has too few words.
    """
    ids = _choose_words(hamming_distances(bundle.codes[:_SEARCHED]), len(bundle))
    words = tuple(map(bundle.vocabulary.word, ids))
    own = bundle.codes[ids]
    near = np.repeat(own[:1], WORDS, axis=0)
    # Far apart in the code: every part of it is audited.
    for bit, place in enumerate(np.linspace(0, bundle.bits - 1, _PATTERN_BITS).astype(int)):
        changed = np.array([pattern >> bit & 1 for pattern in _PATTERNS], np.uint64)
        near[:, place // 64] ^= changed << np.uint64(place % 64)
    instances = []
    for name, codes in (("own codes", own), ("near codes", near)):
        output = folder / name.replace(" ", "-")
        files = {
            INDEX: encode_index(words, codes),
            RANDOMIZER: bundle.graph,
            PARITY: encode_json(golden_cases(words, codes, seed=0)),
        }
        fields = {"bits": bundle.bits, "vocabulary_size": WORDS}
        write_bundle(output, {MANIFEST: encode_manifest(fields, files), **files})
        distances = hamming_distances(codes)
        instances.append(Instance(name, words, distances, _epsilon(distances), bundle=output))
    return instances


def vector_instances(words: Sequence[str], vectors: NDArray[np.float32]) -> list[Instance]:
    """Cut a dozen words from embeddings, once with their vectors, once placed in a plane.

    Args:
        words: most frequent first.
        vectors: float32[n, d] of the words.

    Raises:
        ParameterError: there are too few words.
    """
    ids = _choose_words(euclidean_distances(vectors[:_SEARCHED]), len(words))
    chosen = tuple(words[i] for i in ids)
    instances = []
    for name, places in (("own vectors", vectors[ids]), ("plane", np.array(_PLANE, np.float32))):
        distances = euclidean_distances(places)
        instances.append(Instance(name, chosen, distances, _epsilon(distances), vectors=places))
    return instances


def unknown_words(bundle: Bundle, known: Sequence[str]) -> tuple[str, ...]:
    """Return three words outside ``known``: letters, a number, and one that ``bundle`` may have."""
    others = (bundle.vocabulary.word(i) for i in range(len(bundle)))
    real = next((word for word in others if word not in known), "unheard")
    return (UNKNOWN_WORD, "4815162342", real)


def hamming_distances(codes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the distances float64[n, n] of ``codes`` uint64[n, bits / 64]."""
    bits = np.unpackbits(np.ascontiguousarray(codes).view(np.uint8), axis=1).astype(np.float32)
    ones = bits.sum(axis=1, dtype=np.float64)
    distances: NDArray[np.float64] = ones[:, None] + ones - 2 * (bits @ bits.T).astype(np.float64)
    return distances


def euclidean_distances(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the distances float64[n, n] of ``vectors`` float32[n, d]."""
    rows = vectors.astype(np.float64)
    return np.array([np.linalg.norm(rows - row, axis=1) for row in rows])


def _choose_words(distances: NDArray[np.float64], size: int) -> list[int]:
    """Return ids in rank order: the most frequent, the nearest pairs, and some from all ranks.

    Args:
        distances: [m, m] between the m most frequent words.
        size: of the whole vocabulary.
    """
    if size < WORDS:
        raise ParameterError(
            f"an audit takes {WORDS} words, the bundle has {size}; use a larger one"
        )
    pairs = np.column_stack(np.triu_indices(len(distances), k=1))
    apart = distances[pairs[:, 0], pairs[:, 1]]
    order = np.argsort(np.where(apart > 0, apart, np.inf), kind="stable")
    chosen = dict.fromkeys(range(_FREQUENT))
    for pair in pairs[order].tolist():
        if len(chosen) > _FREQUENT + _NEAR - 2:
            break
        chosen |= dict.fromkeys(pair)
    # Every rank is offered at the end, so that a small bundle gives enough words, too.
    ranks = np.geomspace(_FREQUENT + 1, size, WORDS - len(chosen)).astype(int) - 1
    for rank in [*ranks.tolist(), *range(size)]:
        if len(chosen) < WORDS:
            chosen[rank] = None
    return sorted(chosen)


def _epsilon(distances: NDArray[np.float64]) -> float:
    apart = distances[distances > 0]
    if not apart.size:
        raise ParameterError("the words can't be told apart: all have the same place; rebuild")
    return float(1 / apart.min())
