"""Run as a process, by the Python of a library's own environment, to measure its privatization.

python library.py JOB.json

The job names the library, its file, epsilons and lists of words. The last line of the output is
JSON. Each library is used like in its own documentation, with its defaults. Requirements are
imported where they are used, because the environments differ, and unused imports would cost time.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Release = Callable[[list[str]], list[str]]
"""Privatizes words, one output for each."""

Make = Callable[..., Release]
"""Takes a file, epsilon, and parameters of the mechanism."""

SENTENCE = 10  # words of a text, where texts go in: pypantera's memory grows with a text's words


def brrkit(mechanism: str) -> Make:
    """Return the factory of the runtime's release, for a bundle."""

    def make(file: str, epsilon: float, **parameters: Any) -> Release:
        runtime: Any = importlib.import_module("brrkit")
        bundle = runtime.WordBundle.open(file)
        made = runtime.Privatizer(bundle, runtime.Setting(epsilon, mechanism, parameters))

        def release(words: list[str]) -> list[str]:
            if len(words) == 1:  # as it is typed
                return str(made.text(words[0])).split()
            return [str(made.word(word)) for word in words]

        return release

    return make


def laplace(index: str) -> Make:
    """Return the factory of an app's own release: Laplace noise and a search."""

    def make(file: str, epsilon: float) -> Release:
        import numpy as np

        keyed: Any = importlib.import_module("gensim.models").KeyedVectors
        known = keyed.load_word2vec_format(file)
        sys.path.append(str(Path(__file__).parents[2]))  # an isolated Python has no such folder
        searches: Any = importlib.import_module("benchmarks.searches")
        generator = np.random.default_rng()
        built = getattr(searches, f"build_{index}")(known.vectors)

        def one(word: str) -> str:
            noise = generator.standard_normal(known.vector_size)
            noise *= generator.gamma(known.vector_size, 1 / epsilon) / np.linalg.norm(noise)
            query = (known[word] + noise).astype(np.float32)
            if index == "flat":
                return str(known.index_to_key[built.search(query[None], 1)[1][0, 0]])
            return str(known.index_to_key[built.get_nns_by_vector(query.tolist(), 1)[0]])

        return lambda words: [one(word) for word in words]

    return make


def mldp(mechanism: str) -> Make:
    """Return the factory of ``mldp-text``'s release, which only takes one word at a time."""

    def make(file: str, epsilon: float) -> Release:
        library: Any = importlib.import_module("mldp_text")
        with Path(file).open(encoding="utf-8") as lines:
            dimensions = int(lines.readline().split()[1])  # it takes 300 for granted
        made = library.get_mechanism(mechanism, epsilon=epsilon, embed=file, dim=dimensions)
        return lambda words: [made.replace_word(word) for word in words]

    return make


def pypantera(mechanism: str, folder: str, **parameters: float) -> Make:
    """Return the factory of ``pypantera``'s release: texts in a table without a header."""

    def make(file: str, epsilon: float) -> Release:
        module = importlib.import_module(f"src.{folder}.{mechanism.lower()}")  # as it is installed
        made: Any = getattr(module, mechanism)({"embPath": file, "epsilon": epsilon, **parameters})
        pandas: Any = importlib.import_module("pandas")

        def release(words: list[str]) -> list[str]:
            texts = [" ".join(words[i : i + SENTENCE]) for i in range(0, len(words), SENTENCE)]
            table = pandas.DataFrame({"id": range(len(texts)), "text": texts})
            found = made.obfuscateText(table, 1)["obfuscatedText"]
            return " ".join(text for (text,) in found).split()

        return release

    return make


OURS = "brrkit"
SEARCHES = {"Laplace noise, faiss": "flat", "Laplace noise, Annoy": "annoy"}
LIBRARIES: Mapping[str, Make] = {
    "brrkit, exponential": brrkit("exponential"),
    "brrkit, brr": brrkit("brr"),
    **{name: laplace(index) for name, index in SEARCHES.items()},
    "mldp-text, multivariate_calibrated": mldp("multivariate_calibrated"),
    "mldp-text, tem": mldp("tem"),
    "pypantera, CMP": pypantera("CMP", "EmbeddingPerturbationMechanism"),
    "pypantera, TEM": pypantera("TEM", "SamplingPerturbationMechanism", beta=0.001),
}


def main(job: dict[str, Any]) -> dict[str, Any]:
    """Load, privatize, and return seconds, memory and outputs."""
    start = time.perf_counter()
    make = LIBRARIES[job["library"]]
    released = []
    for number, epsilon in enumerate(job["epsilons"]):
        release = make(job["file"], epsilon, **job["parameters"])
        if number == 0:
            release(job["timed"][:SENTENCE])
            loaded = time.perf_counter() - start
            processor = time.process_time()
            release(job["timed"])
            seconds = (time.process_time() - processor) / len(job["timed"])
            memory = largest_memory()
            probes = {probe: outcome(release, probe, job["known"]) for probe in job["probes"]}
        released.append(release(job["words"]) if job["words"] else [])
    return {
        "load": loaded,
        "seconds": seconds,
        "memory": memory,
        "released": released,
        "probes": probes,
    }


def largest_memory() -> int:
    """Return the largest resident memory of this process in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # the other figure has the parent's, from before the program began
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def outcome(release: Release, probe: str, known: str) -> str:
    """Return the outcome of one token; ``known`` is the word that it stands for, if any."""
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", type=Path, help="JSON, which the benchmark writes")
    job = json.loads(parser.parse_args().job.read_text(encoding="utf-8"))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with contextlib.redirect_stdout(sys.stderr):
        found = main(job)
    print(json.dumps(found))
