"""Loops that numba compiles, kept in a cache on disk where there is a place for one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from numba import njit

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function, *, fastmath: Collection[str] = ()) -> _Function:
    """Return ``function``, compiled at its first call; it lets other threads run.

    It is compiled once more for arrays that are read-only, such as a bundle's: give it copies.

    Args:
        function: to compile.
        fastmath: LLVM's flags of what it may do to sums, such as ``reassoc``.
    """
    options = {"nogil": True, "fastmath": {*fastmath}}
    try:
        return _compiled(function, cache=True, **options)
    except RuntimeError:
        # Neither the installation nor a home can be written, as in a container.
        return _compiled(function, **options)


def inlined(function: _Function) -> _Function:
    """Return ``function``, which becomes a part of each compiled one that calls it."""
    return _compiled(function, inline="always")


def _compiled(function: _Function, **options: Any) -> _Function:
    made: _Function = njit(**options)(function)
    return made
