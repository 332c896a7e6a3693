"""Numbers and times outside a vocabulary, typed as the most frequent one of the same form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from brrkit.tokenizer import Tokenizer

MOST_FORMS = 32
"""Largest number of learned forms."""

_LONGEST_FORM = 64  # code points of a spelling
_DIGIT = re.compile("[0-9]")


def learn_numbers(
    tokenizer: Tokenizer, texts: Iterable[str], least: int, most: int = MOST_FORMS
) -> dict[str, str]:
    """Return the most frequent forms of numbers in texts, with the word for each.

    A form is a token that begins with a digit, with 0 instead of each digit: ``00pm`` for 10pm and
    11pm. Its word is the word of the vocabulary with this form that most texts have, if enough have
    it.

    Args:
        tokenizer: tokenizer of the vocabulary.
        texts: public texts.
        least: smallest number of texts. Forms and words in fewer texts leave no trace.
        most: largest number of forms.
    """
    having: Counter[str] = Counter()
    for text in texts:
        runs = (run for run in tokenizer.runs(text) if _DIGIT.search(run))
        tokens = (token.text.strip("'") for run in runs for token in tokenizer.tokens(run))
        having.update({token for token in tokens if _DIGIT.match(token)})
    often: Counter[str] = Counter()
    words: dict[str, str] = {}
    find = tokenizer.vocabulary.find
    for token, count in sorted(having.items(), key=lambda item: (-item[1], item[0])):
        form = _DIGIT.sub("0", token)
        if count < least or len(form) > _LONGEST_FORM:
            continue
        often[form] += count
        if find(token) is not None:
            words.setdefault(form, token)
    fitting = sorted(words, key=lambda form: (-often[form], form))[:most]
    return {form: words[form] for form in fitting}
