"""Checks of a bundle against the embeddings that it was made from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from brr_runtime import Bundle, Privatizer
from brr_runtime.exact import EPSILON_MAX, EPSILON_MIN
from brr_toolchain.codes import make_codes
from brr_toolchain.embeddings import Embeddings, read_embeddings
from brr_toolchain.fullsize import Laplace
from brr_toolchain.quality import neighbor_overlap
from brr_toolchain.verify.report import CheckError

PRIVACY_LOSSES = (20.0, 44.0, 80.0)
"""E = epsilon * P_avg at which both mechanisms are run (BRR, section 5)."""

_EQUAL_BITS = 0.95  # another machine rounds otherwise, and training amplifies that
_NEIGHBOR_TOLERANCE = 0.02
_LEAST_RETENTION = 0.2  # of random pairs; 64 random hyperplanes keep 0.4
_COSINE_TOLERANCE = 0.05
_PAIRS = 100_000
_WORDS = 1_000


def read_source(bundle: Bundle, source: str | Path, progress: bool) -> Embeddings:
    """Read the embeddings again, as the build of ``bundle`` did."""
    described = bundle.manifest["source"]
    if not described["word_list"]:
        return read_embeddings(source, vocabulary_size=len(bundle), progress=progress)
    embeddings = read_embeddings(source, progress=progress)
    known = [bundle.vocabulary.find(word) is not None for word in embeddings.words]
    words = tuple(word for word, keep in zip(embeddings.words, known, strict=True) if keep)
    return Embeddings(
        words, embeddings.vectors[known], embeddings.source, embeddings.format, embeddings.skipped
    )


def same_source(bundle: Bundle, embeddings: Embeddings) -> str:
    """The file is the one that the manifest names, and gives the bundle's words."""
    if embeddings.source.sha256 != bundle.manifest["source"]["sha256"]:
        raise CheckError(
            f"the bundle was made from another file ({bundle.manifest['source']['name']}, "
            f"SHA-256 {bundle.manifest['source']['sha256'][:12]}...)"
        )
    if list(embeddings.words) != [bundle.vocabulary.word(i) for i in range(len(bundle))]:
        raise CheckError("the embeddings' words aren't the bundle's")
    return f"{embeddings.source.name}, {len(embeddings.words)} words"


def rebuilt_codes(bundle: Bundle, embeddings: Embeddings, progress: bool) -> str:
    """The same method, settings and seed give the same codes."""
    method = bundle.manifest["method"]
    codes = make_codes(
        embeddings.vectors,
        bits=bundle.bits,
        method=method["name"],
        seed=method["seed"],
        progress=progress,
    ).packed
    different = np.unpackbits((codes ^ bundle.codes).view(np.uint8)).mean()
    if 1 - different < _EQUAL_BITS:
        raise CheckError(f"only {1 - different:.1%} of the bits are the same after rebuilding")
    if different:
        return f"{1 - different:.3%} of the bits are the same (built on another machine?)"
    return "identical"


def similarity(bundle: Bundle, embeddings: Embeddings) -> str:
    """Hamming distances keep the source's similarities, as well as the manifest says."""
    stated = bundle.manifest["quality"]["nn10"]
    nn10 = neighbor_overlap(embeddings.vectors, bundle.codes, seed=1)
    generator = np.random.default_rng(0)
    left, right = generator.integers(0, len(bundle), (2, _PAIRS))
    differing = np.unpackbits((bundle.codes[left] ^ bundle.codes[right]).view(np.uint8), axis=1)
    unit = _unit(embeddings.vectors)
    cosines = np.einsum("ij,ij->i", unit[left], unit[right])
    distances = differing.sum(axis=1, dtype=np.int64)
    retention = float(stats.spearmanr(cosines, -distances).statistic)
    if retention < _LEAST_RETENTION:
        raise CheckError(f"Spearman {retention:.3f} with the cosines of random pairs")
    if nn10 < stated - _NEIGHBOR_TOLERANCE:
        raise CheckError(f"NN@10 is {nn10:.3f}, the manifest says {stated:.3f}")
    return f"NN@10 {nn10:.3f}; Spearman {retention:.3f} with the cosines of {_PAIRS} random pairs"


def full_size(bundle: Bundle, embeddings: Embeddings) -> str:
    """At equal estimated privacy loss, words keep as much as under the full-size mechanism."""
    generator = np.random.default_rng(0)
    ids = generator.choice(len(bundle), min(_WORDS, len(bundle)), replace=False)
    words = [bundle.vocabulary.word(i) for i in ids]
    unit = _unit(embeddings.vectors - embeddings.vectors.mean(axis=0))
    distances = bundle.manifest["distances"]
    lines = []
    for loss in PRIVACY_LOSSES:
        epsilon = loss / distances["hamming"]["average"]
        if not EPSILON_MIN <= epsilon <= EPSILON_MAX:
            continue
        released = [bundle.vocabulary.find(w) for w in Privatizer(bundle, epsilon).words(words)]
        ours = _kept(unit, ids, np.array(released))
        full = Laplace(embeddings.vectors, loss / distances["euclidean"]["average"], generator)
        theirs = _kept(unit, ids, full(ids))
        lines.append(
            f"E={loss:g}: unchanged {ours[0]:.3f} (full size {theirs[0]:.3f}), "
            f"cosine {ours[1]:.3f} ({theirs[1]:.3f})"
        )
        if ours[1] < theirs[1] - _COSINE_TOLERANCE:
            raise CheckError("less is kept than by the full-size mechanism; " + lines[-1])
    return "; ".join(lines)


def _kept(
    unit: NDArray[np.float32], ids: NDArray[np.intp], released: NDArray[np.intp]
) -> tuple[float, float]:
    """Return the share of unchanged words and the mean cosine of output to input."""
    cosines = np.einsum("ij,ij->i", unit[ids], unit[released])
    return float((ids == released).mean()), float(cosines.mean())


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = vectors / np.maximum(norms, np.finfo(np.float32).tiny)
    return unit
