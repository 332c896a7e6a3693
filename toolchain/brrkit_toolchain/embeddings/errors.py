"""The error for embedding files that can't be used."""

from __future__ import annotations

from brrkit.errors import BrrError


class EmbeddingsError(BrrError):
    """Embeddings can't be read. The message names the file, the place in it and the remedy."""

    kind = "embeddings"
