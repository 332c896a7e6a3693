"""Lock an open file.

The lock belongs to this opening of the file. Other threads and processes have their own openings,
so it excludes them.
"""

from __future__ import annotations

import errno
import time
from importlib import import_module
from typing import Any

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    _msvcrt: Any = import_module("msvcrt")

    def _take(file: int) -> bool:
        try:
            _msvcrt.locking(file, _msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno != errno.EACCES:  # which means that another opening has it
                raise
            return False
        return True

    def _wait(file: int) -> None:
        while not _take(file):  # the system doesn't notify when a lock is free
            time.sleep(0.002)

    def _give(file: int) -> None:
        _msvcrt.locking(file, _msvcrt.LK_UNLCK, 1)

else:

    def _take(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _wait(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _give(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


def lock(file: int) -> None:
    """Wait until the lock of an open file is free, and take it.

    Args:
        file: descriptor, at the file's start. It may be empty.

    Raises:
        OSError: the file's system has no locks.
    """
    _wait(file)


def try_lock(file: int) -> bool:
    """Take the lock of an open file, and return whether it was free.

    Args:
        file: descriptor, at the file's start. It may be empty.

    Raises:
        OSError: the file's system has no locks.
    """
    return _take(file)


def unlock(file: int) -> None:
    """Release the lock of an open file. Closing its last descriptor does this, too.

    Args:
        file: descriptor, at the file's start.
    """
    _give(file)
