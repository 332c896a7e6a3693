"""The directory of a bundle, and the files in it."""

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
    """A bundle's opened directory; its files are opened relative to it, for reading.

    So they are all of one build, also when another is renamed into its place meanwhile. Only
    regular files are opened: whatever else has a file's name, nothing waits for it.
    """

    def __init__(self, path: Path) -> None:
        """Open the directory ``path``.

        Raises:
            BundleError: it isn't one, or can't be opened.
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
        """Tell whether the path still leads to this directory."""
        return self._directory.is_current()

    def read(self, name: str, limit: int) -> bytes:
        """Return the content of a file; of a longer one, the first ``limit`` + 1 bytes.

        Raises:
            BundleError: it can't be read.
        """
        with self._opened(name) as descriptor, os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(limit + 1)

    def map(self, name: str) -> mmap.mmap | bytes:
        """Map a file, which isn't empty, to be read. On Windows, read it.

        There nobody could replace a bundle while a file of it is mapped.

        Raises:
            BundleError: it can't be mapped.
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
        # Perhaps a link that was just pointed elsewhere: its old directory is gone, not the bundle.
        return Directory(path)
