"""The writing of a vocabulary, by its language, which is named, or detected by its words."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from brrkit import strict_json
from brrkit.errors import ParameterError
from brrkit.normal_form import normalize
from brrkit.writing import ENGLISH, Writing, read_writing
from brrkit_toolchain.io.files import open_input
from brrkit_toolchain.writing.languages import LANGUAGES, PLAIN
from brrkit_toolchain.writing.scripts import SENTENCE_ENDS, UNSPACED, WORD_ENDS, is_unspaced

FIRST = 1000
"""Number of a vocabulary's most frequent words that identify its language."""

_FEWEST_TYPICAL = 0.6  # share of a language's typical words; vocabularies of others have 0.1 to 0.7
_FEWEST_UNSPACED = 0.2  # share of words in scripts without spaces, if no language is found
_MOST_BYTES = 1 << 20  # size of a file with a language's writing


def writing_of(code: str) -> Writing:
    """Return the writing of a language in ``LANGUAGES``."""
    if code == ENGLISH.language:
        return ENGLISH
    return Writing(language=code, **(PLAIN | LANGUAGES[code].rules))


def load_writing(written_in: str | os.PathLike[str]) -> Writing:
    """Return the writing that a caller names.

    Args:
        written_in: a language's code, such as "fr", or a .json file with the manifest's object
            ``writing``.

    Raises:
        ParameterError: the argument is neither, or the file has other content.
    """
    if os.fspath(written_in) in LANGUAGES:
        return writing_of(os.fspath(written_in))
    path = Path(written_in)
    if path.suffix.lower() != ".json":
        raise ParameterError(
            f"written_in: {written_in} isn't a supported language: {', '.join(LANGUAGES)}; name "
            "one of them, or a .json file with its writing rules "
            "(docs/reference/bundle-format.md#writing)"
        )
    try:
        with open_input(path, _MOST_BYTES) as file:
            writing = read_writing(strict_json.parse(file.read()))
    except OSError as error:
        raise ParameterError(f"{path}: can't be read ({error.strerror}); check the path") from None
    except ValueError:
        raise ParameterError(f"{path}: isn't JSON; check the file") from None
    if writing is None:
        raise ParameterError(
            f"{path}: not the writing rules of a language; write an object with all keys of "
            "docs/reference/bundle-format.md#writing and no others, within their limits"
        )
    _check_normalized(path, writing)
    return writing


def detect_writing(words: Iterable[str]) -> Writing:
    """Return the writing of a vocabulary in an unnamed language.

    Args:
        words: its first ``FIRST`` words, the most frequent ones.

    Returns:
        the writing of the language with the most typical words among them. If there is no such
        language, it is a writing of all scripts without spaces if many of the words are in one, and
        otherwise English writing.
    """
    first = {normalize(word) for word in words}
    shares = {
        code: len(first & set(language.typical.split())) / len(language.typical.split())
        for code, language in LANGUAGES.items()
    }
    likely = max(shares, key=shares.__getitem__)
    if shares[likely] >= _FEWEST_TYPICAL:
        return writing_of(likely)
    unspaced = sum(map(is_unspaced, first))
    if unspaced > _FEWEST_UNSPACED * len(first):
        rules = PLAIN | {"replaced": SENTENCE_ENDS + WORD_ENDS, "unspaced": UNSPACED}
        return Writing(language="unknown, without spaces", **rules)
    return ENGLISH


def drop_absent_clitics(writing: Writing, words: Collection[str]) -> Writing:
    """Return ``writing`` without the words in ``before`` that a vocabulary lacks.

    Such a clitic would be an additional unknown word of each text. The vocabulary may have it with
    or without its apostrophe or joiner.
    """
    bare = "'" + "".join(writing.joiners)
    held = set(words)
    return replace(
        writing,
        before=tuple(word for word in writing.before if word in held or word.strip(bare) in held),
    )


def _check_normalized(path: Path, writing: Writing) -> None:
    """Raise an error for strings that no normalized word can contain."""
    strings = {
        "before": writing.before,
        "endings": writing.endings,
        "spellings": [each for pair in writing.spellings for each in pair],
        "rewritten": [each for pair in writing.rewritten for each in pair],
        "links": writing.links,
        "replaced": [text for _, text in writing.replaced],
    }
    for field, held in strings.items():
        for each in held:
            if normalize(each, writing) != each:
                raise ParameterError(
                    f"{path}: {field} has a string that no normalized text contains ({each!r}); "
                    "write it in lower case, composed, and as 'replaced' leaves it"
                )
