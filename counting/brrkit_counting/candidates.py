"""New words: what a public text has and a vocabulary lacks, to be counted from a list."""

from __future__ import annotations

import os
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
"""How many texts have a candidate, at least, where nothing else is said."""

COLUMNS = ("word", "count")
"""Of a table of candidates, as ``build_list`` takes it."""

_NOT_A_CANDIDATE = -1


@dataclass(frozen=True)
class Candidate:
    """A word that a vocabulary lacks.

    Attributes:
        word: normalized.
        count: how often a text has it, or a form of it that is looked up as it.
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
    """Return the words of a public text that a bundle doesn't have, the most frequent first.

    A word has a letter, or is an emoji that a list lacks. Forms of a word count as the word ("'s").

    Args:
        bundle: with codes, or a list.
        text: file of texts, a line or a row each. Not one of users: its words become public.
        column: that holds the texts, where the file is a table.
        least: how many texts have a word, at least; 1 or more.
        most: how many words are returned, at most; all if None.
        progress: show a bar on standard error, where that is a terminal.

    Raises:
        ParameterError: a number is out of range, or the file can't be read.
    """
    if least < 1 or (most is not None and most < 1):
        raise ParameterError("least and most are numbers of 1 or more; change them")
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
        numbers = [seen for seen in runs.read(each) if seen != _NOT_A_CANDIDATE]
        times.update(numbers)
        texts.update(set(numbers))
    often = {word: times[i] for word, i in found.items() if texts[i] >= least}
    ordered = sorted(_without_forms(often, bundle.writing).items(), key=lambda item: -item[1])
    return tuple(Candidate(*each) for each in ordered[:most])


def write_candidates(path: Path, found: tuple[Candidate, ...]) -> None:
    """Write a table with ``COLUMNS``, or a text with a word a line, at once or not at all.

    Raises:
        ParameterError: the suffix of ``path`` says no format.
        OutputError: the system refuses.
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
    """Return ``often`` with what is looked up as a more frequent word counted as that."""

    def stands_for(word: str) -> str:
        met = {word}  # each of two spellings may be looked up as the other
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
