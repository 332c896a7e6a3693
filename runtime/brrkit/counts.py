"""Words for counting: a word comes out as itself with a known probability, otherwise as any.

k-ary randomized response (Kairouz, Oh and Viswanath 2014) over k = n + 1 symbols: the n words of a
vocabulary, and one more for all unknown words. Between any two of them the privacy loss is the
same, however near their meanings are. For text that keeps meaning there is ``Privatizer``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from brrkit.bundle import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import KEEP_ONE, check_cap, default_second_cap, keep_threshold, log_up
from brrkit.memory import Memory
from brrkit.premises import check_keep
from brrkit.randomness import RandomSource, uniform_below
from brrkit.resolve import resolve_counts
from brrkit.setting import CountsSetting

UNKNOWN = ""
"""What comes out for "a word outside the vocabulary": no word is spelled like that."""

RECOMMENDED = "counts"
"""How reports name the setting that the bundle recommends for counts."""


@dataclass(frozen=True)
class RandomizedResponse:
    """Randomized response over ``symbols`` symbols.

    Proof: ``docs/explanation/proofs.md``, "Counts".

    Attributes:
        symbols: k, at least 2.
        threshold: of 2^63 numbers, how many keep the symbol; the others give any of the k.
    """

    symbols: int
    threshold: int

    @classmethod
    def of(cls, cap: float, symbols: int) -> RandomizedResponse:
        """Return the response whose loss between any two symbols is at most ``cap``.

        Raises:
            ParameterError: cap isn't a number from CAP_MIN to CAP_MAX.
        """
        cap = check_cap(cap)
        threshold = keep_threshold(cap, symbols)
        check_keep(threshold, cap, symbols)
        return cls(symbols, threshold)

    @property
    def kept(self) -> Fraction:
        """The probability that a symbol is kept and not drawn anew."""
        return Fraction(self.threshold, KEEP_ONE)

    @property
    def loss(self) -> float:
        """The exact privacy loss between any two symbols, rounded up; at most the cap."""
        drawn = KEEP_ONE - self.threshold
        return log_up(drawn + self.symbols * self.threshold, drawn)

    def __call__(self, symbol: int, random: RandomSource) -> int:
        """Return what ``symbol`` comes out as; two uniform integers.

        Both are drawn whether it is kept or not, and nothing branches on that: the time doesn't
        tell which.
        """
        number = uniform_below(KEEP_ONE, random)
        drawn = uniform_below(self.symbols, random)
        return (drawn, symbol)[number < self.threshold]


class Counts:
    """Replaces words at random, so that many reports show how often each word was typed.

    Each word becomes one word of the vocabulary, or ``UNKNOWN``. Unknown words are one more symbol,
    as private as any other. Safe to share between threads, and across fork. A device shouldn't send
    all its words: see ``Reporter``.

    Proof: ``docs/explanation/proofs.md``, "Counts".
    """

    def __init__(
        self,
        bundle: WordBundle,
        setting: CountsSetting | None = None,
        *,
        memory: Memory | None = None,
        second_cap: float | None = None,
        random: RandomSource = os.urandom,
    ) -> None:
        """Compute the thresholds.

        Args:
            bundle: an opened bundle.
            setting: its cap, and how many words of a day a ``Reporter`` lets leave. Without it, the
                bundle's setting for counts is used (``brr calibrate --for counts --write``).
            memory: gives a symbol the same first draw in a whole period, all unknown words one;
                what comes out is a second draw, of what the first one gave. See
                ``docs/how-to/run-for-months.md``.
            second_cap: of the second draws; twice the cap by default, at most 88. Only with a
                memory.
            random: source of random bytes. Leave it alone in production: the default is the
                operating system's CSPRNG.

        Raises:
            ParameterError: a value is out of range, or there is no setting and the bundle
                recommends none.
        """
        if setting is not None and not isinstance(setting, CountsSetting):
            raise ParameterError("setting must be a CountsSetting: CountsSetting(cap=7.5)")
        self._recommended = setting is None and memory is None
        self.setting = resolve_counts(bundle, setting)
        symbols = len(bundle) + 1
        self._first = RandomizedResponse.of(self.setting.cap, symbols)
        self.second_cap: float | None = None
        self._second: RandomizedResponse | None = None
        if memory is not None:
            self.second_cap = (
                default_second_cap(float(self.setting.cap))
                if second_cap is None
                else check_cap(second_cap)
            )
            self._second = RandomizedResponse.of(self.second_cap, symbols)
        elif second_cap is not None:
            raise ParameterError("second_cap is for a memory's second draws; give a memory")
        self.bundle = bundle
        self._tokenizer = bundle.tokenizer  # made now, and not with the first word
        self.memory = memory
        self._random = random

    def __repr__(self) -> str:
        second = "" if self.second_cap is None else f", second_cap={self.second_cap!r}"
        return f"<Counts cap={float(self.setting.cap)!r}{second}>"

    @property
    def loss(self) -> float:
        """The exact loss of one draw (with a memory, of a first draw) between any two words."""
        return self._first.loss

    @property
    def kept(self) -> Fraction:
        """The probability that a word comes out because it was typed, and not by chance."""
        return self._first.kept if self._second is None else self._first.kept * self._second.kept

    def stated(self, repeats: int) -> str | Mapping[str, Any]:
        """Return the setting as reports state it: ``spec/reports.md``, "Settings".

        Args:
            repeats: how often a device may send one symbol in a period of the memory.
        """
        if self._recommended:
            return RECOMMENDED
        stated: dict[str, Any] = {"mechanism": "counts", "cap": float(self.setting.cap)}
        if self.second_cap is not None:
            stated |= {"second_cap": self.second_cap, "repeats": repeats}
        return stated

    def word(self, word: str) -> str:
        """Return the output for ``word``: a word of the vocabulary, or ``UNKNOWN``.

        Raises:
            MemoryFileError: the memory's key can't be used; nothing is released then.
        """
        return self.words([word])[0]

    def words(self, words: Sequence[str]) -> list[str]:
        """Return the output for each of ``words``, each drawn separately.

        Raises:
            MemoryFileError: the memory's key can't be used; nothing is released then.
        """
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise ParameterError("words takes a list of strings")
        unknown = len(self.bundle)
        found = [self._tokenizer.look_up(word) for word in words]
        symbols = [unknown if word_id is None else word_id for word_id in found]
        return [self._spelled(symbol) for symbol in self._released(symbols)]

    def _spelled(self, symbol: int) -> str:
        """Return the word that ``symbol`` is; n is that of unknown words."""
        return UNKNOWN if symbol == len(self.bundle) else self.bundle.vocabulary.word(symbol)

    def _released(self, symbols: Sequence[int]) -> list[int]:
        """Return what each of ``symbols`` comes out as."""
        if self.memory is None or self._second is None:
            return [self._first(symbol, self._random) for symbol in symbols]
        key, numbers = self.memory.key(), self._first.threshold.to_bytes(8, "little")
        sources = [
            key.draw(
                self.bundle.digest, (b"counts", numbers), self._spelled(symbol) or None
            ).source()
            for symbol in symbols
        ]
        firsts = [
            self._first(symbol, source) for symbol, source in zip(symbols, sources, strict=True)
        ]
        return [self._second(symbol, self._random) for symbol in firsts]
