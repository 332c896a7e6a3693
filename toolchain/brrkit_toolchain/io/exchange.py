"""Exchange two directories at once, where the system can."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_UNSUPPORTED_ERRORS = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}  # of a file system that can't


def exchange(first: Path, second: Path) -> bool:
    """Let two existing paths change places, with no instant in between; Linux's renameat2.

    Returns:
        Whether it was done: False where the system or the file system can't.

    Raises:
        OSError: it can, but refuses.
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
