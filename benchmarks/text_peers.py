"""Releases of a text by installable packages, each in its own environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import child, peer_release
from benchmarks.bench import Bench, progress

MLDP = "mldp-text==0.1.2"
DIFFRACTOR = "dp-diffractor==0.2.1"


@dataclass(frozen=True)
class Asked:
    """=The releases of a package.

    Attributes:
        outputs: ids of the outputs for each word, by mechanism and epsilon.
        seconds: seconds of processor time per word.
        places: intp[n], each word's place in ``dp-diffractor``'s list; empty for others.
    """

    outputs: Mapping[tuple[str, float], NDArray[np.int64]]
    seconds: float
    places: NDArray[np.intp]


def ask(
    bench: Bench,
    wanted: str,
    settings: Sequence[tuple[str, float]],
    words: NDArray[np.intp],
) -> Asked:
    """=Let a package release words.

    Args:
        bench: subject of the benchmark.
        wanted: the package and its version.
        settings: mechanisms and epsilons.
        words: ids of the words.

    Raises:
        ChildProcessError: the package can't be installed, or failed.
    """
    progress(f"attackers: installing {wanted}")
    python = child.install(wanted, bench.folder)
    if python is None:
        raise ChildProcessError("couldn't be installed")
    vocabulary = bench.embeddings.words
    job = {
        "package": wanted.partition("==")[0],
        "file": str(vectors_as_text(bench, header=True)),
        "settings": list(settings),
        "words": [vocabulary[i] for i in words],
    }
    progress(f"attackers: {wanted}, {len(settings)} settings of {len(words):,} words")
    answer = child.ask(python, peer_release.__file__, job, bench.folder)
    ids = {word: i for i, word in enumerate(vocabulary)}
    outputs = [np.array([ids[word] for word in each], np.int64) for each in answer["released"]]
    places = np.argsort([ids[word] for word in answer["list"]])
    return Asked(dict(zip(settings, outputs, strict=True)), answer["seconds"], places)


def described(wanted: str, mechanism: str) -> str:
    """Return its name in a table."""
    return f"{wanted.replace('==', ' ')}, {mechanism}"


def vectors_as_text(bench: Bench, *, header: bool) -> Path:
    """Write the vectors once, as text in word2vec's form, or in GloVe's without a header."""
    path = bench.folder / ("word2vec.txt" if header else "glove.txt")
    if not path.exists():
        words, vectors = bench.embeddings.words, bench.embeddings.vectors
        with path.open("w", encoding="utf-8") as file:
            if header:
                file.write(f"{len(words)} {vectors.shape[1]}\n")
            for word, vector in zip(words, vectors.tolist(), strict=True):
                file.write(f"{word} {' '.join(f'{value:.6g}' for value in vector)}\n")
    return path
