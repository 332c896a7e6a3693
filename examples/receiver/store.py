"""The receiver's store of batches: one SQLite file, which doesn't reveal their order.

A batch is cut into pieces of one size. A new piece takes the place of a random one, which moves to
the end: the inside-out shuffle of Fisher and Yates (Knuth, TAOCP 2, 3.4.2). After each piece, all
orders of the pieces are equally likely, for any order of arrival. SQLite overwrites a row with
another of the same size in the same bytes of the file. So the bytes are in the order of the pieces,
and nothing else in the file changes. The journal contains the data that a transaction overwrites,
and each commit removes it. Only a process that is killed during a commit leaves it, and then it
reveals the last batch.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path

from brrkit.errors import BrrError
from brrkit_counting.reports.batch import LARGEST_LINE, Batch, to_line
from brrkit_toolchain.io.files import replaced

_APPLICATION_ID = 0x62727232  # "brr2": identifies a SQLite file as a store
_PIECE_BYTES = 496  # bytes of a batch in a piece, after its id and the piece's number
_ID_BYTES, _NUMBER_BYTES = 16, 4
_CLOSING_SECONDS = 4  # seconds that a signal waits for running storing
_CREATE_TABLES = """
BEGIN IMMEDIATE;
PRAGMA application_id = {};
CREATE TABLE bundle (sha256 TEXT NOT NULL);
CREATE TABLE pieces (place INTEGER PRIMARY KEY, content BLOB NOT NULL);
INSERT INTO bundle VALUES ('{}');
COMMIT;
"""
_SQLITE_REASONS = {  # in our words, because its own may repeat the file's content
    "locked": "another program is using it",
    "full": "the disk is full",
    "readonly": "it can't be written",
    "unable to open": "it can't be opened, or its folder can't be written",
    "disk i/o": "the disk can't be read or written",
    "closed": "it is closed",
}


class StoreError(BrrError):
    """The file isn't a store of this bundle, or can't be read or written."""


class TooLongError(BrrError):
    """A batch that would be a longer line than ``brr estimate`` reads."""


class Store:
    """Batches of one bundle in a SQLite file, by their ids. Safe to share between threads.

    Attributes:
        path: path of the file.
        bundle: the field ``sha256`` of the bundle's manifest, which batches name.
    """

    def __init__(self, path: Path, bundle: str | None, patience: float = 5.0) -> None:
        """Open or create the store.

        Args:
            path: path of the file.
            bundle: digest of the bundle in batches; None to read an existing store.
            patience: seconds to wait while another process is using it.

        Raises:
            StoreError: the file isn't a store, is for another bundle, or can't be read or written.
        """
        self.path = path
        self._lock = threading.RLock()
        self._ids: set[bytes] = set()
        self._version: int | None = None
        if path.name == ":memory:":
            raise StoreError(
                f"{path}: a store must be a file that outlives the process; name a file"
            )
        if bundle is None and not path.is_file():
            raise StoreError(f"{path}: there is no such store; name one that a receiver made")
        made = not path.exists()
        if bundle is not None:
            try:
                path.touch(mode=0o600)
            except OSError as error:
                raise StoreError(
                    f"{path}: can't be created ({error.strerror}); name another file"
                ) from None
        try:
            with self._named():
                self._open(bundle, patience)
        except BaseException:
            with suppress(OSError):
                if made and path.stat().st_size == 0:
                    path.unlink()
            raise

    def _open(self, bundle: str | None, patience: float) -> None:
        path = self.path.absolute()  # else SQLite takes some names for something else than a file
        self._database = sqlite3.connect(
            path, timeout=patience, isolation_level=None, check_same_thread=False
        )
        try:
            self._prepare(bundle)
            self._read_ids()
        except BaseException:
            self._database.close()
            raise
        status = path.stat()
        self._file = status.st_dev, status.st_ino

    def _prepare(self, bundle: str | None) -> None:
        run = self._database.execute
        run("PRAGMA journal_mode = DELETE")
        run("PRAGMA synchronous = EXTRA")  # an answer means that it is on disk
        run("PRAGMA secure_delete = ON")
        run("PRAGMA temp_store = MEMORY")
        if bundle is not None and self._is_empty():
            try:
                self._database.executescript(_CREATE_TABLES.format(_APPLICATION_ID, bundle))
            except sqlite3.Error:
                if self._is_empty():  # else another process has just made it
                    raise
        if run("PRAGMA application_id").fetchone() != (_APPLICATION_ID,):
            raise StoreError(f"{self.path}: not a store of reports; name another file")
        rows = run("SELECT sha256 FROM bundle").fetchall()
        if len(rows) != 1 or not isinstance(rows[0][0], str):
            raise StoreError(
                f"{self.path}: the store is damaged and names no bundle; name another file"
            )
        (stored,) = rows[0]
        if bundle not in (None, stored):
            raise StoreError(
                f"{self.path}: holds reports of another bundle (its manifest's sha256 begins with "
                f"{stored[:8]}); name another file"
            )
        self.bundle = stored

    def _is_empty(self) -> bool:
        if self._database.in_transaction:
            self._database.rollback()
        found = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return bool(found == (0,))

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            said = str(error).lower()
            reasons = [reason for words, reason in _SQLITE_REASONS.items() if words in said]
            reason = reasons[0] if reasons else "it isn't an SQLite database, or is damaged"
            raise StoreError(
                f"{self.path}: can't be used as a store ({reason}); check the file"
            ) from None

    def add(self, batch: Batch) -> bool:
        """Store ``batch`` on disk, and return whether it is new.

        Raises:
            StoreError: the batch can't be stored, or the file was moved.
            TooLongError: the batch is too long for ``brr estimate``.
        """
        line = to_line(batch)
        if len(line) >= LARGEST_LINE:
            raise TooLongError(
                "the batch is longer than a line of the store can be; send smaller batches"
            )
        identity = bytes.fromhex(batch.identity)
        with self._lock, self._named():
            self._still_there()
            run = self._database.execute
            run("BEGIN IMMEDIATE")
            try:
                self._read_ids()
                new = identity not in self._ids
                for content in _pieces(identity, line) if new else ():
                    _insert(self._database, content)
                run("COMMIT")
                self._ids.add(identity)
            except BaseException:
                self._version = None
                if self._database.in_transaction:
                    run("ROLLBACK")
                raise
            self._still_there()  # otherwise, the written data is lost
            return new

    def _still_there(self) -> None:
        try:
            status = self.path.stat()
            there = (status.st_dev, status.st_ino) == self._file
        except OSError:
            there = False
        if not there:
            raise StoreError(
                f"{self.path}: removed or replaced while in use; put it back, or restart the "
                "receiver"
            )

    def _read_ids(self) -> None:
        """Read which batches are there, if another process has changed the file."""
        (version,) = self._database.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            rows = self._database.execute(f"SELECT substr(content, 1, {_ID_BYTES}) FROM pieces")
            self._ids = {identity for (identity,) in rows}
            self._version = version

    def __len__(self) -> int:
        with self._lock, self._named():
            self._read_ids()
            return len(self._ids)

    def export(self, path: Path) -> int:
        """Write the batches for ``brr estimate``, one per line, and return their number.

        Only the user may read the file, as the store, unless it is there already.
        """
        batches = 0
        with self._lock, self._named(), replaced(path) as file:
            os.fchmod(file.fileno(), 0o600)
            rows = self._database.execute("SELECT content FROM pieces ORDER BY content").fetchall()
            for _, pieces in groupby((content for (content,) in rows), lambda c: c[:_ID_BYTES]):
                parts = (content[_ID_BYTES + _NUMBER_BYTES :] for content in pieces)
                file.write(b"".join(parts).rstrip(b"\0") + b"\n")
                batches += 1
        return batches

    def close(self) -> None:
        """Close the file after running storing."""
        if self._lock.acquire(timeout=_CLOSING_SECONDS):
            try:
                self._database.close()
            finally:
                self._lock.release()


def _pieces(identity: bytes, line: bytes) -> Iterator[bytes]:
    """Yield ``line`` in pieces of one length, the last one filled up with zeros."""
    for number, start in enumerate(range(0, len(line), _PIECE_BYTES)):
        part = line[start : start + _PIECE_BYTES].ljust(_PIECE_BYTES, b"\0")
        yield identity + number.to_bytes(_NUMBER_BYTES, "big") + part


def _insert(database: sqlite3.Connection, content: bytes) -> None:
    """Put a piece in a random place, and move the piece there to the end."""
    run = database.execute
    (end,) = run("SELECT coalesce(max(place) + 1, 0) FROM pieces").fetchone()
    place = secrets.randbelow(end + 1)
    if place < end:
        moved = run("SELECT content FROM pieces WHERE place = ?", (place,)).fetchone()
        run("UPDATE pieces SET content = ? WHERE place = ?", (content, place))
        (content,) = moved
    run("INSERT INTO pieces VALUES (?, ?)", (end, content))
