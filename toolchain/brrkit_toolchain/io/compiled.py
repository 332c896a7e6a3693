"""Loops compiled by numba, with a cache on disk if possible."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from numba import njit

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function, *, fastmath: Collection[str] = ()) -> _Function:
    """Return ``function``, compiled at its first call; it doesn't block other threads.

    It is compiled again for read-only arrays, such as a bundle's, so pass copies of these.
    Copy rows by loops: numba compiles the error message of a slice assignment, too, for seconds.

    Args:
        function: the function to compile.
        fastmath: LLVM's flags for permitted changes of sums, such as ``reassoc``.
    """
    options = {"nogil": True, "fastmath": {*fastmath}}
    try:
        return _compiled(function, cache=True, **options)
    except RuntimeError:
        # Neither the installation nor a home folder is writable, such as in a container.
        return _compiled(function, **options)


def inlined(function: _Function) -> _Function:
    """Return ``function``, inlined into each compiled function that calls it."""
    return _compiled(function, inline="always")


def _compiled(function: _Function, **options: Any) -> _Function:
    made: _Function = njit(**options)(function)
    return made
