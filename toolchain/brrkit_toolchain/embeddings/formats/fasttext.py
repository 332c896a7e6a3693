"""Rows of FastText's own binary format (``.bin``).

A word's vector is the mean of its own row and the rows of its character n-grams. This module reads
the layout itself, because gensim's loader never returns from a file that ends inside a word of the
dictionary, and needs all rows in memory. The hashes of n-grams are gensim's.
"""

from __future__ import annotations

import io
import mmap
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.embeddings.errors import EmbeddingsError

from .rows import BLOCK, MAX_DIMENSIONS, RowBatch

MAGIC = struct.pack("<i", 793712314)

_ARGUMENTS = struct.Struct("<2i12id")  # magic number, version, arguments of the training
_SIZES = struct.Struct("<3i2q")  # sizes of the dictionary
_ENTRY = struct.Struct("<qb")  # count and type, after a word
_MATRIX = struct.Struct("<?2q")  # quantized, rows, columns
_ROWS_PER_BATCH = 1000
_LONGEST_WORD = 1 << 14  # bytes
_LONGEST_NGRAM = 64  # characters; FastText's own default is 6


@dataclass(frozen=True)
class _Model:
    words: list[bytes]
    matrix: NDArray[np.float32]  # [words + buckets, dimensions]
    buckets: int
    shortest: int  # shortest n-gram, in characters
    longest: int


def fasttext_rows(stream: io.BufferedIOBase, label: str, compressed: bool) -> Iterator[RowBatch]:
    """Yield the rows of ``stream``, which is at its beginning.

    Args:
        stream: decompressed content; compressed content is copied to a temporary file, because the
            rows of a word's n-grams are scattered over the file.
        label: name of the file in messages.
        compressed: whether the file on disk is compressed.

    Raises:
        EmbeddingsError: the file is truncated or damaged, quantized, or a classifier.
    """
    from gensim.models.fasttext import ft_ngram_hashes

    if compressed:
        with tempfile.TemporaryFile() as file:
            while block := stream.read(BLOCK):
                file.write(block)
                yield RowBatch([], np.empty((0, 1), np.float32), [])  # moves the progress bar
            file.flush()
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    else:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        model = _parse(content, label)
    except (struct.error, ValueError) as error:
        raise EmbeddingsError(f"{label}: truncated or damaged; get the file again") from error

    for start in range(0, len(model.words), _ROWS_PER_BATCH):
        words = model.words[start : start + _ROWS_PER_BATCH]
        vectors = np.empty((len(words), model.matrix.shape[1]), np.float32)
        for i, raw in enumerate(words):
            # A word that isn't UTF-8 gets a wrong vector here, and is skipped for that anyway.
            word = raw.decode("utf-8", "replace")
            hashes = (
                ft_ngram_hashes(word, model.shortest, model.longest, model.buckets)
                if model.buckets and model.longest > 0
                else []
            )
            rows = [start + i, *(len(model.words) + h for h in hashes)]
            vectors[i] = model.matrix[rows].mean(axis=0)
        if not compressed:  # the progress bar shows the position in the file
            stream.seek(len(content) * (start + len(words)) // len(model.words))
        yield RowBatch(words, vectors, range(start + 1, start + 1 + len(words)))


def _parse(content: mmap.mmap, label: str) -> _Model:
    """Read everything except the output layer, and check its size.

    Raises struct.error or ValueError if the content ends early or contradicts itself.
    """
    (_, _, dimensions, *_, buckets, shortest, longest, _, _) = _ARGUMENTS.unpack_from(content)
    position = _ARGUMENTS.size
    _, word_count, label_count, _, pruned = _SIZES.unpack_from(content, position)
    position += _SIZES.size
    if label_count or pruned >= 0:
        raise EmbeddingsError(
            f"{label}: this is a FastText classifier; use a model of words (skipgram or cbow)"
        )
    if word_count < 1 or buckets < 0 or not 1 <= dimensions <= MAX_DIMENSIONS:
        raise ValueError
    # The number of a word's n-grams of any length grows with the square of its length.
    if not 0 <= longest <= _LONGEST_NGRAM or (longest and not 0 <= shortest <= longest):
        raise EmbeddingsError(
            f"{label}: n-grams of {shortest} to {longest} characters aren't within 0 to "
            f"{_LONGEST_NGRAM}; get the file again"
        )
    words = []
    for _ in range(word_count):
        end = content.find(b"\0", position)
        if not 0 <= end - position <= _LONGEST_WORD:
            raise ValueError
        words.append(content[position:end])
        position = end + 1 + _ENTRY.size
    quantized, rows, columns = _MATRIX.unpack_from(content, position)
    if quantized:
        raise EmbeddingsError(f"{label}: this FastText model is quantized; use the original")
    if (rows, columns) != (word_count + buckets, dimensions):
        raise ValueError
    position += _MATRIX.size
    if position + 4 * rows * columns > len(content):
        raise ValueError
    matrix = np.frombuffer(content, "<f4", rows * columns, position).reshape(rows, columns)
    position += matrix.nbytes
    _, output_rows, output_columns = _MATRIX.unpack_from(content, position)
    if position + _MATRIX.size + 4 * output_rows * output_columns != len(content) or (
        min(output_rows, output_columns) < 0
    ):
        raise ValueError
    return _Model(words, matrix, buckets, shortest, longest)
