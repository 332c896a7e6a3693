"""Read an opinion lexicon: a file of positive and one of negative words."""

from __future__ import annotations

from pathlib import Path

from brrkit.errors import ParameterError
from brrkit.normal_form import normalize
from brrkit_toolchain.io.files import text_lines


def read_lexicon(positive: Path, negative: Path) -> dict[str, bool]:
    """Return words with whether each is positive, from the lexicon of Hu and Liu (2004).

    Each line has one word; lines that start with ``;`` are comments. Bytes that aren't UTF-8 become
    a character that no word has. Words on both lists are no evidence of sentiment, and left out.

    Raises:
        ParameterError: a file can't be read, or has no words, or lines with several words.
    """
    lists = [_words(path) for path in (positive, negative)]
    both = lists[0] & lists[1]
    for path, words in zip((positive, negative), lists, strict=True):
        if not words - both:
            raise ParameterError(f"{path}: every word is in the other list too; check --lexicon")
    return {word: words is lists[0] for words in lists for word in sorted(words - both)}


def _words(path: Path) -> set[str]:
    words = set()
    for number, line in enumerate(text_lines(path, "the lexicon", "replace"), start=1):
        if not line.strip() or line.startswith(";"):
            continue
        if len(line.split()) > 1:
            raise ParameterError(
                f"{path}: line {number} has several words; a lexicon has one word a line"
            )
        words.add(normalize(line.strip()))
    if not words:
        raise ParameterError(f"{path}: holds no word; a lexicon has one word a line")
    return words
