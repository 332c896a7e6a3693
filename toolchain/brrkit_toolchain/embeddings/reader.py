"""Read embeddings of any known format: detect it, keep the usable words, count the others."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from brrkit.errors import ParameterError
from brrkit.writing import ENGLISH, Writing

from .errors import EmbeddingsError
from .fasttext import MAGIC as FASTTEXT_MAGIC
from .fasttext import fasttext_rows
from .files import Source, digest, locate, open_source
from .rows import BLOCK, MAX_DIMENSIONS, RowBatch
from .text import is_number, split_columns, text_rows
from .usable_words import Skip, read_word_list, usable_word
from .word2vec import word2vec_rows

_TEXT_BYTES = bytes([*range(0x20, 0x7F), *b"\t\r\n"])
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
    unit: str  # what a batch's numbers count
    batches: Iterator[RowBatch]


def read_embeddings(
    source: str | os.PathLike[str],
    *,
    vocabulary_size: int | None = None,
    word_list: str | os.PathLike[str] | None = None,
    exclude: str | os.PathLike[str] | None = None,
    required: frozenset[str] | None = None,
    writing: Writing = ENGLISH,
    progress: bool = False,
) -> Embeddings:
    """Read the usable words of an embedding file and their vectors.

    Words are normalized as the runtime's tokenizer does it. Words that no text can contain,
    markers, duplicates and all-zero vectors are skipped and counted.

    Args:
        source: a file in GloVe's text format, word2vec's text or binary format or FastText's
            ``.vec`` or ``.bin`` format, plain or compressed (gzip, xz, zip); or
            ``archive.zip:member``; or the name of a gensim data set, as
            ``glove-wiki-gigaword-300``. Format and compression are told from the content.
        vocabulary_size: read no further than this many usable words, at least 2; all by default.
        word_list: UTF-8 text, one word a line; other words are skipped.
        exclude: UTF-8 text, one word a line; these are skipped.
        required: in place of the three above: normalized words, of which each must be there, and
            no others are kept.
        writing: how the words' language is written, by which they are normalized.
        progress: show a bar on standard error, where that is a terminal.

    Raises:
        EmbeddingsError: the file, or one of its rows, can't be used, or lacks a required word.
        ParameterError: ``vocabulary_size`` is below 2, or a list of words can't be used.
    """
    if vocabulary_size is not None and vocabulary_size < 2:
        raise ParameterError(f"vocabulary_size is {vocabulary_size}; it must be at least 2")
    allowed = required if word_list is None else read_word_list(Path(word_list), writing)
    limit = vocabulary_size if required is None else len(required)
    excluded = frozenset() if exclude is None else read_word_list(Path(exclude), writing)
    location = locate(source)
    with (
        open_source(location) as (file, stream),
        tqdm(
            desc=f"Reading {location.name}",
            total=location.path.stat().st_size,
            unit="B",
            unit_scale=True,
            disable=None if progress else True,
        ) as bar,
    ):
        content = _detect(stream, location.label, compressed=stream is not file)
        words: dict[str, None] = {}
        kept: list[NDArray[np.float32]] = []
        skips: Counter[Skip] = Counter()
        for batch in _finite(content, location.label):
            used = _use(batch, words, skips, allowed, excluded, limit, writing)
            if used:
                kept.append(batch.vectors[used])
            bar.update(file.tell() - bar.n)
            if len(words) == limit:
                break
    skipped = {skip.value: skips[skip] for skip in Skip if skips[skip]}
    if word_list is not None and not words:
        raise EmbeddingsError(
            f"{location.label}: has none of the words of {word_list}; check the word list"
        )
    if required is not None and len(words) < len(required):
        raise EmbeddingsError(
            f"{location.label}: lacks {len(required) - len(words):,} of the {len(required):,} "
            "words that are needed; use a file that has them all, such as what the bundle was "
            "built from"
        )
    if len(words) < 2:
        reasons = ", ".join(f"{count} {reason}" for reason, count in skipped.items()) or "none"
        raise EmbeddingsError(
            f"{location.label}: has {len(words)} usable words where 2 are needed "
            f"(skipped: {reasons}); use another file"
        )
    return Embeddings(
        words=tuple(words),
        vectors=np.concatenate(kept),
        source=Source(location.name, digest(location)),
        format=content.format,
        skipped=skipped,
    )


def first_words(source: str | os.PathLike[str], count: int) -> list[str]:
    """Return the first ``count`` words of an embedding file that could be used, or all.

    Raises:
        EmbeddingsError: as ``read_embeddings``.
    """
    location = locate(source)
    words: list[str] = []
    with open_source(location) as (file, stream):
        content = _detect(stream, location.label, compressed=stream is not file)
        for batch in content.batches:
            usable = (usable_word(raw) for raw in batch.words)
            words += [word for word in usable if not isinstance(word, Skip)]
            if len(words) >= count:
                break
    return words[:count]


def _finite(content: _Content, label: str) -> Iterator[RowBatch]:
    """Yield the batches up to the first row with a value that isn't finite, then raise."""
    for batch in content.batches:
        bad = np.flatnonzero(~np.isfinite(batch.vectors).all(axis=1))
        if bad.size:
            row = int(bad[0])
            yield RowBatch(batch.words[:row], batch.vectors[:row], batch.numbers[:row])
            raise EmbeddingsError(
                f"{label}: {content.unit} {batch.numbers[row]} has a value that is NaN, infinite "
                f"or beyond float32; repair or remove the {content.unit}"
            )
        yield batch


def _use(
    batch: RowBatch,
    words: dict[str, None],
    skips: Counter[Skip],
    allowed: frozenset[str] | None,
    excluded: frozenset[str],
    limit: int | None,
    writing: Writing,
) -> list[int]:
    """Add a batch to ``words`` and ``skips``; return which of its rows were added to ``words``."""
    nonzero = np.count_nonzero(batch.vectors, axis=1)
    used: list[int] = []
    for row, raw in enumerate(batch.words):
        word = usable_word(raw, writing)
        if isinstance(word, Skip):
            skips[word] += 1
        elif allowed is not None and word not in allowed:
            skips[Skip.NOT_LISTED] += 1
        elif word in excluded:
            skips[Skip.EXCLUDED] += 1
        elif word in words:
            skips[Skip.DUPLICATE] += 1
        elif not nonzero[row]:
            skips[Skip.ZERO] += 1
        else:
            words[word] = None
            used.append(row)
            if len(words) == limit:
                break
    return used


def _detect(stream: io.BufferedIOBase, label: str, compressed: bool) -> _Content:
    """Tell the format from the first bytes of ``stream``."""
    head = stream.read(BLOCK)
    if not head:
        raise EmbeddingsError(f"{label}: the file is empty; get it again")
    if head.startswith(FASTTEXT_MAGIC):
        stream.seek(0)
        return _Content("fasttext binary", "row", fasttext_rows(stream, label, compressed))

    line, _, body = head.partition(b"\n")
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
        stream.seek(len(line) + 1)
        if _is_text(body, dimensions):
            rows = text_rows(stream, label, dimensions, declared)
            return _Content("word2vec text", "line", rows)
        rows = word2vec_rows(stream, label, dimensions, declared)
        return _Content("word2vec binary", "row", rows)

    _, *columns = split_columns(line)
    if not any(map(is_number, columns)):
        raise EmbeddingsError(
            f"{label}: not a known embedding format: line 1 is neither a word and its numbers "
            "nor a header; use GloVe, word2vec or FastText files"
        )
    stream.seek(0)
    return _Content("glove text", "line", text_rows(stream, label, len(columns), None))


def _is_text(body: bytes, dimensions: int) -> bool:
    """Tell whether ``body``, what follows a header, is text.

    That's so if the first row has printable characters behind its word. As a binary number may
    have the byte of a newline in it, the least number of bytes that a row of text has is looked
    at in any case.
    """
    row = body.partition(b" ")[2]
    end = max(len(row.partition(b"\n")[0]), 2 * dimensions - 1)
    return not row[:end].translate(None, _TEXT_BYTES)
