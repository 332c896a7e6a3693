"""A small file shared by processes, read and replaced as a whole, under a lock."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from brrkit import locks
from brrkit.directory import Directory
from brrkit.errors import BrrError, ParameterError


def state_path(path: str | Path, owner: str) -> Path:
    """Return the absolute form of the path of a state file.

    Raises:
        ParameterError: the path can't name a file.
    """
    try:
        # A later change of the current directory must not lead to another file.
        absolute = Path(path).absolute()
        if Path(path).name in ("", "..") or b"\0" in os.fsencode(absolute):
            raise ValueError
    except (TypeError, ValueError, OSError):
        raise ParameterError(f"{owner} must be the path of a file") from None
    return absolute


@dataclass(frozen=True)
class StateFile:
    """A file while only this thread has its lock."""

    path: Path
    folder: Directory  # in which a name means the same file while the lock is held
    error: type[BrrError]  # raised if the file can't be used

    def read(self, limit: int) -> bytes | None:
        """Return the first ``limit`` bytes, or None if there is no file.

        Raises:
            BrrError: the file can't be read, or is a link or no regular file.
        """
        try:
            with _opened(self.folder, self.path.name, os.O_RDONLY) as file:
                _check(self.path, file, self.error)
                return os.read(file, limit)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self.error(_failure(self.path, "read", error)) from None

    def replace(self, content: bytes) -> None:
        """Replace the file's content by ``content``. A power cut leaves the old or the new content.

        Raises:
            BrrError: the file can't be written.
        """
        name, new = self.path.name, self.path.name + ".new"
        try:
            self.folder.remove(new)  # from a killed writer
            with _opened(self.folder, new, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
                if os.write(file, content) < len(content):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file)
            self.folder.replace(new, name)
            self.folder.sync()
        except OSError as error:
            with suppress(OSError):
                self.folder.remove(new)
            raise self.error(_failure(self.path, "written", error)) from None


@contextmanager
def locked(path: Path, failure: type[BrrError]) -> Iterator[StateFile]:
    """Wait for the lock of the file ``path``, and hold it; it excludes other threads and processes.

    The lock is the file ``<path>.lock`` next to it. Both are found through the opened directory, so
    every path to that directory leads to the same lock. A new lock file is removed again if the
    body raises an error, because nothing was stored.

    Args:
        path: absolute path.
        failure: type of the error for any failure with either file.

    Raises:
        BrrError: the directory or the lock can't be opened, or the lock is a link or no regular
            file.
    """
    lock_path = path.with_name(path.name + ".lock")
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(Directory(path.parent))
        except OSError as error:
            raise failure(_failure(path, "opened in its directory", error)) from None
        try:
            lock, made = stack.enter_context(_locked(folder, lock_path.name))
        except OSError as error:
            raise failure(_failure(lock_path, "locked", error)) from None
        _check(lock_path, lock, failure)
        try:
            yield StateFile(path, folder, failure)
        except BaseException:
            if made:
                with suppress(OSError):  # Windows doesn't remove open files
                    folder.remove(lock_path.name)
            raise


@contextmanager
def _locked(folder: Directory, name: str) -> Iterator[tuple[int, bool]]:
    """Yield the descriptor of a locked file, and whether the file is new."""
    while True:
        try:
            lock, made = folder.open(name, os.O_RDWR, follow=False), False
        except FileNotFoundError:
            try:
                flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
                lock, made = folder.open(name, flags, follow=False), True
            except FileExistsError:  # another process was first
                continue
        try:
            locks.lock(lock)
            try:
                if os.fstat(lock).st_nlink:  # otherwise it was removed during the wait
                    yield lock, made
                    return
            finally:
                # Closing isn't enough, because a process forked meanwhile has the file open, too.
                locks.unlock(lock)
        finally:
            os.close(lock)


@contextmanager
def _opened(folder: Directory, name: str, flags: int) -> Iterator[int]:
    # Links aren't followed, because two names of a file would have two locks.
    file = folder.open(name, flags, follow=False)
    try:
        yield file
    finally:
        os.close(file)


def _check(path: Path, file: int, failure: type[BrrError]) -> None:
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        raise failure(
            f"{path}: not a regular file; nothing is released until it is removed, or another "
            "path is given"
        )
    if status.st_nlink != 1:
        raise failure(
            f"{path}: has {status.st_nlink} hard links; nothing is released until it has "
            "one: remove the others"
        )


def _failure(path: Path, what: str, error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return (
            f"{path}: a symbolic link; nothing is released through one: give the path of the "
            "file itself"
        )
    return f"{path}: can't be {what} ({error.strerror}); nothing is released until it can"
