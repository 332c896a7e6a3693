"""The receiver's options."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import click

from brrkit import BrrError, WordBundle
from brrkit.messages import printable
from brrkit_toolchain.cli.shared import FILE, PATH, options_as
from brrkit_toolchain.cli.shared.outputs import OUTPUT


@dataclass(frozen=True)
class Listening:
    """The address of the receiver, and the accepted reports.

    Attributes:
        expect: settings of batches, as text; by default, those of the bundle, counts first. Frames
            are accepted if the bundle has them.
        host: address.
        port: port; 0 for a free one.
        allow_origin: origins of pages that may send.
        tls_certificate: PEM; None for HTTP.
        tls_key: its key, PEM.
        most_bytes: largest number of bytes in a request.
        most_reports: largest number of reports in a batch.
    """

    expect: tuple[str, ...]
    host: str
    port: int
    allow_origin: tuple[str, ...]
    most_bytes: int
    most_reports: int
    tls_certificate: Path | None = None
    tls_key: Path | None = None


@click.command()
@click.option("--store", type=FILE, required=True, help="SQLite file; made if missing.")
@click.option("--bundle", type=PATH, multiple=True, help="Take reports of this bundle.")
@click.option(
    "--expect",
    multiple=True,
    metavar="SETTING",
    help="Take batches of this setting: counts, recommended, or JSON as in a batch. Can be "
    "repeated. Default: what the bundle has, counts first. Frames are taken if it has them.",
)
@click.option("--export", type=OUTPUT, help="Write all batches to this .jsonl.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address; another machine needs TLS.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8443,
    show_default=True,
    help="Port; 0 is a free one.",
)
@click.option(
    "--allow-origin",
    multiple=True,
    metavar="ORIGIN",
    help="Let pages of this origin send. Can be repeated.",
)
@click.option("--tls-certificate", type=FILE, help="TLS certificate, PEM.")
@click.option("--tls-key", type=FILE, help="Its key, PEM, without a passphrase.")
@click.option(
    "--most-bytes",
    type=click.IntRange(min=1, max=1 << 24),
    default=1 << 20,
    show_default=True,
    help="Largest request.",
)
@click.option(
    "--most-reports",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Largest batch.",
)
@options_as(Listening)
def receive(store: Path, bundle: tuple[Path, ...], export: Path | None, options: Listening) -> None:
    """Receive reports over HTTP: a reference receiver for tests and field trials.

    No address, header or time is stored or logged. See spec/reports.md.

    \b
    python -m examples.receiver --bundle bundle --store reports.db
    python -m examples.receiver --store reports.db --export reports.jsonl
    """  # noqa: D301 - click reads the \b
    if len(bundle) > 1:
        raise BrrError(
            "--bundle is given more than once; start one receiver per bundle, each with its own "
            "--store and --port"
        )
    if bool(bundle) == (export is not None):
        raise BrrError(
            "--bundle and --export are both given, or both missing; give --bundle to receive "
            "reports, or --export to write those received"
        )
    if (options.tls_certificate is None) != (options.tls_key is None):
        raise BrrError("--tls-certificate and --tls-key belong together; give both, or neither")
    if export is not None:
        _export(store, export)
    else:
        _check_origins(options)
        _listen(WordBundle.open(bundle[0]), store, options)


def _export(store: Path, export: Path) -> None:
    """Write all batches of a store."""
    from examples.receiver.store import Store

    if export.suffix != ".jsonl":
        raise BrrError(f"{export}: reports can be written only as .jsonl; name a .jsonl file")
    with closing(Store(store, None)) as stored:
        batches = stored.export(export)
    click.echo(printable(f"Wrote {export}: {batches:,} batches"))


def _check_origins(options: Listening) -> None:
    """Refuse to send reports over a network as they are, and origins that are none."""
    if options.tls_certificate is None and options.host not in ("127.0.0.1", "::1", "localhost"):
        raise BrrError(
            f"--host {options.host}: reports must travel over HTTPS; give --tls-certificate and "
            "--tls-key, or listen at 127.0.0.1 behind a proxy"
        )
    for origin in options.allow_origin:
        if not re.fullmatch(r"https?://[^/?#@*\s]+", origin):
            raise BrrError(
                f"--allow-origin {origin}: not an origin; give a scheme, a host and a port, such "
                "as http://localhost:5173"
            )


def _listen(bundle: WordBundle, store: Path, options: Listening) -> None:
    """Accept batches of a bundle until the process is stopped."""
    from brrkit_counting.reports.setting import FOR_COUNTS, RECOMMENDED, read_stated
    from examples.receiver import server
    from examples.receiver.store import Store

    stated = [read_stated(text) for text in options.expect]
    if not stated and bundle.counts is not None:
        stated = [FOR_COUNTS]
    elif not stated and bundle.frames is None:
        stated = [RECOMMENDED]
    expected = server.expected_settings(bundle, stated)
    certificate, key = options.tls_certificate, options.tls_key
    tls = server.read_tls(certificate, key) if certificate and key else None
    with (
        server.listening(options.host, options.port) as at,
        closing(Store(store, str(bundle.manifest["sha256"]), patience=1.0)) as stored,
    ):
        limits = server.Limits(options.most_bytes, options.most_reports)
        app = server.application(bundle, stored, limits, expected, options.allow_origin)
        server.serve(app, stored, at, tls)
