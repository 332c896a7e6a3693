"""Time to open a bundle and the memory of the runtime, against float indexes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import click
import faiss
from gensim.models import KeyedVectors

from benchmarks.bench import Bench, progress
from benchmarks.peers import read_flat, write_vocabulary
from benchmarks.report import TARGET_SIZE, Claim, Finding
from benchmarks.searches import build_flat
from benchmarks.speed import LOSS
from benchmarks.timing import interleave, ratio
from brrkit import Privatizer, WordBundle
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Setting

OPEN = "bundle"
UNHASHED = "bundle, hashes not verified"
FIRST_WORD = "bundle, to its first word"
FAISS = "faiss IndexFlatL2 and vocabulary"
GENSIM = "gensim KeyedVectors, mapped"
ALL = "bundle, all mechanisms"


def run(bench: Bench) -> Finding:
    """Open everything many times, in turn; then measure memory in fresh processes."""
    flat, vocabulary, vectors = _write(bench)
    path = bench.bundle.path
    epsilon, _ = bench.epsilons(LOSS)
    word = bench.bundle.vocabulary.word(0)
    tasks: dict[str, Callable[[], object]] = {
        OPEN: partial(WordBundle.open, path),
        UNHASHED: partial(WordBundle.open, path, verify_hashes=False),
        FIRST_WORD: lambda: Privatizer(WordBundle.open(path), Setting(epsilon)).word(word),
        FAISS: partial(read_flat, flat, vocabulary),
        GENSIM: partial(KeyedVectors.load, str(vectors), mmap="r"),
    }
    rounds = 5 if bench.quick else 51
    progress(f"open: {rounds} rounds")
    times = interleave(tasks, rounds)

    probes = {
        **{f"bundle, {name}": ["runtime", path, epsilon, name] for name in MECHANISMS},
        ALL: ["runtime", path, epsilon, *MECHANISMS],
        FAISS: ["faiss", flat, vocabulary],
        GENSIM: ["gensim", vectors],
    }
    repeats = 1 if bench.quick else 3
    progress("open: memory")
    memory = {
        name: [_probe(arguments) for _ in range(repeats)] for name, arguments in probes.items()
    }
    milliseconds = {name: f"{1e3 * median(values):.2f}" for name, values in times.items()}
    megabytes = {name: f"{median(values) / 1e6:.1f}" for name, values in memory.items()}
    return Finding(
        title="open: time to open, and resident memory",
        columns=("", "ms", "MB"),
        rows=[
            (name, milliseconds.get(name, "-"), megabytes.get(name, "-"))
            for name in dict.fromkeys([*times, *memory])
        ],
        claims=(
            Claim("bundle opens in", 1e3 * median(times[OPEN]), "<=", 10, "ms", TARGET_SIZE),
            Claim("open, bundle / faiss", ratio(times[OPEN], times[FAISS])),
            Claim("open, bundle / gensim", ratio(times[OPEN], times[GENSIM])),
            Claim("memory of the runtime", median(memory[ALL]) / 1e6, "<=", 40, "MB", TARGET_SIZE),
            Claim("memory, runtime / faiss", median(memory[ALL]) / median(memory[FAISS])),
            Claim("memory, runtime / gensim", median(memory[ALL]) / median(memory[GENSIM])),
        ),
        notes=(
            f"one thread, warm file cache; medians of {rounds} rounds in turn",
            "memory: resident, mapped files included, after 200 words, above a process that has "
            "only imported NumPy and its library (LiteRT, faiss, gensim); a process each",
        ),
        numbers={"seconds": times, "bytes": memory},
    )


def _write(bench: Bench) -> tuple[Path, Path, Path]:
    source, folder = bench.embeddings, bench.folder
    paths = folder / "open.flat", folder / "open.txt", folder / "open.kv"
    faiss.write_index(build_flat(source.vectors), str(paths[0]))
    write_vocabulary(source.words, paths[1])
    vectors = KeyedVectors(source.vectors.shape[1])
    vectors.add_vectors(list(source.words), source.vectors)
    vectors.save(str(paths[2]))
    return paths


def _probe(arguments: list[object]) -> int:
    command = [sys.executable, "-m", "benchmarks.probe", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(done.stderr.strip() or "the memory probe failed")
    return int(json.loads(done.stdout))
