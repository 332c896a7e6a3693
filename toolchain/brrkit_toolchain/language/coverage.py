"""Coverage of a text by a vocabulary, which shows other languages and texts that need cutting."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass

from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.writing import Writing
from brrkit_toolchain.writing.describe import language_name

FREQUENT = 100
"""The number of most frequent words that show whether a text is in the vocabulary's language."""

_FEWEST_TOKENS = 100  # smallest number of tokens for a warning
_FEWEST_KNOWN = 0.5  # smallest share of known words for conclusions about the vocabulary
# In a text of some thousand words, 60 to 100 of the 100 frequent words occur; in one of another
# language, up to 16.
_FEWEST_FREQUENT = 0.25


class UnknownWords(UserWarning):
    """A warning: most words of a text aren't in the vocabulary."""


@dataclass(frozen=True)
class Coverage:
    """Coverage of a text by a vocabulary.

    Attributes:
        tokens: number of the text's tokens.
        unknown: number of tokens that the vocabulary lacks.
        frequent: share of the ``FREQUENT`` most frequent words, or of all if there are fewer, that
            occur in the text.
        unspaced: whether most unknown tokens are in scripts without spaces.
    """

    tokens: int
    unknown: int
    frequent: float
    unspaced: bool

    def refuse(self, name: str | os.PathLike[str], writing: Writing) -> None:
        """Raise ParameterError if a text is in another language, or isn't cut; else ``warn``.

        Args:
            name: name of the text.
            writing: writing rules of the vocabulary.
        """
        problem = self._problem(writing)
        if problem and not self._of_the_language(writing):
            raise ParameterError(f"{os.fspath(name)}: {problem}")
        self.warn(name, writing)

    def warn(self, name: str | os.PathLike[str], writing: Writing) -> None:
        """Warn if most words of a text are unknown; the arguments are those of ``refuse``."""
        if self.tokens >= _FEWEST_TOKENS and (problem := self._problem(writing)):
            warnings.warn(printable(f"{os.fspath(name)}: {problem}"), UnknownWords, stacklevel=2)

    def _of_the_language(self, writing: Writing) -> bool:
        return self.frequent >= _FEWEST_FREQUENT and not self._uncut(writing)

    def _uncut(self, writing: Writing) -> bool:
        return self.unspaced and not writing.unspaced

    def _problem(self, writing: Writing) -> str:
        """Return the reason for many unknown words, and the remedy; "" if most are known."""
        if self.tokens - self.unknown >= _FEWEST_KNOWN * self.tokens:
            return ""
        share = f"{self.unknown / self.tokens:.0%} of its words aren't in the vocabulary"
        if self._uncut(writing):
            return (
                f"{share}: it has no spaces between words, and is cut as {language_name(writing)} "
                "is; build the bundle with the language's rules (--written-in)"
            )
        if self._of_the_language(writing):
            return f"{share}; a larger vocabulary keeps more of it"
        return (
            f"{share}, and few of the vocabulary's frequent words are in it; give a text of its "
            f"language ({language_name(writing)})"
        )
