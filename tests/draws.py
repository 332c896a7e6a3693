"""``os.urandom``, as tests have it: the same bytes in each run.

So have ``secrets`` and NumPy's generators that have no seed. This is a module of its own because a
``conftest`` is read anew where pytest runs twice in a process, as under mutmut: the second time it
would take the first one's source for the system's.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
from importlib._bootstrap import _module_locks  # held while a module is imported

_systems = os.urandom
_source = _systems
_forks = itertools.count()
_fork = 0


def urandom(size: int, /) -> bytes:
    """Return bytes of the running test's own source.

    A module that draws when it is imported is imported by whichever test comes first, and takes
    none of them.
    """
    frame = sys._getframe(1) if _module_locks else None  # a walk takes longer than a draw
    while frame := frame and frame.f_back:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return _systems(size)
    return _source(size)


def draw_from(seed: str | None) -> None:
    """Give the same bytes from now on, or the system's."""
    global _source, _forks  # noqa: PLW0603
    _source = _systems if seed is None else random.Random(seed).randbytes
    _forks = itertools.count()


def _before_fork() -> None:
    global _fork  # noqa: PLW0603
    _fork = next(_forks)


def _in_child() -> None:
    """Draw other bytes than the parent, and than its other children."""
    if _source is not _systems:
        draw_from(f"{_source(32).hex()} {_fork}")


# A function is pickled by its name.
urandom.__module__ = "os"
os.urandom = urandom
random._urandom = urandom
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
