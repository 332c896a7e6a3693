"""A cache of the results for runs of earlier texts, since most runs are repeated."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from brrkit.tokenizer import Token, Tokenizer
from brrkit_toolchain.language.lexicon import with_ranked_words

_MOST_RUNS = 1 << 18
_LONGEST_RUN = 64  # characters


class RunCache(dict[str, bytes]):
    """Reads texts as a number for each token, and computes the result for each run once.

    A run's numbers are kept as bytes, because joining them takes less time than reading lists.
    A device has no such cache, because its timing would reveal repeated words.
    """

    def __init__(self, tokenizer: Tokenizer, number: Callable[[Token], int]) -> None:
        """Store the tokenizer, and the function from a token to a number."""
        super().__init__()
        tokenizer = with_ranked_words(tokenizer)
        self._runs, self._tokens, self._number = tokenizer.runs, tokenizer.tokens, number

    def read(self, text: str) -> bytes:
        """Return the numbers of the tokens of ``text``: the bytes of an array of int64."""
        return b"".join(map(self.__getitem__, self._runs(text)))

    def __missing__(self, run: str) -> bytes:
        numbers = array("q", map(self._number, self._tokens(run))).tobytes()
        if len(run) <= _LONGEST_RUN:
            if len(self) >= _MOST_RUNS:
                self.clear()
            self[run] = numbers
        return numbers
