"""The reference receiver takes what docs/reports.md describes, once, and keeps nothing else."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import jsonschema
import pytest
from starlette.applications import Starlette

from brr_runtime import WordBundle
from brr_runtime.errors import BrrError, ParameterError
from brr_toolchain.frequencies.receiver import PATH, Limits, Store, StoreError, application, serve
from brr_toolchain.frequencies.reports import read_reports
from brr_toolchain.frequencies.source import mechanism_of

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((Path(__file__).parents[2] / "docs" / "reports.schema.json").read_text())
)
SETTING = {"mechanism": "exponential", "epsilon": 0.5, "parameters": {}}
SECRET = "qzvypassphrase"


@pytest.fixture(scope="module")
def opened(sample_bundle: Path) -> WordBundle:
    return WordBundle.open(sample_bundle)


@pytest.fixture
def store(opened: WordBundle, tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "reports.db", opened.manifest["sha256"])
    yield made
    made.close()


class Client:
    """Sends requests to the application, without a network."""

    def __init__(self, app: Starlette) -> None:
        self._app = app

    def request(self, method: str, **options: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
                return await client.request(method, PATH, **options)

        return anyio.run(send)

    def post(self, **options: Any) -> httpx.Response:
        return self.request("POST", **options)


@pytest.fixture
def client(opened: WordBundle, store: Store) -> Client:
    return Client(application(opened, store, Limits(size=4_000, reports=100)))


def batch(opened: WordBundle, **fields: Any) -> dict[str, Any]:
    made = {
        "format": "brr-reports",
        "format_version": 1,
        "bundle": opened.manifest["sha256"],
        "setting": SETTING,
        "batch": f"{1:032x}",
        "period": {"start": "2026-11-16T00:00:00Z", "end": "2026-11-17T00:00:00Z"},
        "words": ["london", "london", "the"],
    }
    return {name: value for name, value in (made | fields).items() if value is not None}


def test_batches_become_a_file_that_estimate_reads(
    opened: WordBundle, store: Store, client: Client, tmp_path: Path
) -> None:
    other = opened.vocabulary.word(7)
    sent = [batch(opened), batch(opened, batch="f" * 32, words=None, counts={other: 3})]
    for one in sent:
        assert SCHEMA.is_valid(one)
        answer = client.post(json=one)
        assert (answer.status_code, answer.json()) == (200, {"stored": True})
    assert store.export(tmp_path / "reports.jsonl") == 2
    lines = (tmp_path / "reports.jsonl").read_text().splitlines()
    assert all(SCHEMA.is_valid(json.loads(line)) for line in lines)
    reports = read_reports([tmp_path / "reports.jsonl"], opened)
    counted = {opened.vocabulary.word(i): n for i, n in enumerate(reports.counts) if n}
    assert counted == {"london": 2, "the": 1, other: 3}
    assert (reports.batches, reports.setting) == (2, SETTING)
    assert reports.period == ("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z")


def test_reports_of_a_keyed_memory_are_taken_but_not_estimated(
    opened: WordBundle, store: Store, client: Client, tmp_path: Path
) -> None:
    with_memory = batch(opened, setting=SETTING | {"second_epsilon": 1.0})
    assert SCHEMA.is_valid(with_memory)
    assert client.post(json=with_memory).status_code == 200
    store.export(tmp_path / "reports.jsonl")
    reports = read_reports([tmp_path / "reports.jsonl"], opened)
    with pytest.raises(ParameterError, match="keyed memory"):
        mechanism_of(opened, [reports], None, {})


def test_a_batch_that_comes_again_is_stored_once(
    opened: WordBundle, store: Store, client: Client
) -> None:
    answers = [client.post(json=batch(opened)) for _ in range(3)]
    assert [a.status_code for a in answers] == [200] * 3
    assert [a.json()["stored"] for a in answers] == [True, False, False]
    assert len(store) == 1


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"bundle": "0" * 64}, 409),
        ({"words": ["the"] * 101}, 413),
        ({"words": None, "counts": {"the": 101}}, 413),
        ({"words": ["the", SECRET]}, 422),
        ({"words": ["London"]}, 422),  # not as the bundle writes it: nobody's output
        ({"words": [7]}, 422),
        ({"batch": "1"}, 422),
        ({"device": SECRET}, 422),
        ({"setting": "mine"}, 422),
        ({"period": {"start": SECRET, "end": SECRET}}, 422),
        ({"format_version": 2}, 422),
        ({"counts": {"the": 1}}, 422),
    ],
)
def test_what_it_refuses_it_neither_stores_nor_repeats(
    opened: WordBundle, store: Store, client: Client, fields: dict[str, Any], status: int
) -> None:
    answer = client.post(json=batch(opened, **fields))
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error
    assert SECRET not in error
    assert len(store) == 0


def test_bytes_that_are_no_batch(opened: WordBundle, store: Store, client: Client) -> None:
    kind = {"content-type": "application/json"}
    good = json.dumps(batch(opened))
    assert client.post(content=good[:-1], headers=kind).status_code == 422
    assert client.post(content=b"\xff", headers=kind).status_code == 422
    assert client.post(content=good, headers={}).status_code == 415
    gzip = kind | {"content-encoding": "gzip"}
    assert client.post(content=good, headers=gzip).status_code == 415
    long = good + " " * 4_000

    async def in_pieces() -> AsyncIterator[bytes]:  # its length isn't stated
        for start in range(0, len(long), 100):
            yield long[start : start + 100].encode()

    assert client.post(content=in_pieces(), headers=kind).status_code == 413
    assert client.request("GET").status_code == 405
    assert len(store) == 0


def test_a_store_belongs_to_one_bundle(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="another bundle"):
        Store(tmp_path / "reports.db", "0" * 64)
    (tmp_path / "text.db").write_text("no database, but long enough to be taken for one " * 40)
    with pytest.raises(StoreError, match="can't be used as a store"):
        Store(tmp_path / "text.db", "0" * 64)
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(StoreError, match="not a store"):
        Store(tmp_path / "other.db", "0" * 64)
    with pytest.raises(StoreError, match="no such store"):
        Store(tmp_path / "none.db", None)
    assert not (tmp_path / "none.db").exists()


def test_a_store_that_fails_is_no_success(
    opened: WordBundle, store: Store, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    store.close()
    answer = client.post(json=batch(opened))
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    error = capsys.readouterr().err
    assert "can't be used as a store" in error
    assert "london" not in error


def test_the_command_serves_and_exports(sample_bundle: Path, tmp_path: Path) -> None:
    opened = WordBundle.open(sample_bundle)
    brr = [sys.executable, "-m", "brr_toolchain", "receive", "--store", str(tmp_path / "r.db")]
    with subprocess.Popen(
        [*brr, "--bundle", str(sample_bundle), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        url = server.stdout.readline().split()[-1]
        request = urllib.request.Request(
            url,
            json.dumps(batch(opened)).encode(),
            {"Content-Type": "application/json", "User-Agent": SECRET, "X-Mine": SECRET},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 200
            assert "server" not in answer.headers
        httpx.post(url, json=batch(opened, words=[SECRET]))
        server.terminate()
        logged = server.stdout.read() + server.stderr.read()
    assert logged.strip() == "Interrupted."
    export = tmp_path / "reports.jsonl"
    subprocess.run([*brr, "--export", str(export)], check=True, capture_output=True)
    assert json.loads(export.read_text())["counts"] == {"london": 2, "the": 1}
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        assert SECRET.encode() not in content, path
        assert b"127.0.0.1" not in content, path


def test_without_a_certificate_it_listens_at_home_only(
    sample_bundle: Path, opened: WordBundle, store: Store, tmp_path: Path
) -> None:
    from brr_toolchain.cli.receive import receive

    options = ["--bundle", str(sample_bundle), "--store", str(tmp_path / "r.db")]
    for wrong, message in (
        ([*options, "--host", "0.0.0.0"], "HTTPS"),
        ([*options, "--key", "k.pem"], "belong together"),
        ([*options, "--export", str(tmp_path / "r.jsonl")], "give --bundle"),
        (["--store", "r.db", "--export", "r.csv"], "jsonl"),
    ):
        with pytest.raises(BrrError, match=message):
            receive.main(wrong, standalone_mode=False)
    (tmp_path / "bad.pem").write_text("no certificate")
    app = application(opened, store, Limits())
    with pytest.raises(BrrError, match="can't be used with its key"):
        serve(app, "127.0.0.1", 0, tmp_path / "bad.pem", tmp_path / "bad.pem")


def test_what_is_missing_is_named_with_its_extra(
    sample_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brr_toolchain.__main__ import _outcome

    arguments = ["--bundle", str(sample_bundle), "--store", str(tmp_path / "r.db"), "--port", "0"]
    monkeypatch.setattr(sys, "argv", ["brr", "receive", *arguments])
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    message, code = _outcome()
    assert code == 1
    assert message.endswith("is missing; run: pip install 'brrkit[receiver]'")
