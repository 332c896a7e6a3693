"""Files that commands read and write: of bounded size, and complete or not at all."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import lzma
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from brrkit.directory import Directory
from brrkit.errors import ParameterError
from brrkit_toolchain.io.drafts import draft
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.io.interrupts import cleanup_on_signal

LARGEST_LIST = 1 << 26  # bytes of a list of words
LONGEST_LINE = 1 << 16  # bytes

DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)
"""Errors from reading damaged compressed files."""

_XZ_MEMORY = 1 << 27
"""Largest number of bytes for xz, whatever the file requests; ``xz -9`` requests 65 MiB."""
_XZ_BLOCK = 1 << 16  # compressed bytes read at once


def open_input(path: Path, largest: int | None = None) -> BinaryIO:
    """Open a regular file for reading, without waiting.

    Args:
        path: path of the file.
        largest: largest size in bytes.

    Raises:
        OSError: the file can't be opened, is a directory, device or pipe, or is too large.
    """
    # A pipe may have no writer. Windows has no such pipes, but changes the content unless it is
    # binary.
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, os.O_RDONLY | flags)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if largest is not None and status.st_size > largest:
            raise OSError(errno.EFBIG, f"more than {largest:,} bytes", str(path))
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def read_input(path: Path) -> bytes:
    """Return the content of a regular file.

    Raises:
        OSError: as for ``open_input``.
    """
    with open_input(path) as file:
        return file.read()


def decompressed(file: BinaryIO) -> BinaryIO:
    """Return the content of an opened ``file``, which may be compressed: gzip or xz.

    The content decides the compression. Reading damaged content raises one of ``DAMAGED``.
    """
    magic = cast("io.BufferedReader", file).peek(6)[:6]
    if magic.startswith(b"\x1f\x8b"):
        return cast("BinaryIO", gzip.GzipFile(fileobj=file))
    if magic == b"\xfd7zXZ\x00":
        return io.BufferedReader(_Xz(file), _XZ_BLOCK)
    return file


class _Xz(io.RawIOBase):
    """The content of an xz file, which may have several streams, one after the other.

    ``lzma.LZMAFile`` would allocate all memory that a file requests.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._rewind()

    def _rewind(self) -> None:
        self._stream = _xz_stream()
        self._packed, self._length = b"", 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END:
            raise io.UnsupportedOperation("the length isn't known")
        target = offset + (self._length if whence == os.SEEK_CUR else 0)
        if target < self._length:
            self._file.seek(0)
            self._rewind()
        while self._length < target and self.read(min(_XZ_BLOCK, target - self._length)):
            pass
        return self._length

    def tell(self) -> int:
        return self._length

    def readinto(self, buffer: Any) -> int:
        content = b""
        while not content:
            if self._stream.eof:
                if not self._next_stream():
                    return 0
            elif self._stream.needs_input and not self._packed:
                self._packed = self._file.read(_XZ_BLOCK)
                if not self._packed:
                    raise EOFError
            content = self._unpacked(len(buffer))
        buffer[: len(content)] = content
        self._length += len(content)
        return len(content)

    def _unpacked(self, size: int) -> bytes:
        packed, self._packed = self._packed, b""
        try:
            return self._stream.decompress(packed, size)
        except lzma.LZMAError as error:
            if "Memory" not in str(error):
                raise
            raise OSError(
                errno.EFBIG,
                f"xz asks for more than {_XZ_MEMORY >> 20} MiB of memory, and 'xz -9' for less",
            ) from None

    def _next_stream(self) -> bool:
        """Continue with the next stream, after padding zeros; return whether there is one."""
        rest = self._stream.unused_data
        while not (packed := rest.lstrip(b"\0")):
            rest = self._file.read(_XZ_BLOCK)
            if not rest:
                return False
        self._packed, self._stream = packed, _xz_stream()
        return True


def _xz_stream() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)


def text_lines(path: Path, what: str, errors: str = "strict") -> Iterator[str]:
    """Yield the lines of a UTF-8 file with their newlines, without a byte order mark.

    Args:
        path: path of the file, with at most ``LARGEST_LIST`` bytes and lines of at most
            ``LONGEST_LINE``; it may be compressed.
        what: name of the file for messages, such as "the word list".
        errors: treatment of bytes that aren't UTF-8, as for ``bytes.decode``.

    Raises:
        ParameterError: the file or a line isn't such a file or line.
    """
    try:
        with open_input(path, LARGEST_LIST) as file:
            content, of = decompressed(file), f" of {what}"
            for _, line in numbered_lines(content, str(path), LONGEST_LINE, of=of, errors=errors):
                if content.tell() > LARGEST_LIST:
                    raise OSError(errno.EFBIG, f"more than {LARGEST_LIST:,} bytes", str(path))
                yield line
    except DAMAGED:
        raise ParameterError(f"{path}: {what} is compressed and damaged; get it again") from None
    except OSError as error:
        raise ParameterError(
            f"{path}: {what} can't be read ({error.strerror}); check the path"
        ) from None


def numbered_lines(
    file: BinaryIO,
    name: str,
    longest: int,
    *,
    of: str = "",
    errors: str = "strict",
    remedy: str = "convert the text first",
    before: int = 0,
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file with their numbers and newlines, without a byte order mark.

    Args:
        file: the opened file; memory holds at most one line.
        name: name of the file, for messages.
        longest: largest number of bytes of a line, including its newline.
        of: words after "line 5" in messages.
        errors: treatment of bytes that aren't UTF-8, as for ``bytes.decode``.
        remedy: remedy for such bytes.
        before: number of lines already read.

    Raises:
        ParameterError: a line is longer, or isn't UTF-8; the message doesn't contain the line.
        OSError: the file can't be read.
    """
    number = before
    while line := file.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise ParameterError(
                f"{name}: line {number}{of} has more than {longest:,} bytes; split it"
            )
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8", errors)
        except UnicodeDecodeError:
            raise ParameterError(f"{name}: line {number}{of} isn't UTF-8; {remedy}") from None
        yield number, text


def write_text(path: Path, content: str) -> None:
    """Write ``content`` to ``path``, which always has either its old or its new content.

    For a link, its target is replaced. A lone surrogate, which UTF-8 doesn't have, becomes a
    question mark.

    Raises:
        OutputError: the system refuses, or there is something else than a regular file.
    """
    with replaced(path) as file:
        file.write(content.encode("utf-8", "replace"))


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that replaces ``path`` when the body ends, and is removed if that raises.

    For a link, its target is replaced. A signal, too, leaves the old file unchanged.

    Raises:
        OutputError: the system refuses, or there is something else than a regular file.
    """
    target = written_file(path)
    try:
        with draft(target, "writing") as new:
            with new.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, new)
            new.replace(target)
            sync_folder(target.parent)
    except OSError as error:
        raise refused(path, error) from None


def refused(path: Path, error: OSError) -> OutputError:
    """Return the error for an output that the system refuses to write, with reason and remedy."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    remedy = "free some space, or write it elsewhere" if full else "check the path"
    return OutputError(f"{path}: can't be written ({error.strerror}); {remedy}")


def written_file(path: Path) -> Path:
    """Return the file that ``write_text`` writes for ``path``, which may be a link.

    Raises:
        OutputError: the path isn't a regular file.
    """
    target = Path(os.path.realpath(path))
    try:
        other = target.exists() and not target.is_file()
    except OSError as error:
        raise refused(path, error) from None
    if other or target.is_symlink():
        raise OutputError(f"{path}: not a regular file; name another one")
    return target


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a new folder, removed at the end of the ``with`` statement, or by a signal."""
    folder = Path(tempfile.mkdtemp(prefix="brr-"))
    with cleanup_on_signal(lambda: shutil.rmtree(folder, ignore_errors=True)):
        yield folder


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` survive a loss of power, if the system supports it."""
    with Directory(folder) as opened:
        opened.sync()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file on disk."""
    sha256 = hashlib.sha256()
    with open_input(path) as file:
        while chunk := file.read(1 << 20):
            sha256.update(chunk)
    return sha256.hexdigest()
