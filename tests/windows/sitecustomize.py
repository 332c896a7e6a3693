"""Takes away from Python on Linux what it lacks on Windows, where this is first on PYTHONPATH.

Directories can't be opened, nothing is relative to one, a file that is open or mapped can't be
removed, renamed or replaced, nor can a folder with such a file in it; there is no ``fcntl``, but
``msvcrt.locking``; a file that is opened by number is text, unless O_BINARY says otherwise; users,
forks, named pipes and most signals are missing. What this can't show: backslashes, drives, reserved
names, line ends of text streams, and how long Windows takes.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import getpass  # noqa: F401 - like subprocess: imported before a module msvcrt says "Windows"
import importlib
import os
import select
import signal
import struct
import subprocess  # noqa: F401
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# --- open files

OPENERS = Path(os.environ["BRR_OPENERS"])
"""Folder in which each process of this kind has a file with its number as name."""

(OPENERS / str(os.getpid())).touch()
_opened = os.open
_text: set[int] = set()
O_BINARY = 0x8000


def in_use(path: Any) -> bool:
    """Tell whether a process of this kind has ``path``, or something below it, open or mapped."""
    where = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    name = os.path.join(where, os.path.basename(os.path.abspath(path)))
    for process in os.listdir(OPENERS):
        for other in files_of(process):
            if other == name or other.startswith(name + os.sep):
                return True
    return False


def files_of(process: str) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for number in os.listdir(f"/proc/{process}/fd"):
            with contextlib.suppress(OSError):
                yield os.readlink(f"/proc/{process}/fd/{number}")
        with open(f"/proc/{process}/maps") as maps:
            for line in maps:
                yield line.split(maxsplit=5)[-1].rstrip("\n")


def denied(path: Any) -> PermissionError:
    return PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))


def open_(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    if dir_fd is not None:
        raise NotImplementedError("dir_fd unavailable on this platform")
    if os.path.isdir(path):
        raise denied(path)
    file = _opened(path, flags & ~O_BINARY, mode)
    (_text.discard if flags & O_BINARY else _text.add)(file)
    return file


def binary(call: Callable[..., Any]) -> Callable[..., Any]:
    def checked(file: int, *arguments: Any) -> Any:
        if file in _text:
            raise RuntimeError("this file was opened as text: Windows changes its bytes")
        return call(file, *arguments)

    return checked


def nowhere(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``call`` for paths alone, and for what isn't in use."""

    def checked(*arguments: Any, **options: Any) -> Any:
        if any(name.endswith("dir_fd") and options[name] is not None for name in options):
            raise NotImplementedError("dir_fd unavailable on this platform")
        for path in arguments:
            if not isinstance(path, int) and in_use(path):
                raise denied(path)
        if call.__name__ == "rename" and os.path.lexists(arguments[1]):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), arguments[1])
        if call.__name__ == "replace" and os.path.isdir(arguments[1]):
            raise denied(arguments[1])
        return call(*arguments, **options)

    return checked


_fsync = os.fsync


def fsync(file: int) -> None:
    if fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    _fsync(file)


os.open = open_
os.read, os.write = binary(os.read), binary(os.write)
os.fsync = fsync
for name in ("remove", "unlink", "rename", "replace", "rmdir"):
    setattr(os, name, nowhere(getattr(os, name)))
for name in (
    "O_DIRECTORY",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "O_CLOEXEC",
    "O_SYNC",
    "O_TMPFILE",
    "O_PATH",
):
    delattr(os, name)
os.O_BINARY = O_BINARY
os.supports_dir_fd = set()
os.supports_fd = {os.stat} & os.supports_fd
os.supports_follow_symlinks = {os.stat} & os.supports_follow_symlinks
tempfile = importlib.import_module("tempfile")  # now: it looks at what there is when it is imported
tempfile.TemporaryFile = tempfile.NamedTemporaryFile


# --- locks


def locking(file: int, mode: int, count: int) -> None:
    """Lock bytes from the file's position on: this opening's, as in Windows."""
    start = os.lseek(file, 0, os.SEEK_CUR)
    kind = fcntl.F_UNLCK if mode == msvcrt.LK_UNLCK else fcntl.F_WRLCK
    if mode not in (msvcrt.LK_UNLCK, msvcrt.LK_NBLCK):
        raise NotImplementedError("LK_LOCK gives up after ten seconds")
    try:
        _lock(file, F_OFD_SETLK, struct.pack("hhqqi", kind, os.SEEK_SET, start, count, 0))
    except BlockingIOError:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None


_lock, F_OFD_SETLK = fcntl.fcntl, 37
msvcrt: Any = types.ModuleType("msvcrt")
msvcrt.locking, msvcrt.LK_UNLCK, msvcrt.LK_NBLCK = locking, 0, 2
sys.modules["msvcrt"] = msvcrt
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"):
    sys.modules[name] = None  # type: ignore[assignment]


# --- what else isn't there


def missing(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return what our code hasn't, and libraries for this system have."""

    def called(*arguments: Any, **options: Any) -> Any:
        if sys._getframe(1).f_globals.get("__name__", "").startswith("brrkit"):
            raise AttributeError(f"module 'os' has no attribute {name!r}")
        return call(*arguments, **options)

    return called


for name in """
    chown fchmod fchown fork forkpty fstatvfs getegid geteuid getgid getgroups getloadavg getpgid
    getsid getuid killpg lchown mkfifo mknod nice pipe2 posix_fallocate
    sched_getaffinity setsid statvfs sysconf uname wait3 wait4
""".split():
    setattr(os, name, missing(name, getattr(os, name)))
for name in """
    SIGHUP SIGQUIT SIGALRM SIGUSR1 SIGUSR2 SIGCHLD SIGPIPE SIGTSTP alarm setitimer pthread_sigmask
    pause sigwait siginterrupt
""".split():
    delattr(signal, name)
signal.SIGBREAK = signal.SIGURG  # type: ignore[attr-defined]
del time.CLOCK_BOOTTIME, select.poll

_libraries = ctypes.CDLL.__init__


def load(self: ctypes.CDLL, name: Any, *arguments: Any, **options: Any) -> None:
    if name is None and "brrkit" in sys._getframe(1).f_globals.get("__name__", ""):
        raise TypeError("bad argument type for built-in operation")
    _libraries(self, name, *arguments, **options)


ctypes.CDLL.__init__ = load  # type: ignore[method-assign]
