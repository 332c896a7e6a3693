"""Spellings of words: read from a table, and led to the words of a vocabulary."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from brrkit.errors import ParameterError
from brrkit.normal_form import normalize
from brrkit.tokenizer import candidates, tokenize
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.io.tables.formats import said_format
from brrkit_toolchain.io.tables.reading import lines

MOST_SPELLINGS = 4_096
"""That a bundle has."""

_LONGEST = 64  # code points
_HEADER = ["spelling", "word"]


def read_spellings(path: Path, writing: Writing) -> dict[str, str]:
    """Return the spellings of a table, and for each the word that it says, normalized.

    Args:
        path: a TSV or CSV file of two columns, spelling and word, by its suffix; a first line may
            name them so. It may be compressed.
        writing: of the vocabulary, by which strings are normalized and cut.

    Raises:
        ParameterError: the file can't be read, isn't such a table, or has too many spellings, none,
            one that no text has, two words for one spelling, or spellings that lead back to
            themselves.
    """
    own = dict(writing.spellings)
    found: dict[str, str] = {}
    line_of: dict[str, int] = {}
    for number, record in _records(path):
        if record in ([], [""]) or (number == 1 and record == _HEADER):
            continue
        at = f"{path}: line {number}"
        if len(record) != 2:
            raise ParameterError(f"{at} has {len(record)} columns; write a spelling and its word")
        spelling, word = (normalize(each.strip(), writing) for each in record)
        spelling = spelling.strip("'")  # as it is looked up
        _check(at, spelling, word, writing)
        if found.setdefault(spelling, word) != word:
            raise ParameterError(
                f"{at} has another word for the spelling of line {line_of[spelling]}; keep one"
            )
        line_of.setdefault(spelling, number)
        if len(own | found) > MOST_SPELLINGS:
            raise ParameterError(
                f"{at}: a bundle has at most {MOST_SPELLINGS:,} spellings, including the "
                f"language's {len(own)}; leave out the rarest"
            )
    if not found:
        raise ParameterError(
            f"{path}: has no spellings; write a spelling and its word on each line"
        )
    try:
        TopologicalSorter({spelling: (word,) for spelling, word in found.items()}).prepare()
    except CycleError as error:
        first = min(line_of[spelling] for spelling in error.args[1])
        raise ParameterError(
            f"{path}: line {first} leads back to its own spelling; name a word of the vocabulary"
        ) from None
    return found


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each record's last line, and its fields."""
    file_format = said_format(path)
    if file_format not in ("csv", "tsv"):
        raise ParameterError(f"{path}: spellings are a .tsv or .csv file; write it as one of them")
    if file_format == "tsv":
        for number, line in lines(path):
            yield number, line.removesuffix("\n").removesuffix("\r").split("\t")
        return
    reader = csv.reader((line for _, line in lines(path)), strict=True)
    try:
        for record in reader:
            yield reader.line_num, record
    except csv.Error:
        raise ParameterError(
            f"{path}: line {reader.line_num} isn't CSV; check its quotes"
        ) from None


def _check(at: str, spelling: str, word: str, writing: Writing) -> None:
    """Refuse what no text, or no bundle, has; what the strings are isn't said."""
    if not spelling or not word:
        raise ParameterError(f"{at} has an empty spelling or word; write both")
    if max(len(spelling), len(word)) > _LONGEST:
        raise ParameterError(f"{at} has more than {_LONGEST} characters in a column; leave it out")
    if tokenize(spelling, writing) != [spelling]:
        raise ParameterError(
            f"{at}: its spelling is cut in texts; leave it out, or write it without the signs and "
            "spaces that cut it"
        )
    if spelling == word:
        raise ParameterError(f"{at} has the same spelling and word; leave it out")


def fit_spellings(writing: Writing, given: Mapping[str, str], words: Collection[str]) -> Writing:
    """Return ``writing`` with the spellings that lead to a word of a vocabulary, and no others.

    Args:
        writing: how the language is written. English stays as it is where nothing is given: a
            bundle that says nothing else is written so.
        given: further spellings, and their words; where the language has one of them, this counts.
        words: of the vocabulary.

    Returns:
        the writing; each spelling's word is one of ``words``, as which its own is looked up. What
        is itself a word is no spelling, unless it stands for numbers of its form.
    """
    if writing == ENGLISH and not given:
        return writing
    held = frozenset(words)
    spellings = dict(writing.spellings) | dict(given)
    whole = replace(writing, spellings=tuple(spellings.items()))
    led_to: dict[str, str | None] = {}
    fitting = (
        (spelling, led)
        for spelling, word in spellings.items()
        if (spelling not in held or is_form_of_numbers(spelling))
        and (led := _led(word, whole, held, led_to)) is not None
    )
    return replace(writing, spellings=tuple(fitting))


def _led(
    word: str, writing: Writing, words: frozenset[str], found: dict[str, str | None]
) -> str | None:
    """Return the word of a vocabulary to which ``word`` leads, through other spellings or endings.

    Args:
        word: of a spelling.
        writing: with all spellings.
        words: of the vocabulary.
        found: what is known of other words, which grows.
    """
    way = []
    while word not in found:
        found[word] = None  # so long; it is so where the way leads back
        way.append(word)
        last = word
        for last in candidates(word, writing):
            if last in words:
                found[last] = last
                break
        word = last
    found.update(dict.fromkeys(way, found[word]))
    return found[word]


def is_form_of_numbers(spelling: str) -> bool:
    """Tell whether a spelling stands for tokens with other digits, each of which it has as 0."""
    return "0" in spelling and not any(digit in spelling for digit in "123456789")
