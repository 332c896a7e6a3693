"""A challenge: to name the words, the texts and the writers of released texts.

Some typed texts are public, with their writers. They are released in a secret order, and the
question is which text is which. Others stay secret. They are released in sets, each from one
writer, and the questions are the writer of a set, and each of its words.

The challenge doesn't contain the answers. Each has a salted and slow digest, by which guesses can
be scored. Trying all possible answers against a digest reveals the right one.
"""

from __future__ import annotations

import csv
import hashlib
import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from brrkit import ParameterError
from brrkit.tokenizer import Tokenizer
from brrkit_toolchain.io.tables.reading import rows

WORDS, TEXTS, WRITERS = "words", "texts", "writers"
"""The questions: about each secret text, each released known text, and each set."""

ASKED = (WORDS, TEXTS, WRITERS)

SET = 8
"""Number of a writer's secret texts that are released together."""

COST = 4_096
"""Cost of scrypt for a digest: some hundredths of a second, and 4 MB."""

KNOWN, RELEASED, SECRET, SEALED = "known.csv", "texts.csv", "writers.csv", "challenge.json"
"""The files of a challenge."""

_BLOCK = 8  # of scrypt
_DIGEST = 8  # bytes

Release = Callable[[Sequence[str]], list[str]]
"""A privatizer, which returns a released text for each typed text."""


class Shuffler(Protocol):
    """``random.SystemRandom``, or for experiments ``random.Random``."""

    def shuffle(self, x: list[Any]) -> None:
        """Shuffle a list."""


@dataclass(frozen=True)
class Written:
    """A typed text, with its writer."""

    writer: str
    text: str


@dataclass(frozen=True)
class Challenge:
    """=The public data.

    Attributes:
        known: typed texts and their writers.
        released: releases of the known texts, in a secret order.
        sets: releases of one writer's secret texts, by set.
    """

    known: Sequence[Written]
    released: Sequence[str]
    sets: Sequence[Sequence[str]]

    @property
    def secret(self) -> list[str]:
        """The releases of secret texts, set by set."""
        return [text for each in self.sets for text in each]


Answers = Mapping[str, Sequence[Sequence[str]]]
"""By what is asked, answers by number: of a secret text its words, of a released text the number of
the known one, of a set its writer."""


@dataclass(frozen=True)
class Sealed:
    """=The data for scoring guesses.

    Attributes:
        privatizer: description of the privatizer and its setting.
        bundle: digest of its bundle.
        salt: 32 hexadecimal digits.
        cost: cost of scrypt.
        digests: digests of the answers.
    """

    privatizer: str
    bundle: str
    salt: str
    cost: int
    digests: Answers

    def right(self, guesses: Answers) -> dict[str, tuple[int, int]]:
        """Return the number of right guesses and of answers, by question."""
        return {
            asked: (
                sum(
                    _digest(self.salt, self.cost, asked, number, place, guess) == digest
                    for number, digests in enumerate(self.digests[asked])
                    for place, (digest, guess) in enumerate(
                        zip(digests, _of(guesses, asked, number), strict=False)
                    )
                ),
                sum(map(len, self.digests[asked])),
            )
            for asked in ASKED
        }


def _of(guesses: Answers, asked: str, number: int) -> Sequence[str]:
    given = guesses.get(asked, ())
    return given[number] if number < len(given) else ()


def right_of(answers: Answers, guesses: Answers) -> dict[str, tuple[int, int]]:
    """Return the same as ``Sealed.right`` for unsealed answers."""
    return {
        asked: (
            sum(
                answer == guess
                for number, each in enumerate(answers[asked])
                for answer, guess in zip(each, _of(guesses, asked, number), strict=False)
            ),
            sum(map(len, answers[asked])),
        )
        for asked in ASKED
    }


def draw(
    known: Sequence[Written],
    secret: Sequence[Written],
    release: Release,
    tokenizer: Tokenizer,
    shuffler: Shuffler,
    size: int = SET,
) -> tuple[Challenge, Answers]:
    """Release texts once; return the public data and the answers.

    Args:
        known: public texts.
        secret: secret texts; each writer's texts beyond full sets are left out.
        release: the privatizer.
        tokenizer: tokenizer that defines the words of a secret text.
        shuffler: source of the orders.
        size: size of a set.
    """
    order = list(range(len(known)))
    shuffler.shuffle(order)
    sets = []
    for _, group in groupby(sorted(secret, key=lambda each: each.writer), lambda each: each.writer):
        own = list(group)
        shuffler.shuffle(own)
        sets += [own[i : i + size] for i in range(0, len(own) - size + 1, size)]
    shuffler.shuffle(sets)
    released = iter(release([written.text for each in sets for written in each]))
    challenge = Challenge(
        known,
        release([known[i].text for i in order]),
        [[next(released) for _ in each] for each in sets],
    )
    answers = {
        WORDS: [words_of(written.text, tokenizer) for each in sets for written in each],
        TEXTS: [[str(i)] for i in order],
        WRITERS: [[each[0].writer] for each in sets],
    }
    return challenge, answers


def words_of(text: str, tokenizer: Tokenizer) -> list[str]:
    """Return the words of a text in the vocabulary's form; unknown words are unchanged."""
    word = tokenizer.vocabulary.word
    return [
        token.text if token.word_id is None else word(token.word_id)
        for token in tokenizer.read(text)
    ]


def seal(answers: Answers, privatizer: str, bundle: str, cost: int | None = None) -> Sealed:
    """Return digests of the answers, with a salt from the operating system.

    Args:
        answers: the right answers.
        privatizer: description of the privatizer and its setting.
        bundle: digest of its bundle.
        cost: cost of scrypt, a power of two; by default, ``COST``.
    """
    salt, cost = secrets.token_hex(16), cost or COST
    digests = {
        asked: [
            [_digest(salt, cost, asked, number, place, each) for place, each in enumerate(answer)]
            for number, answer in enumerate(answers[asked])
        ]
        for asked in ASKED
    }
    return Sealed(privatizer, bundle, salt, cost, digests)


def _digest(salt: str, cost: int, asked: str, number: int, place: int, answer: str) -> str:
    salted = f"{salt} {asked} {number} {place}".encode()
    return hashlib.scrypt(
        answer.strip().lower().encode(), salt=salted, n=cost, r=_BLOCK, p=1, dklen=_DIGEST
    ).hex()


def write_challenge(challenge: Challenge, sealed: Sealed, folder: Path) -> None:
    """Write the files of a challenge into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    known = [(i, each.writer, each.text) for i, each in enumerate(challenge.known)]
    _write(folder / KNOWN, ("number", "writer", "text"), known)
    _write(folder / RELEASED, ("number", "released"), list(enumerate(challenge.released)))
    numbers = iter(range(len(challenge.secret)))
    secret = [
        (number, next(numbers), text) for number, each in enumerate(challenge.sets) for text in each
    ]
    _write(folder / SECRET, ("set", "number", "released"), secret)
    text = json.dumps(asdict(sealed), indent=1)
    (folder / SEALED).write_text(text + "\n", encoding="utf-8")


def _write(file: Path, columns: Sequence[str], lines: Sequence[Sequence[object]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(lines)


def read_challenge(folder: Path) -> tuple[Challenge, Sealed]:
    """Read the files of a challenge.

    Raises:
        ParameterError: a file can't be read or has another form.
    """
    file = folder / SEALED
    try:
        sealed = Sealed(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise ParameterError(
            f"{file}: not a challenge ({type(error).__name__}); draw one into a new folder"
        ) from None
    secret = [row for _, row in rows(folder / SECRET, ["set", "released"])]
    challenge = Challenge(
        read_written(folder / KNOWN),
        [released for _, (released,) in rows(folder / RELEASED, ["released"])],
        [[text for _, text in group] for _, group in groupby(secret, lambda row: row[0])],
    )
    return challenge, sealed


def read_written(file: Path) -> list[Written]:
    """Read a table with the columns ``writer`` and ``text``; texts without a character are left.

    Raises:
        ParameterError: it can't be read as such.
    """
    return [Written(*row) for _, row in rows(file, ["writer", "text"]) if row[1].strip()]


def write_guesses(guesses: Answers, file: Path) -> None:
    """Write a table of guesses: question, number, and the guess; words are separated by spaces."""
    lines = [
        (asked, number, " ".join(guess))
        for asked, each in guesses.items()
        for number, guess in enumerate(each)
    ]
    _write(file, ("asked", "number", "guess"), lines)


def read_guesses(file: Path, sealed: Sealed) -> Answers:
    """Read a table of guesses; missing ones count as not guessed.

    Raises:
        ParameterError: the file has another form, or a line answers no question.
    """
    guesses: dict[str, list[list[str]]] = {
        asked: [[] for _ in digests] for asked, digests in sealed.digests.items()
    }
    for place, asked, number, guess in _guessed(file):
        if asked not in guesses:
            raise ParameterError(f"{place}: asked is {asked!r}; it is one of {', '.join(ASKED)}")
        if not (number.isdecimal() and int(number) < len(guesses[asked])):
            raise ParameterError(
                f"{place}: number is {number!r}; of {asked} it is from 0 to "
                f"{len(guesses[asked]) - 1}"
            )
        words = guess.split() if asked == WORDS else [guess]
        wanted = len(sealed.digests[asked][int(number)])
        if asked == WORDS and len(words) > wanted:
            raise ParameterError(
                f"{place}: {len(words)} words are guessed, and {wanted} were typed; separate them "
                "by spaces"
            )
        guesses[asked][int(number)] = words
    return guesses


def _guessed(file: Path) -> Iterator[tuple[str, str, str, str]]:
    for place, (asked, number, guess) in rows(file, ["asked", "number", "guess"]):
        yield str(place), asked.strip(), number.strip(), guess.strip()
