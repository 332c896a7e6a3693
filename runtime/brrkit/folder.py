"""The directory of a bundle, and its files."""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from brrkit.directory import Directory
from brrkit.errors import BundleError


class Folder:
    """A bundle's opened directory, relative to which files are opened for reading.

    So all files are from one build, even if another directory is renamed to its place meanwhile.
    Only regular files are opened, so nothing waits for a pipe with a file's name.
    """

    def __init__(self, path: Path) -> None:
        """Open the directory ``path``.

        Raises:
            BundleError: the path isn't a directory, or can't be opened.
        """
        self.path = path
        try:
            self._directory = _opened(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: not a path
            raise BundleError(
                f"{path}: not a bundle directory; make one with 'brr build'"
            ) from None
        except OSError as error:
            raise BundleError(
                f"{path}: can't be opened ({error.strerror}); give a bundle directory"
            ) from None

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._directory.__exit__(kind, error, traceback)

    def is_current(self) -> bool:
        """Return whether the path still leads to this directory."""
        return self._directory.is_current()

    def read(self, name: str, limit: int) -> bytes:
        """Return the content of a file, or the first ``limit`` + 1 bytes of a longer one.

        Raises:
            BundleError: the file can't be read.
        """
        with self._opened(name) as descriptor, os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(limit + 1)

    def map(self, name: str) -> mmap.mmap | bytes:
        """Map a nonempty file for reading. On Windows, read it.

        There, a mapped file would prevent the replacement of its bundle.

        Raises:
            BundleError: the file can't be mapped.
        """
        with self._opened(name) as descriptor:
            if self._directory.by_path:
                with os.fdopen(descriptor, "rb", closefd=False) as file:
                    return file.read()
            return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)

    @contextmanager
    def _opened(self, name: str) -> Iterator[int]:
        try:
            descriptor = self._directory.open(name, os.O_RDONLY, follow=True)
            try:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError(None, "not a file")
                yield descriptor
            finally:
                os.close(descriptor)
        except (OSError, ValueError) as error:  # ValueError: an empty file can't be mapped
            reason = getattr(error, "strerror", None) or "empty file"
            raise BundleError(
                f"{self.path / name}: can't be read ({reason}); rebuild the bundle"
            ) from None


def _opened(path: Path) -> Directory:
    try:
        return Directory(path)
    except FileNotFoundError:
        # A link may have just changed: then its old directory is gone, but not the bundle.
        return Directory(path)
