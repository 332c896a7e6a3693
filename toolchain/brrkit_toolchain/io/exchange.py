"""Exchange two directories atomically, if the system supports it."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_UNSUPPORTED_ERRORS = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}  # without support


def exchange(first: Path, second: Path) -> bool:
    """Exchange two existing paths atomically, by Linux's renameat2.

    Returns:
        Whether it was done; False if the system or the file system doesn't support it.

    Raises:
        OSError: the system supports it, but refuses.
    """
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, TypeError):  # not Linux; Windows has no such library, either
        return False
    if rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED_ERRORS:
        return False
    raise OSError(number, os.strerror(number), str(second))
