"""The reference receiver takes what spec/reports.md says, once, and nothing else."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import jsonschema
import pytest
from bundle_tools import rewrite
from starlette.applications import Starlette

from brrkit import TextReporter, WordBundle
from brrkit.bundle import SAMPLE
from brrkit.errors import BrrError, ParameterError
from brrkit.setting import CountsSetting, Setting
from brrkit_counting import build_list
from brrkit_counting.estimate.mechanism import mechanism_of
from brrkit_counting.reports.batch import Batch
from brrkit_counting.reports.reading import read_reports
from brrkit_counting.reports.setting import ReportSetting, SettingKey, parse_stated
from brrkit_toolchain.bundle.recommend import write_recommended
from examples.receiver import server
from examples.receiver.__main__ import main as receiver
from examples.receiver.server import (
    PATH,
    Limits,
    application,
    expected_settings,
    listening,
    read_tls,
)
from examples.receiver.store import Store

if TYPE_CHECKING:
    from conftest import Brr

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((Path(__file__).parents[2] / "spec" / "reports.schema.json").read_text())
)
SETTING = {"mechanism": "exponential", "epsilon": 0.5, "parameters": {}}
SECRET = "qzvypassphrase"


PATIENT = " = ".join(f"r._{name}_SECONDS" for name in ("HEADER", "BODY", "STORE", "CONNECTION"))
PATIENT += f" = {10**6}"
"""What a receiver runs first whose limits on time no busy machine reaches, ``r`` being its module.

Those who ask give up, and fail, after ``HANG`` seconds.
"""
HANG = 600


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, too."""
    for name in ("_BODY_SECONDS", "_STORE_SECONDS"):
        monkeypatch.setattr(server, name, 10**6)


@pytest.fixture
def store(opened: WordBundle, tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "reports.db", opened.manifest["sha256"])
    yield made
    made.close()


class Client:
    """Sends requests to the application, without a network."""

    def __init__(self, app: Starlette) -> None:
        self.app = app

    def request(self, method: str, path: str = PATH, **options: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
                return await client.request(method, path, **options)

        return anyio.run(send)

    def post(self, **options: Any) -> httpx.Response:
        return self.request("POST", **options)


@pytest.fixture
def client(opened: WordBundle, store: Store) -> Client:
    return client_of(opened, store, SETTING)


def to_expect(opened: WordBundle, *settings: Any) -> frozenset[SettingKey]:
    """Return what a receiver expects that is told these settings, as JSON has them."""
    parsed = [parse_stated(setting) for setting in settings]
    return expected_settings(opened, [stated for stated in parsed if stated is not None])


def client_of(opened: WordBundle, store: Store, *settings: Any) -> Client:
    """Return a client of a receiver that expects ``settings``."""
    limits = Limits(size=4_000, reports=100)
    return Client(application(opened, store, limits, to_expect(opened, *settings)))


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
    assert (reports.batches, reports.stated) == (2, parse_stated(SETTING))
    assert reports.period == ("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z")


def test_a_batch_has_a_device_s_day_at_most(bundle: Path, store: Store) -> None:
    write_recommended(bundle, CountsSetting(9.0, 3, "a test", {"isolated": 0.8}))
    opened = WordBundle.open(bundle)
    for setting in ("counts", {"mechanism": "counts", "cap": 9.0}):
        client = client_of(opened, store, setting)
        four = batch(opened, setting=setting, words=["the"] * 4)
        answer = client.post(json=four)
        assert answer.status_code == 422
        assert answer.json() == {
            "error": "the batch has more than 3 reports, a device's limit for a day; send fewer"
        }
        much = batch(opened, setting=setting, words=None, counts={"the": 4})
        assert client.post(json=much).status_code == 422
        assert len(store) == 0
    assert client.post(json=four | {"words": ["the"] * 3}).json() == {"stored": True}
    other = {"mechanism": "counts", "cap": 8.0}  # of which nobody says how many a device sends
    client = client_of(opened, store, other)
    sent = four | {"setting": other, "batch": "e" * 32}
    assert client.post(json=sent).json() == {"stored": True}


def test_frames_of_a_device_become_a_file_of_frames(tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(SAMPLE, tmp_path / "framed"))  # its base is bigram
    shape = {"frames": {"words": 3, "a_day": 2}}
    opened = WordBundle.open(rewrite(bundle, edit=lambda fields: fields.update(shape)))
    store = Store(tmp_path / "reports.db", opened.manifest["sha256"])
    client = client_of(opened, store)
    sent = TextReporter(opened).batches("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z")
    for one in sent:
        assert SCHEMA.is_valid(json.loads(one))
        headers = {"Content-Type": "application/json"}
        assert client.post(content=one, headers=headers).json() == {"stored": True}
    frame = json.loads(sent[0])
    for fields, status, valid in (
        ({"words": frame["words"][:2]}, 422, True),  # as another bundle may have them
        ({"words": [*frame["words"], "the"]}, 422, True),
        ({"words": [*frame["words"][:2], SECRET]}, 422, True),
        ({"words": []}, 422, False),
        ({"words": ["the"] * 65}, 422, False),
        ({"words": None, "counts": {"the": 3}}, 422, False),
        ({"setting": "counts"}, 422, False),
        ({"setting": {"mechanism": "counts", "cap": 4.0}}, 422, False),
        ({"setting": SETTING | {"second_epsilon": 1.0}}, 422, False),
        ({"setting": SETTING}, 409, True),
        ({"bundle": "0" * 64}, 409, True),
    ):
        changed = frame | fields | {"batch": "a" * 32}
        made = {name: value for name, value in changed.items() if value is not None}
        assert client.post(json=made).status_code == status, fields
        assert SCHEMA.is_valid(made) == valid, fields
    assert store.export(tmp_path / "frames.jsonl") == 2
    store.close()
    lines = (tmp_path / "frames.jsonl").read_text().splitlines()
    assert sorted(map(json.loads, lines), key=str) == sorted(map(json.loads, sent), key=str)
    reports = read_reports([tmp_path / "frames.jsonl"], opened)
    assert (reports.batches, len(reports)) == (2, 6)
    with pytest.raises(ParameterError, match=r"frames\.jsonl: line .: .*base 'bigram'"):
        mechanism_of(opened, [reports])


def test_a_bundle_without_frames_takes_none(
    opened: WordBundle, store: Store, client: Client
) -> None:
    answer = client.post(json=batch(opened, format="brr-frames"))
    assert answer.status_code == 422
    assert "the bundle has no frames" in answer.json()["error"]


def test_a_list_s_batches_are_taken(tmp_path: Path) -> None:
    (tmp_path / "l.txt").write_text("good morning\n❤️\nno\n", "utf-8")
    build_list(tmp_path / "l.txt", tmp_path / "l")
    write_recommended(tmp_path / "l", CountsSetting(3.0, 4, "cap 3", {"isolated": 0.9}))
    opened = WordBundle.open(tmp_path / "l")
    store = Store(tmp_path / "reports.db", opened.manifest["sha256"])
    client = client_of(opened, store, "counts")
    sent = batch(opened, setting="counts", words=["good morning", "❤", "", "good morning"])
    assert SCHEMA.is_valid(sent)
    assert client.post(json=sent).json() == {"stored": True}
    for words in (["❤️"], ["good"], ["morning"]):  # no string of the list as it has them
        assert client.post(json=batch(opened, setting="counts", words=words)).status_code >= 400
    assert store.export(tmp_path / "reports.jsonl") == 1
    store.close()
    reports = read_reports([tmp_path / "reports.jsonl"], opened)
    assert reports.counts.tolist() == [2, 1, 0, 1]


def test_reports_of_a_keyed_memory_are_taken_but_not_estimated(
    opened: WordBundle, store: Store, tmp_path: Path
) -> None:
    setting = SETTING | {"second_epsilon": 1.0}
    with_memory = batch(opened, setting=setting)
    assert SCHEMA.is_valid(with_memory)
    assert client_of(opened, store, setting).post(json=with_memory).status_code == 200
    store.export(tmp_path / "reports.jsonl")
    reports = read_reports([tmp_path / "reports.jsonl"], opened)
    with pytest.raises(ParameterError, match=r"reports\.jsonl: line 1: .*keyed memory"):
        mechanism_of(opened, [reports])


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
        ({"device": SECRET}, 422),
        ({"setting": SETTING | {"mechanism": SECRET}}, 422),
        ({"setting": SETTING | {"epsilon": 1}}, 409),
        ({"setting": SETTING | {"parameters": {"radius": 7}}}, 409),
        ({"setting": SETTING | {"parameters": {"radius": 2000}}}, 409),
        ({"setting": SETTING | {"second_epsilon": 0.5}}, 409),
        ({"setting": "recommended"}, 409),  # the bundle recommends none
        ({"period": {"start": SECRET, "end": SECRET}}, 422),
    ],
)
def test_what_it_refuses_it_neither_stores_nor_repeats(
    opened: WordBundle,
    store: Store,
    client: Client,
    capsys: pytest.CaptureFixture[str],
    fields: dict[str, Any],
    status: int,
) -> None:
    """Its operator reads why, and how often; no more of the batch than its sender does."""
    for _ in range(12):
        answer = client.post(json=batch(opened, **fields))
        assert answer.status_code == status
    error = answer.json()["error"]
    assert error
    assert SECRET not in error
    assert len(store) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"Refused a batch ({status}): {error}",
        f"Refused 10 batches so far ({status}): {error}",
    ]


def test_who_sends_another_bundle_s_batch_reads_which_is_received(
    opened: WordBundle, client: Client
) -> None:
    error = client.post(json=batch(opened, bundle="0" * 64)).json()["error"]
    assert f"than this receiver's, {opened.manifest['sha256'][:8]};" in error
    assert "start a receiver with the batch's bundle, or update the app" in error


def test_a_refused_batch_is_taken_once_when_it_is_sent_again(
    opened: WordBundle, store: Store
) -> None:
    """An app that corrects its receiver posts ``refusedBatches`` again, as they are."""
    sent = batch(opened, setting=SETTING | {"epsilon": 1})
    assert client_of(opened, store, SETTING).post(json=sent).status_code == 409
    corrected = client_of(opened, store, sent["setting"])
    answers = [corrected.post(json=sent).json() for _ in range(2)]
    assert answers == [{"stored": True}, {"stored": False}]
    assert len(store) == 1


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


def test_pages_of_another_origin_send_where_it_is_allowed(opened: WordBundle, store: Store) -> None:
    here, elsewhere = "http://localhost:5173", "http://localhost:5174"
    expected = to_expect(opened, SETTING)
    allowing = Client(application(opened, store, Limits(), expected, [here]))
    asks = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    for client, origin, may in (
        (allowing, here, True),
        (allowing, elsewhere, False),
        (Client(application(opened, store, Limits(), expected)), here, False),
    ):
        asked = client.request("OPTIONS", headers={"origin": origin, **asks})
        answers = [
            client.post(json=sent, headers={"origin": origin}) for sent in ({}, batch(opened))
        ]
        assert [answer.status_code for answer in answers] == [422, 200]
        assert asked.is_success == may
        for answer in (asked, *answers):
            assert answer.headers.get("access-control-allow-origin") == (here if may else None)
            assert "access-control-allow-credentials" not in answer.headers
        if may:
            assert "Content-Type" in asked.headers["access-control-allow-headers"]
            assert answers[0].headers["access-control-expose-headers"] == "Retry-After"


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


def test_a_setting_is_the_bundle_s_unless_another_is_expected(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="recommends no setting; calibrate it"):
        to_expect(WordBundle.open(bundle), "recommended")
    write_recommended(bundle, Setting(0.7, "exponential", {"radius": 5}, "a test"))
    opened = WordBundle.open(bundle)
    stated = {"mechanism": "exponential", "epsilon": 0.7, "parameters": {"radius": 5}}
    numbers = iter(range(100))
    for expected, sent, status in (
        ("recommended", "recommended", 200),
        ("recommended", stated, 200),
        ("recommended", SETTING, 409),
        (SETTING, SETTING, 200),
        (SETTING, SETTING | {"parameters": {"radius": 8}}, 200),  # the default
        (SETTING, stated, 409),
        (SETTING, "recommended", 409),
    ):
        store = Store(tmp_path / f"{next(numbers)}.db", opened.manifest["sha256"])
        client = client_of(opened, store, expected)
        assert client.post(json=batch(opened, setting=sent)).status_code == status, (expected, sent)
        assert len(store) == (status == 200)
        store.close()
    store = Store(tmp_path / "both.db", opened.manifest["sha256"])
    client = client_of(opened, store, "recommended", SETTING)
    assert client.post(json=batch(opened, setting=stated)).status_code == 200
    assert client.post(json=batch(opened, batch="2" * 32)).status_code == 200
    store.close()

    with pytest.raises(ParameterError, match="a parameter of an expected setting is out of range"):
        to_expect(opened, SETTING | {"parameters": {"radius": 65}})


def test_what_can_t_be_counted_isn_t_expected() -> None:
    bundle = WordBundle.sample()
    for setting in ("recommended", SETTING):  # a bundle with bigrams has the base bigram
        with pytest.raises(ParameterError, match="base 'bigram' can't be counted"):
            to_expect(bundle, setting)
    assert to_expect(bundle, SETTING | {"parameters": {"base": "unigram"}})


def test_nothing_that_was_sent_is_reflected(client: Client) -> None:
    for path in (f"{PATH}/?{SECRET}=1", f"{PATH}/", f"/{SECRET}", "/"):
        answer = client.request("POST", path, json={}, headers={"host": SECRET})
        assert answer.status_code == 404, path
        assert SECRET not in str(answer.headers) + answer.text


@pytest.mark.parametrize("patience", [0.1, HANG])
def test_a_store_that_waits_doesn_t_keep_others_waiting(
    opened: WordBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    """While one post waits for a locked store, another request is answered."""
    monkeypatch.setattr(server, "_STORE_SECONDS", patience)
    store = Store(tmp_path / "r.db", opened.manifest["sha256"], patience=patience)
    app = application(opened, store, Limits(), to_expect(opened, SETTING))
    other = sqlite3.connect(tmp_path / "r.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    ended: dict[str, int] = {}
    add, waiting = store.add, threading.Event()

    def wait_and_add(one: Batch) -> bool:
        waiting.set()
        return add(one)

    monkeypatch.setattr(store, "add", wait_and_add)

    async def send(name: str, **options: Any) -> None:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as sender:
            ended[name] = (await sender.request("POST", PATH, **options)).status_code

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for number in range(4):
                sent = batch(opened, batch=f"{number:032x}")
                group.start_soon(lambda n=number, s=sent: send(f"post {n}", json=s))
            await anyio.to_thread.run_sync(waiting.wait)
            await send("refused", content=b"{}")
            if patience == HANG:  # else a busy machine may have given up a post
                assert list(ended) == ["refused"]
                other.execute("ROLLBACK")

    anyio.run(all_at_once)
    assert ended.pop("refused") == 415
    assert set(ended.values()) == {200 if patience == HANG else 503}
    if patience != HANG:
        other.execute("ROLLBACK")
    other.close()
    monkeypatch.setattr(server, "_STORE_SECONDS", 10**6)
    assert Client(app).post(json=batch(opened, batch="f" * 32)).status_code == 200
    store.close()


def test_a_batch_too_long_for_a_line_is_refused(
    opened: WordBundle, store: Store, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examples.receiver.store.LARGEST_LINE", 300)
    assert client.post(json=batch(opened)).status_code == 413
    assert len(store) == 0


CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBjzCCATagAwIBAgIUMzQv88Ha/F7u8SDOmqPW4vSdFncwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzE3MDA1OVoYDzIxMjYxMDMw
MTcwMDU5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAS3nPDSwxDTKP8SOYUFDOxVdP1Y9WdwM/jG+osO4NpQEDOv4qNNj/PD
3bObR9EQsiRKyVWmRoBZ6U4kUUZ3McM6o2QwYjAdBgNVHQ4EFgQUhOAX2kIOXmBd
SpRRT3wAqKjf+iAwHwYDVR0jBBgwFoAUhOAX2kIOXmBdSpRRT3wAqKjf+iAwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQC
IA8jyhcWUuIMSIH5kHlgxniIo0U+RJmbAHd9xZ02n7HsAiAe6z/barKWXu5DT2NY
nrQly/sAyc5mJ+xSHJ8TMzY0ig==
-----END CERTIFICATE-----
"""
LOCKED_KEY = """\
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHjME4GCSqGSIb3DQEFDTBBMCkGCSqGSIb3DQEFDDAcBAjju1RlGFWmjQICCAAw
DAYIKoZIhvcNAgkFADAUBggqhkiG9w0DBwQIFGjOrQBG10AEgZBsmUVWbL0N4jZ4
GsfERtC29fx5l7IWUJ6us8yipBebrE4yKLGJi33cYI49Ufvn/Iwf/0oRgQrhfH0K
s+LU/SwqjALdR/sUXsi/TT/nWwox5BHJ+2rOuoTT1/yfcGg3zTsK5GuaCLV/CgI5
7/OCgfjIwPkLa62WmZCw4N2SlsUX9hF/w3mpOIyfwMWDUmdhDwY=
-----END ENCRYPTED PRIVATE KEY-----
"""
"""Its passphrase is "test". Nobody's: for these tests only."""
KEY = """\
-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIEunH22ySik01xYGW8NrHgTVdl1wLjtdsaJJ0SMflofOoAoGCCqGSM49
AwEHoUQDQgAEt5zw0sMQ0yj/EjmFBQzsVXT9WPVncDP4xvqLDuDaUBAzr+KjTY/z
w92zm0fRELIkSslVpkaAWelOJFFGdzHDOg==
-----END EC PRIVATE KEY-----
"""
"""The same without a passphrase."""


def test_a_certificate_that_can_t_be_used(tmp_path: Path) -> None:
    certificate, key, bad = (tmp_path / name for name in ("c.pem", "k.pem", "bad.pem"))
    certificate.write_text(CERTIFICATE)
    key.write_text(LOCKED_KEY)
    bad.write_text("no certificate")
    for files, says in (
        ((certificate, key), r"k\.pem: needs a passphrase"),
        ((certificate, bad), "not PEM"),
        ((bad, key), "not PEM"),
        ((tmp_path / "none", key), "No such file"),
        ((certificate, tmp_path), "can't be used with its key"),
    ):
        with pytest.raises(BrrError, match=says) as caught:
            read_tls(*files)
        assert "_ssl" not in str(caught.value)


@contextmanager
def running(
    store: Path, bundle: Path, *options: str, before: str = ""
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run the command; yield its address and process, which ends at the end.

    ``before`` is what the process runs first, behind ``PATIENT``.
    """
    program = (
        "import signal, examples.receiver.server as r\n"
        "for number in (signal.SIGINT, signal.SIGHUP):\n"
        "    signal.signal(number, signal.SIG_DFL)\n"  # behind nohup, too
        f"{PATIENT}\n{before}\n"
        "from examples.receiver.__main__ import main\n"
        "main()\n"
    )
    with subprocess.Popen(
        [
            *(sys.executable, "-c", program, "--store", str(store), "--port", "0"),
            *("--bundle", str(bundle), "--expect", json.dumps(SETTING), *options),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not line:
                assert process.stderr is not None
                raise AssertionError(process.stderr.read())
            named = WordBundle.open(bundle).manifest["sha256"][:8]
            assert line.startswith(f"Takes reports of bundle {named} at http")
            yield line.split()[-1], process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> str:
    """Send a signal; return what was printed."""
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=HANG)
    assert process.returncode == 130
    return out + err


def post(url: str, **options: Any) -> httpx.Response:
    return httpx.post(url, timeout=HANG, **options)


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def connect(url: str) -> socket.socket:
    address = httpx.URL(url)
    return socket.create_connection((address.host, address.port or 0), timeout=HANG)


def until(connection: socket.socket, end: bytes) -> None:
    """Read until ``end`` has come."""
    answer = b""
    while not answer.endswith(end):
        part = connection.recv(1000)
        assert part, answer
        answer += part


def half_sent(connection: socket.socket, size: int) -> None:
    """Send a header and a byte of a body of ``size``, which the receiver then waits for."""
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {size}\r\nExpect: 100-continue\r\n\r\n"
    connection.sendall(head.encode())
    until(connection, b"\r\n\r\n")  # it goes on to the body
    connection.sendall(b"{")


def export(store: Path, folder: Path) -> list[dict[str, Any]]:
    reader = Store(store, None)
    reader.export(folder / "r.jsonl")
    reader.close()
    return [json.loads(line) for line in (folder / "r.jsonl").read_text().splitlines()]


def test_the_command_serves_and_exports(sample_bundle: Path, tmp_path: Path) -> None:
    opened, store = WordBundle.open(sample_bundle), tmp_path / "r.db"
    with running(store, sample_bundle) as (url, process):
        answer = post(url, json=batch(opened), headers={"User-Agent": SECRET, "X-Mine": SECRET})
        assert answer.status_code == 200
        assert "server" not in answer.headers
        post(url, json=batch(opened, words=[SECRET]))
        refused, interrupted = sorted(ended(process).split("\n")[:2], reverse=True)
        assert refused.startswith("Refused a batch (422): the batch has a word")
        assert interrupted == "Interrupted."
    (line,) = export(store, tmp_path)
    assert line["counts"] == {"london": 2, "the": 1}
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        assert SECRET.encode() not in content, path
        assert b"127.0.0.1" not in content, path


def test_after_a_signal_all_is_in_the_one_file(sample_bundle: Path, tmp_path: Path) -> None:
    """At once, though a request is open, at an address of IPv6 where there are any.

    ``test_interrupts.py`` tests other signals.
    """
    host = "::1" if has_ipv6() else "127.0.0.1"
    opened, folder = WordBundle.open(sample_bundle), tmp_path / "store"
    folder.mkdir()
    with (
        running(folder / "r.db", sample_bundle, "--host", host) as (url, process),
        ExitStack() as stack,
    ):
        assert httpx.URL(url).host == host
        for i in range(5):
            assert post(url, json=batch(opened, batch=f"{i:032x}")).status_code == 200
        half_sent(stack.enter_context(connect(url)), 1000)
        said = ended(process)  # or this waits for the other half, and fails
    assert said.strip() == "Interrupted."
    assert [path.name for path in folder.iterdir()] == ["r.db"]
    assert len(export(folder / "r.db", tmp_path)) == 5


def test_a_body_that_ends_early_is_to_be_sent_again(client: Client, store: Store) -> None:
    """Devices repeat what is answered with 408, and never what is with 400, 409, 413 or 422."""
    arriving: list[dict[str, Any]] = [
        {"type": "http.request", "body": b'{"format": ', "more_body": True},
        {"type": "http.disconnect"},
    ]
    answered: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return arriving.pop(0)

    async def send(message: Any) -> None:
        answered.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": PATH,
        "headers": [(b"content-type", b"application/json")],
        "query_string": b"",
    }
    anyio.run(client.app, scope, receive, send)
    assert answered[0]["status"] == 408
    assert b"send it again" in answered[1]["body"]
    assert len(store) == 0


def test_half_open_requests_don_t_keep_others_out(sample_bundle: Path, tmp_path: Path) -> None:
    """260 whose headers or bodies don't end, or who say nothing: others are served."""
    opened = WordBundle.open(sample_bundle)
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\n".encode()
    body = head + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
    with running(tmp_path / "r.db", sample_bundle) as (url, process), ExitStack() as stack:
        for i in range(260):
            stack.enter_context(connect(url)).sendall((head, body, b"")[i % 3])
        for i in range(5):
            assert post(url, json=batch(opened, batch=f"{i:032x}")).status_code == 200
        ended(process)


def test_a_header_that_doesn_t_end_is_given_up(sample_bundle: Path, tmp_path: Path) -> None:
    """Neither a first one nor a second one in a connection."""
    hurry = "r._HEADER_SECONDS = 0.1"
    behind_the_first = (
        "made, complete = r._Connection.connection_made, r._Connection.on_response_complete\n"
        "def patient(connection, transport):\n"
        "    r._HEADER_SECONDS = 10**6\n"
        "    made(connection, transport)\n"
        "def hurried(connection):\n"
        f"    {hurry}\n"
        "    complete(connection)\n"
        "r._Connection.connection_made = patient\n"
        "r._Connection.on_response_complete = hurried\n"
    )
    for before in (hurry, behind_the_first):
        with running(tmp_path / "r.db", sample_bundle, before=before) as (url, process):
            for sent in (b"", f"POST {PATH} HTTP/1.1\r\nHo".encode()):
                with connect(url) as slow:
                    if before != hurry:
                        slow.sendall(f"GET {PATH} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                        until(slow, b"Method Not Allowed")
                    with suppress(BrokenPipeError, ConnectionResetError):
                        slow.sendall(sent)
                        assert slow.recv(100) == b""  # or the socket's timeout raises
            ended(process)


def test_a_body_that_is_too_large_is_refused_before_it_comes(
    sample_bundle: Path, tmp_path: Path
) -> None:
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    hurry = (  # what has been answered is soon closed
        "config = r.uvicorn.Config\n"
        "r.uvicorn.Config = lambda app, **options: config(\n"
        "    app, **{**options, 'timeout_keep_alive': 0.1}\n"
        ")\n"
    )
    with running(tmp_path / "r.db", sample_bundle, before=hurry) as (url, process):
        with connect(url) as sender:
            sender.sendall(f"{head}Content-Length: 1048577\r\n\r\n{{".encode())
            answer = b""
            while part := sender.recv(1000):  # or the socket's timeout raises
                answer += part
            assert answer.startswith(b"HTTP/1.1 413")
            assert b"more than 1,048,576 bytes" in answer
        said = ended(process)
    assert "Refused a batch (413): the body has more than 1,048,576 bytes; send smaller" in said


def test_a_connection_ends_with_an_answer(sample_bundle: Path, tmp_path: Path) -> None:
    """However long it is used; a request that is being sent then is still answered."""
    hour = (  # that passes at a signal
        "r._CONNECTION_SECONDS, passed = 3000, 0\n"
        "import asyncio\n"
        "own = asyncio.BaseEventLoop.time\n"
        "asyncio.BaseEventLoop.time = lambda loop: own(loop) + passed\n"
        "config, instead = r.uvicorn.Config, {'loop': 'asyncio', 'timeout_keep_alive': 10**6}\n"
        "r.uvicorn.Config = lambda app, **options: config(app, **{**options, **instead})\n"
        "def on_signal(*_):\n"
        "    global passed\n"
        "    passed += 3600\n"
        "signal.signal(signal.SIGUSR1, on_signal)\n"
    )
    with running(tmp_path / "r.db", sample_bundle, before=hour) as (url, process):
        with connect(url) as silent, connect(url) as sender:
            half_sent(sender, 2)
            process.send_signal(signal.SIGUSR1)
            assert silent.recv(100) == b""  # or the socket's timeout raises
            sender.sendall(b"}")
            answer = b""
            while part := sender.recv(1000):
                answer += part
            assert answer.startswith(b"HTTP/1.1 422")
        ended(process)


def test_it_listens_with_a_certificate(sample_bundle: Path, tmp_path: Path) -> None:
    opened = WordBundle.open(sample_bundle)
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    certificate.write_text(CERTIFICATE)
    key.write_text(KEY)
    options = ("--tls-certificate", str(certificate), "--tls-key", str(key))
    with running(tmp_path / "r.db", sample_bundle, *options) as (url, process):
        assert url.startswith("https://")
        known = ssl.create_default_context(cafile=certificate)
        assert post(url, json=batch(opened), verify=known).status_code == 200
        with pytest.raises(httpx.ConnectError):
            post(url, json=batch(opened))
        ended(process)


def test_addresses_that_can_t_be_had() -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        for host, wanted, says in (
            (
                "127.0.0.1",
                port,
                r"can't listen at 127\.0\.0\.1, port \d+ \(Address already in use\)",
            ),
            ("nobody.invalid", 0, "no such address"),
            ("::ffff:x", 0, "no such address"),
        ):
            with pytest.raises(BrrError, match=says), listening(host, wanted):
                pass


@pytest.fixture
def taken() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_wrong_calls(brr: Brr, sample_bundle: Path, tmp_path: Path, taken: ExitStack) -> None:
    store = tmp_path / "r.db"
    right = ["--bundle", sample_bundle, "--store", store, "--port", 0]
    right += ["--expect", json.dumps(SETTING)]
    (tmp_path / "bad.pem").write_text(SECRET)
    with suppress(OSError):  # the default is in use: nothing here may depend on it
        taken.enter_context(socket.create_server(("127.0.0.1", 8443)))
    pem = ["--tls-certificate", tmp_path / "bad.pem", "--tls-key", tmp_path / "bad.pem"]
    for wrong, message in (
        ([*right, "--host", "0.0.0.0"], "HTTPS"),
        ([*right, "--tls-key", "k.pem"], "belong together"),
        ([*right, "--export", tmp_path / "r.jsonl"], "give --bundle"),
        ([*right, "--bundle", tmp_path], "start one receiver per bundle"),
        (["--store", "r.db", "--export", "r.csv"], "jsonl"),
        (right[:-2], "recommends no setting"),
        ([*right, "--expect", SECRET], "a setting must be"),
        ([*right, *pem], "not PEM"),
        ([*right, "--allow-origin", "*"], "not an origin"),
        ([*right, "--allow-origin", "http://localhost:5173/"], "not an origin"),
        ([*right, "--host", "::1", "--port", 1 << 16], "--port"),
        ([*right, "--store", ":memory:"], "a store must be a file"),
        (["--store", store, "--export", tmp_path / "x.jsonl"], "no such store"),
    ):
        done = brr(*wrong, program=receiver)
        assert done.code in (1, 2)
        assert message in done.err
        assert done.err.count("\n") == 1
        assert SECRET not in done.err
        assert not store.exists()


@pytest.mark.parametrize("module", ["anyio", "starlette.applications", "uvicorn"])
def test_what_is_missing_is_named_with_its_extra(
    brr: Brr, sample_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.delitem(sys.modules, "examples.receiver.server")
    monkeypatch.delattr("examples.receiver.server")
    monkeypatch.setitem(sys.modules, module, None)
    options = ("--bundle", sample_bundle, "--store", tmp_path / "r.db", "--port", 0)
    done = brr(*options, program=receiver)
    assert done.code == 1
    assert done.err.endswith("[receiver]'\n")
    assert list(tmp_path.iterdir()) == []


def test_what_is_exported_replaces_no_store(
    brr: Brr, opened: WordBundle, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(
        Batch(
            str(opened.manifest["sha256"]),
            ReportSetting(Setting(0.5)),
            f"{1:032x}",
            None,
            {"the": 1},
        )
    )
    store.close()
    monkeypatch.chdir(tmp_path)
    Path("reports.db").rename("reports.jsonl")
    Path("old.jsonl").write_text("old")
    call = ("--store", "reports.jsonl", "--export")
    for place, message in (
        ("reports.jsonl", "input of this command"),
        ("no/such/folder/out.jsonl", "can't be written"),
    ):
        done = brr(*call, place, program=receiver)
        assert (done.code, done.out) == (1, "")
        assert message in done.err
    assert brr(*call, "old.jsonl", program=receiver).out == "Wrote old.jsonl: 1 batches\n"
    assert json.loads(Path("old.jsonl").read_text())["counts"] == {"the": 1}
