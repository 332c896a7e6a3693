"""Run as a process: print the bytes of memory for 200 words, including loading.

python -m benchmarks.probe runtime BUNDLE EPSILON MECHANISM...
python -m benchmarks.probe faiss INDEX VOCABULARY
python -m benchmarks.probe gensim VECTORS
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray

from brrkit.setting import Setting

WORDS = 200


def runtime(path: str, epsilon: str, *mechanisms: str) -> int:
    """Privatize words with each mechanism, above NumPy and LiteRT."""
    from ai_edge_litert import interpreter  # noqa: F401

    before = _resident()  # the runtime's own modules count
    from brrkit import Privatizer, WordBundle

    bundle = WordBundle.open(path)
    ids = np.linspace(0, len(bundle) - 1, WORDS, dtype=int).tolist()
    words = [bundle.vocabulary.word(i) for i in ids]
    privatizers = [Privatizer(bundle, Setting(float(epsilon), name)) for name in mechanisms]
    for privatizer in privatizers:
        privatizer.words(words)
    return _resident() - before


def faiss(index_path: str, vocabulary_path: str) -> int:
    """Search for random vectors, above NumPy and faiss."""
    from benchmarks.peers import flat_search, read_flat

    before = _resident()
    index, words = read_flat(Path(index_path), Path(vocabulary_path))
    search = flat_search(index)
    for query in _queries(index.d):
        words[search(query[None])[0]]
    return _resident() - before


def gensim(path: str) -> int:
    """Search for random vectors, above NumPy and gensim."""
    from gensim.models import KeyedVectors

    before = _resident()
    vectors = KeyedVectors.load(path, mmap="r")
    for query in _queries(vectors.vector_size):
        vectors.similar_by_vector(query, 1)
    return _resident() - before


def _queries(dimensions: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal((WORDS, dimensions), np.float32)


def _resident() -> int:
    return int(psutil.Process().memory_info().rss)


PROBES: dict[str, Callable[..., int]] = {"runtime": runtime, "faiss": faiss, "gensim": gensim}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("probe", choices=PROBES)
    parser.add_argument("arguments", nargs="+")
    given = parser.parse_args()
    print(PROBES[given.probe](*given.arguments))
