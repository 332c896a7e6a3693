"""Unsupported files, recognized by their beginnings, with remedies."""

from __future__ import annotations

import codecs
import re
import struct
from collections.abc import Sequence

from brrkit_toolchain.embeddings.errors import EmbeddingsError

from .rows import MAX_DIMENSIONS
from .text import is_number, split_columns

_OLD_FASTTEXT = struct.Struct("<12id3iq")  # arguments, and sizes of the dictionary

_SAVED_BY_GENSIM = (
    "a Python pickle, which isn't opened as it may run code; in Python, "
    "gensim.models.KeyedVectors.load('FILE').save_word2vec_format('NEW')"
)

_UTF_16 = "UTF-16; iconv -f UTF-16 -t UTF-8 FILE > NEW"
_WRITE_ROWS = "write 'word 0.1 0.2 ...', one row per line"

_BY_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"version https://git-lfs", "a Git LFS pointer, not the file; git lfs pull"),
    (0, codecs.BOM_UTF16_LE, _UTF_16),
    (0, codecs.BOM_UTF16_BE, _UTF_16),
    (0, b"BZh", "compressed with bzip2; bunzip2 --keep FILE"),
    (0, b"\x28\xb5\x2f\xfd", "compressed with Zstandard; unzstd FILE"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive; 7z x FILE"),
    (0, b"Rar!", "a RAR archive; unrar x FILE"),
    (257, b"ustar", "a tar archive; tar -xf FILE"),
    (0, b"\x93NUMPY", f"a NumPy matrix, without words; {_WRITE_ROWS}"),
    *((0, bytes([0x80, protocol]), _SAVED_BY_GENSIM) for protocol in range(2, 6)),
    (0, b"\x89HDF", f"HDF5; {_WRITE_ROWS}"),
    (0, b"PAR1", f"Parquet; {_WRITE_ROWS}"),
    (0, b"SQLite format 3", "an SQLite database (Magnitude); get the file that it was made from"),
)
"""A place, the bytes there, and the kind of file with these bytes, with the remedy."""

_BY_TEXT: tuple[tuple[str, str], ...] = (
    (r"\s*<(!doctype|html|\?xml)", "a web page; get the file itself"),
    (r'\s*[\[{]\s*([\[{]\s*)?("|-?[\d.e+-]+\s*,|\n)', f"JSON; {_WRITE_ROWS}"),
    (r"[^\n\0]*\r(?!\n)[^\n\0]*$", "lines that end with CR alone; tr '\\r' '\\n' < FILE > NEW"),
    (r"([\x01-\x7f]\0){2}|(\0[\x01-\x7f]){2}", _UTF_16),
)
"""Beginnings of texts."""

_SEPARATORS: tuple[tuple[bytes, str, str], ...] = (
    (b",", "commas", "tr ',' ' ' < FILE > NEW"),
    (b";", "semicolons", "tr ';' ' ' < FILE > NEW"),
    (b"|", "vertical bars", "tr '|' ' ' < FILE > NEW"),
)
"""Other separators of columns, and commands that replace them by spaces."""

_LINES_LOOKED_AT = 3
"""Number of lines that identify the rows."""


def refuse_other_files(head: bytes, label: str) -> None:
    """Raise an error if ``head``, the beginning of a file, belongs to an unsupported kind of file.

    Raises:
        EmbeddingsError: the message names the kind, and the remedy.
    """
    for place, magic, what in _BY_MAGIC:
        if head.startswith(magic, place):
            raise EmbeddingsError(f"{label}: is {what}")
    text = head[:4096].decode("latin-1")
    for pattern, what in _BY_TEXT:
        if re.match(pattern, text, re.IGNORECASE):
            raise EmbeddingsError(f"{label}: is {what}")
    if _is_old_fasttext(head):
        raise EmbeddingsError(
            f"{label}: is a FastText model from before 2017, which has no magic number; use its "
            ".vec file, or train it again"
        )


def dimensions_of(lines: Sequence[bytes], label: str) -> int:
    """Return the number of numbers in the rows of a text without a header.

    Args:
        lines: its first lines, at least one.
        label: name of the file in messages.

    Raises:
        EmbeddingsError: the lines aren't rows; the message names their kind, and the remedy.
    """
    refuse_other_rows(lines, label)
    numbers = [_numbers_at_the_end(line) for line in lines[:_LINES_LOOKED_AT]]
    # If the second line is like the third, the first one is the exception.
    usual = (
        numbers[0] if len(numbers) < _LINES_LOOKED_AT or numbers[1] != numbers[2] else numbers[1]
    )
    columns = split_columns(lines[0])
    more = max(numbers) if usual == 0 else usual
    if numbers[0] < more or (numbers[0] > usual and all(map(bytes.isdigit, columns))):
        raise EmbeddingsError(
            f"{label}: line 1 isn't a row like the others, but a title, a comment, or a header "
            "that isn't two numbers; tail -n +2 FILE > NEW"
        )
    if usual == 0:
        raise EmbeddingsError(
            f"{label}: not a known embedding format: line 1 is neither a word and its numbers "
            "nor a header; use GloVe, word2vec or FastText files"
        )
    return usual


def refuse_other_rows(lines: Sequence[bytes], label: str) -> None:
    """Raise an error if ``lines`` have other columns than a word and its numbers.

    Raises:
        EmbeddingsError: the message names the separator or the part before the words, and the
            remedy.
    """
    lines = lines[:_LINES_LOOKED_AT]
    columns = [split_columns(line) for line in lines]
    if all(b"" in row for row in columns):
        raise EmbeddingsError(
            f"{label}: columns are separated by more than one space; "
            "sed 's/^ *//; s/  */ /g' FILE > NEW"
        )
    if all(
        len(row) > _LINES_LOOKED_AT
        and row[0].isdigit()
        and not is_number(row[1])
        and is_number(row[2])
        for row in columns
    ):
        raise EmbeddingsError(
            f"{label}: there is a column of numbers before the words; cut -d' ' -f2- FILE > NEW"
        )
    if any(map(_numbers_at_the_end, lines)):
        return
    for separator, name, remedy in _SEPARATORS:
        if any(
            len(row := line.split(separator)) > 1 and is_number(row[-1].strip()) for line in lines
        ):
            raise EmbeddingsError(f"{label}: columns are separated by {name}; {remedy}")


def _numbers_at_the_end(line: bytes) -> int:
    """Return the number of columns at the end of a line that are numbers, without the first one."""
    _, *columns = split_columns(line)
    count = 0
    while count < min(len(columns), MAX_DIMENSIONS) and is_number(columns[-1 - count]):
        count += 1
    return count


def _is_old_fasttext(head: bytes) -> bool:
    if len(head) < _OLD_FASTTEXT.size:
        return False
    dimensions, *_, loss, model, _, _, _, _, rate, size, words, labels, _ = (
        _OLD_FASTTEXT.unpack_from(head)
    )
    return (
        0 < dimensions <= MAX_DIMENSIONS
        and {loss, model} <= {1, 2, 3}
        and 0 < rate < 1
        and min(words, labels) >= 0
        and 0 < size == words + labels
    )
