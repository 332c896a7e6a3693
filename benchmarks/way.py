"""Time of a team's whole way, from embeddings to a calibrated, verified bundle with its report."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict

from benchmarks.bench import Bench, build_command, progress
from benchmarks.child import Took, watch_tree
from benchmarks.report import TARGET_SIZE, Claim, Finding
from benchmarks.reviews import imdb

_REVIEWS = 2_000
_TARGET = 60.0  # seconds


def run(bench: Bench) -> Finding:
    """Run all steps once, and the peers' part of them."""
    title = "way: embeddings to a calibrated, verified bundle with its report"
    dataset = imdb()
    if dataset is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    text, own, peer = (bench.folder / name for name in ("reviews.txt", "way", "way-peer"))
    text.write_text("".join(f"{each}\n" for each in dataset.texts[:_REVIEWS]), encoding="utf-8")
    manifest = bench.bundle.manifest
    for folder in (own, peer):
        shutil.rmtree(folder, ignore_errors=True)
    peer.mkdir()
    brr = [sys.executable, "-m", "brrkit_toolchain"]
    calibrate = ["calibrate", str(own), "--text", str(text), "--write"]
    report = ["report", str(own), "--output", str(bench.folder / "report.html")]
    source = [str(bench.file), manifest["source"]["format"]]
    commands = {
        "brr build": build_command(bench.file, own, bench.bundle.bits, manifest["method"]["name"]),
        "brr calibrate --text --write": [*brr, *calibrate],
        "brr verify": [*brr, "verify", str(own)],
        "brr report": [*brr, *report],
        "full-size files": [sys.executable, "-m", "benchmarks.peer_build", *source, str(peer)],
    }
    took: dict[str, Took] = {}
    for name, command in commands.items():
        progress(f"way: {name}")
        took[name] = watch_tree(command)
    *steps, files = took.values()
    whole = sum(step.seconds for step in steps)
    return Finding(
        title=title,
        columns=("", "seconds", "CPU seconds", "peak MB"),
        rows=[
            (name, f"{one.seconds:.0f}", f"{one.cpu:.0f}", f"{one.peak / 1e6:,.0f}")
            for name, one in took.items()
        ],
        claims=(
            Claim("the whole way", whole, "<=", _TARGET, "s", f"{TARGET_SIZE}, 2 cores"),
            Claim("the whole way / full-size files", whole / files.seconds),
        ),
        notes=(
            f"{_REVIEWS:,} of IMDB's reviews; all cores, a process for each step, once; the report "
            "audits the bundle",
            "full-size files: gensim, faiss, Annoy; there is nothing that calibrates, verifies or "
            "reports them",
        ),
        numbers={name: {**asdict(one), "printed": ""} for name, one in took.items()},
    )
