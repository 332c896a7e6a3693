"""Words for counting: a word stays with a known probability; otherwise a random symbol replaces it.

k-ary randomized response (Kairouz, Oh and Viswanath 2014) over k = n + 1 symbols: the n words of a
vocabulary, and one symbol for all unknown words. The privacy loss between any two symbols is the
same, however similar they are. For text that keeps its meaning, use ``Privatizer``.
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
"""The output that stands for all words outside the vocabulary. No word has this spelling."""

RECOMMENDED = "counts"
"""The name, in reports, of the setting that the bundle recommends for counts."""


@dataclass(frozen=True)
class RandomizedResponse:
    """Randomized response over ``symbols`` symbols.

    Proof: ``docs/explanation/proofs.md``, "Counts".

    Attributes:
        symbols: the number k of symbols, at least 2.
        threshold: the number of integers below 2^63 that keep the symbol. All others draw one of
            the k symbols.
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
        """The probability that a symbol is kept, and not drawn again."""
        return Fraction(self.threshold, KEEP_ONE)

    @property
    def loss(self) -> float:
        """The exact privacy loss between any two symbols, rounded up; at most the cap."""
        drawn = KEEP_ONE - self.threshold
        return log_up(drawn + self.symbols * self.threshold, drawn)

    def __call__(self, symbol: int, random: RandomSource) -> int:
        """Return the output for ``symbol``; draws two uniform integers.

        It draws both in any case and doesn't branch on the first, so its duration doesn't reveal
        whether the symbol was kept.
        """
        number = uniform_below(KEEP_ONE, random)
        drawn = uniform_below(self.symbols, random)
        return (drawn, symbol)[number < self.threshold]


class Counts:
    """Replaces words at random, so that many reports together show the frequency of each word.

    Each word becomes one word of the vocabulary, or ``UNKNOWN``. All unknown words are one symbol,
    with the same protection as any other. Safe to share between threads, and across fork. A device
    shouldn't send all its words: see ``Reporter``.

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
            setting: the cap, and the largest number of words that a ``Reporter`` sends for a day.
                Without it, the bundle's setting for counts is used (``brr calibrate --for counts
                --write``).
            memory: gives each symbol one first draw for a whole period; all unknown words share
                one. The output is a second draw from the first draw's result. See
                ``docs/how-to/run-for-months.md``.
            second_cap: cap of the second draws; by default twice the cap, but at most 88. Only with
                a memory.
            random: source of random bytes. Don't set it in production: the default is the operating
                system's CSPRNG.

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
        self._tokenizer = bundle.tokenizer  # created now instead of at the first word
        self.memory = memory
        self._random = random

    def __repr__(self) -> str:
        second = "" if self.second_cap is None else f", second_cap={self.second_cap!r}"
        return f"<Counts cap={float(self.setting.cap)!r}{second}>"

    @property
    def loss(self) -> float:
        """The exact privacy loss between any two words in one draw; with a memory, a first draw."""
        return self._first.loss

    @property
    def kept(self) -> Fraction:
        """The probability that the draw keeps a typed word; with a memory, that both draws do."""
        return self._first.kept if self._second is None else self._first.kept * self._second.kept

    def stated(self, repeats: int) -> str | Mapping[str, Any]:
        """Return the setting in the form of reports: ``spec/reports.md``, "Settings".

        Args:
            repeats: largest number of reports of one symbol that a device may send in a period of
                the memory.
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
            ParameterError: ``word`` isn't a string.
            MemoryFileError: the memory's key can't be used; nothing is released.
        """
        return self.words([word])[0]

    def words(self, words: Sequence[str]) -> list[str]:
        """Return the output for each of ``words``, each drawn separately.

        Raises:
            ParameterError: ``words`` isn't a list of strings.
            MemoryFileError: the memory's key can't be used; nothing is released.
        """
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise ParameterError("words takes a list of strings")
        unknown = len(self.bundle)
        found = [self._tokenizer.look_up(word) for word in words]
        symbols = [unknown if word_id is None else word_id for word_id in found]
        return [self._spelled(symbol) for symbol in self._released(symbols)]

    def _spelled(self, symbol: int) -> str:
        """Return the word with the id ``symbol``, or ``UNKNOWN`` for n."""
        return UNKNOWN if symbol == len(self.bundle) else self.bundle.vocabulary.word(symbol)

    def _released(self, symbols: Sequence[int]) -> list[int]:
        """Return the output for each of ``symbols``."""
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
