"""Find a source's file, open it with any compression, and compute its digest."""

from __future__ import annotations

import contextlib
import hashlib
import io
import logging
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from brrkit.messages import printable
from brrkit_toolchain.io.files import DAMAGED, decompressed

from .errors import EmbeddingsError

_KNOWN_SUFFIXES = (".bin", ".gz", ".txt", ".vec", ".xz", ".zip")
_DATA_SET = re.compile(r"\w[\w.-]+", re.ASCII)  # the name of a gensim data set
_BYTES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Source:
    """The source of embeddings.

    Attributes:
        name: the file's name without its directories (``archive.zip:member`` for a member), or the
            name of the gensim data set.
        sha256: hexadecimal digest of the file's bytes on disk, even if they are compressed.
    """

    name: str
    sha256: str


@dataclass(frozen=True)
class Location:
    """A file that exists.

    Attributes:
        path: the file.
        member: the requested member of a zip archive, if any.
        name: as in ``Source``.
        label: name in messages: the source as the caller wrote it.
    """

    path: Path
    member: str | None
    name: str
    label: str


def locate(source: str | os.PathLike[str]) -> Location:
    """Return the file of ``source``: a path, ``archive.zip:member`` or a data set.

    A gensim data set is downloaded if it is missing.

    Raises:
        EmbeddingsError: there is no such file or data set.
    """
    label = str(source)
    if not label:
        raise EmbeddingsError("no embeddings are named; give a file, or leave the option out")
    path = Path(source)
    archive, colon, member = label.rpartition(":")
    with _clear_errors(label):
        if path.is_file():
            return Location(path, None, printable(path.name), label)
        if colon and Path(archive).is_file():
            name = printable(f"{Path(archive).name}:{member}")
            return Location(Path(archive), member, name, label)
        if path.exists():
            raise EmbeddingsError(f"{label}: isn't a file; name the embedding file itself")
    if not _DATA_SET.fullmatch(label) or path.suffix.lower() in _KNOWN_SUFFIXES:
        raise EmbeddingsError(f"{label}: no such file; check the path")
    return Location(_download(label), None, label, label)


def _download(name: str) -> Path:
    import gensim.downloader

    # gensim prints its progress on stdout, and logs a traceback if it is offline.
    log = logging.getLogger("gensim.downloader")
    disabled, log.disabled = log.disabled, True
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return Path(gensim.downloader.load(name, return_path=True))
    except Exception as error:  # gensim also raises bare exceptions
        raise EmbeddingsError(
            f"{name}: no such file, and no gensim data set of this name could be loaded; check "
            "the path, or the name and the network connection"
        ) from error
    finally:
        log.disabled = disabled


def digest(location: Location) -> str:
    """Return the SHA-256 of the file's bytes, in hexadecimal.

    Raises:
        EmbeddingsError: the file can't be read.
    """
    sha256 = hashlib.sha256()
    with _clear_errors(location.label), location.path.open("rb") as file:
        while chunk := file.read(_BYTES_AT_ONCE):
            sha256.update(chunk)
    return sha256.hexdigest()


@contextlib.contextmanager
def open_source(location: Location) -> Iterator[tuple[io.BufferedReader, io.BufferedIOBase]]:
    """Open a file and yield it twice: its bytes on disk, and its decompressed content.

    Both are the same object if the file isn't compressed. The position in the first is the
    progress.

    Raises:
        EmbeddingsError: the file can't be read or its compression is damaged, even if only the body
            of the ``with`` statement detects this.
    """
    with _clear_errors(location.label), location.path.open("rb") as file:
        yield file, _decompressed(file, location)


def _decompressed(file: io.BufferedReader, location: Location) -> io.BufferedIOBase:
    magic = file.read(4)
    file.seek(0)
    if magic.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _open_member(zipfile.ZipFile(file), location)
    if location.member is not None:
        raise EmbeddingsError(f"{location.label}: {location.path.name} isn't a zip archive")
    return cast("io.BufferedIOBase", decompressed(file))


def _open_member(archive: zipfile.ZipFile, location: Location) -> io.BufferedIOBase:
    members = [info.filename for info in archive.infolist() if not info.is_dir()]
    wanted = location.member
    if wanted is None and len(members) == 1:
        wanted = members[0]
    if wanted not in members:
        problem = "has several members" if location.member is None else "has no such member"
        raise EmbeddingsError(
            f"{location.label}: the archive {problem}; name one of its members, such as "
            f"{location.path}:{members[0]} (members: {', '.join(members[:5])})"
            if members
            else f"{location.label}: the archive is empty"
        )
    try:
        return cast("io.BufferedIOBase", archive.open(wanted))
    except RuntimeError as error:  # encrypted, or a compression that Python doesn't have
        raise EmbeddingsError(
            f"{location.label}: the archive can't be read ({error}); unpack it first"
        ) from error


@contextlib.contextmanager
def _clear_errors(label: str) -> Iterator[None]:
    try:
        yield
    except (*DAMAGED, zipfile.BadZipFile) as error:
        raise EmbeddingsError(
            f"{label}: the compressed file is truncated or damaged ({error}); get it again"
        ) from error
    except OSError as error:
        raise EmbeddingsError(
            f"{label}: can't be read ({error.strerror or error}); check the file"
        ) from error
