"""Time and memory of a build, against making the full-size mechanism's files."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from statistics import median

from benchmarks.child import INTERVAL, Run, watch
from benchmarks.peers import TREES
from benchmarks.report import TARGET_SIZE, Claim, Finding
from benchmarks.setting import Setting, build_command, progress


def run(setting: Setting) -> Finding:
    """Build both several times, in turn."""
    manifest = setting.bundle.manifest
    method = manifest["method"]["name"]
    own, peer = setting.folder / "built", setting.folder / "peer"
    build = build_command(setting.file, own, setting.bundle.bits, method)
    source = [str(setting.file), manifest["source"]["format"]]
    build_peer = [sys.executable, "-m", "benchmarks.peer_build", *source, str(peer)]
    ours: list[Run] = []
    theirs: list[Run] = []
    rounds = 1 if setting.quick else 3
    for number in range(rounds):
        progress(f"build, round {number + 1} of {rounds}")
        for folder in (own, peer):
            shutil.rmtree(folder, ignore_errors=True)
        peer.mkdir()
        ours.append(watch(build))
        theirs.append(watch(build_peer))
    rows = [*_rows(f"brr build ({method})", ours), *_rows("full-size files", theirs)]
    seconds = [median(run.seconds for run in runs) for runs in (ours, theirs)]
    peaks = [median(run.peak for run in runs) for runs in (ours, theirs)]
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
        numbers={"brr": [asdict(r) for r in ours], "full_size": [asdict(r) for r in theirs]},
    )


def _rows(name: str, runs: list[Run]) -> list[tuple[str, str, str]]:
    def row(label: str, seconds: list[float], peaks: list[int]) -> tuple[str, str, str]:
        return label, f"{median(seconds):.1f}", f"{median(peaks) / 1e6:.0f}"

    stages = [
        row(f"  {stage}", [r.stages[stage] for r in runs], [r.peaks[stage] for r in runs])
        for stage in runs[0].stages
    ]
    return [row(name, [r.seconds for r in runs], [r.peak for r in runs]), *stages]
