"""Learn the language model of a bundle from a public text, in one pass."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.tokenizer import Tokenizer
from brrkit_toolchain.io.files import file_digest
from brrkit_toolchain.language.model import (
    LanguageModel,
    count,
    frequent,
    model_of_counts,
    model_of_ranks,
)
from brrkit_toolchain.language.texts import TextIds, read_texts

_FEWEST_WORDS = 1_000  # smallest vocabulary from which a language can be recognized


def learn_language(
    tokenizer: Tokenizer,
    text: str | os.PathLike[str] | None,
    column: str | None,
    least: int,
    *,
    digest: bool = True,
    progress: bool = False,
) -> tuple[LanguageModel, dict[str, Any]]:
    """Return the model of a vocabulary, in rank order, and its fields in a manifest.

    Args:
        tokenizer: tokenizer of the vocabulary.
        text: a public text, in a form that ``read_texts`` reads; None: only the words' ranks.
        column: column of ``text``.
        least: smallest number of texts (lines or rows) with a word or bigram whose count is shown.
        digest: state the text's SHA-256 and its number of words, which confirm a guess of the whole
            text.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: the text can't be read, has too few words, or is in another language.
    """
    size = len(tokenizer.vocabulary)
    if text is None:
        if column is not None:
            raise ParameterError("a column belongs to a text; give the text, or no column")
        return model_of_ranks(size), {"masses": "ranks", "text": None}
    path = Path(text)
    convert = TextIds(tokenizer)
    texts = read_texts(path, column, progress=progress)
    counts = count((convert(text).ids for text in texts), size)
    if convert.coverage.tokens >= _FEWEST_WORDS:
        convert.coverage.refuse(path, tokenizer.writing)
    shown = frequent(counts, least)
    tokens = int(shown.words.sum())
    if tokens < _FEWEST_WORDS:
        that_texts_have = "" if least == 1 else f" that {least:,} texts have (lines, or rows)"
        raise ParameterError(
            f"{path}: has {tokens:,} words of the vocabulary{that_texts_have}; at least "
            f"{_FEWEST_WORDS:,} are needed to learn a language"
        )
    described: dict[str, Any] = {"name": printable(path.name), "least": least}
    if digest:
        described |= {"sha256": text_digest(path), "tokens": tokens}
    return model_of_counts(shown), {"masses": "text", "text": described}


def text_digest(path: Path) -> str:
    """Return the SHA-256 of the file of a text.

    Raises:
        ParameterError: the file can't be read.
    """
    try:
        return file_digest(path)
    except OSError as error:
        raise ParameterError(f"{path}: can't be read ({error.strerror}); check the path") from None
