"""An opened directory, whose files are opened, renamed and removed by their names.

If the system has descriptors of directories, a name leads to a file of this directory, even if
another directory takes its place meanwhile. Windows has no such descriptors. There, files are found
by their path, after a check that it still leads to this directory.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from types import TracebackType

DESCRIPTORS = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
"""Whether this system has descriptors of directories."""

# Windows lacks the first two. Only Windows has the third, which prevents changes of line ends.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class Directory:
    """A directory that stays open as long as this object."""

    def __init__(self, path: Path) -> None:
        """Open the directory ``path``.

        Raises:
            OSError: the path isn't a directory, or can't be opened.
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
        """Whether files are found by their path, like on Windows."""
        return self._descriptor is None

    def is_current(self) -> bool:
        """Return whether the path still leads to this directory."""
        try:
            return os.path.samestat(self._status, self.path.stat())
        except OSError:
            return False

    def open(self, name: str, flags: int, *, follow: bool) -> int:
        """Return a descriptor of a file; a new file is only for its owner.

        This doesn't wait: even a pipe without a writer is opened.

        Args:
            name: name in this directory.
            flags: as for ``os.open``.
            follow: whether to open the target of a symbolic link, which is otherwise an error
                (ELOOP).

        Raises:
            OSError: the file can't be opened.
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
            if not follow:  # it may have become a link before it was opened
                _refuse_link(path)
                if not os.path.samestat(os.fstat(file), path.lstat()):
                    raise OSError(None, "it was replaced meanwhile")
        except BaseException:
            os.close(file)
            raise
        return file

    def replace(self, name: str, other: str) -> None:
        """Rename the file ``name`` to ``other``, and replace that.

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
        """Make the names of its files survive a loss of power, if the system supports it.

        Raises:
            OSError: the disk refuses.
        """
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def _check_path(self) -> None:
        if not self.is_current():  # not a FileNotFoundError, which would mean that there is no file
            raise OSError(None, "its directory was replaced meanwhile")


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
