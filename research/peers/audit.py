"""Results of ``brr audit`` on published packages, each in its own environment.

There are three checks of each: whether a command from its documentation works after ``pip
install``, whether every new process draws the same words, and the audit. A dozen words with 50
dimensions suffice.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, progress
from benchmarks.provenance import ROOT
from benchmarks.report import Finding

PEERS = {
    "mldp-text==0.1.2": (
        "mldp_multivariate_calibrated",
        "mldp_tem",
        "mldp_vickrey",
        "mldp_truncated_gumbel",
    ),
    "pypantera==1.0.2": ("pypantera_cmp", "pypantera_tem"),
    "dp-diffractor==0.2.1": ("diffractor",),
}
"""The factories of ``audited``, by package and version."""

COMMANDS = {
    "dp-diffractor==0.2.1": (
        "diffractor-clean vectors.txt",
        "python -c \"import diffractor; diffractor.Diffractor(model_names=['vectors_filtered'])\"",
    ),
}
"""Commands from the packages' own documentation, run in a folder with vectors.txt."""

SAMPLES = 1_000

_ONCE = """
import numpy as np, sys
from research.peers import audited
words = [f"word{i}" for i in range(12)]
vectors = np.random.RandomState(0).standard_normal((12, 50)).astype(np.float32)
release = getattr(audited, sys.argv[1])(words, vectors, 1.0)
print(*[release(word) for word in 2 * words])
"""


@dataclass(frozen=True)
class Row:
    """A finding.

    Attributes:
        package: the package and its version.
        command: command that shows it.
        part: part of the audit, or the subject of another check.
        found: the finding, in the words of the command.
    """

    package: str
    command: str
    part: str
    found: str


def run(bench: Bench) -> Finding:
    """Install and audit each package."""
    rows: list[Row] = []
    audits: dict[str, Any] = {}
    for package, factories in PEERS.items():
        progress(f"audit-peers: installing {package}")
        folder = _install(package, bench.folder)
        if folder is None:
            rows.append(Row(package, f"pip install {package}", "installation", "failed"))
            continue
        rows += _documented(package, folder, bench.folder)
        for factory in factories:
            progress(f"audit-peers: {factory}")
            rows += _repeats(package, factory, folder)
            audits[factory], found = _audit(package, factory, folder, bench)
            for part in audits[factory].get("parts", ()):
                del part["pairs"]  # hundreds of them
            rows += found
    return Finding(
        title="audit-peers: what an audit finds in published packages",
        columns=("", "shown by", "part", "found"),
        rows=[[row.package, row.command, row.part, row.found] for row in rows],
        notes=(
            f"{SAMPLES:,} samples; factories of research/peers/audited.py, with the packages' "
            "defaults",
        ),
        numbers={"rows": [asdict(row) for row in rows], "audits": audits},
    )


def _install(package: str, folder: Path) -> Path | None:
    """Return the programs of an environment with a package and an audit's requirements, or None."""
    place = folder / package.partition("=")[0]
    uv = [sys.executable, "-m", "uv", "--quiet"]
    for step in (
        [*uv, "venv", "--python", sys.executable, str(place)],
        [*uv, "pip", "install", "--python", str(place), f"{ROOT}[toolchain]", package],
    ):
        if subprocess.run(step, capture_output=True, check=False).returncode:
            return None
    return place / "bin"


def _run(
    command: Sequence[str | Path], folder: Path, seconds: int
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, check=False, timeout=seconds
    )


def _last(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "nothing"


def _documented(package: str, programs: Path, folder: Path) -> Iterator[Row]:
    """Yield the failures of commands from its documentation."""
    (folder / "vectors.txt").write_text("the 0.1 0.2\nof 0.3 0.4\n", encoding="utf-8")
    for command in COMMANDS.get(package, ()):
        shell = ["sh", "-c", f"HOME={folder} PATH={programs}:$PATH {command}"]
        done = _run(shell, folder, 300)
        if done.returncode:
            yield Row(package, command, "documented use", _last(done.stderr))


def _repeats(package: str, factory: str, programs: Path) -> Iterator[Row]:
    """Yield whether two new processes release the same."""
    done = [_run([programs / "python", "-c", _ONCE, factory], ROOT, 300) for _ in range(2)]
    first, second = (_last(each.stdout) for each in done)
    if not any(each.returncode for each in done) and first == second:
        yield Row(
            package, factory, "new processes", f"each releases the same {len(first.split())} words"
        )


def _audit(
    package: str, factory: str, programs: Path, bench: Bench
) -> tuple[dict[str, Any], list[Row]]:
    """Return an audit as JSON, {} if it ended early, and the parts that failed."""
    result = bench.folder / f"{factory}.json"
    named = f"--factory research.peers.audited:{factory}"
    done = _run(
        [
            *(
                programs / "python",
                "-m",
                "brrkit_toolchain",
                "audit",
                bench.bundle.path.resolve(),
            ),
            *named.split(),
            *("--metric", "euclidean", "--embeddings", bench.file.resolve()),
            *("--samples", str(SAMPLES), "--json", result),
        ],
        ROOT,
        3_600,
    )
    if not result.exists():
        error = _last(done.stderr).removeprefix("Error: ")
        return {}, [Row(package, factory, "audit", error.partition(f"{factory}: ")[2] or error)]
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    failed = [part for part in found["parts"] if not part["passed"]]
    if not failed:
        return found, [Row(package, factory, "all", "no violation found")]
    return found, [Row(package, factory, part["name"], part["detail"]) for part in failed]
