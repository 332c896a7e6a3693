"""A reference receiver of reports: HTTP in, a SQLite file, ``.jsonl`` out. See ``docs/reports.md``.

For tests and small field trials. No address, header or time of arrival is stored or logged, and of
what is refused nothing is: it may be text as it was typed.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from brr_runtime import WordBundle
from brr_runtime.errors import BrrError, ParameterError
from brr_toolchain.frequencies.reports import FORMAT, FORMAT_VERSION, Batch, read_batch
from brr_toolchain.system.files import replaced

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

PATH = "/v1/reports"

_APPLICATION_ID = 0x62727231  # "brr1": says that a SQLite file is a store
_SECONDS = 30  # that a sender has for one request


class StoreError(BrrError):
    """The file isn't a store of this bundle, or can't be read or written."""


@dataclass(frozen=True)
class Limits:
    """What one request may bring.

    Attributes:
        size: bytes of its body.
        reports: in its batch.
    """

    size: int = 1 << 20
    reports: int = 10_000


class Store:
    """Batches of one bundle in a SQLite file, by their ids. Which came first isn't kept."""

    def __init__(self, path: Path, bundle: str | None) -> None:
        """Open or make it.

        Args:
            path: of the file.
            bundle: SHA-256 of the bundle; None to read an existing store.

        Raises:
            StoreError: it is something else, of another bundle, or can't be read or written.
        """
        self._path = path
        if bundle is None and not path.is_file():
            raise StoreError(f"{path}: there is no such store; make one with brr receive --bundle")
        if bundle is not None:
            try:
                path.touch(mode=0o600)
            except OSError as error:
                raise StoreError(
                    f"{path}: can't be made ({error.strerror}); name another"
                ) from None
        with self._named():
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(bundle)
            except BaseException:
                self._database.close()
                raise

    def _prepare(self, bundle: str | None) -> None:
        run = self._database.execute
        run("PRAGMA busy_timeout = 5000")
        if bundle is not None and run("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            run("BEGIN IMMEDIATE")
            run(f"PRAGMA application_id = {_APPLICATION_ID}")
            run("CREATE TABLE bundle (sha256 TEXT NOT NULL)")
            # Without row ids, which would count batches as they come.
            run("CREATE TABLE batches (id TEXT PRIMARY KEY, report TEXT NOT NULL) WITHOUT ROWID")
            run("INSERT INTO bundle VALUES (?)", (bundle,))
            run("COMMIT")
        if run("PRAGMA application_id").fetchone() != (_APPLICATION_ID,):
            raise StoreError(f"{self._path}: not a store of reports; name another file")
        (stored,) = run("SELECT sha256 FROM bundle").fetchone()
        if bundle not in (None, stored):
            raise StoreError(
                f"{self._path}: holds reports of another bundle (its SHA-256 begins with "
                f"{stored[:8]}); name another file"
            )
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")  # an answer means that it is on disk

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"{self._path}: can't be used as a store ({error}); check the file"
            ) from None

    def add(self, batch: Batch) -> bool:
        """Store ``batch`` on disk, and return whether it is new."""
        with self._named():
            added = self._database.execute(
                "INSERT OR IGNORE INTO batches VALUES (?, ?)", (batch.identity, _to_line(batch))
            )
            return added.rowcount == 1

    def __len__(self) -> int:
        with self._named():
            return int(self._database.execute("SELECT count(*) FROM batches").fetchone()[0])

    def export(self, path: Path) -> int:
        """Write what ``brr estimate`` reads, a batch a line, and return how many there are."""
        batches = 0
        with self._named(), replaced(path) as file:
            for (line,) in self._database.execute("SELECT report FROM batches ORDER BY id"):
                file.write(line.encode() + b"\n")
                batches += 1
        return batches

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _to_line(batch: Batch) -> str:
    fields = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "bundle": batch.bundle,
        "setting": batch.setting,
        "batch": batch.identity,
        "period": batch.period and dict(zip(("start", "end"), batch.period, strict=True)),
        "counts": dict(sorted(batch.counts.items())),
    }
    return json.dumps({name: value for name, value in fields.items() if value is not None})


class _RefusedError(Exception):
    """What a sender did wrong.

    Attributes:
        status: of HTTP.
        reason: for people, without anything that was sent.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def application(bundle: WordBundle, store: Store, limits: Limits) -> Starlette:
    """Return the ASGI application that takes batches of ``bundle``."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    digest = str(bundle.manifest["sha256"])

    async def receive(request: Request) -> Response:
        try:
            content = await _body(request, limits.size)
            batch = _checked(content, bundle, digest, limits.reports)
            new = store.add(batch)
        except _RefusedError as refused:
            return JSONResponse({"error": refused.reason}, refused.status)
        except StoreError as error:
            print(f"Error: {error}", file=sys.stderr, flush=True)
            return JSONResponse(
                {"error": "nothing can be stored now; send it again later"},
                503,
                {"Retry-After": "600"},
            )
        return JSONResponse({"stored": new})

    return Starlette(routes=[Route(PATH, receive, methods=["POST"])])


async def _body(request: Request, size: int) -> bytes:
    import anyio
    from starlette.requests import ClientDisconnect

    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" or "content-encoding" in request.headers:
        raise _RefusedError(415, "send application/json without Content-Encoding")
    content = bytearray()
    try:
        with anyio.fail_after(_SECONDS):
            async for chunk in request.stream():
                content += chunk
                if len(content) > size:
                    raise _RefusedError(413, f"more than {size:,} bytes; send smaller batches")
    except TimeoutError:
        raise _RefusedError(408, "too slow; send it again") from None
    except ClientDisconnect:
        raise _RefusedError(400, "it isn't whole; send it again") from None
    return bytes(content)


def _checked(content: bytes, bundle: WordBundle, digest: str, reports: int) -> Batch:
    try:
        batch = read_batch(content, "this batch")
    except ParameterError as error:
        raise _RefusedError(422, str(error)) from None
    if batch.bundle != digest:
        raise _RefusedError(409, "of another bundle; update the app")
    if sum(batch.counts.values()) > reports:
        raise _RefusedError(413, f"more than {reports:,} reports; send smaller batches")
    if not all(_has(bundle, word) for word in batch.counts):
        # As a device's own: it may be a word as it was typed.
        raise _RefusedError(422, "a word isn't the bundle's; nothing of this batch was stored")
    return batch


def _has(bundle: WordBundle, word: str) -> bool:
    """Return whether the vocabulary has ``word``, letter by letter."""
    found = bundle.vocabulary.find(word)
    return found is not None and bundle.vocabulary.word(found) == word


def serve(
    app: Starlette,
    host: str,
    port: int,
    certificate: Path | None = None,
    key: Path | None = None,
) -> None:
    """Serve ``app`` until the process is told to end; print its address when it listens.

    Args:
        app: as ``application`` returns it.
        host: to listen at.
        port: 0 for a free one.
        certificate: PEM, with those that lead to a known one; without it, HTTP.
        key: its key, PEM.

    Raises:
        BrrError: it can't listen there, or the certificate or key can't be used.
    """
    import socket
    import ssl

    import uvicorn

    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=200,
        timeout_keep_alive=5,
        lifespan="off",
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    try:
        config.load()
    except (ssl.SSLError, OSError) as error:
        reason = error.strerror or "not PEM"
        raise BrrError(
            f"{certificate}: can't be used with its key ({reason}); check both files"
        ) from None
    try:
        listening = socket.create_server((host, port), backlog=128)
    except OSError as error:
        raise BrrError(
            f"can't listen at {host}, port {port} ({error.strerror}); give another --host or --port"
        ) from None
    with closing(listening):
        scheme = "https" if certificate else "http"
        address = f"{scheme}://{host}:{listening.getsockname()[1]}{PATH}"
        print(f"Takes reports at {address}", flush=True)
        uvicorn.Server(config).run(sockets=[listening])
