"""The words of a vocabulary that can't be typed, because its own tokenizer changes them."""

from __future__ import annotations

from dataclasses import replace

from brrkit.policy import NO_POLICY
from brrkit.tokenizer import Token, Tokenizer


def cut_words(tokenizer: Tokenizer) -> list[str]:
    """Return the words of ``tokenizer`` that can't be typed, by id.

    As a text, such a word isn't one token whose look-up gives this word: it contains separators, or
    is likelier as several more frequent words. Attackers know that nobody types it, so their attack
    success must exclude it. A policy doesn't matter here.
    """
    tokenizer = replace(tokenizer, policy=NO_POLICY)
    return [
        word
        for word_id, word in enumerate(tokenizer.vocabulary)
        if tokenizer.read(word) != [Token(word, word_id)]
    ]
