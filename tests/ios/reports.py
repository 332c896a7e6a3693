"""Let the Swift keyboard's upload send a day's words to a receiver, and estimate what arrived.

    python tests/ios/reports.py bundle work command ...

``command`` runs the test that sends; it finds the receiver's address in BRR_RECEIVER.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BRR = Path(sys.executable).parent / "brr"
RECEIVER = (sys.executable, "-m", "examples.receiver")
SETTING = {"mechanism": "counts", "cap": 9}
WORDS = 20  # of two days


def main() -> None:
    """Start the receiver, run the command, and look at the store."""
    bundle, work, *command = sys.argv[1:]
    folder = Path(work) / "swift-reports"
    folder.mkdir()
    store, reports = folder / "reports.db", folder / "reports.jsonl"
    options = ["--bundle", bundle, "--expect", json.dumps(SETTING), "--store", str(store)]
    with subprocess.Popen(
        [*RECEIVER, *options, "--port", "0"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().split()[-1]
            done = subprocess.run(command, env={**os.environ, "BRR_RECEIVER": url}, check=False)
        finally:
            process.terminate()
    if done.returncode:
        sys.exit(done.returncode)
    exporting = [*RECEIVER, "--store", str(store), "--export", str(reports)]
    subprocess.run(exporting, check=True, cwd=ROOT)
    batches = [json.loads(line) for line in reports.read_text("utf-8").splitlines()]
    assert sum(sum(each["counts"].values()) for each in batches) == WORDS, batches
    assert [each["setting"] for each in batches] == [SETTING] * 2, batches
    command = [BRR, "estimate", reports, "--bundle", bundle, "--json"]
    estimated = subprocess.run(command, capture_output=True, text=True, check=False)
    said = f"{WORDS} reports can't be distinguished from random words"
    assert estimated.returncode == 0 or said in estimated.stderr, estimated
    print(f"{WORDS} words of Swift's outbox arrived")


if __name__ == "__main__":
    main()
