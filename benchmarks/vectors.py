"""The gain of a classifier of released reviews from posterior vectors.

IMDB's reviews are released word by word. A classifier of their mean vectors is trained on some
reviews of the training half, and tested on some of the test half. The frequencies of typed words
come from the training half.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bases import masses_bundle
from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.reviews import Reviews, accuracy, split_reviews
from brrkit import WordBundle
from brrkit.masses import LEVELS
from brrkit.mechanisms import create_mechanism
from brrkit.setting import Setting
from brrkit_toolchain import posterior_vectors
from brrkit_toolchain.channel.drawing.on_codes import releaser

_TEXTS = 6_000  # of each half
_KEPT = 0.2  # probability that k-ary randomized response keeps a word


@dataclass(frozen=True)
class _Strength:
    """A setting of ``exponential``; epsilon is for 64 bits."""

    label: str
    epsilon: float
    parameters: Mapping[str, Any]


_STRENGTHS = (
    _Strength("`uniform`, radius 8, ε .785", 0.785, {"radius": 8, "base": "uniform"}),
    _Strength("`uniform`, radius 8, ε .6", 0.6, {"radius": 8, "base": "uniform"}),
    _Strength(
        "`unigram`, radius 16, ε 1.07, cap 17", 1.07, {"radius": 16, "base": "unigram", "cap": 17.0}
    ),
)


def run(bench: Bench) -> Finding:
    """Classify typed and released reviews, with both kinds of vectors."""
    title = "vectors: accuracy of sentiment with posterior vectors of released words"
    found = split_reviews(bench.bundle, 0, 200 if bench.quick else _TEXTS, starts=None)
    if found is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    reviews, public = found
    bundle = masses_bundle(bench.bundle, "reviews", public)
    assert bundle is not None
    own = bench.embeddings.vectors
    ids = np.concatenate([reviews.training.ids, reviews.testing.ids])
    typed = accuracy(reviews, ids.astype(np.int64), own)
    rows = [("typed", f"{typed:.3f}", "", "")]
    numbers: dict[str, Any] = {"typed": typed, "words": len(ids)}

    def compare(
        label: str, released: NDArray[np.int64], means: NDArray[np.float32], seconds: float
    ) -> None:
        plain, posterior = (accuracy(reviews, released, vectors) for vectors in (own, means))
        numbers[label] = {"own": plain, "posterior": posterior, "seconds": seconds}
        cpu = f"{seconds:.0f}" if seconds else "-"
        rows.append((label, f"{plain:.3f}", f"{posterior:.3f}", cpu))

    for strength in _STRENGTHS:
        progress(f"vectors: {strength.label}")
        epsilon = strength.epsilon * 64 / bundle.bits
        mechanism = create_mechanism(bundle, Setting(epsilon, parameters=strength.parameters))
        released = releaser(bundle, mechanism, np.random.default_rng(0).bytes)(ids)
        start = process_time()
        means = posterior_vectors(
            bundle, bench.file, setting=Setting(epsilon, parameters=strength.parameters)
        )
        compare(strength.label, released, means, process_time() - start)
    label = f"k-ary randomized response, keeps {_KEPT:g}"
    compare(label, _randomized(ids, len(bundle)), kary_means(bundle, own), 0)
    return Finding(
        title,
        ("", "own vectors", "posterior vectors", "processor time, s"),
        rows,
        notes=(_note(reviews, len(ids)),),
        numbers=numbers,
    )


def _randomized(ids: NDArray[np.intp], size: int) -> NDArray[np.int64]:
    """Return each id, or with a probability of 1 - ``_KEPT``, a random one of all words."""
    generator = np.random.default_rng(0)
    kept = generator.random(len(ids)) < _KEPT
    return np.where(kept, ids, generator.integers(size, size=len(ids)))


def kary_means(bundle: WordBundle, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the posterior means for releases by ``_randomized``, in closed form."""
    shares = (LEVELS[bundle.masses.words] / bundle.masses.total)[:, None]
    itself, any_word = _KEPT * shares, (1 - _KEPT) / len(bundle)
    means: NDArray[np.float32] = (
        (itself * vectors + any_word * (shares * vectors).sum(axis=0)) / (itself + any_word)
    ).astype(np.float32)
    return means


def _note(reviews: Reviews, words: int) -> str:
    return (
        f"{words:,} words of {len(reviews.training.labels):,} reviews to train on and "
        f"{len(reviews.testing.labels):,} to test; both are released"
    )
