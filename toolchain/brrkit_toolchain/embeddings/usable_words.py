"""The words of an embedding file that a vocabulary can use."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path

from brrkit.errors import ParameterError
from brrkit.normal_form import normalize
from brrkit.tokenizer import tokenize
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.io.files import text_lines

_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")


class Skip(Enum):
    """Reasons for unused rows, in the order of the reported counts."""

    STRAY_UNICODE = "stray unicode"
    EMPTY = "empty word"
    BLANK = "whitespace or control characters"
    MARKER = "marker such as </s>"
    NO_WORD_CHARACTER = "no word character"
    SIGNS = "with signs that texts are cut at"
    NOT_LISTED = "not in the word list"
    EXCLUDED = "excluded"
    SPELLING = "spellings of other words"
    DUPLICATE = "duplicate after lower-casing"
    ZERO = "all-zero vector"
    NOT_FINITE = "vector with NaN or infinity"
    CUT = "cut into more frequent words"


def usable_word(raw: bytes, writing: Writing = ENGLISH) -> str | Skip:
    """Return the normalized word of ``raw`` (UTF-8), or the reason for which it can't be used."""
    word = normalize(raw.decode("utf-8", "replace"), writing)
    if "\ufffd" in word:
        return Skip.STRAY_UNICODE
    if not word:
        return Skip.EMPTY
    if _BLANK.search(word):
        return Skip.BLANK
    if word.startswith("<") and word.endswith(">"):
        return Skip.MARKER
    # Words that the tokenizer drops or cuts can't be typed.
    tokens = tokenize(word, writing)
    if tokens == [word]:
        return word
    return Skip.SIGNS if tokens else Skip.NO_WORD_CHARACTER


def read_word_list(path: Path, writing: Writing = ENGLISH) -> frozenset[str]:
    """Return the words of ``path``, UTF-8 text with one word a line, normalized by ``writing``.

    Raises:
        ParameterError: the file is missing, unreadable, too large, empty or not UTF-8.
    """
    lines = text_lines(path, "the word list")
    words = frozenset(normalize(word, writing) for line in lines if (word := line.strip()))
    if not words:
        raise ParameterError(f"{path}: the word list is empty; write one word per line")
    return words
