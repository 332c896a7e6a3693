"""A bundle's policy, from files of words."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.masses import LEVELS
from brrkit.policy import (
    MOST_FORMS,
    MOST_LISTS,
    MOST_MEMBERS,
    MOST_PASSING,
    Passing,
    Policy,
    SecretList,
)
from brrkit.tokenizer import Tokenizer
from brrkit_toolchain.io.files import file_digest
from brrkit_toolchain.lists.files import ListFile, read_list_file
from brrkit_toolchain.lists.inflections import inflections, plurals
from brrkit_toolchain.lists.nearness import FEW, shares_on_list
from brrkit_toolchain.writing.languages import LANGUAGES

_FUNCTION_WORDS = re.compile(r"function-words:(\d{1,4})")


def split_list(file: ListFile, tokenizer: Tokenizer) -> SecretList:
    """Return a file's list: words of the vocabulary are members, others are forms.

    Args:
        file: the list's file.
        tokenizer: tokenizer of the vocabulary, without a policy.

    Raises:
        ParameterError: none of its words is in the vocabulary, or too many are.
    """
    ids = {word: tokenizer.vocabulary.find(word) for word in file.line_of}
    members = sorted(word_id for word_id in ids.values() if word_id is not None)
    forms = [word for word, word_id in ids.items() if word_id is None]
    if not members:
        raise ParameterError(
            f"{file.path}: none of its {len(forms):,} words is in the vocabulary, and a list "
            "needs one; add a word that is, or use a larger vocabulary"
        )
    if len(members) > MOST_MEMBERS:
        raise ParameterError(
            f"{file.path}: {len(members):,} of its words are in the vocabulary; a list has at "
            f"most {MOST_MEMBERS:,}"
        )
    return SecretList(file.name, tuple(members), tuple(forms))


def policy_of(
    files: Sequence[ListFile],
    passing: str | os.PathLike[str] | None,
    probability: float,
    tokenizer: Tokenizer,
    masses: NDArray[np.uint8],
) -> Policy:
    """Return the policy from files and function words, without inflected forms.

    Args:
        files: the lists' files; no word is in two of them.
        passing: ``function-words:30``, or a file of words; None without passing words.
        probability: probability of passing.
        tokenizer: tokenizer of the vocabulary, without a policy.
        masses: uint8[n], the mass of each word as a byte of ``brrkit.masses.LEVELS``.

    Raises:
        ParameterError: there are too many lists, or a list can't be used; or the passing words
            can't be read, aren't in the vocabulary, or are on a list.
    """
    if len(files) > MOST_LISTS:
        raise ParameterError(f"a bundle has at most {MOST_LISTS} secret lists, not {len(files)}")
    lists = tuple(split_list(file, tokenizer) for file in files)
    _check_forms(lists)
    if passing is None:
        return Policy(lists)
    if asked := _FUNCTION_WORDS.fullmatch(os.fspath(passing)):
        words = _function_words(int(asked[1]), lists, tokenizer, masses)
    else:
        words = _read_passing(read_list_file(passing, tokenizer.writing), files, tokenizer)
    return Policy(lists, Passing(tuple(sorted(words)), probability))


def _check_forms(lists: Sequence[SecretList]) -> None:
    forms = sum(len(each.forms) for each in lists)
    if forms > MOST_FORMS:
        raise ParameterError(
            f"the secret lists have {forms:,} forms outside the vocabulary; a bundle has at most "
            f"{MOST_FORMS:,}: leave out rare ones, which then count as unknown words"
        )


def _function_words(
    count: int, lists: Sequence[SecretList], tokenizer: Tokenizer, masses: NDArray[np.uint8]
) -> list[int]:
    """Return the function words of the language with the largest masses, at most ``count``."""
    language = LANGUAGES.get(tokenizer.writing.language)
    if language is None:
        raise ParameterError(
            "passing: the function words of this language aren't known; give a file of words"
        )
    if not 1 <= count <= MOST_PASSING:
        raise ParameterError(
            f"passing: the number of function words must be from 1 to {MOST_PASSING:,}, not "
            f"{count:,}"
        )
    secret = {member for each in lists for member in each.members}
    found = {tokenizer.vocabulary.find(word) for word in language.function_words}
    ids = [word_id for word_id in found if word_id is not None and word_id not in secret]
    if not ids:
        raise ParameterError(
            "passing: the vocabulary has no function word of its language; give a file of words"
        )
    return sorted(ids, key=lambda word_id: (-LEVELS[masses[word_id]], word_id))[:count]


def _read_passing(file: ListFile, files: Sequence[ListFile], tokenizer: Tokenizer) -> list[int]:
    for other in files:
        for word in file.line_of.keys() & other.line_of.keys():
            raise ParameterError(
                f"{file.at(word)} is on the secret list {other.at(word)}, too; a secret word "
                "doesn't pass: keep it on one"
            )
    ids = [i for word in file.line_of if (i := tokenizer.vocabulary.find(word)) is not None]
    if not ids:
        raise ParameterError(f"{file.path}: none of its words is in the vocabulary")
    if len(ids) > MOST_PASSING:
        raise ParameterError(
            f"{file.path}: {len(ids):,} of its words are in the vocabulary; at most "
            f"{MOST_PASSING:,} pass"
        )
    return ids


def with_inflections(policy: Policy, tokenizer: Tokenizer, codes: NDArray[np.uint64]) -> Policy:
    """Return ``policy`` with the members' inflected forms (``inflections``).

    Args:
        policy: a policy without inflected forms.
        tokenizer: tokenizer of the vocabulary, without a policy.
        codes: uint64[n, bits / 64], each word's own code.

    Raises:
        ParameterError: there are too many forms.
    """
    taken = {member for each in policy.lists for member in each.members}
    taken.update(policy.passing.words if policy.passing else ())
    forms = {form for each in policy.lists for form in each.forms}
    lists = []
    for each in policy.lists:
        words = [tokenizer.vocabulary.word(member) for member in each.members]
        joining = _joining(each, words, tokenizer, codes, taken)
        taken.update(joining)
        own = shares_on_list(codes, each.members, each.members)
        plural = {
            form: None
            for word, share in zip(words, own, strict=True)
            if share >= FEW
            for form in plurals(word, tokenizer.writing)
            if form not in forms and tokenizer.look_up(form) is None
        }
        forms.update(plural)
        members = tuple(sorted({*each.members, *joining}))
        lists.append(replace(each, members=members, forms=(*each.forms, *plural)))
    _check_forms(lists)
    return replace(policy, lists=tuple(lists))


def _joining(
    listed: SecretList,
    words: Sequence[str],
    tokenizer: Tokenizer,
    codes: NDArray[np.uint64],
    taken: set[int],
) -> list[int]:
    """Return the inflected forms of a list's words that are unlikely to be other words."""
    found = {
        word_id: form
        for word in words
        for form in inflections(word, tokenizer.writing)
        if (word_id := tokenizer.vocabulary.find(form)) is not None and word_id not in taken
    }
    shares = shares_on_list(codes, list(found), listed.members)
    return [
        word_id
        for (word_id, form), share in zip(found.items(), shares, strict=True)
        if "'" in form.strip("'") or share >= FEW
    ]


def policy_fields(policy: Policy) -> dict[str, Any]:
    """Return the manifest's field ``policy``, if there is a policy."""
    if not policy.lists and policy.passing is None:
        return {}
    lists = [
        {"name": each.name, "members": list(each.members), "forms": list(each.forms)}
        for each in policy.lists
    ]
    stated: dict[str, Any] = {"lists": lists}
    if policy.passing is not None:
        stated["passing"] = {
            "words": list(policy.passing.words),
            "probability": policy.passing.probability,
        }
    return {"policy": stated}


def policy_source(
    files: Sequence[ListFile], passing: str | os.PathLike[str] | None
) -> dict[str, Any]:
    """Return the entry of the manifest's ``source`` about the policy's files."""
    source: dict[str, Any] = {}
    if files:
        source["lists"] = [{"list": file.name, **_file(file.path)} for file in files]
    if passing is not None:
        of_language = _FUNCTION_WORDS.fullmatch(os.fspath(passing))
        source["passing"] = {"name": of_language[0]} if of_language else _file(Path(passing))
    return source


def _file(path: Path) -> dict[str, str]:
    return {"name": path.name, "sha256": file_digest(path)}
