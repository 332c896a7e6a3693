"""The inputs and parameters of a build, besides the embeddings."""

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
    """The inputs and parameters of a build, besides the embeddings.

    Attributes:
        bits: length of a code without task bits, a multiple of 64 from 64 to 512; with tasks, at
            most 448.
        method: method to learn codes, a name from ``brr build --help``.
        effort: duration of the training of codes: ``low``, ``medium`` or ``high``.
        vocabulary_size: number of usable words to keep, from the first, at least 2.
        word_list: file with the words to keep, one a line.
        exclude: file with words, one a line, that the vocabulary shall not have. They are never
            released. If typed, they are unknown words.
        spellings: a .tsv or .csv file with a spelling and its word in each line, such as "tmr" and
            "tomorrow". The spelling is typed as the word, so attackers see one word. Spellings
            aren't part of the vocabulary. A spelling is unknown if the vocabulary lacks its word.
        written_in: the vocabulary's language, such as "fr", which decides how texts are cut and
            words are looked up; or a .json file with the manifest's object ``writing``, for other
            languages. By default, the vocabulary's most frequent words identify it.
        text: file of PUBLIC text like the text of users, in a form that ``read_texts`` reads. The
            bundle shows the frequencies of its frequent words and bigrams, and its frequent
            numbers and times, which replace others of the same form. Without it, words are assumed
            to be in descending order of frequency, like those of embedding files.
        fill_vectors: file to write, build from, and pass to later commands as the embeddings. Its
            vectors are in the order of their words' frequencies in ``text``, and after them in the
            embeddings' order. It adds vectors for words in 20 or more texts, if these vectors are
            good. They are learned from the words' spelling, and from the words around them in every
            text that contains them.
        column: column of the texts in ``text``, if this isn't a text file.
        least: smallest number of lines or rows of ``text`` that contain a word or bigram whose
            count the bundle shows, and of a task's texts that contain a word with task bits. The
            bundle shows nothing about rarer ones. A person with several texts counts several times,
            and the counts are exact, so this isn't differential privacy.
        text_digest: whether the manifest has the SHA-256 of ``text`` and its number of words. They
            confirm a guess of the whole text.
        tasks: PUBLIC labeled texts of the purposes of released text. 64 task bits, besides the
            codes, differ between words with different labels. Some of the texts become part of the
            bundle, in a file that isn't shipped.
        secret: files of secret words, one a line. Each is a list, and no release tells its words
            apart. Its words in the vocabulary have one code. Its other words, and inflected forms,
            are typed as the list's most frequent word.
        first: keep a word of several lists on the first; otherwise it is an error.
        passing: words that are nobody's secret: a file, one a line, or ``function-words:30`` for
            the language's 30 most frequent words. They are public.
        pass_probability: probability that a passing word stays as typed, from 0.001 to 0.999.
            Otherwise the mechanism draws.
        word_pairs: folder with word similarity ratings (``word word score``), to measure the codes.
            By default, for English words, a folder ``wordsim`` near the embeddings, if there is
            one.
        seed: seed of the codes, the samples and the golden cases.
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
