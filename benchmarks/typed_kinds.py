"""Kinds of text on phones: the measured texts, and those of others.

No measured text is part of a bundle's language model, or known to its attackers. ``BRR_DATA``
contains the files.
"""

from __future__ import annotations

import lzma
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.reviews import imdb
from brrkit.tokenizer import Token, Tokenizer
from brrkit_toolchain.language.texts import TypedText
from brrkit_toolchain.tasks.dataset import read_dataset

MESSAGES, TWEETS, CHAT, REQUESTS, REVIEWS = "messages", "tweets", "chat", "requests", "reviews"
KINDS = (MESSAGES, TWEETS, CHAT, REQUESTS, REVIEWS)
"""Names of the kinds."""

_TAKEN_OUT = re.compile(r"<(?:#|[A-Za-z]+)>|@user\b|\ufe0f")
"""Placeholders for names, numbers and emoji that the makers of a corpus removed."""


@dataclass(frozen=True)
class Part:
    """Texts of a kind.

    Attributes:
        texts: typed texts.
        groups: intp[n], sender of a message, or emoji of a tweet; otherwise the text's number.
    """

    texts: Sequence[str]
    groups: NDArray[np.intp]

    def some(self, chosen: Iterable[int]) -> Part:
        """Return the ``chosen`` texts, in this order."""
        places = np.fromiter(chosen, np.intp)
        return Part([self.texts[i] for i in places], self.groups[places])

    def shuffled(self) -> Part:
        """Return all texts in a fixed random order."""
        return self.some(np.random.default_rng(0).permutation(len(self.texts)))


@dataclass(frozen=True)
class Kind:
    """A kind of text.

    Attributes:
        name: name of the kind.
        measured: measured texts, in a random order.
        others: the attackers' texts, from other senders or other texts, in a random order.
    """

    name: str
    measured: Part
    others: Part


@dataclass(frozen=True)
class Typed:
    """=Texts read by a bundle's tokenizer; those without a token are left out.

    Attributes:
        texts: typed texts.
        tokens: tokens of each text.
        groups: intp[n], as in ``Part``.
        unknown: the vocabulary's size.
    """

    texts: Sequence[str]
    tokens: Sequence[Sequence[Token]]
    groups: NDArray[np.intp]
    unknown: int

    @property
    def words(self) -> list[list[str]]:
        """The normalized words of each text, known or not."""
        return [[token.text for token in each] for each in self.tokens]

    @property
    def numbers(self) -> NDArray[np.intp]:
        """The number of each token's text."""
        return np.repeat(np.arange(len(self.tokens)), list(map(len, self.tokens)))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether each token stands for a word of the vocabulary."""
        found = (token.word_id is not None for tokens in self.tokens for token in tokens)
        return np.fromiter(found, np.bool_)

    def ids(self) -> list[TypedText]:
        """Return each text as ids of the vocabulary."""
        return [
            TypedText(
                np.array(
                    [self.unknown if each.word_id is None else each.word_id for each in tokens],
                    np.int32,
                ),
                np.array([any(map(str.isdigit, each.text)) for each in tokens], np.bool_),
            )
            for tokens in self.tokens
        ]

    def first(self, tokens: int) -> Typed:
        """Return the first texts, with about this number of ``tokens`` together."""
        ends = np.cumsum([len(each) for each in self.tokens])
        count = int(np.searchsorted(ends, tokens)) + 1
        return Typed(self.texts[:count], self.tokens[:count], self.groups[:count], self.unknown)


def read_typed(part: Part, tokenizer: Tokenizer, tokens: int, longest: int | None = None) -> Typed:
    """Read the first texts of a part.

    Args:
        part: part of a kind.
        tokenizer: tokenizer of the bundle.
        tokens: approximate number of tokens of all texts together.
        longest: largest number of tokens of a text; longer texts are cut. None for no limit.
    """
    texts: list[str] = []
    read: list[list[Token]] = []
    groups: list[int] = []
    total = 0
    for text, group in zip(part.texts, part.groups.tolist(), strict=True):
        if total >= tokens:
            break
        found = tokenizer.read(text)[:longest]
        if found:
            texts.append(text)
            read.append(found)
            groups.append(group)
            total += len(found)
    return Typed(texts, read, np.array(groups, np.intp), len(tokenizer.vocabulary))


def data_folder() -> Path:
    """Return the folder of the files."""
    return Path(os.environ.get("BRR_DATA", "../shared/data"))


def read_kinds(names: Sequence[str] = KINDS) -> dict[str, Kind]:
    """Return the kinds with these ``names`` and with files in ``BRR_DATA``, by name."""
    folder = data_folder()
    found = {}
    for name in names:
        parts = _READERS[name](folder)
        if parts is not None:
            found[name] = Kind(name, *(part.shuffled() for part in parts))
    return found


def _messages(folder: Path) -> tuple[Part, Part] | None:
    """Return phone messages of one half of the senders, and of the other half."""
    file = folder / "everyday" / "nus-sms.tsv.xz"
    if not file.exists():
        return None
    read = read_dataset(file, "text", "sender")
    everything = Part(_cleaned(read.texts), read.labels)
    senders = np.random.default_rng(0).permutation(len(read.classes))
    measured = np.isin(read.labels, senders[::2])
    return _halves(everything, measured)


def _tweets(folder: Path) -> tuple[Part, Part] | None:
    """Return one half of the tweets with their emoji, and the other half."""
    texts, labels = (
        folder / "standard" / f"tweeteval_emoji_train_{name}.txt.xz" for name in ("text", "labels")
    )
    if not (texts.exists() and labels.exists()):
        return None
    everything = Part(_cleaned(_lines(texts)), np.array(_lines(labels), np.intp))
    order = np.random.default_rng(0).permutation(len(everything.texts))
    return everything.some(order[::2]), everything.some(order[1::2])


def _chat(folder: Path) -> tuple[Part, Part] | None:
    """Return lines of conversations, and those of other conversations.

    The sample's language contains every other line, from the first, so these lines are left out.
    """
    file = folder / "everyday" / "topical-chat.txt.xz"
    if not file.exists():
        return None
    lines = _lines(file)[1::2]
    measured = len(lines) // 4
    return _alone(lines[-measured:]), _alone(lines[:-measured])


def _requests(folder: Path) -> tuple[Part, Part] | None:
    """Return SNIPS' test part, and its train part."""
    files = [folder / "intents" / "snips" / name / "seq.in" for name in ("test", "train")]
    if not all(file.exists() for file in files):
        return None
    testing, training = (file.read_text(encoding="utf-8").splitlines() for file in files)
    return _alone(testing), _alone(training)


def _reviews(_folder: Path) -> tuple[Part, Part] | None:
    """Return IMDB's test half, and its training half."""
    dataset = imdb()
    if dataset is None:
        return None
    assert dataset.testing is not None
    return _halves(_alone(dataset.texts), dataset.testing)


_READERS: Mapping[str, Callable[[Path], tuple[Part, Part] | None]] = {
    MESSAGES: _messages,
    TWEETS: _tweets,
    CHAT: _chat,
    REQUESTS: _requests,
    REVIEWS: _reviews,
}


def _lines(file: Path) -> list[str]:
    with lzma.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        return [line.rstrip("\n") for line in lines]


def _cleaned(texts: Iterable[str]) -> list[str]:
    return [_TAKEN_OUT.sub(" ", text) for text in texts]


def _alone(texts: Sequence[str]) -> Part:
    return Part(texts, np.arange(len(texts)))


def _halves(everything: Part, measured: NDArray[np.bool_]) -> tuple[Part, Part]:
    first, second = np.flatnonzero(measured), np.flatnonzero(~measured)
    return everything.some(first), everything.some(second)
