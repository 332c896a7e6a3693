"""What installable packages release of a text, each in an environment of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks import peer_release
from benchmarks.bench import Bench, progress
from benchmarks.child import install
from benchmarks.libraries import PACKAGES, word2vec_file

MLDP = PACKAGES["mldp-text"]
DIFFRACTOR = "dp-diffractor==0.2.1"


@dataclass(frozen=True)
class Asked:
    """What a package released.

    Attributes:
        outputs: ids of what came out for each word, by mechanism and epsilon.
        seconds: of processor time, a word.
        places: intp[n], each word's place in ``dp-diffractor``'s list; empty for others.
    """

    outputs: Mapping[tuple[str, float], NDArray[np.int64]]
    seconds: float
    places: NDArray[np.intp]


def ask(
    bench: Bench,
    wanted: str,
    settings: Sequence[tuple[str, float]],
    words: NDArray[np.intp],
) -> Asked:
    """Have a package release words.

    Args:
        bench: of the benchmark.
        wanted: the package and its version.
        settings: mechanisms and epsilons.
        words: their ids.

    Raises:
        ChildProcessError: it can't be installed, or failed.
    """
    progress(f"attackers: installing {wanted}")
    python = install(wanted, bench.folder)
    if python is None:
        raise ChildProcessError("couldn't be installed")
    vocabulary = bench.embeddings.words
    job = bench.folder / "job.json"
    asked = {
        "package": wanted.partition("==")[0],
        "file": str(word2vec_file(bench)),
        "settings": list(settings),
        "words": [vocabulary[i] for i in words],
    }
    job.write_text(json.dumps(asked), encoding="utf-8")
    progress(f"attackers: {wanted}, {len(settings)} settings of {len(words):,} words")
    done = subprocess.run(
        [str(python), "-I", peer_release.__file__, str(job)],
        capture_output=True,
        text=True,
        check=False,
        cwd=bench.folder,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise ChildProcessError(f"failed: {lines[-1]}" if lines else "failed")
    answer = json.loads(done.stdout.splitlines()[-1])
    ids = {word: i for i, word in enumerate(vocabulary)}
    outputs = [np.array([ids[word] for word in each], np.int64) for each in answer["released"]]
    places = np.argsort([ids[word] for word in answer["list"]])
    return Asked(dict(zip(settings, outputs, strict=True)), answer["seconds"], places)


def described(wanted: str, mechanism: str) -> str:
    """Return what a table calls it."""
    return f"{wanted.replace('==', ' ')}, {mechanism}"
