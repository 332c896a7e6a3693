"""Read embeddings of any known format: keep the usable words, count the others."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.io.progress import Progress

from .errors import EmbeddingsError
from .formats.detect import detect_format
from .source_file import Source, digest, locate, open_source
from .usable_words import Skip, read_word_list, usable_word
from .word_selection import Cut, WordFilter, WordSelection

_MOST_ROWS_TO_A_WORD = 20  # in a file of words; ``read_embeddings`` reports others


@dataclass(frozen=True)
class Embeddings:
    """Words and their vectors.

    Attributes:
        words: normalized, unique words in the order of the file, with the most frequent first.
        vectors: float32[words, dimensions], C-contiguous and finite; no row is all zero.
        source: the file of the embeddings.
        format: "glove text", "word2vec text" (also for FastText's ``.vec``), "word2vec binary" or
            "fasttext binary".
        skipped: number of rows that were read but not used, by reason.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    source: Source
    format: str
    skipped: Mapping[str, int]


def read_embeddings(
    source: str | os.PathLike[str],
    *,
    vocabulary_size: int | None = None,
    word_list: str | os.PathLike[str] | frozenset[str] | None = None,
    without: Mapping[Skip, Collection[str]] | None = None,
    required: frozenset[str] | None = None,
    cut: Cut | None = None,
    writing: Writing = ENGLISH,
    progress: bool = False,
) -> Embeddings:
    """Read the usable words of an embedding file and their vectors.

    Words are normalized like by the runtime's tokenizer. Words that no text can contain, markers,
    duplicates, and vectors that are all zero or not finite are skipped and counted.

    Args:
        source: a file in GloVe's text format, word2vec's text or binary format or FastText's
            ``.vec`` or ``.bin`` format, plain or compressed (gzip, xz, zip); or
            ``archive.zip:member``; or the name of a gensim data set, such as
            ``glove-wiki-gigaword-300``. The content decides the format and the compression.
        vocabulary_size: read no further than this many usable words, at least 2; all by default.
        word_list: UTF-8 text, one word a line, or normalized words; other words are skipped.
        without: normalized words to skip, also with apostrophes around them, by the reason for the
            counts.
        required: normalized words, all of which must occur, and no others are kept; instead of the
            three arguments above.
        cut: function that returns those of the words, given in their order, that are cut in texts
            by the others. They are skipped and counted, too, and further rows replace them, until
            none is left.
        writing: writing of the words' language, for their normalization.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        EmbeddingsError: the file or one of its rows can't be used, most rows have no word that can
            be typed, or a required word is missing.
        ParameterError: ``vocabulary_size`` is below 2, or a list of words can't be used.
    """
    if vocabulary_size is not None and vocabulary_size < 2:
        raise ParameterError(f"vocabulary_size must be at least 2, not {vocabulary_size}")
    allowed = required if word_list is None else _listed(word_list, writing)
    limit = vocabulary_size if required is None else len(required)
    unwanted = {word: reason for reason, words in (without or {}).items() for word in words}
    wanted = WordFilter(writing, allowed, unwanted, limit, cut)
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
        content = detect_format(stream, location.label, compressed=stream is not file)
        kept = WordSelection(wanted)
        enough = False
        for batch in content.batches:
            enough = kept.add(batch)
            bar.update(file.tell() - bar.n)
            if enough:
                break
            if allowed is None:
                kept.untypable.refuse(location.label, early=True)
    while not (enough or kept.settled()):
        pass
    if len(kept) < 2 or allowed is None:
        kept.untypable.refuse(location.label)
    if isinstance(word_list, str | os.PathLike) and not len(kept):
        raise EmbeddingsError(
            f"{location.label}: has none of the words of {word_list}; check the word list"
        )
    _refuse_too_few(kept, required, location.label)
    return Embeddings(
        words=tuple(kept.words),
        vectors=kept.vectors,
        source=Source(location.name, digest(location)),
        format=content.format,
        skipped=kept.skipped,
    )


def _refuse_too_few(kept: WordSelection, required: frozenset[str] | None, label: str) -> None:
    """Raise an error if required words are missing, or there are fewer than two words."""
    reasons = ", ".join(f"{count} {reason}" for reason, count in kept.skipped.items()) or "none"
    if required is not None and len(kept) < len(required):
        raise EmbeddingsError(
            f"{label}: lacks {len(required) - len(kept):,} of the {len(required):,} "
            f"words that are needed (skipped: {reasons}); use a file that has them all, such as "
            "the bundle's own embeddings"
        )
    if len(kept) < 2:
        raise EmbeddingsError(
            f"{label}: has {len(kept)} usable words, but 2 are needed (skipped: {reasons}); use "
            "another file"
        )


def _listed(word_list: str | os.PathLike[str] | frozenset[str], writing: Writing) -> frozenset[str]:
    if isinstance(word_list, frozenset):
        return word_list
    return read_word_list(Path(word_list), writing)


def first_words(source: str | os.PathLike[str], count: int) -> list[str]:
    """Return the first ``count`` usable words of an embedding file, or all.

    There are fewer if few of the file's rows are usable.

    Raises:
        EmbeddingsError: as for ``read_embeddings``.
    """
    location = locate(source)
    words: list[str] = []
    rows = 0
    with open_source(location) as (file, stream):
        content = detect_format(stream, location.label, compressed=stream is not file)
        for batch in content.batches:
            usable = (usable_word(raw) for raw in batch.words)
            words += [word for word in usable if not isinstance(word, Skip)]
            rows += len(batch.words)
            if len(words) >= count or rows >= _MOST_ROWS_TO_A_WORD * count:
                break
    return words[:count]
