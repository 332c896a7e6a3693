"""Send batches through a relay and a gateway of Oblivious HTTP to ``examples.receiver``.

    python tests/web/ohttp.py WEB BUNDLE WORK

``tests/web.sh`` runs it. Devices are ``tests/web/ohttp.mjs``; relay and gateway are
``examples/ohttp``, which needs Rust: elsewhere this says so and stops. On each link stands a tap,
which keeps what the next one sees: the addresses that connect, and the bytes.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "examples" / "ohttp"
PAGE = ROOT / "docs" / "how-to" / "hide-who-sends.md"
RECEIVER = (sys.executable, "-m", "examples.receiver")
PROGRAM = SOURCE / "target" / "debug" / "brrkit-ohttp"
CAP = 9
RELAYS = "127.0.0.2"  # address that the relay connects from
PASSED_ON = {"host", "content-type", "content-length"}


class Tap:
    """Passes connections on to a port of this machine, and keeps what it sees."""

    def __init__(self, url: str) -> None:
        self._to = urlsplit(url).port or 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}/"
        self.addresses: set[str] = set()
        self.seen = b""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            sender, (address, _) = self._server.accept()
            self.addresses.add(address)
            to = socket.create_connection(("127.0.0.1", self._to))
            threading.Thread(target=self._pass, args=(sender, to, True), daemon=True).start()
            threading.Thread(target=self._pass, args=(to, sender, False), daemon=True).start()

    def _pass(self, sender: socket.socket, to: socket.socket, is_kept: bool) -> None:
        while part := sender.recv(1 << 16):
            if is_kept:
                self.seen += part
            to.sendall(part)
        to.shutdown(socket.SHUT_WR)

    def sizes(self) -> list[int]:
        """Return how long the requests' bodies are."""
        return [int(size) for size in re.findall(rb"(?i)content-length: (\d+)", self.seen)]

    def headers(self) -> set[str]:
        """Return the names of the requests' headers."""
        heads = re.findall(rb"POST .*?\r\n(.*?)\r\n\r\n", self.seen, re.DOTALL)
        return {
            line.split(b":")[0].decode().lower() for head in heads for line in head.split(b"\r\n")
        }


def main() -> None:
    """Run and check it all."""
    web, bundle, work = sys.argv[1:]
    why = why_not()
    if why:
        print(f"*** SKIPPED: reports over Oblivious HTTP: {why}")
        return
    build = ["cargo", "build", "--quiet", "--locked", "--manifest-path", SOURCE / "Cargo.toml"]
    subprocess.run(build, check=True)
    folder = Path(work) / "ohttp"
    folder.mkdir()
    store = folder / "reports.db"
    expected = json.dumps({"mechanism": "counts", "cap": CAP})
    receiving = [*RECEIVER, "--bundle", bundle, "--expect", expected, "--store", store]
    with ExitStack() as stack:

        def started(*command: str | Path) -> str:
            return stack.enter_context(running(*command))

        to_receiver = Tap(started(*receiving, "--port", "0"))
        receiver = f"{to_receiver.url}v1/reports"
        instead = {
            "127.0.0.1:8444": "127.0.0.1:0",
            "127.0.0.1:8445": "127.0.0.1:0",
            "gateway.key": str(folder / "gateway.key"),
            "http://127.0.0.1:8443/v1/reports": receiver,
        }
        gateway = started(PROGRAM, "gateway", *of_the_page("gateway", instead))
        keys = folder / "keys"
        keys.write_bytes(urlopen(f"{gateway}ohttp-keys").read())
        to_gateway = Tap(gateway)
        instead["http://127.0.0.1:8444/"] = to_gateway.url
        to_relay = Tap(started(PROGRAM, "relay", *of_the_page("relay", instead), RELAYS))
        devices = 0

        def device(words: int, cap: int = CAP, keys: Path = keys) -> dict[str, object]:
            nonlocal devices
            devices += 1
            at = folder / f"device-{devices}"
            at.mkdir()
            options = [web, bundle, at, to_relay.url, keys, receiver, cap, words]
            node = ["node", Path(__file__).with_suffix(".mjs"), *map(str, options)]
            said: dict[str, object] = json.loads(
                subprocess.run(node, stdout=subprocess.PIPE, check=True).stdout
            )
            return said

        sent = [device(1), device(20)]
        assert [each["upload"] for each in sent] == [done(1)] * 2, sent
        check_who_saw_what(sent, to_relay, to_gateway, to_receiver)
        refused = device(1, cap=CAP - 1)
        assert refused["upload"] == done(0, refused=1), refused
        other = device(1, keys=others_keys(keys, folder / "other"))
        assert other["upload"] == {"state": "failed", "sent": 0}, other
        assert other["batches"] == 1, "a gateway's refusal isn't the receiver's"
    reports = folder / "reports.jsonl"
    exporting = [*RECEIVER, "--store", store, "--export", reports]
    subprocess.run(exporting, stdout=subprocess.DEVNULL, check=True, cwd=ROOT)
    stored = sorted(json.loads(line)["batch"] for line in reports.read_text("utf-8").splitlines())
    assert stored == sorted(map(batch_of, sent)), stored
    print("2 batches arrived; the relay saw no batch, the gateway no address")


def check_who_saw_what(
    sent: list[dict[str, object]], to_relay: Tap, to_gateway: Tap, to_receiver: Tap
) -> None:
    """The relay sees who sends, the gateway and the receiver what, and no one both."""
    secrets = [b"brr-reports", b"words", *(batch_of(each).encode() for each in sent)]
    assert to_relay.addresses == {"127.0.0.1"}, to_relay.addresses
    assert to_gateway.addresses == {RELAYS}, to_gateway.addresses
    for tap in (to_relay, to_gateway):
        assert not [secret for secret in secrets if secret in tap.seen]
    assert all(secret in to_receiver.seen for secret in secrets)  # else nothing was looked for
    assert b"user-agent" in to_relay.seen.lower()
    for tap in (to_gateway, to_receiver):
        assert tap.headers() == PASSED_ON, tap.headers()
    for tap in (to_relay, to_gateway, to_receiver):  # of 1 word and of 20
        assert len(tap.sizes()) == 2, tap.sizes()
        assert len(set(tap.sizes())) == 1, tap.sizes()
    assert to_receiver.sizes() == [1024] * 2, to_receiver.sizes()


def why_not() -> str | None:
    """Return why the relay and the gateway can't be built here, if they can't."""
    if not sys.platform.startswith("linux"):
        return f"only Linux has the address {RELAYS} as it comes"
    if not (shutil.which("cargo") and shutil.which("rustc")):
        return "Rust isn't installed"
    package = (SOURCE / "Cargo.toml").read_text("utf-8")
    (oldest,) = re.findall(r'^rust-version = "(.*)"$', package, re.MULTILINE)
    version = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=False)
    numbers = re.search(r"(\d+)\.(\d+)", version.stdout)
    if not numbers or tuple(map(int, numbers.groups())) < tuple(map(int, oldest.split("."))):
        return f"Rust {oldest} or later isn't installed"
    fetch = ["cargo", "fetch", "--quiet", "--locked", "--manifest-path", SOURCE / "Cargo.toml"]
    if subprocess.run(fetch, capture_output=True, check=False).returncode:
        return "its crates can't be fetched"
    return None


def of_the_page(name: str, instead: dict[str, str]) -> list[str]:
    """Return the page's options of a command, with others instead of its addresses and files."""
    (line,) = re.findall(rf"^\$ohttp {name} (.*) &$", PAGE.read_text("utf-8"), re.MULTILINE)
    return [instead[option] for option in line.split()]


@contextmanager
def running(*command: str | Path) -> Iterator[str]:
    """Run a server; what is returned is the address that it prints."""
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def done(sent: int, refused: int = 0) -> dict[str, object]:
    """Return what an uploader says that sent all that was due."""
    return {"state": "done", "sent": sent, "refused": refused}


def batch_of(device: dict[str, object]) -> str:
    """Return the id of the batch that a device posted."""
    (posted,) = device["posted"]  # type: ignore[misc, attr-defined]
    return str(json.loads(posted)["batch"])


def others_keys(keys: Path, path: Path) -> Path:
    """Write the keys of a gateway that names its key otherwise; return their path."""
    changed = bytearray(keys.read_bytes())
    changed[2] ^= 1
    path.write_bytes(changed)
    return path


if __name__ == "__main__":
    main()
