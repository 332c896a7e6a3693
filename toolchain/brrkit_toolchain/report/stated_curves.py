"""The build's measured curves in a manifest, which may contain anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from brrkit.mechanisms import MECHANISMS
from brrkit_toolchain.channel import LAPLACE
from brrkit_toolchain.channel.manifest_info import number

_KEPT = ("unchanged", "cosine")


class _OtherwiseError(Exception):
    """The field isn't in the form of a build."""


def _check(holds: bool) -> None:
    if not holds:
        raise _OtherwiseError


def utility_curves(stated: object) -> Mapping[str, Any] | None:
    """Return the manifest's field ``utility`` if it is complete, and of known mechanisms."""
    if not isinstance(stated, dict):
        return None
    try:
        _check((number(stated, "words") or 0) > 0)
        estimated_losses, curves = stated["estimated_losses"], stated["mechanisms"]
        _check(bool(estimated_losses) and set(curves) <= {LAPLACE, *MECHANISMS})
        for loss in estimated_losses:
            _check(type(loss) in (int, float) and 0 < loss < 1e300)
        for points in curves.values():
            _check(len(points) == len(estimated_losses))
            for point in points:
                _check(all(number(point, what) is not None for what in _KEPT))
    except (_OtherwiseError, KeyError, TypeError, AttributeError):
        return None
    return stated


def attack_curves(stated: object, utility: object) -> Mapping[str, Any] | None:
    """Return the manifest's field ``attack`` if it is complete, and at the E of ``utility``."""
    if not (isinstance(stated, dict) and isinstance(utility, dict)):
        return None
    try:
        _check(stated["estimated_losses"] == utility["estimated_losses"])
        for name in MECHANISMS:
            points = stated["mechanisms"][name]
            _check(len(points) == len(stated["estimated_losses"]))
            for point in points:
                _check(number(point["success"], "value") is not None)
    except (_OtherwiseError, KeyError, TypeError, AttributeError):
        return None
    return stated
