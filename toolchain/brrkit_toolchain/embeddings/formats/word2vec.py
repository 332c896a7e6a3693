"""Rows of word2vec's binary format: a word, a space, little-endian float32 numbers."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np

from brrkit_toolchain.embeddings.errors import EmbeddingsError

from .rows import BLOCK, RowBatch

_LONGEST_WORD = 1 << 14  # bytes


def word2vec_rows(
    stream: io.BufferedIOBase, label: str, dimensions: int, declared: int
) -> Iterator[RowBatch]:
    """Yield the rows of ``stream``, which is at the first row.

    Args:
        stream: decompressed content.
        label: name of the file in messages.
        dimensions: number of numbers in a row.
        declared: number of rows in the header.

    Raises:
        EmbeddingsError: there are fewer or more rows than declared, or no rows follow the header.
    """
    width = 4 * dimensions
    count = 0
    rest = b""
    while count < declared:
        block = stream.read(BLOCK)
        if not block and count and not rest.strip(b"\n"):
            raise EmbeddingsError(
                f"{label}: the header declares {declared} rows but there are {count}, all whole; "
                "get the file again, or, if this is all of it, read fewer: --vocabulary-size "
                f"{count} at most"
            )
        if not block:
            raise EmbeddingsError(
                f"{label}: truncated: the header declares {declared} rows but there are {count}; "
                "get the file again"
            )
        rest += block
        words: list[bytes] = []
        vectors: list[bytes] = []
        start = 0
        while count + len(words) < declared:
            space = rest.find(b" ", start)
            end = space + 1 + width
            if space < 0 or end > len(rest):
                break
            # The original tool ends each row with a newline, gensim doesn't.
            words.append(rest[start:space].lstrip(b"\n"))
            vectors.append(rest[space + 1 : end])
            start = end
        rest = rest[start:]
        matrix = np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), dimensions)
        yield RowBatch(words, matrix.astype(np.float32), range(count + 1, count + 1 + len(words)))
        count += len(words)
        if len(rest) > _LONGEST_WORD and b" " not in rest[:_LONGEST_WORD]:
            raise EmbeddingsError(
                f"{label}: row {count + 1} has no word; this isn't a known embedding format"
            )
    if (rest + stream.read(BLOCK)).strip(b"\n"):
        raise EmbeddingsError(
            f"{label}: the header declares {declared} rows but more data follows them; "
            "correct the header"
        )
