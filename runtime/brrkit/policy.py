"""Policies: lists of secret words, and words that are nobody's secret.

A policy is public, and part of a bundle. ``spec/bundle-format.md``, "Policy", specifies it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from brrkit.exact import KEEP_ONE
from brrkit.randomness import RandomSource, uniform_below

MOST_LISTS = 16
MOST_MEMBERS = 65_536
MOST_FORMS = 16_384  # in all lists
_LONGEST_FORM = 64  # code points
MOST_PASSING = 1_024

PROBABILITIES = (0.001, 0.999)
"""Smallest and largest probability of passing."""

_NAME = re.compile("[a-z0-9_-]{1,64}")


@dataclass(frozen=True)
class SecretList:
    """Words that no release tells apart: each is typed as the list's head.

    Attributes:
        name: name of the list.
        members: ids of words of the vocabulary, ascending.
        forms: strings outside the vocabulary that are typed as the head, too.
    """

    name: str
    members: tuple[int, ...]
    forms: tuple[str, ...]

    @property
    def head(self) -> int:
        """The most frequent member."""
        return self.members[0]


@dataclass(frozen=True)
class Passing:
    """Words that are nobody's secret: each skips a draw with a given probability.

    Attributes:
        words: their ids, ascending.
        probability: probability that a word stays as typed, from 0.001 to 0.999. Otherwise the
            mechanism draws.
    """

    words: tuple[int, ...]
    probability: float

    @property
    def threshold(self) -> int:
        """The number of integers below 2^63 that let a word pass, rounded down (more privacy)."""
        return int(KEEP_ONE * Fraction(self.probability))

    @property
    def numbers(self) -> bytes:
        """The threshold and the ids of the words, eight bytes each (``spec/state-files.md``)."""
        return b"".join(i.to_bytes(8, "little") for i in (self.threshold, *self.words))

    def share(self, typed: int | None) -> Fraction:
        """Return the probability that a word passes: 0 for one that isn't among ``words``."""
        return Fraction(self._threshold if typed in self._words else 0, KEEP_ONE)

    def coin(self, typed: int | None, random: RandomSource) -> bool:
        """Decide whether a word passes; draws one uniform integer, whatever was typed.

        Proof: ``docs/explanation/proofs.md``, "Passing words".

        Args:
            typed: id of the word that a token is typed as; None for an unknown word.
            random: source of random bytes.
        """
        number = uniform_below(KEEP_ONE, random)
        return (number < self._threshold) & (typed in self._words)

    @cached_property
    def _threshold(self) -> int:
        return self.threshold

    @cached_property
    def _words(self) -> frozenset[int]:
        return frozenset(self.words)


@dataclass(frozen=True)
class Policy:
    """The sensitivity of a bundle's words: lists of secret words, and passing words.

    Attributes:
        lists: disjoint lists of secret words.
        passing: words that are nobody's secret, in no list; None if there are none.
    """

    lists: tuple[SecretList, ...] = ()
    passing: Passing | None = None

    def typed_as(self, string: str, word_id: int | None) -> int | None:
        """Return the id of the word that a string is typed as, or None for an unknown word.

        A member or form of a list is typed as the list's head, any other word as itself. Proof that
        nothing released depends on anything else: ``docs/explanation/proofs.md``, "Lists".

        Args:
            string: normalized.
            word_id: id of the word with this spelling; None if the vocabulary has no such word.
        """
        if word_id is None:
            return self._of_forms.get(string)
        return self._of_members.get(word_id, word_id)

    def head_of(self, name: str | None) -> int | None:
        """Return the head of the list ``name``, or None if there is none."""
        return next((each.head for each in self.lists if each.name == name), None)

    @cached_property
    def _of_members(self) -> Mapping[int, int]:
        return {member: each.head for each in self.lists for member in each.members}

    @cached_property
    def _of_forms(self) -> Mapping[str, int]:
        return {form: each.head for each in self.lists for form in each.forms}


NO_POLICY = Policy()
"""The policy of a bundle without one: every word is typed as itself, and none passes."""


def read_policy(value: object, size: int) -> Policy | None:
    """Parse a manifest's object; return None if it isn't a policy for ``size`` words.

    It doesn't check whether a form is a word of the vocabulary.
    """
    try:
        _expect(isinstance(value, dict) and set(value) | {"passing"} == {"lists", "passing"})
        return _policy(value, size)
    except ValueError:
        return None


def _policy(value: Any, size: int) -> Policy:
    lists = tuple(_secret_list(each, size) for each in _array(value["lists"], 0, MOST_LISTS))
    passing = _passing(value["passing"], size) if "passing" in value else None
    _unique(each.name for each in lists)
    _unique(
        word_id
        for words in (*(each.members for each in lists), passing.words if passing else ())
        for word_id in words
    )
    forms = [form for each in lists for form in each.forms]
    _expect(len(forms) <= MOST_FORMS)
    _unique(forms)
    return Policy(lists, passing)


def _secret_list(value: Any, size: int) -> SecretList:
    _expect(isinstance(value, dict) and set(value) == {"name", "members", "forms"})
    name = value["name"]
    _expect(isinstance(name, str) and _NAME.fullmatch(name) is not None)
    forms = _array(value["forms"], 0, MOST_FORMS)
    _expect(all(isinstance(form, str) and 1 <= len(form) <= _LONGEST_FORM for form in forms))
    return SecretList(name, _ids(value["members"], MOST_MEMBERS, size), tuple(forms))


def _passing(value: Any, size: int) -> Passing:
    _expect(isinstance(value, dict) and set(value) == {"words", "probability"})
    probability = value["probability"]
    _expect(isinstance(probability, float) and PROBABILITIES[0] <= probability <= PROBABILITIES[1])
    return Passing(_ids(value["words"], MOST_PASSING, size), probability)


def _ids(value: Any, most: int, size: int) -> tuple[int, ...]:
    ids = _array(value, 1, most)
    _expect(all(type(word_id) is int and 0 <= word_id < size for word_id in ids))
    _expect(all(one < other for one, other in pairwise(ids)))
    return tuple(ids)


def _array(value: Any, least: int, most: int) -> list[Any]:
    _expect(isinstance(value, list) and least <= len(value) <= most)
    return list(value)


def _unique(values: Iterable[Any]) -> None:
    held = list(values)
    _expect(len(set(held)) == len(held))


def _expect(valid: bool) -> None:
    if not valid:
        raise ValueError
