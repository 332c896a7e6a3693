"""Check that the policy's passing words, and no others, pass with its probability.

A word's coin consists of eight random bytes before those of the mechanism. If these are given, a
passing word is released unchanged for coins below the threshold, and drawn for others. Any other
word, known or unknown, is drawn for all coins. All words take the same number of bytes. With a
memory, the unkeyed coin belongs to the word that the first draw returns.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from brrkit import Passing
from brrkit_toolchain.audit.parts.replays import TAPE_BYTES, TAPES, Replayed, some
from brrkit_toolchain.audit.result import Part

_COINS = 1 << 63
_SAMPLE = 128  # largest number of passing words, and of other words


def audit_coins(replayed: Replayed, remembering: Replayed, passing: Passing) -> Part:
    """Toss coins at both ends and next to the threshold, for passing words and for others.

    Args:
        replayed: the audited code.
        remembering: the audited code with a memory.
        passing: the policy's passing words.
    """
    start = time.perf_counter()
    coins = _Coins(passing)
    others = sorted({*range(len(replayed.bundle))}.difference(passing.words))
    passes = replayed.typed(some(passing.words, _SAMPLE))
    typed = [*passes, *replayed.typed(some(others, _SAMPLE))]
    allowed = {replayed.bundle.vocabulary.word(word_id) for word_id in passing.words}
    taken = {replayed.words([word], _eight(coin))[1] for word in typed for coin in (0, _COINS - 1)}
    problems = []
    if len(taken) > 1:
        problems.append("words take different numbers of random bytes")
    problems += coins.wrong(replayed, typed, allowed)
    problems += coins.wrong_stand_ins(replayed, passing.words[:TAPES])
    problems += coins.wrong_in_a_call(replayed, passes)
    problems += coins.wrong_with_memory(remembering, typed, allowed)
    detail = (
        f"{len(passes):,} words pass with probability {passing.probability:g}, "
        f"{len(typed) - len(passes):,} others and an unknown one never; all take as many bytes"
    )
    return replayed.part("coins", problems, detail, start)


class _Coins:
    """The coins at both ends, and next to the threshold."""

    def __init__(self, passing: Passing) -> None:
        threshold = int(Fraction(passing.probability) * _COINS)
        self._pass, self._draw = (0, threshold - 1), (threshold, _COINS - 1)

    def wrong(self, replayed: Replayed, typed: list[str], allowed: set[str]) -> Iterator[str]:
        for word in typed:
            for _ in range(TAPES):
                passed, drawn = self._tossed(replayed, word)
                if passed != ({word} if word in allowed else drawn) or len(drawn) > 1:
                    yield f"{word!r} doesn't pass as the policy says"

    def wrong_stand_ins(self, replayed: Replayed, word_ids: tuple[int, ...]) -> Iterator[str]:
        """Check that an unknown word never passes, even if a passing word replaces it."""
        unknown, cumulative = replayed.unknown()[0], replayed.bundle.masses.cumulative
        for word_id in word_ids:
            stand_in = _eight(int(cumulative[word_id - 1]) if word_id else 0)
            for _ in range(TAPES):
                passed, drawn = self._tossed(replayed, unknown, stand_in)
                if passed != drawn:
                    yield "an unknown word passes"

    def wrong_in_a_call(self, replayed: Replayed, passes: list[str]) -> Iterator[str]:
        """Check that each word of a call has its own coin: one word is drawn, the next passes."""
        for word, second in pairwise([*passes, passes[0]]):
            for _ in range(TAPES):
                first = _eight(self._draw[0]) + os.urandom(TAPE_BYTES)
                _, taken = replayed.words([word], first)
                behind = _eight(self._pass[0]) + os.urandom(TAPE_BYTES)
                released, _ = replayed.words([word, second], first[:taken] + behind)
                if released.split(" ")[-1] != second:
                    yield f"{second!r} doesn't pass by its own coin, behind another word"

    def wrong_with_memory(
        self, replayed: Replayed, typed: list[str], allowed: set[str]
    ) -> Iterator[str]:
        """Check that only passing words pass; the result of the first draw is unknown."""
        for word in typed:
            passed, drawn = self._tossed(replayed, word)
            if len(passed) > 1 or len(drawn) > 1 or not (passed == drawn or passed <= allowed):
                yield f"with a memory, {word!r} doesn't pass as the policy says"

    def _tossed(
        self, replayed: Replayed, word: str, before: bytes = b""
    ) -> tuple[set[str], set[str]]:
        """Return the outputs for coins that let a word pass, and for other coins."""
        behind = os.urandom(TAPE_BYTES)
        passed, drawn = (
            {replayed.words([word], before + _eight(coin) + behind)[0] for coin in coins}
            for coins in (self._pass, self._draw)
        )
        return passed, drawn


def _eight(number: int) -> bytes:
    return number.to_bytes(8, "little")
