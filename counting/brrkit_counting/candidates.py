"""New words: those that a public text has and a vocabulary lacks. A list can count them."""

from __future__ import annotations

import os
from array import array
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from brrkit import ParameterError, WordBundle
from brrkit.list_tokenizer import is_emoji
from brrkit.tokenizer import LONGEST, Token, candidates
from brrkit.writing import Writing
from brrkit_toolchain.io.files import replaced
from brrkit_toolchain.io.tables.formats import TEXT, format_of
from brrkit_toolchain.language.run_cache import RunCache
from brrkit_toolchain.language.texts import read_texts

LEAST = 2
"""Default for the smallest number of texts that contain a candidate."""

COLUMNS = ("word", "count")
"""Columns of a table of candidates, which ``build_list`` reads."""

_NOT_A_CANDIDATE = -1


@dataclass(frozen=True)
class Candidate:
    """A word that a vocabulary lacks.

    Attributes:
        word: the normalized word.
        count: number of its occurrences in the text, with forms that are looked up as this word.
    """

    word: str
    count: int


def find_candidates(
    bundle: WordBundle,
    text: str | os.PathLike[str],
    *,
    column: str | None = None,
    least: int = LEAST,
    most: int | None = None,
    progress: bool = False,
) -> tuple[Candidate, ...]:
    """Return the words of a public text that a bundle lacks, the most frequent first.

    A word contains a letter, or is an emoji that a list lacks. Forms of a word, such as those with
    "'s", count as the word.

    Args:
        bundle: an opened bundle, with codes or a list.
        text: file of texts, one a line or row. Don't use users' texts: the words become public.
        column: column of the texts, if the file is a table.
        least: smallest number of texts that contain a word; 1 or more.
        most: largest number of words to return; None: all.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: a number is out of range, or the file can't be read.
    """
    if least < 1 or (most is not None and most < 1):
        raise ParameterError("least and most must be 1 or more")
    found: dict[str, int] = {}

    def number(token: Token) -> int:
        if token.word_id is not None or len(token.text) > LONGEST:
            return _NOT_A_CANDIDATE
        if not (any(map(str.isalpha, token.text)) or is_emoji(token.text)):
            return _NOT_A_CANDIDATE
        return found.setdefault(token.text, len(found))

    runs = RunCache(bundle.tokenizer, number)
    times: Counter[int] = Counter()
    texts: Counter[int] = Counter()
    for each in read_texts(Path(text), column, progress=progress):
        numbers = [seen for seen in array("q", runs.read(each)) if seen != _NOT_A_CANDIDATE]
        times.update(numbers)
        texts.update(set(numbers))
    often = {word: times[i] for word, i in found.items() if texts[i] >= least}
    ordered = sorted(_without_forms(often, bundle.writing).items(), key=lambda item: -item[1])
    return tuple(Candidate(*each) for each in ordered[:most])


def write_candidates(path: Path, found: tuple[Candidate, ...]) -> None:
    """Write a table with ``COLUMNS``, or a text with one word a line, at once or not at all.

    Raises:
        ParameterError: the suffix of ``path`` names no format.
        OutputError: the file can't be written.
    """
    import pyarrow as pa

    from brrkit_toolchain.io.tables.writing import writer

    file_format = format_of(path)
    columns = pa.record_batch(
        {
            COLUMNS[0]: pa.array([each.word for each in found], pa.string()),
            COLUMNS[1]: pa.array([str(each.count) for each in found], pa.string()),
        }
    )
    if file_format == TEXT:
        columns = columns.select(COLUMNS[:1])
    with replaced(path) as file, writer(file, path, file_format, columns.schema, ()) as table:
        table.write(columns)


def _without_forms(often: dict[str, int], writing: Writing) -> dict[str, int]:
    """Return ``often`` with forms counted as the more frequent word that they are looked up as."""

    def stands_for(word: str) -> str:
        met = {word}  # two spellings may be looked up as each other
        while form := next(
            (
                form
                for form in candidates(word, writing)
                if form not in met and often.get(form, 0) >= often[word]
            ),
            None,
        ):
            met.add(word := form)
        return word

    merged: Counter[str] = Counter()
    for word, times in often.items():
        merged[stands_for(word)] += times
    return dict(merged)
