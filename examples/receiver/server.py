"""The receiver's server, which accepts batches over HTTP, and stores them.

``spec/reports.md`` specifies the interface. No address, header or time of arrival is stored or
logged. For a refused request, only the reason is logged, because the rest may be typed text.
"""

from __future__ import annotations

import os
import socket
import ssl
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from brrkit import WordBundle
from brrkit.counts import UNKNOWN
from brrkit.errors import BrrError, ParameterError
from brrkit.setting import CountsSetting
from brrkit_counting.reports.batch import Batch, read_batch
from brrkit_counting.reports.setting import (
    FOR_COUNTS,
    RECOMMENDED,
    ReportSetting,
    SettingKey,
    StatedSetting,
    check_countable,
    setting_key,
    words_a_day,
)
from brrkit_counting.reports.tally import is_whole
from brrkit_toolchain.io.interrupts import cleanup_on_signal
from examples.receiver.store import Store, StoreError, TooLongError

if TYPE_CHECKING:
    import asyncio

PATH = "/v1/reports"

_HEADER_SECONDS = 10  # that a sender has until its request's header is there
_BODY_SECONDS = 30  # and then for its body
_STORE_SECONDS = 2.0  # that a batch waits for its turn to be stored
_CONNECTION_SECONDS = 120  # after which the last answer closes a connection
_MOST_CONNECTIONS = 200


@dataclass(frozen=True)
class Limits:
    """The limits of one request.

    Attributes:
        size: bytes of its body.
        reports: in its batch.
    """

    size: int = 1 << 20
    reports: int = 10_000


class _RefusedError(Exception):
    """A sender's error.

    Attributes:
        status: HTTP status.
        reason: reason for people, without any sent content.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class _Refusals:
    """Prints why batches are refused: at the first for a reason, the 10th, the 100th and so on."""

    def __init__(self) -> None:
        self._times: Counter[tuple[int, str]] = Counter()

    def answer(self, status: int, reason: str) -> Response:
        """Count a refusal, and return its answer."""
        self._times[status, reason] += 1
        times = self._times[status, reason]
        if str(times).strip("0") == "1":
            batches = "a batch" if times == 1 else f"{times:,} batches so far"
            print(f"Refused {batches} ({status}): {reason}", file=sys.stderr, flush=True)
        return JSONResponse({"error": reason}, status)


def expected_settings(
    bundle: WordBundle, settings: Sequence[StatedSetting]
) -> frozenset[SettingKey]:
    """Return the expected settings for batches of ``bundle``; batches of others are refused.

    For frames, the bundle's setting for text is always accepted.

    Args:
        bundle: an opened bundle.
        settings: settings to expect.

    Raises:
        ParameterError: the bundle can't have one of them, or its releases can't be counted.
    """
    found = set()
    for setting in settings:
        expected = setting_key(setting, bundle)
        if expected is None:
            raise ParameterError(
                f"{bundle.path}: recommends no setting; calibrate it and write the setting "
                "into it, or name a setting with --expect"
                if isinstance(setting, str)
                else f"{bundle.path}: a parameter of an expected setting is out of range; correct "
                "--expect"
            )
        check_countable(setting, bundle)
        found.add(expected)
    return frozenset(found)


def application(
    bundle: WordBundle,
    store: Store,
    limits: Limits,
    expected: frozenset[SettingKey],
    origins: Sequence[str] = (),
) -> Starlette:
    """Return the ASGI application that accepts batches of ``bundle``.

    Args:
        bundle: an opened bundle.
        store: store of this bundle.
        limits: limits of one request.
        expected: result of ``expected_settings``.
        origins: origins of pages on other servers that may send.
    """
    turn = anyio.Lock()
    refusals = _Refusals()

    async def receive(request: Request) -> Response:
        try:
            content = await _body(request, limits.size)
            batch = _checked_batch(content, bundle, limits, expected)
            with anyio.fail_after(_STORE_SECONDS):
                await turn.acquire()
            try:  # in a thread: the disk may be slow, and another process may lock the file
                new = await anyio.to_thread.run_sync(store.add, batch)
            finally:
                turn.release()
        except _RefusedError as refused:
            return refusals.answer(refused.status, refused.reason)
        except TooLongError as error:
            return refusals.answer(413, str(error))
        except (StoreError, TimeoutError) as error:
            if isinstance(error, StoreError):
                print(f"Error: {error}", file=sys.stderr, flush=True)
            return JSONResponse(
                {"error": "nothing can be stored now; send it again later"},
                503,
                {"Retry-After": "600"},
            )
        return JSONResponse({"stored": new})

    pages = Middleware(
        CORSMiddleware,
        allow_origins=origins,
        allow_methods=["POST"],
        allow_headers=["Content-Type"],
        expose_headers=["Retry-After"],
    )
    app = Starlette(
        routes=[Route(PATH, receive, methods=["POST"])], middleware=[pages] if origins else []
    )
    app.router.redirect_slashes = False  # a redirection would repeat the content
    return app


def _checked_batch(
    content: bytes, bundle: WordBundle, limits: Limits, expected: frozenset[SettingKey]
) -> Batch:
    """Return the batch that was sent.

    Raises:
        _RefusedError: it isn't one that a device with this bundle sends.
    """
    try:
        batch = read_batch(content, "this batch")
    except ParameterError as error:
        raise _RefusedError(422, str(error)) from None
    own = str(bundle.manifest["sha256"])
    if batch.bundle != own:
        digest = own[:8]
        raise _RefusedError(
            409,
            f"the batch was made with a different bundle than this receiver's, {digest}; start a "
            "receiver with the batch's bundle, or update the app",
        )
    taken: frozenset[SettingKey | None] = frozenset(expected)
    if batch.frame is not None:
        if bundle.frames is None:
            raise _RefusedError(
                422, "this is a frame, but the bundle has no frames; update the app"
            )
        if not is_whole(batch, bundle.frames):
            raise _RefusedError(
                422, f"the frame doesn't have {bundle.frames.words:,} words; update the app"
            )
        taken |= {setting_key(RECOMMENDED, bundle)}
    key = setting_key(batch.stated, bundle)
    if key is None or key not in taken:
        raise _RefusedError(
            409,
            "the batch was made with a setting that this receiver doesn't expect; name the setting "
            "with --expect",
        )
    reports = sum(batch.counts.values())
    if reports > limits.reports:
        raise _RefusedError(
            413, f"the batch has more than {limits.reports:,} reports; send smaller batches"
        )
    most = words_a_day(batch.stated, bundle.counts, len(bundle) + 1)
    if most is not None and reports > most:
        raise _RefusedError(
            422, f"the batch has more than {most:,} reports, a device's limit for a day; send fewer"
        )
    symbols = {UNKNOWN} if _is_for_counts(batch.stated) else set()
    if not all(_has(bundle, word) for word in batch.counts.keys() - symbols):
        # As a device's own: it may be a word as it was typed.
        raise _RefusedError(
            422, "the batch has a word that isn't in the bundle; send only released words"
        )
    return batch


async def _body(request: Request, size: int) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" or "content-encoding" in request.headers:
        raise _RefusedError(
            415,
            "the request doesn't declare plain JSON; send application/json without "
            "Content-Encoding",
        )
    too_large = _RefusedError(413, f"the body has more than {size:,} bytes; send smaller batches")
    if int(request.headers.get("content-length", 0)) > size:
        raise too_large
    content = bytearray()
    try:
        with anyio.fail_after(_BODY_SECONDS):
            async for chunk in request.stream():
                content += chunk
                if len(content) > size:
                    raise too_large
    except TimeoutError:  # devices send again after 408, but not after 400
        raise _RefusedError(408, "the body arrived too slowly; send it again") from None
    except ClientDisconnect:
        raise _RefusedError(408, "the body is incomplete; send it again") from None
    return bytes(content)


def _is_for_counts(setting: StatedSetting) -> bool:
    return setting == FOR_COUNTS or (
        isinstance(setting, ReportSetting) and isinstance(setting.setting, CountsSetting)
    )


def _has(bundle: WordBundle, word: str) -> bool:
    """Return whether the vocabulary has ``word``, letter by letter."""
    found = bundle.vocabulary.find(word)
    return found is not None and bundle.vocabulary.word(found) == word


class _Connection(H11Protocol):
    """A connection that doesn't wait for ever, and gives way to new ones.

    Where there are too many, the one that has been sending its request for longest is closed, so
    that those who send nothing, or slowly, don't keep others out.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        while len(self.connections) >= _MOST_CONNECTIONS:
            sending = [c for c in self.connections if isinstance(c, _Connection) and c.is_sending()]
            if not sending:
                break  # uvicorn answers 503
            slowest = min(sending, key=lambda connection: connection.since)
            slowest.transport.abort()
            self.connections.discard(slowest)
        super().connection_made(transport)
        self.since = self.loop.time()
        self._timers = [
            self.loop.call_later(_HEADER_SECONDS, self._give_up),
            self.loop.call_later(_CONNECTION_SECONDS, self._end),
        ]

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in self._timers:
            timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self.since = self.loop.time()
        self._timers[0].cancel()
        self._timers[0] = self.loop.call_later(_HEADER_SECONDS, self._give_up)
        super().on_response_complete()

    def is_sending(self) -> bool:
        """Return whether there isn't a whole request that waits for its answer."""
        return self._is_between() or bool(self.cycle.more_body)

    def _is_between(self) -> bool:
        return self.cycle is None or bool(self.cycle.response_complete)

    def _give_up(self) -> None:
        if self._is_between():
            self.transport.abort()

    def _end(self) -> None:
        if self._is_between():
            self.transport.close()
        else:
            self.cycle.keep_alive = False


class _Server(uvicorn.Server):
    """Leaves signals to the command, which ends at once; unanswered requests are sent again."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        return nullcontext()


def read_tls(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return the TLS context for HTTPS, from a certificate with its chain.

    Args:
        certificate: PEM file with the certificate and its chain.
        key: its key; PEM, without a passphrase.

    Raises:
        BrrError: the certificate or the key can't be used.
    """

    def refuse() -> str:
        raise BrrError(
            f"{key}: needs a passphrase, but nobody can enter it here; write the key without one"
        )

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, refuse)
    except (OSError, ValueError) as error:
        code = None if isinstance(error, ssl.SSLError) else getattr(error, "errno", None)
        reason = os.strerror(code) if code else "not PEM, or the key belongs to another certificate"
        raise BrrError(
            f"{certificate}: can't be used with its key ({reason}); check both files"
        ) from None
    return context


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yield a socket that listens, and close it.

    Raises:
        BrrError: it can't listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        number = error.errno or 0  # negative for an unknown name
        reason = os.strerror(number) if number > 0 else "no such address"
        raise BrrError(
            f"can't listen at {host}, port {port} ({reason}); give another host or port"
        ) from None
    with closing(made):
        # Connections inherit it. Else an answer's end waits 40 ms for the client's acknowledgment:
        # asyncio asks for it only where a socket was made with its protocol named.
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield made


def serve(
    app: Starlette, store: Store, at: socket.socket, tls: ssl.SSLContext | None = None
) -> None:
    """Serve ``app`` until the process is stopped; print its bundle and address when it listens.

    A signal that ends the command closes ``store`` first.

    Args:
        app: result of ``application``.
        store: store to which it writes.
        at: socket from ``listening``.
        tls: result of ``read_tls`` for HTTPS; None for HTTP.
    """
    config = uvicorn.Config(
        app,
        http=_Connection,
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS + 1,
        timeout_keep_alive=5,
        lifespan="off",
    )
    config.load()
    config.ssl = tls
    host, port = at.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    url = f"{'https' if tls else 'http'}://{shown}:{port}{PATH}"
    print(f"Takes reports of bundle {store.bundle[:8]} at {url}", flush=True)
    with cleanup_on_signal(store.close):
        _Server(config).run(sockets=[at])
