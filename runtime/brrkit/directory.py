"""An opened directory: its files are opened, renamed and removed by their names in it.

Where the system has descriptors of directories, a name leads to a file of this very directory, also
when another takes its place meanwhile. Windows has none. There, files are found by their path, and
whether the path still leads to this directory is looked at each time.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from types import TracebackType

DESCRIPTORS = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
"""Whether this system has descriptors of directories."""

# Windows lacks the first two. Only Windows has the third: without it, it changes line ends.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class Directory:
    """A directory that is open as long as this is."""

    def __init__(self, path: Path) -> None:
        """Open the directory ``path``.

        Raises:
            OSError: it isn't one, or can't be opened.
        """
        self.path = path
        self._descriptor: int | None = None
        if DESCRIPTORS:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            self._status = os.fstat(self._descriptor)
        else:
            self._status = path.stat()
            if not stat.S_ISDIR(self._status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))

    def __enter__(self) -> Directory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    @property
    def by_path(self) -> bool:
        """Whether files are found by their path, as on Windows."""
        return self._descriptor is None

    def is_current(self) -> bool:
        """Tell whether the path still leads to this directory."""
        try:
            return os.path.samestat(self._status, self.path.stat())
        except OSError:
            return False

    def open(self, name: str, flags: int, *, follow: bool) -> int:
        """Return a descriptor of a file; one that is made is for its owner only.

        Nothing is waited for: a pipe that nobody writes into is opened, too.

        Args:
            name: in this directory.
            flags: as for ``os.open``.
            follow: open what a symbolic link leads to; otherwise one is an error (ELOOP).

        Raises:
            OSError: it can't be opened.
        """
        flags |= _NO_WAIT | _BINARY | (0 if follow else _NO_LINK)
        if self._descriptor is not None:
            return os.open(name, flags, 0o600, dir_fd=self._descriptor)
        path = self.path / name
        if not follow:
            _refuse_link(path)
        try:
            file = os.open(path, flags, 0o600)
        except FileNotFoundError:
            self._check_path()
            raise
        try:
            self._check_path()
            if not follow:  # it may have become one before it was opened
                _refuse_link(path)
                if not os.path.samestat(os.fstat(file), path.lstat()):
                    raise OSError(None, "it was replaced meanwhile")
        except BaseException:
            os.close(file)
            raise
        return file

    def replace(self, name: str, other: str) -> None:
        """Let the file ``name`` take the name and the place of ``other``.

        Raises:
            OSError: the system refuses.
        """
        if self._descriptor is not None:
            os.replace(name, other, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
            return
        self._check_path()
        (self.path / name).replace(self.path / other)

    def remove(self, name: str) -> None:
        """Remove a file, if there is one.

        Raises:
            OSError: the system refuses.
        """
        try:
            if self._descriptor is not None:
                os.unlink(name, dir_fd=self._descriptor)
            else:
                self._check_path()
                (self.path / name).unlink()
        except FileNotFoundError:
            pass

    def sync(self) -> None:
        """Let the names of its files outlive a loss of power, where the system can.

        Raises:
            OSError: the disk refuses.
        """
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def _check_path(self) -> None:
        if not self.is_current():  # not a FileNotFoundError: that would mean that all is well
            raise OSError(None, "its directory was replaced meanwhile")


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
