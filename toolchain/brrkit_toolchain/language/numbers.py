"""Numbers and times that a vocabulary hasn't: each stands for the most frequent one of its form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from brrkit.tokenizer import Tokenizer

MOST_FORMS = 32
"""That are learned."""

_LONGEST_FORM = 64  # code points of a spelling
_DIGIT = re.compile("[0-9]")


def learn_numbers(
    tokenizer: Tokenizer, texts: Iterable[str], least: int, most: int = MOST_FORMS
) -> dict[str, str]:
    """Return the most frequent forms of numbers in texts, and for each the word it stands for.

    A form is a token that begins with a digit, with 0 in place of each: ``00pm`` of 10pm and of
    11pm. Its word is the one that most texts have, among those of the vocabulary that enough have.

    Args:
        tokenizer: of the vocabulary, by which texts are cut.
        texts: public ones.
        least: how many texts are enough. Of what fewer have, nothing leaves a trace.
        most: forms.
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
