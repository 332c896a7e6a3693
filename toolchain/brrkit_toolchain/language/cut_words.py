"""Which words of a vocabulary can't be typed, since its own tokenizer doesn't give them back."""

from __future__ import annotations

from dataclasses import replace

from brrkit.policy import NO_POLICY
from brrkit.tokenizer import Token, Tokenizer


def cut_words(tokenizer: Tokenizer) -> list[str]:
    """Return the words of ``tokenizer`` that can't be typed, by id.

    Such a word, as a text, isn't one token that is looked up as that word: it has signs that texts
    are cut at, or more frequent words in their place are likelier. Attackers know that nobody
    types it, so their success must not be stated over it. What a policy types a word as is another
    matter.
    """
    tokenizer = replace(tokenizer, policy=NO_POLICY)
    return [
        word
        for word_id, word in enumerate(tokenizer.vocabulary)
        if tokenizer.read(word) != [Token(word, word_id)]
    ]
