"""The receiver's options."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import click

from brrkit import BrrError, WordBundle
from brrkit.messages import printable
from brrkit_toolchain.cli.outputs import OUTPUT
from brrkit_toolchain.cli.shared import FILE, PATH


@click.command()
@click.option("--store", type=FILE, required=True, help="SQLite file; made if missing.")
@click.option("--bundle", type=PATH, help="Take reports of this bundle.")
@click.option(
    "--expect",
    multiple=True,
    metavar="SETTING",
    help="Take batches of this setting: counts, recommended, or JSON as in a batch. Can be "
    "repeated. Default: what the bundle has, counts first.",
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
@click.option("--tls-key", type=FILE, help="Its key, PEM, without a pass phrase.")
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
def receive(
    store: Path,
    bundle: Path | None,
    expect: tuple[str, ...],
    export: Path | None,
    host: str,
    port: int,
    allow_origin: tuple[str, ...],
    tls_certificate: Path | None,
    tls_key: Path | None,
    most_bytes: int,
    most_reports: int,
) -> None:
    """Receive reports over HTTP: a reference receiver for tests and field trials.

    No address, header or time is stored or logged. See spec/reports.md.

    \b
    python -m examples.receiver --bundle bundle --store reports.db
    python -m examples.receiver --store reports.db --export reports.jsonl
    """  # noqa: D301 - click reads the \b
    from brrkit_counting.reports.setting import FOR_COUNTS, RECOMMENDED, read_stated
    from examples.receiver.store import Store

    if (bundle is None) == (export is None):
        raise BrrError("give --bundle to take reports, or --export to write those that came")
    if (tls_certificate is None) != (tls_key is None):
        raise BrrError("--tls-certificate and --tls-key belong together; give both, or neither")
    if export is not None:
        if export.suffix != ".jsonl":
            raise BrrError(f"{export}: reports are written as .jsonl; name such a file")
        with closing(Store(store, None)) as stored:
            batches = stored.export(export)
        click.echo(printable(f"Wrote {export}: {batches:,} batches"))
        return
    if tls_certificate is None and host not in ("127.0.0.1", "::1", "localhost"):
        raise BrrError(
            f"--host {host}: reports travel over HTTPS; give --tls-certificate and --tls-key, or "
            "listen at 127.0.0.1 behind a proxy"
        )
    for origin in allow_origin:
        if not re.fullmatch(r"https?://[^/?#@*\s]+", origin):
            raise BrrError(
                f"--allow-origin {origin}: not an origin; give a scheme, a host and its port, such "
                "as http://localhost:5173"
            )
    from examples.receiver import server

    assert bundle is not None
    opened = WordBundle.open(bundle)
    settings = [read_stated(text) for text in expect] or [
        RECOMMENDED if opened.counts is None else FOR_COUNTS
    ]
    expected = server.expected_settings(opened, settings)
    tls = server.read_tls(tls_certificate, tls_key) if tls_certificate and tls_key else None
    with (
        server.listening(host, port) as at,
        closing(Store(store, str(opened.manifest["sha256"]), patience=1.0)) as stored,
    ):
        limits = server.Limits(most_bytes, most_reports)
        app = server.application(opened, stored, limits, expected, allow_origin)
        server.serve(app, stored, at, tls)
