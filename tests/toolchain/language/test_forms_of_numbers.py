"""Forms of numbers: which a text teaches, and what they stand for."""

from __future__ import annotations

from dataclasses import replace

from brrkit_toolchain.language.lexicon import tokenizer_of
from brrkit_toolchain.language.numbers import MOST_FORMS, learn_numbers

WORDS = ["at", "7pm", "8pm", "10", "20", "2nd", "b2", "0"]


def test_the_most_frequent_of_a_form_stands_for_it() -> None:
    texts = [
        *["at 8pm"] * 7,
        *["'8PM' 7pm 7pm 7pm"] * 6,  # more often, but in fewer texts
        *["11pm 11pm"] * 50,  # no word
        *["20"] * 5,
        *["10"] * 5,  # the first of equals
        *["2nd b2 7 c3po"] * 4,  # too few
        *["3rd 3am"] * 9,  # no word of the form
        *["٣٣ x"] * 9,  # other digits have no form
    ]
    assert learn_numbers(tokenizer_of(WORDS), texts, 5) == {"0pm": "8pm", "00": "10"}
    assert learn_numbers(tokenizer_of(WORDS), texts, 4)["0nd"] == "2nd"


def test_what_few_texts_have_leaves_no_trace() -> None:
    texts = ["at 8pm", "10"] * 5
    rare = ["20 " * 1_000 + "7pm 11pm"] * 4
    tokenizer = tokenizer_of(WORDS)
    assert learn_numbers(tokenizer, texts + rare, 5) == learn_numbers(tokenizer, texts, 5)


def test_the_most_frequent_forms_are_kept() -> None:
    words = [f"1{'0' * i}a" for i in range(MOST_FORMS + 5)]
    texts = [word for i, word in enumerate(words) for _ in range(5 + i)]
    found = learn_numbers(tokenizer_of(words), texts, 5)
    assert list(found.values()) == words[: -MOST_FORMS - 1 : -1]
    assert len(learn_numbers(tokenizer_of(words), texts, 5, 3)) == 3
    assert learn_numbers(tokenizer_of(["1" * 65]), ["1" * 65] * 9, 5) == {}


def test_words_of_their_own_are_taken_off() -> None:
    """As the tokenizer does it."""
    tokenizer = tokenizer_of(["l'", "10"])
    writing = replace(tokenizer.writing, before=("l'",))
    assert learn_numbers(replace(tokenizer, writing=writing), ["l'10"] * 5, 5) == {"00": "10"}
