"""Rows of text: words with their numbers, separated by single spaces (GloVe, word2vec, FastText).

Only space, tab and newline separate columns. Words may contain U+0085 or U+00A0, which are
whitespace for Python.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.embeddings.errors import EmbeddingsError

from .rows import BLOCK, RowBatch

_BYTES_TO_COMPILE_FOR = BLOCK // 2


def text_rows(
    stream: io.BufferedIOBase, label: str, dimensions: int, declared: int | None
) -> Iterator[RowBatch]:
    """Yield the rows of ``stream``, which is at the first row.

    Args:
        stream: decompressed content.
        label: name of the file in messages.
        dimensions: number of numbers in a row.
        declared: number of rows in the header (line 1); None without a header.

    Raises:
        EmbeddingsError: a row has the wrong number of columns, or a column isn't a number; or there
            are fewer or more rows than declared.
    """
    count = 0
    whole = True
    for number, lines in _numbered_blocks(stream, label, 1 if declared is None else 2):
        whole = not lines or not _clean(lines[-1])  # for the last lines: ends with a newline
        batch, problem = _parse(number, lines, dimensions)
        yield batch
        if problem:
            raise EmbeddingsError(f"{label}: {problem}; repair or remove the line")
        count += len(batch.words)
        if declared is not None and count > declared:
            raise EmbeddingsError(
                f"{label}: line 1 declares {declared} rows but there are more; correct the header"
            )
    if declared is not None and count < declared and whole and count:
        raise EmbeddingsError(
            f"{label}: line 1 declares {declared} rows but there are {count}, all whole; get the "
            f"file again, or, if this is all of it, sed '1s/.*/{count} {dimensions}/' FILE > NEW "
            f"(or read fewer: --vocabulary-size {count} at most)"
        )
    if declared is not None and count < declared:
        raise EmbeddingsError(
            f"{label}: truncated: line 1 declares {declared} rows but there are {count}; "
            "get the file again"
        )


def split_columns(line: bytes) -> list[bytes]:
    """Return the columns of a line, of which the first is the word."""
    return _clean(line).split(b" ")


def is_number(column: bytes) -> bool:
    """Return whether ``column`` is one decimal number, nan or inf."""
    try:
        return bool(column) and b"\r" not in column and _numbers([column], 1).size == 1
    except ValueError:
        return False


def _numbered_blocks(
    stream: io.BufferedIOBase, label: str, number: int
) -> Iterator[tuple[int, list[bytes]]]:
    rest = b""
    while block := stream.read(BLOCK):
        *lines, rest = (rest + block).split(b"\n")
        yield number, lines
        number += len(lines)
        if len(rest) > BLOCK:
            raise EmbeddingsError(
                f"{label}: line {number} is longer than {BLOCK} bytes; "
                "this isn't a known embedding format"
            )
    yield number, [rest]


def _parse(first: int, lines: Sequence[bytes], dimensions: int) -> tuple[RowBatch, str]:
    """Return the rows of ``lines`` before the first invalid one, and the error in that."""
    words: list[bytes] = []
    columns: list[bytes] = []
    numbers: list[int] = []
    problem = ""
    for number, raw in enumerate(lines, first):
        line = _clean(raw)
        if not line:
            continue
        word, surplus = _word_of(line, dimensions)
        if surplus:
            there = surplus + dimensions
            problem = f"line {number} has {there} numbers where {dimensions} are expected"
            break
        words.append(word)
        columns.append(line[len(word) + 1 :])
        numbers.append(number)
    try:
        vectors = _numbers(columns, dimensions)
    except ValueError:
        bad, column = _first_that_is_no_number(columns)
        problem = (
            f"line {numbers[bad]}, column {words[bad].count(b' ') + 2 + column} isn't a number"
        )
        words, numbers = words[:bad], numbers[:bad]
        vectors = _numbers(columns[:bad], dimensions)
    return RowBatch(words, vectors, numbers), problem


def _word_of(line: bytes, dimensions: int) -> tuple[bytes, int]:
    """Return the word of a clean line, and its surplus of numbers, which may be negative."""
    surplus = line.count(b" ") - dimensions
    if surplus == 0:
        return line.partition(b" ")[0], 0
    # Words with spaces, such as "1 2" or "New York", have a surplus, too; "and 2" counts as a row
    # with too many numbers.
    word = line.rsplit(b" ", dimensions)[0]
    if surplus < 0:
        return word, surplus
    first, second, *_ = word.split(b" ")
    return word, surplus if is_number(second) and not is_number(first) else 0


def _first_that_is_no_number(rows: Sequence[bytes]) -> tuple[int, int]:
    """Return the row and the column of the first value that isn't a number, which must exist."""
    return next(
        (row, column)
        for row, text in enumerate(rows)
        for column, value in enumerate(text.split(b" "))
        if not is_number(value)
    )


def _clean(line: bytes) -> bytes:
    return line.rstrip(b" \t\r").replace(b"\t", b" ")


def _numbers(rows: list[bytes], dimensions: int) -> NDArray[np.float32]:
    numbers = np.empty((len(rows), dimensions), np.float32)
    if not rows:
        return numbers
    if sum(map(len, rows)) >= _BYTES_TO_COMPILE_FOR:
        from .decimals import read_decimals  # loading its compiler takes half a second

        if read_decimals(np.frombuffer(b"\n".join(rows) + b"\n", np.uint8), numbers):
            return numbers
    # loadtxt parses in C, and ignores the locale; Latin-1 decodes any byte.
    return np.loadtxt(
        [row.decode("latin-1") for row in rows],
        dtype=np.float32,
        delimiter=" ",
        comments=None,
        ndmin=2,
    )
