"""The writing of a plan's vocabulary: its language, its spellings and its numbers."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from brrkit.tokenizer import Tokenizer
from brrkit.writing import Writing
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.embeddings import first_words
from brrkit_toolchain.embeddings.usable_words import Skip, read_word_list
from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.language.numbers import MOST_FORMS, learn_numbers
from brrkit_toolchain.language.texts import read_texts
from brrkit_toolchain.writing.of_vocabulary import (
    FIRST,
    detect_writing,
    drop_absent_clitics,
    load_writing,
)
from brrkit_toolchain.writing.spellings import MOST_SPELLINGS, fit_spellings, read_spellings


@dataclass(frozen=True)
class Written:
    """The writing of words, independent of the vocabulary.

    Attributes:
        writing: writing of the language.
        spellings: given spellings, with their words.
        excluded: words that must not be in the vocabulary.
    """

    writing: Writing
    spellings: Mapping[str, str]
    excluded: frozenset[str]

    @property
    def without(self) -> Mapping[Skip, Collection[str]]:
        """The words to leave out, for ``read_embeddings``."""
        return {Skip.SPELLING: self.spellings, Skip.EXCLUDED: self.excluded}

    def tokenizer(self, words: Sequence[str]) -> Tokenizer:
        """Return the tokenizer of a vocabulary, with the spellings of its words."""
        writing = drop_absent_clitics(self.writing, words)
        return tokenizer_of(words, fit_spellings(writing, self.spellings, words))

    def with_numbers(self, tokenizer: Tokenizer, plan: BuildPlan, progress: bool) -> Tokenizer:
        """Return ``tokenizer``, from this object, with the forms of numbers in the plan's text."""
        if plan.text is None:
            return tokenizer
        texts = read_texts(Path(plan.text), plan.column, progress=progress)
        most = min(MOST_FORMS, MOST_SPELLINGS - len(tokenizer.writing.spellings))
        numbers = learn_numbers(tokenizer, texts, plan.least, most)
        others = {form: word for form, word in numbers.items() if form not in self.spellings}
        writing = fit_spellings(tokenizer.writing, others, list(tokenizer.vocabulary))
        return replace(tokenizer, writing=writing)


def written(embeddings: str | os.PathLike[str], plan: BuildPlan) -> Written:
    """Return the writing of the embeddings' words.

    Raises:
        EmbeddingsError: the embeddings can't be read.
        ParameterError: the language, the spellings or the list of words can't be used.
    """
    given = None if plan.written_in is None else load_writing(plan.written_in)
    writing = given or detect_writing(first_words(embeddings, FIRST))
    return Written(
        writing,
        {} if plan.spellings is None else read_spellings(Path(plan.spellings), writing),
        frozenset() if plan.exclude is None else read_word_list(Path(plan.exclude), writing),
    )
