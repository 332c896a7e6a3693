"""A new reading of the embeddings from which a bundle was built."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from brrkit import BundleError, ParameterError, WordBundle

from .reader import Embeddings, read_embeddings


def read_source(bundle: WordBundle, source: str | os.PathLike[str], progress: bool) -> Embeddings:
    """Read the embeddings like the build of ``bundle``.

    Raises:
        BundleError: the manifest doesn't name the embeddings.
        EmbeddingsError: they can't be read.
    """
    described = bundle.manifest.get("source")
    for name, kind in (("name", str), ("sha256", str), ("word_list", bool)):
        if not isinstance(described, dict) or not isinstance(described.get(name), kind):
            raise BundleError(
                f"{bundle.path}: field 'source.{name}' of the manifest is missing or wrong; "
                "rebuild the bundle"
            )
    assert isinstance(described, dict)
    # The cut words depend on the words' frequencies, which may come from other files.
    listed = described["word_list"] or bundle.writing.unspaced
    return read_embeddings(
        source,
        vocabulary_size=len(bundle),
        word_list=frozenset(bundle.vocabulary) if listed else None,
        writing=bundle.writing,
        progress=progress,
    )


def read_matching(
    bundle: WordBundle, source: str | os.PathLike[str], *, progress: bool = False
) -> Embeddings:
    """Read the embeddings again; ``bundle`` must have been built from them.

    Raises:
        BundleError: the bundle doesn't say what it was built from.
        EmbeddingsError: they can't be read.
        ParameterError: they are others.
    """
    embeddings = read_source(bundle, source, progress)
    if difference := source_difference(bundle, embeddings):
        raise ParameterError(f"{source}: doesn't fit {bundle.path}: {difference}")
    return embeddings


def given_vectors(
    bundle: WordBundle, embeddings: str | os.PathLike[str] | Embeddings | None, progress: bool
) -> NDArray[np.float32] | None:
    """Return the vectors float32[n, d] from which ``bundle`` was built, if they are given.

    Raises:
        BundleError: the bundle doesn't say what it was built from.
        EmbeddingsError: they can't be read.
        ParameterError: they are others.
    """
    if embeddings is None:
        return None
    if isinstance(embeddings, Embeddings):
        return embeddings.vectors
    return read_matching(bundle, embeddings, progress=progress).vectors


def read_vectors(
    bundle: WordBundle, source: str | os.PathLike[str], *, progress: bool = False
) -> NDArray[np.float32]:
    """Return the vectors float32[n, d] of the words of ``bundle``, by id, from any embeddings.

    Raises:
        EmbeddingsError: the embeddings can't be read, or lack a word.
    """
    words = list(bundle.vocabulary)
    embeddings = read_embeddings(
        source, required=frozenset(words), writing=bundle.writing, progress=progress
    )
    rows = {word: row for row, word in enumerate(embeddings.words)}
    return embeddings.vectors[[rows[word] for word in words]]


def source_difference(bundle: WordBundle, embeddings: Embeddings) -> str:
    """Return the difference of ``embeddings`` from those in the manifest; "" without any."""
    described = bundle.manifest["source"]
    if embeddings.source.sha256 != described["sha256"]:
        return (
            f"the bundle was made from another file ({described['name']}, SHA-256 "
            f"{described['sha256'][:12]}...)"
        )
    if list(embeddings.words) != list(bundle.vocabulary):
        return "the embeddings' words aren't the bundle's"
    return ""
