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

_MOST_ROWS_TO_A_WORD = 20  # of a file that has words; of others ``read_embeddings`` says so


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

    Words are normalized as the runtime's tokenizer does it. Words that no text can contain,
    markers, duplicates, and vectors that are all zero or aren't finite are skipped and counted.

    Args:
        source: a file in GloVe's text format, word2vec's text or binary format or FastText's
            ``.vec`` or ``.bin`` format, plain or compressed (gzip, xz, zip); or
            ``archive.zip:member``; or the name of a gensim data set, as
            ``glove-wiki-gigaword-300``. Format and compression are told from the content.
        vocabulary_size: read no further than this many usable words, at least 2; all by default.
        word_list: UTF-8 text, one word a line, or normalized words; other words are skipped.
        without: normalized words that are skipped, with apostrophes around them, too, by the
            reason that is counted.
        required: in place of the three above: normalized words, of which each must be there, and
            no others are kept.
        cut: returns which of the words, given in their order, the others cut in texts. These are
            skipped and counted, too, and further rows take their place, until there are none.
        writing: how the words' language is written, by which they are normalized.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        EmbeddingsError: the file, or one of its rows, can't be used, most rows have no word that
            can be typed, or a required word isn't there.
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
    """Raise where words that are required aren't there, or less than two words are."""
    reasons = ", ".join(f"{count} {reason}" for reason, count in kept.skipped.items()) or "none"
    if required is not None and len(kept) < len(required):
        raise EmbeddingsError(
            f"{label}: lacks {len(required) - len(kept):,} of the {len(required):,} "
            f"words that are needed (skipped: {reasons}); use a file that has them all, such as "
            "what the bundle was built from"
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
    """Return the first ``count`` words of an embedding file that could be used, or all.

    Of files whose rows are hardly used they are fewer.

    Raises:
        EmbeddingsError: as ``read_embeddings``.
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
