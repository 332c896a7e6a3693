"""A description of a language's writing for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brrkit.messages import printable
from brrkit.writing import Writing
from brrkit_toolchain.writing.languages import LANGUAGES

_MOST_SHOWN = 8  # largest number of shown entries of a list


def language_name(writing: Writing) -> str:
    """Return the name of a writing's language."""
    language = LANGUAGES.get(writing.language)
    return printable(writing.language) if language is None else language.name


def describe_writing(writing: Writing) -> str:
    """Return a line about the cutting of texts and the look-up of words."""
    return "; ".join([language_name(writing), *_rules(writing)])


def _rules(writing: Writing) -> Iterator[str]:
    if writing.unspaced:
        yield "text without spaces is cut into words of the vocabulary"
    if writing.before:
        yield f"separate words: {_some(writing.before)}"
    if writing.links:
        yield "unknown compounds are cut in two"
    if writing.endings:
        yield f"endings removed from unknown words: {_some(writing.endings)}"
    if writing.rewritten:
        pairs = [f"{one} as {other or 'nothing'}" for one, other in writing.rewritten]
        yield f"rewritten: {_some(pairs)}"
    if writing.spellings:
        yield f"{len(writing.spellings)} spellings"
    changed = [f"{one} to {other}" for one, other in writing.replaced if other]
    if len(changed) > _MOST_SHOWN:
        yield f"{len(changed)} characters replaced"
    elif changed:
        yield f"replaced: {_some(changed)}"
    if len(changed) < len(writing.replaced):
        yield f"{len(writing.replaced) - len(changed)} signs left out"


def _some(parts: Sequence[str]) -> str:
    more = len(parts) - _MOST_SHOWN
    return printable(" ".join(parts[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else ""))
