"""Before a build: a file of vectors for the words of a text, including words without vectors."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from brrkit.tokenizer import tokenize
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.bundle.written import Written
from brrkit_toolchain.embeddings import read_embeddings
from brrkit_toolchain.embeddings.usable_words import read_word_list
from brrkit_toolchain.embeddings.writer import write_word2vec
from brrkit_toolchain.language.filled import Filled, fill_vectors
from brrkit_toolchain.language.texts import read_texts

_DIGIT = re.compile(r"\d")


def write_filled(
    embeddings: str | os.PathLike[str], written: Written, plan: BuildPlan, progress: bool
) -> tuple[Filled, Mapping[str, int]]:
    """Write the file of a plan's ``fill_vectors``.

    Returns:
        the file's contents, and the number of the embeddings' rows left out, by reason.

    Raises:
        EmbeddingsError: the embeddings can't be used.
        ParameterError: the text or a list of words can't be used.
        OutputError: the file can't be written.
    """
    assert plan.fill_vectors is not None and plan.text is not None
    writing = written.writing
    allowed = None if plan.word_list is None else read_word_list(Path(plan.word_list), writing)

    def wanted(word: str) -> bool:
        return (
            not any(word in unwanted for unwanted in written.without.values())
            and (allowed is None or word in allowed)
            and not _DIGIT.search(word)
            and tokenize(word, writing) == [word]
        )

    source = read_embeddings(
        embeddings,
        word_list=allowed,
        without=written.without,
        writing=writing,
        progress=progress,
    )
    texts = read_texts(Path(plan.text), plan.column, progress=progress)
    filled = fill_vectors(
        written.tokenizer(source.words),
        source.vectors,
        texts,
        plan.least,
        wanted,
        os.fspath(plan.text),
    )
    size = plan.vocabulary_size
    write_word2vec(
        Path(plan.fill_vectors), filled.words[:size], filled.vectors[:size], progress=progress
    )
    return filled, source.skipped
