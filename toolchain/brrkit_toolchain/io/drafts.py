"""Outputs before they take their place: in a hidden folder next to it, claimed by a process.

A killed process leaves its folder, and the next process with the same target removes it. It never
removes the folder of a living process, which holds the lock of the file ``claim`` in it.
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

_CLAIM_FILE = "claim"  # created first and removed last; without it, the folder is empty
_NEW_FILE = "new"
_FOLDER_MODE = 0o700 if DESCRIPTORS else 0o777
"""For the owner only, except on Windows, where moved files would keep this restriction."""


@contextmanager
def draft(target: Path, doing: str) -> Iterator[Path]:
    """Yield a path for a new file or folder, to move to ``target`` when it is complete.

    The path is in the folder ``.NAME.DOING-XXXXXXXX`` next to the target, which only its owner can
    read. The folder is removed at the end of the ``with`` statement, or by a signal. Folders that
    killed processes left for the same target are removed first.

    Args:
        target: path in an existing folder.
        doing: name of the action, for the folder's name.

    Raises:
        OSError: the folder can't be created.
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
    """A folder to create, which no other process removes while this process lives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._claim: BinaryIO | None = None

    def make(self) -> bool:
        """Create the folder, and return whether it exists: before its claim, it looks abandoned."""
        self.folder.mkdir(_FOLDER_MODE)
        try:
            self._claim = (self.folder / _CLAIM_FILE).open("xb", buffering=0)
        except FileNotFoundError:
            return False
        with suppress(OSError):  # without locks, no process removes anything
            locks.lock(self._claim.fileno())
        return os.fstat(self._claim.fileno()).st_nlink > 0

    def remove(self) -> None:
        """Remove the folder with its contents."""
        _remove(self.folder / _NEW_FILE)
        if self._claim is not None:
            self._claim.close()  # Windows doesn't remove open files
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
        _remove_claim(folder)  # on Windows, which didn't remove the open claim
    except FileNotFoundError:  # empty; a process about to claim it creates another one
        with suppress(OSError):
            folder.rmdir()
    except OSError:  # unknown
        pass


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def _remove_claim(folder: Path) -> None:
    """Remove a folder that contains only its claim."""
    with suppress(OSError):
        (folder / _CLAIM_FILE).unlink(missing_ok=True)
        folder.rmdir()
