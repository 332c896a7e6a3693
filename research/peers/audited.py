"""Factories of published packages for ``brr audit --factory``, with their defaults.

A package's requirements are imported where they are used, because each package has its own
environment.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import multiprocessing.process
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Release = Callable[[str], str]
Vectors = NDArray[np.float32]

_SOME = 256  # words among which the nearest are looked for


def _mldp(name: str, words: list[str], vectors: Vectors, epsilon: float) -> Release:
    package: Any = importlib.import_module("mldp_text")
    known: Any = importlib.import_module("gensim.models").KeyedVectors(vectors.shape[1])
    known.add_vectors(words, vectors)
    made = package.get_mechanism(
        name, epsilon=epsilon, embedding_matrix=known, dim=vectors.shape[1], use_faiss=False
    )
    return lambda word: str(made.replace_word(word))


def mldp_multivariate_calibrated(words: list[str], vectors: Vectors, epsilon: float) -> Release:
    """Return ``mldp-text``'s Laplace noise on vectors."""
    return _mldp("multivariate_calibrated", words, vectors, epsilon)


def mldp_tem(words: list[str], vectors: Vectors, epsilon: float) -> Release:
    """Return ``mldp-text``'s truncated exponential mechanism."""
    return _mldp("tem", words, vectors, epsilon)


def mldp_vickrey(words: list[str], vectors: Vectors, epsilon: float) -> Release:
    """Return ``mldp-text``'s Vickrey mechanism."""
    return _mldp("vickrey", words, vectors, epsilon)


def mldp_truncated_gumbel(words: list[str], vectors: Vectors, epsilon: float) -> Release:
    """Return ``mldp-text``'s truncated Gumbel mechanism."""
    return _mldp("truncated_gumbel", words, vectors, epsilon)


def _pypantera(path: str, words: list[str], vectors: Vectors, **parameters: float) -> Any:
    module, _, name = path.rpartition(".")
    mechanism = getattr(importlib.import_module(f"src.{module}"), name)  # as it is installed
    with _file(words, vectors) as file:
        return mechanism({"embPath": str(file), **parameters})


def pypantera_cmp(words: list[str], vectors: Vectors, epsilon: float) -> Release:
    """Return ``pypantera``'s Laplace noise on vectors; its texts' way without tables."""
    path = "EmbeddingPerturbationMechanism.cmp.CMP"
    made = _pypantera(path, words, vectors, epsilon=epsilon)
    return lambda word: str(made.processText(made.noisyEmb(word.lower().split())))


def pypantera_tem(words: list[str], vectors: Vectors, epsilon: float) -> Release:
    """Return ``pypantera``'s truncated exponential mechanism, likewise."""
    path = "SamplingPerturbationMechanism.tem.TEM"
    made = _pypantera(path, words, vectors, epsilon=epsilon, beta=0.001)
    return lambda word: str(made.processText(word.lower().split()))


def diffractor(words: list[str], vectors: Vectors, epsilon: float) -> Release:
    """Return ``dp-diffractor`` with geometric noise, its default.

    Its distances are between places in a sorted list: epsilon is such that its claim implies the
    audit's. Its stop words and its cutting into tokens are NLTK's, which downloads them apart: here
    four stop words, and each word a token.
    """
    nltk: Any = importlib.import_module("nltk")
    nltk.corpus.stopwords = _StopWords
    nltk.word_tokenize = str.split
    core: Any = importlib.import_module("diffractor.core")
    apart = np.linalg.norm(vectors[:_SOME, None] - vectors[:_SOME], axis=2)
    step = epsilon * float(apart[apart > 0].min()) / len(words)
    with _file(words, vectors, header=True) as file, contextlib.redirect_stdout(io.StringIO()):
        core.ensure_embeddings = lambda _names: [str(file)]
        made = core.Diffractor(core.DiffractorConfig(epsilon=step, verbose=False))
    multiprocessing.process._process_counter = itertools.count(1)  # type: ignore[attr-defined]
    made.start()  # without the line before, only the first of a process ever answers

    def release(word: str) -> str:
        return str(made.rewrite(word)[0])

    weakref.finalize(release, made._pool.terminate)
    return release


class _StopWords:
    @staticmethod
    def words(_language: str) -> list[str]:
        return ["the", "of", "and", "to"]


@contextlib.contextmanager
def _file(words: list[str], vectors: Vectors, *, header: bool = False) -> Iterator[Path]:
    """Write vectors as text, for as long as it is read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        lines = [f"{len(words)} {vectors.shape[1]}"] if header else []
        lines += [
            " ".join([word, *(f"{value:.9g}" for value in vector)])
            for word, vector in zip(words, vectors.tolist(), strict=True)
        ]
        path.write_text("\n".join(lines) + os.linesep, encoding="utf-8")
        yield path
