"""Run a project that depends on the Kotlin libraries, against a receiver; check what arrived.

python tests/android/first_hour.py BUNDLE WORK COMMAND...

Starts a receiver with a certificate of its own, and COMMAND, Maven's, with the receiver's
address. Both programs of the project, in Kotlin and in Java, report one word of a text, and send it
with tomorrow's clock: the receiver then has two, which ``brr estimate`` reads.
``tests/android.sh`` runs it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
BRR = str(Path(sys.executable).with_name("brr"))
RECEIVER = (sys.executable, "-m", "examples.receiver")
WORDS = 1  # of each program's day
SETTING = {"mechanism": "counts", "cap": 7.53}
"""That both programs report with."""


def main() -> None:
    """Run and check it all."""
    bundle, work, *command = sys.argv[1:]
    folder = Path(work) / "first-hour"
    folder.mkdir()
    key, certificate, store = (folder / name for name in ("key.pem", "cert.pem", "reports.db"))
    make_certificate(key, certificate)
    with receiver(bundle, store, key, certificate) as url:
        done = subprocess.run(
            [*command, f"-Dbundle={bundle}", f"-Dreceiver={url}", f"-Dcertificate={certificate}"],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    output = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).strip()  # what Maven colors
    print(output)
    if done.returncode:
        sys.exit(done.returncode)
    check_output(output)
    reports = folder / "reports.jsonl"
    export(store, reports)
    check_estimate(bundle, reports)
    print(f"{2 * WORDS} words arrived")


def check_estimate(bundle: str, reports: Path) -> None:
    """``brr estimate`` reads them all, though so few may reveal nothing about the typed words."""
    command = [BRR, "estimate", reports, "--bundle", bundle, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        assert f"{2 * WORDS} reports can't be distinguished from random words" in done.stderr, done
    else:
        assert json.loads(done.stdout)["reports"] == 2 * WORDS, done.stdout


def make_certificate(key: Path, certificate: Path) -> None:
    """Make one for this machine that signs itself."""
    subject = ["-subj", "/CN=receiver", "-addext", "subjectAltName=IP:127.0.0.1"]
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    files = ["-keyout", key, "-out", certificate, "-days", "2"]
    subprocess.run(["openssl", "req", *kind, *subject, *files], check=True, capture_output=True)


@contextmanager
def receiver(bundle: str, store: Path, key: Path, certificate: Path, *others: str) -> Iterator[str]:
    """Start one, with other options too; what is returned is its address."""
    options = ["--bundle", bundle, "--expect", json.dumps(SETTING), "--store", store, *others]
    options += ["--tls-certificate", certificate, "--tls-key", key]
    with subprocess.Popen(
        [*RECEIVER, *map(str, options), "--port", "0"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def export(store: Path, reports: Path) -> None:
    """Write what arrived as ``.jsonl``."""
    command = [*RECEIVER, "--store", str(store), "--export", str(reports)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd=ROOT)


def check_output(output: str) -> None:
    """Six words from each language, a batch that arrived a day later, and Java's caught error."""
    sentences = re.findall(r"^(kotlin|java): [^\s(]+(?: [^\s(]+){5}$", output, re.MULTILINE)
    assert sentences == ["kotlin", "java"], output
    for language in ("kotlin", "java"):
        sent = re.findall(
            rf"^{language}(|, tomorrow): Done\(sent=(\d), refused=0\)$", output, re.MULTILINE
        )
        assert [when for when, _ in sent] == ["", ", tomorrow"], output
        assert sum(int(count) for _, count in sent) == 1, output  # at midnight today's may go
    assert "java: epsilon must be a number from" in output, output


if __name__ == "__main__":
    main()
