"""The share of a kind of text that a bundle knows, by rule, and the parts that aren't released."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from benchmarks.typed_kinds import Typed
from brrkit import WordBundle
from brrkit.list_tokenizer import EMOJI, ListTokenizer
from brrkit.setting import Estimate
from brrkit.tokenizer import Tokenizer, candidates
from brrkit_toolchain.attackers.texts.success import mean_over_texts

Rule = Literal["word", "ending", "spelling", "run", "number", "unknown"]
"""The rule that finds a token's word: the exact spelling, the removal of an ending, another
spelling, a shortened run of letters, or another number of the same form."""

RULES: tuple[Rule, ...] = ("word", "ending", "spelling", "run", "number", "unknown")

LEAST_OF_A_SENDER = 100
"""Smallest number of a sender's tokens for a share."""

_EMOTICON = re.compile(
    r"[:;=][-'^]?[)(\][*|]+"  # :) ;-( =]
    r"|(?<!\w)(?:[:;=][-'^]?[DPpOoSs3/\\]+|[xX]D+)(?!\w)"  # :D :P xD
    r"|<3+|\^[_.-]*\^|(?<!\w)(?:[TQ]_+[TQ]|-[_.]+-|>[_.]*<)(?!\w)"  # <3 ^^ T_T >.<
)
_DIGIT = re.compile("[0-9]")


@dataclass(frozen=True)
class Known:
    """=A bundle's known part of a kind of text.

    Attributes:
        texts: number of texts.
        tokens: number of their tokens.
        shares: shares of the tokens, by rule; they sum to 1.
        known: share of known tokens.
        senders: number of senders with enough tokens; 0 without senders.
        median: median over senders of the share of known tokens.
        tenth: the first decile of this share over senders.
        emoji: number of emoji per 100 tokens.
        emoticons: number of emoticons per 100 tokens; the letter in ``:D`` is also a token.
    """

    texts: int
    tokens: int
    shares: dict[Rule, float]
    known: Estimate
    senders: int
    median: float | None
    tenth: float | None
    emoji: float
    emoticons: float


def measure_known(typed: Typed, bundle: WordBundle, *, by_sender: bool) -> Known:
    """=Return the part of ``typed`` texts that ``bundle`` knows.

    Args:
        typed: texts of one kind.
        bundle: the bundle whose tokenizer read them.
        by_sender: whether the groups of texts are senders, whose texts depend on one another.
    """
    counts = Counter(token.text for tokens in typed.tokens for token in tokens)
    found: Counter[Rule] = Counter()
    for token, count in counts.items():
        found[rule_of(token, bundle.tokenizer)] += count
    total = counts.total()
    numbers = typed.numbers
    groups = typed.groups[numbers] if by_sender else numbers
    known = typed.known.astype(np.float32)
    of_group = np.bincount(groups)
    often = np.flatnonzero(of_group >= LEAST_OF_A_SENDER) if by_sender else np.empty(0, np.intp)
    shares = np.bincount(groups, known)[often] / of_group[often]
    return Known(
        len(typed.texts),
        total,
        {rule: found[rule] / total for rule in RULES},
        mean_over_texts(known, groups),
        len(often),
        float(np.median(shares)) if len(often) else None,
        float(np.quantile(shares, 0.1)) if len(often) else None,
        100 * _emoji(typed, bundle.tokenizer) / total,
        100 * sum(len(_EMOTICON.findall(text)) for text in typed.texts) / total,
    )


def rule_of(token: str, tokenizer: Tokenizer) -> Rule:
    """Return the rule that finds the word of a normalized ``token``.

    Without this rule, the word wouldn't be among the candidates.
    """
    writing, find = tokenizer.writing, tokenizer.vocabulary.find
    word = next((each for each in candidates(token, writing) if find(each) is not None), None)
    bare = token.strip("'")
    if word is None:
        return "unknown"
    if word in (token, bare):
        return "word"
    spelled = writing.word_of
    if bare not in spelled and spelled.get(_DIGIT.sub("0", bare)) == word:
        return "number"
    if word not in candidates(token, replace(writing, longest_run=0)):
        return "run"
    if word not in candidates(token, replace(writing, spellings=(), rewritten=())):
        return "spelling"
    return "ending"


def _emoji(typed: Typed, tokenizer: Tokenizer) -> int:
    """Return the number of emoji in the texts."""
    finder = ListTokenizer(tokenizer.writing, tokenizer.vocabulary, tokenizer.masses, EMOJI)
    return sum(1 for text in typed.texts for _ in finder.units(text))
