"""Send the TypeScript runtime's reports to ``examples.receiver``, and estimate from what arrived.

    python tests/web/receiver.py DIST BUNDLE WORK

``tests/web.sh`` runs it. ``tests/web/report.mjs`` reports two days of 6 and 8 words, whose answer
gets lost at first, and a third day with a setting that the receiver refuses. A fourth day has the
example of docs/how-to/web.md, which the receiver takes by the option that the page names.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "android"))
from first_hour import export, make_certificate, receiver

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "web.md"
WITHOUT_MEMORY = '{"mechanism":"counts","cap":9}'
WORDS = 14
SENT = [
    {"state": "failed", "sent": 0},
    {"state": "done", "sent": 2, "refused": 0},
    {"state": "done", "sent": 0, "refused": 0},
    {"state": "done", "sent": 0, "refused": 1},
    {"state": "done", "sent": 1, "refused": 0},
]


def main() -> None:
    """Run and check it all."""
    dist, bundle, work = sys.argv[1:]
    folder = Path(work) / "web-reports"
    folder.mkdir()
    key, certificate, store = (folder / name for name in ("key.pem", "cert.pem", "reports.db"))
    make_certificate(key, certificate)
    program = str(Path(__file__).with_name("report.mjs"))
    expected, example = of_the_page(PAGE.read_text("utf-8"))
    options = ["--expect", WITHOUT_MEMORY, "--expect", expected]
    with receiver(bundle, str(store), key, certificate, *options) as url:
        done = subprocess.run(
            ["node", program, dist, bundle, str(folder), url, json.dumps(example)],
            env={**os.environ, "NODE_EXTRA_CA_CERTS": str(certificate)},
            stdout=subprocess.PIPE,
            check=True,
        )
    said = json.loads(done.stdout)
    assert said["uploads"] == SENT, said
    assert said["status"]["batches"] == 0, said
    assert said["status"]["refused"] == 1, said
    ((status, report),) = said["refused"]
    assert status == 409, said
    assert json.loads(report)["setting"] == {"mechanism": "counts", "cap": 8}, said
    assert said["left"] < 500, said
    reports = folder / "reports.jsonl"
    export(store, reports)
    batches = [json.loads(line) for line in reports.read_text("utf-8").splitlines()]
    (with_memory,) = [batch for batch in batches if batch["setting"] == json.loads(expected)]
    batches.remove(with_memory)
    reports.write_text("".join(f"{json.dumps(batch)}\n" for batch in batches), "utf-8")
    assert sorted(sum(batch["counts"].values()) for batch in batches) == [6, 8], batches
    check_estimate(bundle, reports)
    print(f"{WORDS} words from TypeScript arrived, once each; another setting was refused")


def of_the_page(text: str) -> tuple[str, dict[str, float]]:
    """Return the setting that the page's receiver expects, and what its worker is told."""
    (expected,) = re.findall(r"--expect '(.*)'", text)
    ((cap, words),) = re.findall(r"counts: \{ setting: \{ cap: (\d+), wordsADay: (\d+) \} \}", text)
    (days,) = re.findall(r"const kept = \{ period: (\d+) \* day \};", text)
    return expected, {"cap": int(cap), "wordsADay": int(words), "days": int(days)}


def check_estimate(bundle: str, reports: Path) -> None:
    """``brr estimate`` reads them all, though so few may reveal nothing about the typed words."""
    command = [sys.executable, "-m", "brrkit_toolchain", "estimate", str(reports)]
    done = subprocess.run(
        [*command, "--bundle", bundle, "--json"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        assert f"{WORDS} reports can't be distinguished from random words" in done.stderr, done
    else:
        assert json.loads(done.stdout)["reports"] == WORDS, done.stdout


if __name__ == "__main__":
    main()
