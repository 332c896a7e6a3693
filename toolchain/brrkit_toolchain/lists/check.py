"""Checks of a list, and suggestions for it, by the codes of a bundle without the list."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle, check_codes
from brrkit.errors import ParameterError
from brrkit.masses import LEVELS
from brrkit.policy import NO_POLICY, SecretList
from brrkit_toolchain.lists.choose import split_list
from brrkit_toolchain.lists.files import read_list_file
from brrkit_toolchain.lists.nearness import FEW, shares_on_list

SHORT = 20
"""Smallest number of a list's words in the vocabulary without a warning."""

LARGE = 0.5
"""Share of one word in a list's mass from which there is a warning; without any release, an
attacker who guesses this word is right with this probability."""


@dataclass(frozen=True)
class NearWord:
    """A word, and its nearness to a list.

    Attributes:
        word: a word of the vocabulary.
        share: share of the list's words among the 20 codes nearest to its own; for a shorter list,
            among as many codes as the list has other words.
    """

    word: str
    share: float


@dataclass(frozen=True)
class ListCheck:
    """The result of checking a list by a bundle's codes and masses.

    Attributes:
        name: name of the list.
        members: its words in the vocabulary, those with the smallest share first, such as ordinary
            words.
        forms: number of its words outside the vocabulary.
        largest: its most frequent word.
        largest_share: share of this word in the list's mass: the attack success of an attacker who
            knows only that the word is on the list.
        notes: messages about problems of the whole list.
    """

    name: str
    members: tuple[NearWord, ...]
    forms: int
    largest: str
    largest_share: float
    notes: tuple[str, ...]

    @property
    def ordinary(self) -> tuple[NearWord, ...]:
        """Members that may be ordinary words, with a share below 0.15."""
        return tuple(each for each in self.members if each.share < FEW)


def check_list(
    bundle: WordBundle, path: str | os.PathLike[str], *, progress: bool = False
) -> ListCheck:
    """Look for ordinary words on a list of secret words, and measure how well it hides a word.

    Args:
        bundle: an opened bundle, built without the list, so that its words have their own codes.
        path: a UTF-8 file of words, one a line.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: the file can't be read, isn't a list of words, or has no word of the
            vocabulary; or the bundle was built with the list, or is a list to count.
    """
    listed = _read(bundle, path)
    shares = shares_on_list(bundle.codes, listed.members, listed.members, progress=progress)
    largest, share = _largest(bundle, listed)
    return ListCheck(
        listed.name,
        tuple(_sorted(bundle, listed.members, shares)),
        len(listed.forms),
        largest,
        share,
        notes_of(bundle, listed),
    )


def suggest_words(
    bundle: WordBundle, path: str | os.PathLike[str], *, progress: bool = False
) -> tuple[NearWord, ...]:
    """Return words that a list may lack, twice as many as it has, the nearest first.

    Args:
        bundle: an opened bundle, built without the list, so that its words have their own codes.
        path: a UTF-8 file of words, one a line.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: as for ``check_list``.
    """
    listed = _read(bundle, path)
    others = np.setdiff1d(np.arange(len(bundle)), listed.members).tolist()
    shares = shares_on_list(bundle.codes, others, listed.members, progress=progress)
    near = _sorted(bundle, others, shares, first=-1)[: 2 * len(listed.members)]
    return tuple(each for each in near if each.share > 0)


def notes_of(bundle: WordBundle, listed: SecretList) -> tuple[str, ...]:
    """Return the problems of a list with few words, or with one much more frequent word."""
    largest, share = _largest(bundle, listed)
    notes = []
    if len(listed.members) < SHORT:
        notes.append(
            f"{len(listed.members)} of its words are in the vocabulary; add more, so that each "
            f"hides among at least {SHORT}"
        )
    if share >= LARGE:
        notes.append(
            f"{largest} has {share:.0%} of the list's mass, so attackers recover this share of "
            "listed words without any release; add frequent words, or remove it"
        )
    return tuple(notes)


def _largest(bundle: WordBundle, listed: SecretList) -> tuple[str, float]:
    """Return a list's word with the largest mass, and its share of the list's mass."""
    masses = LEVELS[bundle.masses.words[list(listed.members)]]
    word = bundle.vocabulary.word(listed.members[int(masses.argmax())])
    return word, float(masses.max() / masses.sum())


def _read(bundle: WordBundle, path: str | os.PathLike[str]) -> SecretList:
    check_codes(bundle)
    file = read_list_file(path, bundle.writing)
    listed = split_list(file, replace(bundle.tokenizer, policy=NO_POLICY))
    for other in bundle.policy.lists:
        if len(shared := set(listed.members) & set(other.members)) > 1:
            raise ParameterError(
                f"{bundle.path}: was built with the list {other.name}, which gave {len(shared):,} "
                f"words of {file.path} one code; name a bundle that was built without it"
            )
    return listed


def _sorted(
    bundle: WordBundle, ids: Sequence[int], shares: NDArray[np.float64], first: int = 1
) -> list[NearWord]:
    """Return words [m] by their ``shares`` [m], then by id: the smallest first, or, -1, last."""
    order = np.argsort(first * shares, kind="stable").tolist()
    return [NearWord(bundle.vocabulary.word(ids[i]), float(shares[i])) for i in order]
