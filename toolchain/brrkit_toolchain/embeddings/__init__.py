"""Read word embeddings: GloVe, word2vec and FastText files, plain or compressed."""

from __future__ import annotations

from pathlib import Path

from .errors import EmbeddingsError
from .reader import Embeddings, first_words, read_embeddings
from .source_file import Source

__all__ = [
    "Embeddings",
    "EmbeddingsError",
    "Source",
    "first_words",
    "read_embeddings",
    "sample_path",
]


def sample_path() -> Path:
    """Return the path of the embeddings that ship inside the package."""
    return Path(__file__).parent / "sample" / "sample.vec.xz"
