"""What is written before it takes its place: in a hidden folder beside it, that a process claims.

A process that is killed leaves its folder, and the next one that writes the same thing removes it.
It never removes a living process's: that holds the lock of the file ``claim`` in it.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from brrkit import locks
from brrkit.directory import DESCRIPTORS
from brrkit_toolchain.io.interrupts import cleanup_on_signal

_CLAIM_FILE = "claim"  # made first and removed last: without it the folder holds nothing else
_NEW_FILE = "new"
_FOLDER_MODE = 0o700 if DESCRIPTORS else 0o777
"""For the owner only, but on Windows, where what is moved out of the folder would stay so."""


@contextmanager
def draft(target: Path, doing: str) -> Iterator[Path]:
    """Yield a path for a new file or folder, which is to be moved to ``target`` when it is whole.

    It lies in the folder ``.NAME.DOING-XXXXXXXX`` beside the target, which only its owner can look
    into. That goes with the body of the ``with`` statement, or with a signal. What killed processes
    left of the same target goes first.

    Args:
        target: in an existing folder.
        doing: what is done, for the folder's name.

    Raises:
        OSError: the folder can't be made.
    """
    prefix = f".{target.name}.{doing}-"
    while True:
        claimed = _Claimed(target.with_name(prefix + uuid.uuid4().hex[:8]))
        with cleanup_on_signal(claimed.remove):
            if claimed.make():
                _remove_abandoned(target.parent, prefix)
                yield claimed.folder / _NEW_FILE
                return


class _Claimed:
    """A folder that is to be made, and that nobody else removes while this process lives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._claim: BinaryIO | None = None

    def make(self) -> bool:
        """Make it, and return whether it is there: until it is claimed, it looks abandoned."""
        self.folder.mkdir(_FOLDER_MODE)
        try:
            self._claim = (self.folder / _CLAIM_FILE).open("xb", buffering=0)
        except FileNotFoundError:
            return False
        with suppress(OSError):  # without locks nobody removes anything
            locks.lock(self._claim.fileno())
        return os.fstat(self._claim.fileno()).st_nlink > 0

    def remove(self) -> None:
        """Remove it with all that is in it."""
        _remove(self.folder / _NEW_FILE)
        if self._claim is not None:
            self._claim.close()  # Windows removes nothing that is open
        _remove_claim(self.folder)


def _remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove the folders that killed processes left."""
    name = re.compile(re.escape(prefix) + "[0-9a-f]{8}")
    with suppress(OSError):
        for folder in parent.iterdir():
            if name.fullmatch(folder.name):
                _remove_if_abandoned(folder)


def _remove_if_abandoned(folder: Path) -> None:
    try:
        with (folder / _CLAIM_FILE).open("r+b", buffering=0) as claim:
            if not locks.try_lock(claim.fileno()):
                return
            _remove(folder / _NEW_FILE)
            _remove_claim(folder)
        _remove_claim(folder)  # on Windows, which didn't while the claim was open
    except FileNotFoundError:  # it holds nothing; who is about to claim it makes another
        with suppress(OSError):
            folder.rmdir()
    except OSError:  # nobody can tell
        pass


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def _remove_claim(folder: Path) -> None:
    """Remove a folder, in which there is nothing but its claim."""
    with suppress(OSError):
        (folder / _CLAIM_FILE).unlink(missing_ok=True)
        folder.rmdir()
