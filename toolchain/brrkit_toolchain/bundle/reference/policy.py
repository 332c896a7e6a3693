"""Sections "Policy" and "Passing words" of the specification."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from brrkit_toolchain.bundle.reference.numbers import Read, uniform_below

NO_POLICY: Mapping[str, Any] = {"lists": []}
"""Where a manifest has no ``policy``."""


def typed_as(string: str, ids: Mapping[str, int], policy: Mapping[str, Any]) -> int | None:
    """Return the id of what a candidate of look-up is typed as, or None if it is neither.

    Args:
        string: the candidate.
        ids: of the vocabulary's words.
        policy: a manifest's object.
    """
    for secret in policy["lists"]:
        if string in secret["forms"] or ids.get(string) in secret["members"]:
            return int(secret["members"][0])
    return ids.get(string)


def pass_threshold(policy: Mapping[str, Any]) -> int:
    """Return T."""
    return int(Fraction(policy["passing"]["probability"]) * 2**63)


def numbers(policy: Mapping[str, Any]) -> bytes:
    """Return what a memory's key takes of the words that pass."""
    if "passing" not in policy:
        return b""
    words = policy["passing"]["words"]
    return struct.pack(f"<{len(words) + 1}q", pass_threshold(policy), *words)


def coin(policy: Mapping[str, Any], typed: int | None, read: Read) -> bool:
    """Take the coin, if words pass, and tell whether what was typed does.

    Args:
        policy: a manifest's object.
        typed: id of a word; None for an unknown one.
        read: source of random bytes.
    """
    if "passing" not in policy:
        return False
    number = uniform_below(2**63, read)
    return typed in policy["passing"]["words"] and number < pass_threshold(policy)


def head_of(name: str | None, policy: Mapping[str, Any]) -> int | None:
    """Return what a mark is typed as."""
    heads = {secret["name"]: int(secret["members"][0]) for secret in policy["lists"]}
    return None if name is None else heads[name]
