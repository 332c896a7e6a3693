"""Inflected forms of a list's words, which would tell the words apart: added by rule.

A token that is no word loses the endings of its language when it is looked up: "anna's" is "anna"
already. What is left are English plurals, which no ending takes off, and forms that the vocabulary
has as words of their own.

Such a word joins the list where it can hardly be another word: an ending with an apostrophe makes
it, or its share of nearest codes on the list is ``nearness.FEW`` or more. In brrkit's sample, a
list of first names gets "williams", and not "grants", "jeans" or "bills". A plural that is no word
becomes a form where the word itself has such a share: not that of "joy".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brrkit.writing import Writing

_HISSED = re.compile("(?:ss|us|x|z|ch|sh)$")
_CONSONANT_Y = re.compile("[^aeiou]y$")


def inflections(word: str, writing: Writing) -> Iterator[str]:
    """Yield what inflected forms of a word would be, which may be other words, or none."""
    if len(word) >= writing.shortest_stem:
        for ending in writing.endings:
            yield word + ending
    yield from plurals(word, writing)


def plurals(word: str, writing: Writing) -> Iterator[str]:
    """Yield plurals of an English noun or name; none in languages whose endings have them."""
    if writing.language != "en" or not word.isalpha():
        return
    if word.endswith("sis"):
        yield f"{word[:-2]}es"
    elif _HISSED.search(word):
        yield f"{word}es"
    elif not word.endswith("s"):
        yield f"{word}s"  # of a name also behind y
    if _CONSONANT_Y.search(word):
        yield f"{word[:-1]}ies"
