"""Spellings of the sample's words, as typed on phones: ``tmr`` for ``tomorrow``.

    python -m brrkit_toolchain.embeddings.sample.spellings DATA spellings.tsv

``by_hand.tsv`` contains spellings written by hand. The others follow from the rules in ``RULES``,
each for a class of words. A rule's spelling is used if it isn't a word of its own: texts contain it
rarely enough, compared with its word, and no other rule or word claims it.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import click

from .words import NUMBERS, Usage, masked

FOLDER = Path(__file__).parent
PRINTED = "wikipedia-imdb.300d.50k.vec.gz"
"""Embeddings of edited text."""

ORDINARY = frozenset(
    {
        *("its", "were", "well", "id", "shell", "hell", "wed", "shed"),
        *("whore", "hed", "whod", "whos"),
    }
)
"""Words that a rule would mistake for others."""

_VOWELS = re.compile("(?<=.)[aeiou](?=.)")
_DOUBLE = re.compile(r"([b-df-hj-np-tv-z])\1")


@dataclass(frozen=True)
class Rule:
    """A rule for other spellings of a class of words.

    Attributes:
        name: name of the class.
        words: number of most frequent words to which the rule is applied.
        ratio: largest frequency of the spelling, divided by that of the word.
        texts: smallest number of texts with the spelling.
        spelled: function that yields spellings of a word.
    """

    name: str
    words: int
    ratio: float
    texts: int
    spelled: Callable[[str], Iterator[str]]


def _without_apostrophe(word: str) -> Iterator[str]:
    if "'" in word:
        yield word.replace("'", "")


def _in_for_ing(word: str) -> Iterator[str]:
    if word.endswith("ing") and len(word) > 5:
        yield word[:-1]


def _without_vowels(word: str) -> Iterator[str]:
    short = _VOWELS.sub("", word)
    if len(short) >= 3 and len(short) < len(word):
        yield short


def _one_letter_of_two(word: str) -> Iterator[str]:
    for found in _DOUBLE.finditer(word) if len(word) > 4 else ():
        yield word[: found.start()] + word[found.start() + 1 :]


def _transposed(word: str) -> Iterator[str]:
    """Swap neighboring letters, such as in recieve, but not the first and last ones."""
    for i in range(1, len(word) - 2) if len(word) > 4 else ():
        if word[i] != word[i + 1]:
            yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def _letter_less(word: str) -> Iterator[str]:
    yield from (word[:i] + word[i + 1 :] for i in range(1, len(word)) if len(word) > 5)


RULES: tuple[Rule, ...] = (
    Rule("apostrophe", 60_000, 50.0, 0, _without_apostrophe),
    Rule("in for ing", 8_000, 0.1, 0, _in_for_ing),
    Rule("without vowels", 500, 0.02, 0, _without_vowels),
    Rule("one letter of two", 3_000, 0.02, 0, _one_letter_of_two),
    Rule("transposed", 3_000, 0.02, 1, _transposed),
    Rule("a letter less", 3_000, 0.02, 2, _letter_less),
)


@dataclass(frozen=True)
class Spellings:
    """The words for tokens.

    Attributes:
        words: words by spelling; the digits of a form of numbers are 0.
    """

    words: Mapping[str, str]

    @classmethod
    def read(cls) -> Spellings:
        """Return the words for the sample's tokens."""
        return cls(read_pairs(FOLDER / "spellings.tsv"))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The tokens with digits that are words."""
        return NUMBERS | {word for word in self.words.values() if masked(word) != word}

    def word_of(self, token: str) -> str:
        """Return the word for a token, or the token."""
        if token in self.words or token in self.numbers:
            return self.words.get(token, token)
        return self.words.get(masked(token), token)

    def vocabulary(self, usage: Usage) -> list[str]:
        """Return the words of the vocabulary, the most frequent first.

        The frequency of a number is that of all numbers of its form.
        """
        never = frozenset((FOLDER / "never_released.txt").read_text("utf-8").split())
        shares = usage.shares.copy()
        for token, share in usage.shares.items():
            if (word := self.word_of(token)) != token and word in self.numbers:
                shares[word] += share
        found = {*usage.words(), *self.numbers}
        kept = (word for word in found if word not in self.words and word not in never)
        return sorted(kept, key=lambda word: (-shares[word], word))


def read_pairs(path: Path) -> dict[str, str]:
    """Return the words of a file's spellings."""
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return dict(line.split("\t") for line in lines)


def learn(
    usage: Usage, printed: frozenset[str], given: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """Return the spellings that rules find, by the name of the rule.

    Args:
        usage: frequencies of words.
        printed: words of edited text, which are no spellings of others.
        given: other spellings, which take precedence.
    """
    words = [word for word in usage.words() if word not in given]
    taken = dict(given)
    found: dict[str, dict[str, str]] = {}
    for rule in RULES:
        own: dict[str, str] = {}
        for word in words[: rule.words]:
            for spelling in rule.spelled(word):
                if (
                    len(spelling) > 1
                    and "'" not in spelling
                    and spelling not in ORDINARY
                    and spelling not in taken
                    and (rule.ratio > 1 or spelling not in printed)
                    and usage.shares[spelling] <= rule.ratio * usage.shares[word]
                    and (usage.typed[spelling] >= rule.texts or spelling in usage.listed)
                ):
                    own.setdefault(spelling, word)
        found[rule.name] = own
        taken |= own
    return found


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
def main(data: Path, output: Path) -> None:
    """Write OUTPUT from the files in DATA, and print the number of spellings from each rule."""
    usage = Usage(data / "everyday")
    by_hand = read_pairs(FOLDER / "by_hand.tsv")
    rules = learn(usage, frozenset(read_words(data / "embeddings" / PRINTED)), by_hand)
    never = frozenset((FOLDER / "never_released.txt").read_text("utf-8").split())
    pairs = by_hand.copy()
    for name, own in {"by hand": by_hand, **rules}.items():
        click.echo(f"{len(own):6,} {name}")
        pairs |= own
    rows = (
        f"{spelling}\t{word}\n" for spelling, word in sorted(pairs.items()) if word not in never
    )
    output.write_text("spelling\tword\n" + "".join(rows), encoding="utf-8")


def read_words(path: Path) -> Iterator[str]:
    """Yield the words of an embedding file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (line.partition(" ")[0] for line in lines)


if __name__ == "__main__":
    main()
