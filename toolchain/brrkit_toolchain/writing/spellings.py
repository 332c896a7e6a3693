"""Spellings of words: read from a table, and resolved to the words of a vocabulary."""

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
"""Largest number of a bundle's spellings."""

_LONGEST = 64  # code points
_HEADER = ["spelling", "word"]


def read_spellings(path: Path, writing: Writing) -> dict[str, str]:
    """Return the normalized spellings of a table, with the normalized word for each.

    Args:
        path: a TSV or CSV file, by its suffix, with the two columns spelling and word, which a
            first line may name. It may be compressed.
        writing: the vocabulary's rules for normalizing and cutting strings.

    Raises:
        ParameterError: the file can't be read, isn't such a table, has no spellings or too many, a
            spelling that no text can have, two words for one spelling, or spellings that lead back
            to themselves.
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
        spelling = spelling.strip("'")  # like in a look-up
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
    """Raise an error for strings that no text or no bundle can have, without naming them."""
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
    """Return ``writing`` with only the spellings that lead to a word of a vocabulary.

    Args:
        writing: writing of the language. Without given spellings, English stays unchanged, because
            it is the writing of a bundle without ``writing``.
        given: further spellings with their words, which replace those of the language.
        words: words of the vocabulary.

    Returns:
        the writing; each spelling's word is one of ``words``, to which its own word leads. A word
        itself is no spelling, unless it stands for the numbers of its form.
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
        word: word of a spelling.
        writing: writing with all spellings.
        words: words of the vocabulary.
        found: results for other words so far; this adds to them.
    """
    way = []
    while word not in found:
        found[word] = None  # for now; stays None if the spellings lead back
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
    """Return whether a spelling stands for tokens with other digits, written as 0 in it."""
    return "0" in spelling and not any(digit in spelling for digit in "123456789")
