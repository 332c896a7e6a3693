"""Inflected forms of a list's words, added by rule, since they would distinguish the words.

A look-up removes the language's endings from a token that isn't a word, so "anna's" is already
"anna". The remaining forms are English plurals, whose ending no look-up removes, and forms that are
words of the vocabulary themselves.

Such a word joins the list if it is unlikely to be another word: its ending has an apostrophe, or
its share of nearest codes on the list is ``nearness.FEW`` or more. In brrkit's sample, a list of
first names gets "williams", and not "grants", "jeans" or "bills". A plural that isn't a word
becomes a form if the word itself has such a share; "joy" hasn't.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brrkit.writing import Writing

_HISSED = re.compile("(?:ss|us|x|z|ch|sh)$")
_CONSONANT_Y = re.compile("[^aeiou]y$")


def inflections(word: str, writing: Writing) -> Iterator[str]:
    """Yield a word's possible inflected forms, which may be other words, or no words."""
    if len(word) >= writing.shortest_stem:
        for ending in writing.endings:
            yield word + ending
    yield from plurals(word, writing)


def plurals(word: str, writing: Writing) -> Iterator[str]:
    """Yield possible plurals of an English noun or name; nothing for other languages."""
    if writing.language != "en" or not word.isalpha():
        return
    if word.endswith("sis"):
        yield f"{word[:-2]}es"
    elif _HISSED.search(word):
        yield f"{word}es"
    elif not word.endswith("s"):
        yield f"{word}s"  # also after y, as in names
    if _CONSONANT_Y.search(word):
        yield f"{word[:-1]}ies"
