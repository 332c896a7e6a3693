"""The detection of an embedding file's format by its first bytes."""

from __future__ import annotations

import io
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass

from brrkit_toolchain.embeddings.errors import EmbeddingsError

from .fasttext import MAGIC as FASTTEXT_MAGIC
from .fasttext import fasttext_rows
from .rows import BLOCK, MAX_DIMENSIONS, RowBatch
from .text import text_rows
from .unsupported import dimensions_of, refuse_other_files, refuse_other_rows
from .word2vec import word2vec_rows

_TEXT_BYTES = bytes([*range(0x20, 0x7F), *b"\t\r\n"])
_FIRST_LINES = 4  # number of lines read
_MOST_DIGITS = 18  # digits of a header's numbers, which fit into 64 bits


@dataclass(frozen=True)
class Content:
    """The rows of a file, and the name of its format."""

    format: str
    batches: Iterator[RowBatch]


def detect_format(stream: io.BufferedIOBase, label: str, compressed: bool) -> Content:
    """Detect the format from the first bytes of ``stream``.

    Args:
        stream: decompressed content, at its beginning.
        label: name of the file in messages.
        compressed: whether the file on disk is compressed.

    Raises:
        EmbeddingsError: the file is empty, or in no known format.
    """
    head = stream.read(BLOCK)
    if not head:
        raise EmbeddingsError(f"{label}: the file is empty; get it again")
    if head.startswith(FASTTEXT_MAGIC):
        stream.seek(0)
        return Content("fasttext binary", fasttext_rows(stream, label, compressed))
    refuse_other_files(head, label)
    start = len(BOM_UTF8) if head.startswith(BOM_UTF8) else 0
    whole = len(head) < BLOCK
    line, _, body = head[start:].partition(b"\n")
    header = line.split()
    if (
        len(header) == 2
        and all(count.isdigit() and len(count) <= _MOST_DIGITS for count in header)
        and 0 not in (counts := [int(count) for count in header])
    ):
        declared, dimensions = counts
        if dimensions > MAX_DIMENSIONS:
            raise EmbeddingsError(
                f"{label}: line 1 declares {dimensions} dimensions, more than the "
                f"{MAX_DIMENSIONS} that are supported; check the file"
            )
        stream.seek(start + len(line) + 1)
        if not _is_text(body, dimensions):
            rows = word2vec_rows(stream, label, dimensions, declared)
            return Content("word2vec binary", rows)
        refuse_other_rows(_lines(body, whole), label)
        return Content("word2vec text", text_rows(stream, label, dimensions, declared))
    dimensions = dimensions_of(_lines(head[start:], whole), label)
    stream.seek(start)
    return Content("glove text", text_rows(stream, label, dimensions, None))


def _lines(head: bytes, whole: bool) -> list[bytes]:
    """Return the first nonempty lines; the last one only if it is ``whole``."""
    lines = head.split(b"\n", _FIRST_LINES)
    kept = lines if whole or len(lines) == 1 else lines[:-1]
    return [line for line in kept[:_FIRST_LINES] if line.strip()] or lines[:1]


def _is_text(body: bytes, dimensions: int) -> bool:
    """Return whether ``body``, the part after a header, is text.

    It is text if the first row has printable characters after its word. A binary number may contain
    the byte of a newline, so at least as many bytes are checked as a row of text has.
    """
    row = body.partition(b" ")[2]
    end = max(len(row.partition(b"\n")[0]), 2 * dimensions - 1)
    return not row[:end].translate(None, _TEXT_BYTES)
