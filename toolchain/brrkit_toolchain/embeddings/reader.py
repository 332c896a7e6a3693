"""Read embeddings of any known format: detect it, keep the usable words, count the others."""

from __future__ import annotations

import io
import os
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.io.progress import Progress

from .errors import EmbeddingsError
from .fasttext import MAGIC as FASTTEXT_MAGIC
from .fasttext import fasttext_rows
from .files import Source, digest, locate, open_source
from .kept import Choice, Cut, Kept
from .other_files import dimensions_of, refuse_other_files, refuse_other_rows
from .rows import BLOCK, MAX_DIMENSIONS, RowBatch
from .text import text_rows
from .usable_words import Skip, read_word_list, usable_word
from .word2vec import word2vec_rows

_TEXT_BYTES = bytes([*range(0x20, 0x7F), *b"\t\r\n"])
_SNIFFED = 4  # lines
_UNUSABLE = 20  # rows to a word: whether there are such, ``read_embeddings`` says
_LONGEST_COUNT = 18  # digits: the numbers of a header fit into 64 bits


@dataclass(frozen=True)
class Embeddings:
    """Words and their vectors.

    Attributes:
        words: normalized and unique, in the order of the file, so most frequent first.
        vectors: float32[words, dimensions], C-contiguous, finite, no row all zero.
        source: the file they came from.
        format: "glove text", "word2vec text" (FastText's ``.vec`` too), "word2vec binary" or
            "fasttext binary".
        skipped: number of rows that were read but not used, by reason.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    source: Source
    format: str
    skipped: Mapping[str, int]


@dataclass(frozen=True)
class _Content:
    format: str
    batches: Iterator[RowBatch]


def read_embeddings(
    source: str | os.PathLike[str],
    *,
    vocabulary_size: int | None = None,
    word_list: str | os.PathLike[str] | frozenset[str] | None = None,
    exclude: str | os.PathLike[str] | None = None,
    required: frozenset[str] | None = None,
    cut: Cut | None = None,
    writing: Writing = ENGLISH,
    progress: bool = False,
) -> Embeddings:
    """Read the usable words of an embedding file and their vectors.

    Words are normalized as the runtime's tokenizer does it. Words that no text can contain,
    markers, duplicates, and vectors that are all zero or aren't finite are skipped and counted.

    Args:
        source: a file in GloVe's text format, word2vec's text or binary format or FastText's
            ``.vec`` or ``.bin`` format, plain or compressed (gzip, xz, zip); or
            ``archive.zip:member``; or the name of a gensim data set, as
            ``glove-wiki-gigaword-300``. Format and compression are told from the content.
        vocabulary_size: read no further than this many usable words, at least 2; all by default.
        word_list: UTF-8 text, one word a line, or normalized words; other words are skipped.
        exclude: UTF-8 text, one word a line; these are skipped.
        required: in place of the three above: normalized words, of which each must be there, and
            no others are kept.
        cut: returns which of the words, given in their order, the others cut in texts. These are
            skipped and counted, too, and further rows take their place, until there are none.
        writing: how the words' language is written, by which they are normalized.
        progress: show a bar on standard error, where that is a terminal.

    Raises:
        EmbeddingsError: the file, or one of its rows, can't be used, most rows have no word that
            can be typed, or a required word isn't there.
        ParameterError: ``vocabulary_size`` is below 2, or a list of words can't be used.
    """
    if vocabulary_size is not None and vocabulary_size < 2:
        raise ParameterError(f"vocabulary_size is {vocabulary_size}; it must be at least 2")
    allowed = required if word_list is None else _listed(word_list, writing)
    limit = vocabulary_size if required is None else len(required)
    excluded = frozenset() if exclude is None else read_word_list(Path(exclude), writing)
    location = locate(source)
    with (
        open_source(location) as (file, stream),
        Progress(
            desc=f"Reading {location.name}",
            total=location.path.stat().st_size,
            unit="B",
            unit_scale=True,
            progress=progress,
        ) as bar,
    ):
        content = _detect(stream, location.label, compressed=stream is not file)
        kept = Kept(Choice(writing, allowed, excluded, limit, cut))
        enough = False
        for batch in content.batches:
            enough = kept.add(batch)
            bar.update(file.tell() - bar.n)
            if enough:
                break
            if allowed is None:
                kept.unlike.refuse(location.label, early=True)
    while not (enough or kept.settled()):
        pass
    if len(kept) < 2 or allowed is None:
        kept.unlike.refuse(location.label)
    if isinstance(word_list, str | os.PathLike) and not len(kept):
        raise EmbeddingsError(
            f"{location.label}: has none of the words of {word_list}; check the word list"
        )
    reasons = ", ".join(f"{count} {reason}" for reason, count in kept.skipped.items()) or "none"
    if required is not None and len(kept) < len(required):
        raise EmbeddingsError(
            f"{location.label}: lacks {len(required) - len(kept):,} of the {len(required):,} "
            f"words that are needed (skipped: {reasons}); use a file that has them all, such as "
            "what the bundle was built from"
        )
    if len(kept) < 2:
        raise EmbeddingsError(
            f"{location.label}: has {len(kept)} usable words where 2 are needed "
            f"(skipped: {reasons}); use another file"
        )
    return Embeddings(
        words=tuple(kept.words),
        vectors=kept.vectors,
        source=Source(location.name, digest(location)),
        format=content.format,
        skipped=kept.skipped,
    )


def _listed(word_list: str | os.PathLike[str] | frozenset[str], writing: Writing) -> frozenset[str]:
    if isinstance(word_list, frozenset):
        return word_list
    return read_word_list(Path(word_list), writing)


def first_words(source: str | os.PathLike[str], count: int) -> list[str]:
    """Return the first ``count`` words of an embedding file that could be used, or all.

    Of files whose rows are hardly used they are fewer.

    Raises:
        EmbeddingsError: as ``read_embeddings``.
    """
    location = locate(source)
    words: list[str] = []
    rows = 0
    with open_source(location) as (file, stream):
        content = _detect(stream, location.label, compressed=stream is not file)
        for batch in content.batches:
            usable = (usable_word(raw) for raw in batch.words)
            words += [word for word in usable if not isinstance(word, Skip)]
            rows += len(batch.words)
            if len(words) >= count or rows >= _UNUSABLE * count:
                break
    return words[:count]


def _detect(stream: io.BufferedIOBase, label: str, compressed: bool) -> _Content:
    """Tell the format from the first bytes of ``stream``."""
    head = stream.read(BLOCK)
    if not head:
        raise EmbeddingsError(f"{label}: the file is empty; get it again")
    if head.startswith(FASTTEXT_MAGIC):
        stream.seek(0)
        return _Content("fasttext binary", fasttext_rows(stream, label, compressed))
    refuse_other_files(head, label)
    start = len(BOM_UTF8) if head.startswith(BOM_UTF8) else 0
    whole = len(head) < BLOCK
    line, _, body = head[start:].partition(b"\n")
    header = line.split()
    if (
        len(header) == 2
        and all(count.isdigit() and len(count) <= _LONGEST_COUNT for count in header)
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
            return _Content("word2vec binary", rows)
        refuse_other_rows(_lines(body, whole), label)
        return _Content("word2vec text", text_rows(stream, label, dimensions, declared))
    dimensions = dimensions_of(_lines(head[start:], whole), label)
    stream.seek(start)
    return _Content("glove text", text_rows(stream, label, dimensions, None))


def _lines(head: bytes, whole: bool) -> list[bytes]:
    """Return the first lines that have something on them; the last one only if it is ``whole``."""
    lines = head.split(b"\n", _SNIFFED)
    kept = lines if whole or len(lines) == 1 else lines[:-1]
    return [line for line in kept[:_SNIFFED] if line.strip()] or lines[:1]


def _is_text(body: bytes, dimensions: int) -> bool:
    """Tell whether ``body``, what follows a header, is text.

    That's so if the first row has printable characters behind its word. As a binary number may
    have the byte of a newline in it, the least number of bytes that a row of text has is looked
    at in any case.
    """
    row = body.partition(b" ")[2]
    end = max(len(row.partition(b"\n")[0]), 2 * dimensions - 1)
    return not row[:end].translate(None, _TEXT_BYTES)
