"""What a bundle is built from besides its embeddings, and how."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brrkit_toolchain.defaults import (
    DEFAULT_BITS,
    DEFAULT_EFFORT,
    DEFAULT_METHOD,
    PASS_PROBABILITY,
)
from brrkit_toolchain.language.model import LEAST

if TYPE_CHECKING:
    from brrkit_toolchain.tasks.labeled import Task


@dataclass(frozen=True)
class BuildPlan:
    """What a bundle is built from besides its embeddings, and how.

    Attributes:
        bits: length of a code without task bits, a multiple of 64 from 64 to 512; with tasks to
            448.
        method: how words get their codes: a name from ``brr build --help``.
        effort: how long to train the codes: ``low``, ``medium`` or ``high``.
        vocabulary_size: the number of usable words to keep, from the first, at least 2.
        word_list: file with the words to keep, one a line.
        exclude: file with words, one a line, that the vocabulary shall not have: they are never
            released, and typed, they are unknown words.
        spellings: a .tsv or .csv file with a spelling and its word in each line, such as "tmr" and
            "tomorrow". What is typed as the first is taken for the second: one word to an attacker.
            The vocabulary doesn't have the spellings; one whose word it hasn't is unknown.
        written_in: the vocabulary's language, such as "fr", by which texts are cut and words are
            found; or a .json file with the manifest's object ``writing``, for a language that isn't
            covered. By default, it is found by the vocabulary's most frequent words.
        text: PUBLIC text like what users will type, a file as ``read_texts`` takes it. How often
            its frequent words and bigrams occur becomes part of the bundle, and which numbers and
            times are frequent: others of their form are taken for them. Without it words are taken
            to be in the order of their frequency, as embedding files are.
        fill_vectors: file to write and to build from, the embeddings of later commands: vectors in
            the order of how often ``text`` has their words, and then in that of the embeddings.
            Words that 20 texts or more have get one, if it is good, where they have none: learned
            from the words around them, so from every text that has one, and from their spelling.
        column: of ``text``, that holds the texts; not for a text file.
        least: how many lines or rows of ``text`` have a word or bigram whose count the bundle
            shows, at least; and how many texts of a task a word that it gives task bits. Of rarer
            ones it shows nothing. Somebody who has several texts counts several times, and what
            is shown is exact: it isn't differential privacy.
        text_digest: whether the manifest has the SHA-256 of ``text`` and its number of words. Who
            guesses the text knows by them that they are right.
        tasks: PUBLIC labeled texts: what released text is for. Words that say different things of
            their labels get 64 task bits that differ, beside their codes; some of the texts become
            part of the bundle, in a file that isn't shipped.
        secret: files of secret words, one a line, each a list: no two words of a list can be told
            apart by what is released. Those in the vocabulary get one code; others, and inflected
            forms, are typed as the list's most frequent word.
        first: leave a word of several lists on the first; else it is an error.
        passing: words that are nobody's secret, mostly released as typed: a file, one a line, or
            ``function-words:30``, the language's 30 most frequent ones. They are public.
        pass_probability: with which they are, from 0.001 to 0.999; otherwise the mechanism draws.
        word_pairs: folder with word similarity judgments (``word word score``), to measure the
            codes with; by default, of English words, a folder ``wordsim`` near the embeddings, if
            there is one.
        seed: of the codes, the samples and the golden cases.
    """

    bits: int = DEFAULT_BITS
    method: str = DEFAULT_METHOD
    effort: str = DEFAULT_EFFORT
    vocabulary_size: int | None = None
    word_list: str | os.PathLike[str] | None = None
    exclude: str | os.PathLike[str] | None = None
    spellings: str | os.PathLike[str] | None = None
    written_in: str | os.PathLike[str] | None = None
    text: str | os.PathLike[str] | None = None
    fill_vectors: str | os.PathLike[str] | None = None
    column: str | None = None
    least: int = LEAST
    text_digest: bool = True
    tasks: Sequence[Task] = ()
    secret: Sequence[str | os.PathLike[str]] = ()
    first: bool = False
    passing: str | os.PathLike[str] | None = None
    pass_probability: float = PASS_PROBABILITY
    word_pairs: str | os.PathLike[str] | None = None
    seed: int = 0
