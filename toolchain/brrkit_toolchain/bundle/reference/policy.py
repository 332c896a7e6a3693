"""Sections "Policy" and "Passing words" of the specification."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from brrkit_toolchain.bundle.reference.numbers import Read, uniform_below

NO_POLICY: Mapping[str, Any] = {"lists": []}
"""The policy of a manifest without ``policy``."""


def typed_as(string: str, ids: Mapping[str, int], policy: Mapping[str, Any]) -> int | None:
    """Return the id of the word for a candidate of look-up, or None if it isn't a word or form.

    Args:
        string: the candidate.
        ids: ids of the vocabulary's words.
        policy: object ``policy`` of a manifest.
    """
    for secret in policy["lists"]:
        if string in secret["forms"] or ids.get(string) in secret["members"]:
            return int(secret["members"][0])
    return ids.get(string)


def pass_threshold(policy: Mapping[str, Any]) -> int:
    """Return T."""
    return int(Fraction(policy["passing"]["probability"]) * 2**63)


def numbers(policy: Mapping[str, Any]) -> bytes:
    """Return the part of a memory's key about passing words."""
    if "passing" not in policy:
        return b""
    words = policy["passing"]["words"]
    return struct.pack(f"<{len(words) + 1}q", pass_threshold(policy), *words)


def coin(policy: Mapping[str, Any], typed: int | None, read: Read) -> bool:
    """Take the coin, if words pass, and return whether the typed word passes.

    Args:
        policy: object ``policy`` of a manifest.
        typed: id of a word; None for an unknown word.
        read: source of random bytes.
    """
    if "passing" not in policy:
        return False
    number = uniform_below(2**63, read)
    return typed in policy["passing"]["words"] and number < pass_threshold(policy)


def head_of(name: str | None, policy: Mapping[str, Any]) -> int | None:
    """Return the word for a mark."""
    heads = {secret["name"]: int(secret["members"][0]) for secret in policy["lists"]}
    return None if name is None else heads[name]
