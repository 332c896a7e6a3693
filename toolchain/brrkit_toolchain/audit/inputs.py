"""Inputs: one word outside a vocabulary of each kind, texts, and sequences of words."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from brrkit.normal_form import normalize
from brrkit.tokenizer import look_up, tokenize

TOKENS = 4
"""Number of tokens in every text that is compared with another, and of words in every sequence."""

_BESIDE = 8  # unknown words before or after a known word
_SMILE = "\N{GRINNING FACE}"
_THUMB = "\N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}"
_CAPITALS = 2  # words with a capital initial, and words in capitals

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALPHABETS = (
    _LETTERS,
    "абвгдежзиклмнопрстуфхцчшыьэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "अआइईउऊऋएऐओऔकखगघ",
    "世界人口手水火山日月木金土中国語",
)


def unknown_words(known: Sequence[str]) -> tuple[str, ...]:
    """Return words outside ``known``, one of each kind that code may treat differently."""
    ids = {word: i for i, word in enumerate(known)}
    first, longest = known[0], max(known, key=len)
    kinds = (
        "qzxvjkwq",
        "7",
        "4815162342",
        "3.14",
        "zbigniew",
        "Wojciech",
        "NASA",
        "o'brien",
        "rock'n'roll",
        f"{first}q",  # one edit from a known word
        f"{longest[:-1]}",
        f"{longest}{longest}",
        "b2b",
        "me@example.com",
        "über",
        "привет",
        "世界",
        "pneumonoultramicroscopicsilicovolcanoconiosis",
        "x" * 300,
    )
    return tuple(dict.fromkeys(word for word in kinds if word and look_up(word, ids.get) is None))


def texts(known: Sequence[str]) -> tuple[str, ...]:
    """Return texts of ``TOKENS`` tokens each; ``known`` are words of a vocabulary."""
    a, b, c, d = known[:4]
    return (
        f"{a} {b} {c} {d}",
        f"{a} {a} {a} {a}",
        f"  {a.upper()}, {b}! ({c.title()}) {d}?",
        f"{a}\n{b}\t{c}\n{d}",
        f"{a}'s {b} {c}'s {d}",
        f"zbigniew's {b} {c} {d}",
        "don't won't do can't",
        "o'brien o'toole rock'n'roll d'artagnan",
        f"zbigniew qzxvjkwq {c} {d}",
        "qzxvjkwq qzxvjkwq qzxvjkwq qzxvjkwq",
        "4815162342 7 1984 0",
        f"{a} 3.14 {b}",
        "привет 世界 über naïve",
        f"{'x' * 300} NASA {b}q {d}",
        f"{a} {_SMILE} {b} {_THUMB} {c} {d}",
        f"#{a} @{b} {c} #{d}",
        f"me@example.com {a}",
        "https://t.co/Ab12cd",
    )


def beside_unknown(known: Sequence[str]) -> tuple[str, ...]:
    """Return texts with unknown words after and before each of the first two known words."""
    unknown = [word for word in unknown_words(known) if len(tokenize(word)) == 1][:_BESIDE]
    behind = tuple(" ".join((word, *unknown)) for word in known[:2])
    return (*behind, *(" ".join((*unknown, word)) for word in known[:2]))


def sequences(known: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return sequences of ``TOKENS`` known words, which show whether two words share noise."""
    a, b, c = known[0], known[7], known[3]
    return ((a, a, a, a), (b, b, b, b), (a, b, a, b), (a, b, c, a))


def capitals(known: Sequence[str]) -> tuple[str, ...]:
    """Return known words with a capital initial, or in capitals."""
    cased = [word for word in known if word.title() != word and word.upper() != word.title()]
    return (*map(str.title, cased[:_CAPITALS]), *map(str.upper, cased[:_CAPITALS]))


def many_unknown(
    count: int, find: Callable[[str], int | None], generator: random.Random
) -> tuple[str, ...]:
    """Return different random words outside a vocabulary, of all kinds.

    Args:
        count: number of words.
        find: function that returns the id of a word of the vocabulary, else None.
        generator: source of randomness.
    """

    def letters(length: int, alphabet: str = _LETTERS) -> str:
        return "".join(generator.choices(alphabet, k=length))

    kinds: tuple[Callable[[], str], ...] = (
        lambda: letters(generator.randint(6, 12)),
        lambda: letters(generator.randint(4, 9)) + letters(1, "aeiou") * 2,
        lambda: letters(generator.randint(5, 10)).title(),
        lambda: letters(generator.randint(4, 8)).upper(),
        lambda: letters(generator.randint(21, 40)),
        lambda: letters(generator.randint(4, 6), "0123456789"),
        lambda: letters(generator.randint(7, 16), "0123456789"),
        lambda: f"{letters(4)}{generator.randint(10, 9999)}",
        lambda: f"{letters(2)}'{letters(6)}",
        lambda: f"{letters(5)}'s",
        lambda: letters(generator.randint(4, 9), generator.choice(_ALPHABETS[1:])),
        lambda: f"{letters(6)}@{letters(5)}.com",
    )
    found: dict[str, str] = {}
    while len(found) < count:
        word = kinds[len(found) % len(kinds)]()
        if look_up(word, find) is None:
            found.setdefault(normalize(word), word)
    return tuple(found.values())
