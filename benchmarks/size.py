"""A device's storage, compared with float vectors and their indexes."""

from __future__ import annotations

import gzip
from pathlib import Path

import faiss

from benchmarks.bench import Bench
from benchmarks.peers import write_vocabulary
from benchmarks.report import Claim, Finding
from benchmarks.searches import TREES, build_flat
from brrkit.bundle import INDEX, MANIFEST, RANDOMIZER

PAPER_INDEX = 0.979
PAPER_VOCABULARY = 0.985

TARGETS = {64: 0.9, 256: 2.4}
"""MB, by the number of bits."""


def run(bench: Bench) -> Finding:
    """Write the peers' files and compare sizes."""
    bundle, source, folder = bench.bundle, bench.embeddings, bench.folder
    shipped = [bundle.path / name for name in (MANIFEST, INDEX, RANDOMIZER)]
    device = sum(map(_size, shipped))
    compressed = sum(len(gzip.compress(path.read_bytes(), 9)) for path in shipped)
    codes, index = bundle.codes.nbytes, _size(bundle.path / INDEX)
    faiss.write_index(build_flat(source.vectors), str(folder / "size.flat"))
    bench.annoy.save(str(folder / "size.annoy"))
    write_vocabulary(source.words, folder / "size.txt")
    flat, annoy = _size(folder / "size.flat"), _size(folder / "size.annoy")
    vocabulary, floats = _size(folder / "size.txt"), source.vectors.nbytes
    pairs = {
        "codes / faiss IndexFlatL2": (codes, flat, ""),
        f"codes / Annoy, {TREES} trees": (codes, annoy, f"{PAPER_INDEX:.1%}"),
        "codes and words / float32 and words": (
            index,
            floats + vocabulary,
            f"{PAPER_VOCABULARY:.1%}",
        ),
        "bundle / faiss IndexFlatL2 and words": (device, flat + vocabulary, ""),
        "bundle / Annoy and words": (device, annoy + vocabulary, ""),
    }
    return Finding(
        title="size: what a device stores",
        columns=("", "MB", "full-size MB", "ratio", "saved", "saved in the paper"),
        rows=[
            (name, f"{a / 1e6:.2f}", f"{b / 1e6:.1f}", f"{a / b:.4f}", f"{1 - a / b:.1%}", paper)
            for name, (a, b, paper) in pairs.items()
        ],
        claims=(
            Claim(
                "bundle on a device",
                device / 1e6,
                "<=",
                TARGETS.get(bundle.bits),
                "MB",
                f"50,000 words x {bundle.bits} bits",
            ),
            Claim("the same, gzip -9", compressed / 1e6, unit="MB"),
            Claim("bytes a word", device / len(bundle)),
        ),
        notes=(
            "bundle: manifest, index and randomizer, without the golden cases (parity.json)",
            "both full-size indexes hold the vectors; words: text, one a line",
        ),
        numbers={
            "bundle": device,
            "compressed": compressed,
            "pairs": {name: {"own": a, "full_size": b} for name, (a, b, _) in pairs.items()},
        },
    )


def _size(path: Path) -> int:
    return path.stat().st_size
