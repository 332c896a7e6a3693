"""Run as a process, by the Python of an environment with ``pure-ldp``, to find strings.

python peer.py JOB.json

The job contains strings of one length, the count of each, a protocol and an epsilon. Every protocol
uses the package's count mean sketch, its only oracle that doesn't visit all strings. Its clients
make the reports one by one. If there are too many, the sum of the reports is drawn from its exact
distribution, because the bits of a report flip independently. The last line of the output is JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import random
import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

LETTERS = "abcdefghijklmnopqrstuvwxyz_"
"""The last one fills strings up to their length; the packages' own padding gets no letter."""

ROWS, WIDTH = 16, 16_384
"""Hash functions of a sketch, and bits of a report."""

_ABSENT = 2_000  # random strings, of whose estimates the noise is taken
_CHANCE = 0.01  # probability of any untyped string among the findings

Sketch = Any
"""A ``CMSServer``."""


class Typed:
    """The typed strings with counts, and the generator that draws reports of them."""

    def __init__(self, strings: Sequence[str], counts: Sequence[int], seed: int) -> None:
        self.strings = strings
        self.counts = np.array(counts)
        self.generator = np.random.default_rng(seed)

    def each(self) -> list[str]:
        """Return every phone's string, in random order."""
        phones = np.repeat(np.arange(len(self.strings)), self.counts)
        return [self.strings[i] for i in self.generator.permutation(phones)]

    def split(self, ways: int) -> list[NDArray[np.int64]]:
        """Return counts for each of ``ways`` groups, which phones choose at random."""
        chances = np.full(ways, 1 / ways)
        return list(self.generator.multinomial(self.counts, chances).T)

    def fill(self, sketch: Sketch, made: Callable[[str], str], counts: NDArray[np.int64]) -> None:
        """Add the sum of the reports of ``made(string)``, of phones by ``counts``, to a sketch."""
        together: Counter[str] = Counter()
        for string, count in zip(self.strings, counts.tolist(), strict=True):
            if count:
                together[made(string)] += count
        strings, totals = list(together), np.array(list(together.values()))
        own = np.zeros((ROWS, WIDTH), np.int64)
        rows = self.generator.multinomial(totals, np.full(ROWS, 1 / ROWS))
        for row, hashed in enumerate(sketch.hash_funcs):
            np.add.at(own[row], [hashed(string) for string in strings], rows[:, row])
        phones = own.sum(axis=1, keepdims=True)
        flips = 1 / (1 + np.exp(sketch.epsilon / 2))
        ones = self.generator.binomial(own, 1 - flips)
        ones += self.generator.binomial(phones - own, flips)
        sketch.sketch_matrix += ROWS * (sketch.c / 2 * (2 * ones - phones) + phones / 2)
        sketch.n += int(totals.sum())


class Finder(ABC):
    """A package's client and server.

    Attributes:
        client: client with ``privatise``.
        server: server with ``aggregate`` and ``find_heavy_hitters``.
        kept: number of prefixes or fragments kept from one length to the next.
        last: the sketch from which the found strings' counts are estimated.
        scale: scale of its estimates.
    """

    kept = 200
    scale = 1

    def __init__(self, epsilon: float, length: int) -> None:
        oracle: Any = importlib.import_module("pure_ldp.frequency_oracles.apple_cms")
        sketch = oracle.CMSServer(epsilon, ROWS, WIDTH)
        client = oracle.CMSClient(epsilon, sketch.get_hash_funcs(), WIDTH)
        self.make(epsilon, length, client, sketch)
        self.length = length

    client: Any
    server: Any

    @abstractmethod
    def make(self, epsilon: float, length: int, client: Any, sketch: Sketch) -> None:
        """Set client and server."""

    @abstractmethod
    def draw(self, typed: Typed) -> None:
        """Fill the server's sketches as clients would."""

    @property
    @abstractmethod
    def last(self) -> Sketch:
        """See the class."""

    def compared(self, found: int) -> int:
        """Return the number of strings from which the final estimates chose."""
        return found


class PrefixExtending(Finder):
    """PEM (Wang, Li and Jha 2018): each phone reports a prefix, of one of five lengths."""

    def make(self, epsilon: float, length: int, client: Any, sketch: Sketch) -> None:
        """See ``Finder``."""
        package: Any = importlib.import_module("pure_ldp.heavy_hitters.prefix_extending")
        options = {"alphabet": list(LETTERS), "index_mapper": str}
        self.client = package.PEMClient(epsilon, 2, length, 2, fo_client=client, **options)
        self.server = package.PEMServer(epsilon, 2, length, 2, fo_server=sketch, **options)
        self.scale = self.server.g

    def draw(self, typed: Typed) -> None:
        """See ``Finder``."""
        for group, counts in enumerate(typed.split(self.server.g)):
            end = 2 + 2 * (group + 1)

            def made(string: str, end: int = end) -> str:
                return string[:end]

            typed.fill(self.server.oracles[group], made, counts)
            self.server.n += int(counts.sum())

    @property
    def last(self) -> Sketch:
        """See ``Finder``."""
        return self.server.oracles[-1]

    def compared(self, _found: int) -> int:
        """See ``Finder``."""
        return self.kept * len(LETTERS) ** 2


class Puzzle(Finder):
    """SFP (Apple 2017): a fragment with a hash of the whole; the whole; half of epsilon each."""

    def make(self, epsilon: float, length: int, client: Any, sketch: Sketch) -> None:
        """See ``Finder``."""
        package: Any = importlib.import_module("pure_ldp.heavy_hitters.apple_sfp")
        options = {"alphabet": set(LETTERS), "index_mapper": str}
        self.client = package.SFPClient(epsilon, 2, length, fo_client=client, **options)
        self.server = package.SFPServer(epsilon, 2, length, fo_server=sketch, **options)

    def draw(self, typed: Typed) -> None:
        """See ``Finder``."""
        hashed = self.client.hash_256
        for place, counts in enumerate(typed.split(len(self.server.fragment_fo_list))):
            start = 2 * place

            def made(string: str, start: int = start) -> str:
                return f"{hashed(string)}_{string[start : start + 2]}"

            typed.fill(self.server.fragment_fo_list[place], made, counts)
        typed.fill(self.server.word_fo, str, typed.counts)
        self.server.n += int(typed.counts.sum())

    @property
    def last(self) -> Sketch:
        """See ``Finder``."""
        return self.server.word_fo


class Tree(Finder):
    """TreeHist (Bassily and others 2017): a random prefix, and the whole, half of epsilon each."""

    def make(self, epsilon: float, length: int, client: Any, sketch: Sketch) -> None:
        """See ``Finder``."""
        package: Any = importlib.import_module("pure_ldp.heavy_hitters.treehistogram")
        options = {"alphabet": list(LETTERS), "index_mapper": str}
        self.client = package.TreeHistClient(epsilon, 2, length, fo_client=client, **options)
        self.server = package.TreeHistServer(epsilon, length, 2, fo_server=sketch, **options)

    def draw(self, typed: Typed) -> None:
        """See ``Finder``."""
        length = self.length
        for group, counts in enumerate(typed.split(self.server.num_n_grams)):
            size = 2 * (group + 1)

            def made(string: str, size: int = size) -> str:
                return string[:size] + "*" * (length - size)

            typed.fill(self.server.fragment_estimator, made, counts)
        typed.fill(self.server.word_estimator, str, typed.counts)
        self.server.n += int(typed.counts.sum())

    @property
    def last(self) -> Sketch:
        """See ``Finder``."""
        return self.server.word_estimator


FINDERS: dict[str, Callable[[float, int], Finder]] = {
    "PEM": PrefixExtending,
    "SFP": Puzzle,
    "TreeHist": Tree,
}


def main(job: dict[str, Any]) -> dict[str, Any]:
    """Make the reports, and find the typed strings; return these, seconds, and a count's noise."""
    random.seed(job["seed"])
    np.random.seed(job["seed"])  # noqa: NPY002 - the package draws from it
    typed = Typed(job["strings"], job["counts"], job["seed"])
    length = len(job["strings"][0])
    finder = FINDERS[job["protocol"]](job["epsilon"], length)
    start = time.process_time()
    if job["clients"]:
        for string in typed.each():
            finder.server.aggregate(finder.client.privatise(string))
    else:
        finder.draw(typed)
    reported = time.process_time()
    found, estimates = finder.server.find_heavy_hitters(k=finder.kept)
    letters = typed.generator.choice(list(LETTERS[:-1]), (_ABSENT, length))
    absent = finder.last.estimate_all(["".join(row) for row in letters])
    noise = float(np.std(absent)) * finder.scale
    limit = NormalDist().inv_cdf(1 - _CHANCE / max(finder.compared(len(found)), 1)) * noise
    return {
        "found": [string for string, count in zip(found, estimates, strict=True) if count > limit],
        "noise": noise,
        "reports": reported - start,
        "server": time.process_time() - reported,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", type=Path, help="JSON, which the benchmark writes")
    job = json.loads(parser.parse_args().job.read_text(encoding="utf-8"))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(sys.stderr):
        outcome = main(job)
    print(json.dumps(outcome))
