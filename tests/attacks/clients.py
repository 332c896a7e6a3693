"""Hostile clients of the receiver: what is refused leaves nothing, what is stored is there.

    python tests/attacks/clients.py --requests 200 --seed 0

Requests are good ones with something made wrong: the batch (a field, a type, a number, a typed word
in any place), the bytes of JSON, HTTP's method, path, headers and framing, a body that is too long,
doesn't end or comes slowly, connections that say nothing. Between them good batches are sent, one
is sent again, and now and then the receiver gets a signal, SIGKILL too, and starts anew. At the
end: each batch that was answered with 200 is in the store, once, as it was sent; nothing else is; a
word that was typed is in no answer, no message and no file. Prints every request that ended badly,
and exits with 1 if there was one.
"""

from __future__ import annotations

import argparse
import json
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brrkit import WordBundle
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
from brrkit_toolchain.embeddings import sample_path

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.baselines import add_baselines
from examples.receiver.store import Store

add_baselines()

CANARY = "zqtypedsecret"
RECEIVER = (
    *(sys.executable, "-c"),
    # Whoever is slow is given up at a signal, as if hours had passed; no busy machine is.
    "import asyncio, signal, examples.receiver.server as r\n"
    "r._HEADER_SECONDS = r._BODY_SECONDS = r._STORE_SECONDS = r._CONNECTION_SECONDS = 10_000\n"
    "passed, own, config = 0, asyncio.BaseEventLoop.time, r.uvicorn.Config\n"
    "def on_signal(*_):\n"
    "    global passed\n"
    "    passed += 100_000\n"
    "asyncio.BaseEventLoop.time = lambda loop: own(loop) + passed\n"
    "r.uvicorn.Config = lambda app, **options: config(app, **options, loop='asyncio')\n"
    "signal.signal(signal.SIGUSR1, on_signal)\n"
    # These are ignored behind nohup.
    "for number in (signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_DFL)\n"
    "from examples.receiver.__main__ import main; main()",
)
SETTING: dict[str, Any] = {"mechanism": "exponential", "epsilon": 0.5, "parameters": {"radius": 8}}
SAME = (SETTING, {**SETTING, "parameters": {}})  # a radius of 8 is the default
KNOWN = {200, 400, 404, 405, 408, 409, 413, 415, 422, 431, 503}
WAIT = 600.0  # seconds for an answer, and for an end: longer is a hang, even on a busy machine
SLOW = 1.0  # seconds that a hostile sender has before the receiver's clock is put forward

Fields = dict[str, Any]


@dataclass
class Receiver:
    """A receiver that runs, and what it acknowledged.

    Attributes:
        bundle: folder of the bundle.
        store: its store.
        stored: the counts of each batch that was answered with 200, by its id.
        unknown: ids of batches whose senders were gone before the answer.
        said: what it printed after its first line.
    """

    bundle: Path
    store: Path
    stored: dict[str, Counter[str]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                *(*RECEIVER, "--bundle", self.bundle, "--store", self.store, "--port", "0"),
                *("--expect", json.dumps(SETTING), "--most-bytes", "20000"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.port = int(line.rsplit(":", 1)[1].partition("/")[0])

    def end(self, number: signal.Signals) -> list[str]:
        """Send a signal; return what is wrong with how it ended."""
        self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=WAIT)
        except subprocess.TimeoutExpired:
            self.kill()
            return ["it doesn't end"]
        self.said.append(out + err)
        problems = []
        if number != signal.SIGKILL:
            others = [line for line in err.splitlines() if not line.startswith("Refused ")]
            if (self.process.returncode, others) != (130, ["Interrupted."]):
                problems.append(f"ended with {self.process.returncode} and {err[-300:]!r}")
            beside = [path.name for path in self.store.parent.glob(f"{self.store.name}-*")]
            problems += [f"left {name}" for name in beside]
        return problems

    def kill(self) -> None:
        """Make sure that nothing runs, whatever has happened."""
        self.process.kill()
        self.process.communicate()

    def send(self, raw: bytes, *, ends: bool = True, whole: bool = True) -> bytes:
        """Return what is answered to the bytes of a request, "" where the connection is closed.

        Args:
            raw: of the request.
            ends: whether to wait for the answer; else the sender goes.
            whole: whether the receiver must answer before it gives up who is slow.
        """
        answer = b""
        until = time.monotonic() + WAIT
        with (
            socket.create_connection(("127.0.0.1", self.port), timeout=WAIT) as connection,
            suppress(BrokenPipeError, ConnectionResetError),
        ):
            connection.sendall(raw)
            if not ends:
                connection.shutdown(socket.SHUT_WR)
            if not whole:
                connection.settimeout(SLOW)
            while True:
                try:
                    part = connection.recv(1 << 16)
                except TimeoutError:
                    if whole or time.monotonic() > until:
                        raise
                    self.process.send_signal(signal.SIGUSR1)
                    continue
                if not part:
                    break
                answer += part
        return answer

    def send_good(self, bundle: WordBundle, rng: random.Random) -> list[str]:
        """Send a good batch, perhaps twice; return what is wrong with the answers."""
        good = good_batch(bundle, rng)
        raw = request(json.dumps(good).encode())
        self.stored[good["batch"]] = counts_of(good)
        expected = [b'{"stored":true}', *([b'{"stored":false}'] if rng.random() < 0.1 else [])]
        answers = [self.send(raw) for _ in expected]
        return [
            f"a good batch is answered {answer[:80]!r}"
            for wanted, answer in zip(expected, answers, strict=True)
            if wanted not in answer
        ]

    def send_hostile(self, raw: bytes, *, ends: bool) -> tuple[list[str], int | None]:
        """Send a hostile request; return what is wrong with the answer, and its status."""
        body = raw.partition(b"\r\n\r\n")[2]
        sent = None
        with suppress(ValueError, RecursionError):
            sent = json.loads(body)
        identity = sent.get("batch") if isinstance(sent, dict) else None
        try:
            problems, status = judge(self.send(raw, ends=ends, whole=False))
        except TimeoutError:
            return ["no answer"], None
        if status == 200:
            assert isinstance(sent, dict)
            if sent.get("setting") not in SAME or CANARY.encode() in body:
                problems.append("stored, though it is none")
            self.stored.setdefault(str(identity), counts_of(sent))
        elif status is None and isinstance(identity, str):
            self.unknown.add(identity)
        return problems, status


def request(
    body: bytes,
    method: str = "POST",
    path: str = "/v1/reports",
    headers: dict[str, str] | None = None,
    length: int | None = None,
) -> bytes:
    """Return the bytes of a request that closes its connection."""
    fields = {
        "Host": "127.0.0.1",
        "Connection": "close",
        "Content-Type": "application/json",
        "Content-Length": str(len(body) if length is None else length),
    } | (headers or {})
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None)
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "surrogateescape") + body


def good_batch(bundle: WordBundle, rng: random.Random) -> Fields:
    """Return a batch that is to be stored."""
    words = [
        bundle.vocabulary.word(rng.randrange(len(bundle))) for _ in range(rng.randrange(1, 60))
    ]
    batch: Fields = {
        "format": "brr-reports",
        "format_version": 1,
        "bundle": bundle.manifest["sha256"],
        "setting": SETTING,
        "batch": secrets.token_hex(16),
    }
    if rng.random() < 0.5:
        batch["period"] = {"start": "2026-11-16T00:00:00Z", "end": "2026-11-23T00:00:00Z"}
    if rng.random() < 0.5:
        return batch | {"words": words}
    return batch | {"counts": dict(Counter(words))}


VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 10**39, 2**53 + 1, "", CANARY, CANARY * 900, [], [CANARY], {}, [[]],
    {CANARY: CANARY}, {CANARY: 1}, "recommended", "2026-1-6T0:0:0Z",
    "٢٠٢٦-11-06T00:00:00Z", "0" * 32,
    ["the", 7], {"the": -1}, {"the": 10**9}, ["\ud800"], "A" * 32, "\u0000", "é" * 9_000,
]  # fmt: skip
PLACES: list[tuple[str, ...]] = [
    ("format",), ("format_version",), ("bundle",), ("setting",), ("batch",), ("period",),
    ("words",), ("counts",), (CANARY,), ("device",), ("setting", "mechanism"),
    ("setting", "epsilon"), ("setting", "parameters"), ("setting", "second_epsilon"),
    ("setting", CANARY),
    ("setting", "parameters", "radius"), ("setting", "parameters", "t"),
    ("setting", "parameters", CANARY), ("period", "start"), ("period", "end"), ("period", CANARY),
]  # fmt: skip
HEADERS: list[dict[str, str]] = [
    {"Content-Type": "text/plain"}, {"Content-Type": CANARY}, {"Content-Encoding": "gzip"},
    {"Content-Length": "-1"}, {"Content-Length": "9" * 40}, {"Content-Length": CANARY},
    {"Transfer-Encoding": "chunked"}, {"Transfer-Encoding": CANARY}, {"Host": f"{CANARY}.example"},
    {"Host": "a\x00b"}, {"X-Long": "a" * 70_000}, {"Expect": "100-continue"},
    {"Upgrade": "websocket"},
    {"Upgrade": "websocket", "Connection": "Upgrade"}, {"X": "é\r\nY: 1"}, {"Cookie": CANARY},
    {"User-Agent": CANARY}, {CANARY: CANARY}, {"Range": "bytes=0-"}, {"Connection": "keep-alive"},
]  # fmt: skip
PATHS = [
    "/", f"/{CANARY}", "/v1/reports/", f"/v1/reports/?{CANARY}=1", f"/v1/reports?{CANARY}", "*",
    f"http://{CANARY}/v1/reports", "/v1/../v1/reports", "//v1/reports", "/v1/reports%00", "/%ff",
    "/v1/reports/" + "a" * 9_000, f"/v1/reports;{CANARY}", "\\", "/v1/réports",
]  # fmt: skip
METHODS = ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PATCH", CANARY, "post",
           "", "A" * 9_000]  # fmt: skip


def spoiled(batch: Fields, rng: random.Random) -> bytes:
    """Return JSON of a batch of which something is wrong."""
    kind = rng.randrange(10)
    if kind < 7:
        changed = json.loads(json.dumps(batch))
        place = changed
        path = rng.choice(PLACES)
        for name in path[:-1]:
            place = place.setdefault(name, {})
        value = rng.choice(VALUES)
        place.pop(path[-1], None)
        if value is not None or rng.random() < 0.5:
            place[path[-1]] = value
        return json.dumps(changed, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    text = json.dumps(batch).encode()
    if kind == 7:
        at = rng.randrange(len(text))
        return (
            text[:at] + rng.choice([b"", b"\xff", b"\0", CANARY.encode(), b"NaN", b'"']) + text[at:]
        )
    if kind == 8:
        return rng.choice(
            [
                b"",
                b"null",
                b"[" * 9_000,
                b'{"a":' * 5_000,
                text * 2,
                text[: len(text) // 2],
                b"\xef\xbb\xbf" + text,
                text.decode().encode("utf-16"),
                rng.randbytes(500),
                b" " * 30_000 + text,
                text[:-1] + b',"batch":"' + b"0" * 32 + b'"}',
                b"1" * 20_000,
            ]
        )
    words = batch | {"counts": None, "words": [CANARY, "the"]}
    del words["counts"]
    return json.dumps(words).encode()


def hostile(batch: Fields, rng: random.Random) -> tuple[bytes, bool]:
    """Return the bytes of a hostile request, and whether its sender waits for the answer."""
    body = json.dumps(batch).encode()
    whole = request(body)
    noise = [rng.randbytes(400), b"\r\n" * 500, b"\x16\x03\x01\x02\x00\x01", CANARY.encode(),
             b"GET " + b"a" * 70_000, b"POST /v1/reports HTTP/9.9\r\n\r\n", b""]  # fmt: skip
    makers: list[Callable[[], tuple[bytes, bool]]] = [
        *[lambda: (request(spoiled(batch, rng)), True)] * 6,
        lambda: (request(body, path=rng.choice(PATHS)), True),
        lambda: (request(body, method=rng.choice(METHODS)), True),
        lambda: (request(body, headers=rng.choice(HEADERS)), True),
        lambda: (request(body, length=rng.choice([0, 1, len(body) + 50, 10**9])), False),
        lambda: (rng.choice(noise), False),  # no HTTP
        lambda: (whole[: rng.randrange(len(whole))], False),
    ]
    return rng.choice(makers)()


def counts_of(fields: Fields) -> Counter[str]:
    return Counter(fields["counts"] if "counts" in fields else fields["words"])


def judge(answer: bytes) -> tuple[list[str], int | None]:
    """Return what is wrong with an answer, and its status."""
    if not answer:
        return [], None  # closed: no HTTP, or not whole
    problems = []
    first = answer.split(b"\r\n", 1)[0].split()
    status = int(first[1]) if len(first) > 1 and first[1].isdigit() else None
    if status == 100:
        return judge(answer.partition(b"\r\n\r\n")[2])
    if status not in KNOWN:
        problems.append(f"answered {answer[:40]!r}")
    if CANARY.encode() in answer.lower():
        problems.append("what was sent is reflected")
    if b"Traceback" in answer or b"location:" in answer.lower():
        problems.append("an answer with a traceback or a redirection")
    return problems, status


def say(line: str) -> None:
    print(line, flush=True)


def attack(requests: int, seed: int, report: Callable[[str], None] = say) -> int:
    """Send hostile requests, report what ends badly, and return the number of that."""
    rng = random.Random(seed)
    bad, statuses, restarts = 0, Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as quiet:
        folder = Path(temporary)
        plan = BuildPlan(bits=64, method="lsh", vocabulary_size=300)  # takes no time
        build_bundle(sample_path(), folder / "b", plan)
        opened = WordBundle.open(folder / "b")
        (folder / "store").mkdir()
        receiver = Receiver(folder / "b", folder / "store" / "reports.db")
        receiver.start()
        quiet.callback(receiver.kill)
        for number in range(requests):
            raw, ends = hostile(good_batch(opened, rng), rng)
            problems, status = receiver.send_hostile(raw, ends=ends)
            statuses[str(status)] += 1
            problems += receiver.send_good(opened, rng)
            if rng.random() < 0.1:  # someone who says nothing
                address = ("127.0.0.1", receiver.port)
                quiet.enter_context(socket.create_connection(address))
            if rng.random() < 0.05 or number == requests - 2:
                end = rng.choice([signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
                restarts[end.name] += 1
                problems += receiver.end(end)
                receiver.start()
            if problems:
                bad += 1
                report(f"{number}: {raw[:300]!r}\n   {'; '.join(problems)}")
        problems = receiver.end(signal.SIGTERM) + in_the_end(receiver, folder)
        if problems:
            bad += 1
            report(f"in the end: {'; '.join(problems)}")
    report(
        f"{requests} hostile requests, {len(receiver.stored)} batches stored, restarts "
        f"{dict(restarts)}: {bad} ended badly; answers {dict(sorted(statuses.items()))}"
    )
    return bad


def in_the_end(receiver: Receiver, folder: Path) -> list[str]:
    """Return what is wrong with what is stored and was printed."""
    problems = []
    reader = Store(receiver.store, None)
    reader.export(folder / "x.jsonl")
    reader.close()
    lines = [json.loads(line) for line in (folder / "x.jsonl").read_text().splitlines()]
    found = {line["batch"]: Counter(line["counts"]) for line in lines}
    if len(found) != len(lines):
        problems.append("a batch is there twice")
    lost = receiver.stored.keys() - found.keys()
    if lost:
        problems.append(f"{len(lost)} acknowledged batches are lost")
    more = found.keys() - receiver.stored.keys() - receiver.unknown
    if more:
        problems.append(f"{len(more)} batches are there that weren't acknowledged")
    if any(+found[key] != +receiver.stored[key] for key in found.keys() & receiver.stored.keys()):
        problems.append("a batch isn't as it was sent")
    with_it = [p.name for p in (folder / "store").iterdir() if CANARY.encode() in p.read_bytes()]
    problems += [f"typed text is in {name}" for name in with_it]
    if any(CANARY in text or "Traceback" in text or "127.0.0.1" in text for text in receiver.said):
        problems.append("typed text, an address or a traceback was printed")
    return problems


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    sys.exit(1 if attack(chosen.requests, chosen.seed) else 0)
