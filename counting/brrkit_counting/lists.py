"""``brr list``: make a bundle without codes, which counts strings, from a file of strings."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import INDEX, MANIFEST, PARITY
from brrkit.errors import ParameterError
from brrkit.list_tokenizer import BOTH, EMOJI, MOST_UNITS, STRINGS, WORDS, ListTokenizer, is_emoji
from brrkit.messages import printable
from brrkit.normal_form import normalize
from brrkit.tokenizer import LONGEST, Token
from brrkit.writing import ENGLISH, Writing
from brrkit_toolchain.bundle.parity import golden_cases
from brrkit_toolchain.bundle.writer import (
    check_output,
    encode_index,
    encode_json,
    encode_manifest,
    write_bundle,
)
from brrkit_toolchain.io.files import file_digest
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.io.tables.formats import TEXT, said_format
from brrkit_toolchain.io.tables.reading import lines, rows
from brrkit_toolchain.language.lexicon import RankedWords
from brrkit_toolchain.language.model import LanguageModel, model_of_list
from brrkit_toolchain.writing.of_vocabulary import load_writing

_T = TypeVar("_T")

MOST_STRINGS = 1_000_000

_MOST_CHARACTERS = 1 << 26
"""Largest number of characters in different lines; a small compressed file could hold more."""

_UNSEEN_SIGNS = re.compile("[\\s\u200d\ufe0e\ufe0f]")
"""Spaces, and code points that only emoji have."""

_FIRST_PRINTABLE = " "
"""All code points before it are control characters, which no string may contain."""


@dataclass(frozen=True)
class ListResult:
    """A new list.

    Attributes:
        output: the list's directory.
        kind: kind of its strings, one of ``brrkit.list_tokenizer.KINDS``.
        strings: number of its strings.
        repeated: number of lines that repeated a string of another line.
        changed: strings of the file that lost signs, each with its form in the list.
    """

    output: Path
    kind: str
    strings: int
    repeated: int
    changed: Mapping[str, str]


@dataclass(frozen=True)
class MadeList:
    """The content of a list, made from a file of strings.

    Attributes:
        kind: kind of the strings, one of ``brrkit.list_tokenizer.KINDS``.
        words: the strings, the most frequent first.
        language: frequency of each string.
        masses: source of the frequencies: "ranks" or "counts".
        index: content of ``index.safetensors``.
        repeated: number of lines that repeated a string of another line.
        changed: strings of the file that lost signs, each with its form in ``words``.
    """

    kind: str
    words: list[str]
    language: LanguageModel
    masses: str
    index: bytes
    repeated: int
    changed: Mapping[str, str]

    @property
    def codes(self) -> NDArray[np.uint64]:
        """A list has none: uint64[n, 0]."""
        return _no_codes(self.words)


def _no_codes(words: Sequence[str]) -> NDArray[np.uint64]:
    return np.empty((len(words), 0), np.uint64)


@dataclass(frozen=True)
class _Line:
    """A line of a file of strings: its place, its string, and the string's count if it has one."""

    place: str
    text: str
    count: int | None


def build_list(
    strings: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    as_is: bool = False,
    written_in: str | os.PathLike[str] = ENGLISH.language,
    seed: int = 0,
    force: bool = False,
    progress: bool = False,
) -> ListResult:
    """Build a bundle without codes, whose strings ``brrkit.Counts`` counts.

    Args:
        strings: a file with one string a line, the most frequent first; or a table with the columns
            ``word`` and ``count``. Attackers are assumed to know these frequencies. The list finds
            emoji, words, and phrases of at most 8 emoji and words in texts:
            ``spec/bundle-format.md``, "Lists".
        output: the directory to write.
        as_is: treat each text as one string, compared character by character: for names of features
            or categories.
        written_in: the language of words and phrases, as for ``build_bundle``.
        seed: seed of the golden cases.
        force: replace a bundle that is already there.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: the file can't be read; a line can't be a string of a list; two lines differ
            only in signs that texts lose; or there are too few or too many strings.
        OutputError: there is something else in the output's place, or it can't be written.
    """
    if not 0 <= seed < 2**32:
        raise ParameterError(f"seed must be from 0 to 2^32 - 1, not {seed!r}")
    path, output = Path(strings), Path(output)
    check_output(output, force=force)
    writing = load_writing(written_in)
    made = make_list(path, writing, as_is=as_is, progress=progress)
    unit = hashlib.sha256(made.index).hexdigest()
    described: dict[str, Any] = {"list_of": made.kind}
    if writing != ENGLISH:
        described["writing"] = writing.to_json()
    cases = golden_cases(made.words, made.codes, made.language, seed, unit, described)
    files = {INDEX: made.index, PARITY: encode_json(cases)}
    fields = {
        "bits": 0,
        **described,
        "vocabulary_size": len(made.words),
        "bigrams": 0,
        "source": {"name": printable(path.name), "sha256": file_digest(path)},
        "base": {"masses": made.masses, "text": None},
        "method": {
            "name": "list",
            "seed": seed,
            "version": version("brrkit"),
            "machine_dependent": False,
        },
    }
    write_bundle(output, {MANIFEST: encode_manifest(fields, files), **files}, force=force)
    return ListResult(output, made.kind, len(made.words), made.repeated, made.changed)


def make_list(
    path: Path, writing: Writing, *, as_is: bool = False, progress: bool = False
) -> MadeList:
    """Return a list's content; arguments and errors are those of ``build_list``."""
    read, total = _merge_lines(path, _bar(_read_lines(path), "Strings", progress))
    if not read:
        raise ParameterError(f"{path}: has no strings; write one on each line")
    kind, entries, changed = (
        (STRINGS, _as_they_are(path, read), {})
        if as_is
        else _in_texts(path, read, writing, progress)
    )
    if not 2 <= len(entries) <= MOST_STRINGS:
        raise ParameterError(
            f"{path}: has {len(entries):,} different strings, and a list needs 2 to "
            f"{MOST_STRINGS:,}; add or remove strings"
        )
    language, words = _by_frequency(entries)
    index = encode_index(words, _no_codes(words), language)
    masses = "ranks" if entries[words[0]] is None else "counts"
    return MadeList(kind, words, language, masses, index, total - len(entries), changed)


def _bar(each: Iterable[_T], name: str, progress: bool) -> Iterator[_T]:
    yield from Progress(each, name, unit="", progress=progress)


def _read_lines(path: Path) -> Iterator[_Line]:
    """Yield the lines that aren't empty."""
    if said_format(path) in (None, TEXT):
        for number, line in lines(path, "save it as UTF-8"):
            if line.strip():
                yield _Line(f"line {number}", line.rstrip("\r\n"), None)
        return
    for place, (text, count) in rows(path, ("word", "count")):
        if not (count.isascii() and count.isdigit() and len(count) <= 15):
            raise ParameterError(
                f"{path}: {place}: count isn't an integer from 0 to 10^15; write how often the "
                "string occurs"
            )
        if text.strip():
            yield _Line(place, text, int(count))


def _merge_lines(path: Path, read: Iterable[_Line]) -> tuple[list[_Line], int]:
    """Return the different lines, each with the sum of its counts, and the number of all lines.

    A small compressed file may have very many lines. No more are held than a list can have.
    """
    different: dict[str, _Line] = {}
    total = characters = 0
    for line in read:
        total += 1
        known = different.get(line.text)
        if known is not None:
            count = None if line.count is None else (known.count or 0) + line.count
            different[line.text] = replace(known, count=count)
            continue
        characters += len(line.text)
        if len(different) == MOST_STRINGS or characters > _MOST_CHARACTERS:
            raise ParameterError(
                f"{path}: {line.place}: up to here, {len(different) + 1:,} different lines have "
                f"{characters:,} characters, and a list has 2 to {MOST_STRINGS:,} strings with "
                f"at most {_MOST_CHARACTERS:,} characters; shorten the list"
            )
        different[line.text] = line
    return list(different.values()), total


Entries = dict[str, "int | None"]
"""The strings of a list, each with its count, if counts are given."""


def _as_they_are(path: Path, read: Sequence[_Line]) -> Entries:
    entries: Entries = {}
    for line in read:
        if len(line.text) > LONGEST or min(line.text) < _FIRST_PRINTABLE:
            raise ParameterError(
                f"{path}: {line.place}: has more than {LONGEST} characters, or a control "
                "character; shorten it, or remove that character"
            )
        _add(entries, line.text, line.count)
    return entries


def _in_texts(
    path: Path, read: Sequence[_Line], writing: Writing, progress: bool
) -> tuple[str, Entries, dict[str, str]]:
    """Return the kind of the strings, their forms in texts, and the strings that were changed."""
    lines: Entries = {}
    for line in read:
        _add(lines, normalize(line.text, writing).strip(), line.count)
    whole = _tokenizer(lines, writing, BOTH)  # a text that is one of its words isn't cut
    cut = [[unit.text for unit in whole.units(line.text)] for line in _bar(read, "Cut", progress)]
    entries: Entries = {}
    first: dict[str, _Line] = {}
    changed: dict[str, str] = {}
    for line, units in zip(read, cut, strict=True):
        string = " ".join(units)
        _check_phrase(path, line, units)
        signs, other = _signs(line.text, writing), first.setdefault(string, line)
        if signs != _signs(other.text, writing):
            raise ParameterError(
                f'{path}: {other.place} and {line.place}: "{printable(other.text)}" and '
                f'"{printable(line.text)}" are one string in texts, "{printable(string)}", and '
                "would be counted together; leave one out, or use --strings"
            )
        if signs != _signs(string, writing):
            changed[line.text] = string
        _add(entries, string, line.count)
    are_emoji = {is_emoji(unit) for units in cut for unit in units}
    kind = BOTH if len(are_emoji) > 1 else EMOJI if True in are_emoji else WORDS
    found = _tokenizer(entries, writing, kind)
    for string in _bar(entries, "Found again", progress):
        if found.read(string) != [Token(string, found.vocabulary.find(string))]:
            raise ParameterError(
                f"{path}: {first[string].place}: texts with this string match other strings of "
                "the list instead; leave one of them out, or use --strings"
            )
    return kind, entries, changed


def _check_phrase(path: Path, line: _Line, units: Sequence[str]) -> None:
    """Check that a line has words or emoji, but no more than a phrase may have."""
    if not units:
        raise ParameterError(
            f"{path}: {line.place}: has no word or emoji; leave it out, or use --strings"
        )
    characters = len(" ".join(units))
    if len(units) > MOST_UNITS or characters > LONGEST:
        raise ParameterError(
            f"{path}: {line.place}: a phrase can have {MOST_UNITS} words and emoji and {LONGEST} "
            f"characters, and this one has {len(units)} and {characters}; shorten it, or use "
            "--strings"
        )


def _signs(text: str, writing: Writing) -> str:
    """Return the visible signs of a string without spaces; strings that differ in them differ."""
    return _UNSEEN_SIGNS.sub("", normalize(text, writing))


def _tokenizer(entries: Entries, writing: Writing, kind: str) -> ListTokenizer:
    """Return the tokenizer that finds ``entries`` in texts, like that of a list of them."""
    language, words = _by_frequency(entries)
    return ListTokenizer(writing, RankedWords(words), language.masses, kind)


def _add(entries: Entries, string: str, count: int | None) -> None:
    entries[string] = None if count is None else (entries.get(string) or 0) + count


def _by_frequency(entries: Entries) -> tuple[LanguageModel, list[str]]:
    """Return the frequencies of the strings, and the strings, the most frequent first."""
    if None in entries.values():
        return model_of_list(None, len(entries)), list(entries)
    often = {string: count or 0 for string, count in entries.items()}
    words = sorted(often, key=lambda string: -often[string])
    counts = np.array([often[string] for string in words], np.float64)
    return model_of_list(counts, len(words)), words
