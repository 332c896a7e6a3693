"""Time and memory of a build, against making the full-size mechanism's files."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from statistics import median

from benchmarks.bench import Bench, build_command, progress
from benchmarks.child import INTERVAL, Run, watch
from benchmarks.report import TARGET_SIZE, Claim, Finding
from benchmarks.searches import TREES


def run(bench: Bench) -> Finding:
    """Build both several times, in turn."""
    manifest = bench.bundle.manifest
    method = manifest["method"]["name"]
    own, peer = bench.folder / "built", bench.folder / "peer"
    build = build_command(bench.file, own, bench.bundle.bits, method)
    low = [*build, "--effort", "low"]
    source = [str(bench.file), manifest["source"]["format"]]
    build_peer = [sys.executable, "-m", "benchmarks.peer_build", *source, str(peer)]
    runs: dict[str, list[Run]] = {"brr": [], "low": [], "full_size": []}
    rounds = 1 if bench.brief else 3
    for number in range(rounds):
        progress(f"build, round {number + 1} of {rounds}")
        for name, command in (("brr", build), ("low", low), ("full_size", build_peer)):
            for folder in (own, peer):
                shutil.rmtree(folder, ignore_errors=True)
            peer.mkdir()
            runs[name].append(watch(command))
    rows = [
        *_rows(f"brr build ({method})", runs["brr"]),
        *_rows("the same, --effort low", runs["low"]),
        *_rows("full-size files", runs["full_size"]),
    ]
    seconds = [median(run.seconds for run in runs[name]) for name in ("brr", "full_size")]
    peaks = [median(run.peak for run in runs[name]) for name in ("brr", "full_size")]
    return Finding(
        title="build: time and peak memory",
        columns=("", "seconds", "peak MB"),
        rows=rows,
        claims=(
            Claim("brr build", seconds[0], "<=", 300, "s", f"{TARGET_SIZE}, 2 cores"),
            Claim("time, brr build / full-size files", seconds[0] / seconds[1]),
            Claim("peak memory, brr build / full-size files", peaks[0] / peaks[1]),
        ),
        notes=(
            f"all cores; medians of {rounds}; processes of their own, total with start-up",
            f"memory is resident, seen every {1000 * INTERVAL:g} ms",
            "full-size files: gensim KeyedVectors.load_word2vec_format, faiss IndexFlatL2, "
            f"Annoy with {TREES} trees",
        ),
        numbers={name: [asdict(run) for run in found] for name, found in runs.items()},
    )


def _rows(name: str, runs: list[Run]) -> list[tuple[str, str, str]]:
    def row(label: str, seconds: list[float], peaks: list[int]) -> tuple[str, str, str]:
        return label, f"{median(seconds):.1f}", f"{median(peaks) / 1e6:.0f}"

    stages = [
        row(f"  {stage}", [r.stages[stage] for r in runs], [r.peaks[stage] for r in runs])
        for stage in runs[0].stages
    ]
    return [row(name, [r.seconds for r in runs], [r.peak for r in runs]), *stages]
