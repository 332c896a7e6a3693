"""What the runtime's tests share. They need the runtime, pytest, and bundles: no toolchain.

``BRR_TEST_BUNDLES`` names a folder with the bundles ``64`` and ``256`` (bits), some 2,000 words
each, of which ``64`` has bigrams, and ``tasks``, which is ``64`` with 64 task bits; without it they
are built once per session, which takes the toolchain.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from device import HOUR, Clock
from numpy.typing import NDArray
from packing import pack

from brrkit import PrivacyBudget, WordBundle
from brrkit.hamming import HammingIndex
from brrkit.masses import Masses
from brrkit.vocabulary import Vocabulary

BUILD = """
import shutil
import sys
from pathlib import Path
from benchmarks.baselines import add_baselines
from brrkit_toolchain.bundle.build import build_bundle
from brrkit_toolchain.bundle.plan import BuildPlan
add_baselines()
text = Path(sys.argv[1]) / "text.txt"
shutil.copy(sys.argv[2], text)
for bits, language in ((64, {"text": text, "least": 2, "text_digest": False}), (256, {})):
    build_bundle(
        Path(sys.argv[3]), Path(sys.argv[1]) / str(bits),
        BuildPlan(bits=bits, method="lsh", vocabulary_size=2000, **language),
    )
"""

TASKS = Path(__file__).parents[1] / "task_bundle.py"


@pytest.fixture(scope="session")
def run_python() -> Callable[..., str]:
    """Run a script in a fresh interpreter; return what it printed. A hang ends as a failure."""

    def run(script: str, *arguments: object) -> str:
        result = subprocess.run(
            [sys.executable, "-c", script, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=1_800,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.fixture(scope="session")
def bundles(tmp_path_factory: pytest.TempPathFactory, run_python: Callable[..., str]) -> Path:
    """Return the folder that holds the bundles ``64``, ``256`` and ``tasks``."""
    if folder := os.environ.get("BRR_TEST_BUNDLES"):
        return Path(folder)
    if not all(map(find_spec, ("brrkit_toolchain", "benchmarks", "faiss"))):
        pytest.skip("no bundles: set BRR_TEST_BUNDLES, or install brrkit[toolchain] to build them")
    built = tmp_path_factory.mktemp("bundles")
    text = Path(__file__).parents[2] / "docs" / "explanation" / "proofs.md"
    vectors = Path(__file__).parents[1] / "data" / "encyclopedia.vec.xz"
    # Its own process: faiss's threads don't survive our forks.
    run_python(BUILD, built, text, vectors)
    run_python(TASKS.read_text(), built / "64", built / "256", built / "tasks")
    return built


@pytest.fixture(scope="session")
def bundle64(bundles: Path) -> WordBundle:
    return WordBundle.open(bundles / "64")


@pytest.fixture(scope="session")
def bundle256(bundles: Path) -> WordBundle:
    return WordBundle.open(bundles / "256")


@pytest.fixture(scope="session")
def task_bundle(bundles: Path) -> WordBundle:
    return WordBundle.open(bundles / "tasks")


@pytest.fixture(scope="session", params=["64", "256"])
def bundle(request: pytest.FixtureRequest, bundles: Path) -> WordBundle:
    """Return each of the two bundles in turn."""
    return WordBundle.open(bundles / request.param)


@pytest.fixture(scope="session")
def graphs(bundle64: WordBundle, bundle256: WordBundle) -> dict[int, bytes]:
    """Return the randomizer's graph by the number of bits."""
    return {64: bundle64.graph, 256: bundle256.graph}


def make_vocabulary(words: Sequence[str]) -> Vocabulary:
    """Write the tensors of a vocabulary as ``spec/bundle-format.md`` has them."""
    ids = sorted(range(len(words)), key=words.__getitem__)  # UTF-8 sorts as code points do
    coded, offsets = b"", []
    for position, word_id in enumerate(ids):
        word, shared = words[word_id], ""
        if position % 16 == 0:
            offsets.append(len(coded))
        else:
            shared = word[:31]
            while not words[ids[position - 1]].startswith(shared) or len(shared.encode()) > 31:
                shared = shared[:-1]
        coded += bytes([len(shared.encode())]) + word[len(shared) :].encode()
    offsets.append(len(coded))
    return Vocabulary(
        words=np.frombuffer(coded, np.uint8),
        offsets=np.array(offsets, np.uint32).data,
        ids=pack(ids),
        positions=pack(np.argsort(ids).tolist()),
    )


def make_masses(masses: Sequence[int], bigrams: Mapping[tuple[int, int], int]) -> Masses:
    """Write bytes of masses, by id, and of the gains of bigrams, by their words' ids."""
    width = (len(masses) - 1).bit_length()
    pairs = sorted(bigrams)
    return Masses(
        np.array(masses, np.uint8),
        pack([before for before, _ in pairs], width),
        pack([after for _, after in pairs], width),
        np.array([bigrams[pair] for pair in pairs], np.uint8),
    )


@pytest.fixture(scope="session")
def masses_of() -> Callable[[Sequence[int], Mapping[tuple[int, int], int]], Masses]:
    """Make masses and bigrams of given bytes."""
    return make_masses


@pytest.fixture(scope="session")
def vocabulary_of() -> Callable[[Sequence[str]], Vocabulary]:
    """Make a vocabulary of given words, in rank order."""
    return make_vocabulary


@pytest.fixture(scope="session")
def bundle_of(bundle64: WordBundle) -> Callable[..., WordBundle]:
    """Make a 64-bit bundle in memory from a list of codes (integers); its words are w0, w1...

    They are all alike, without bigrams, if there are no bytes of masses and bigrams.
    """

    def make(
        codes: Sequence[int],
        words: Sequence[str] | None = None,
        masses: Sequence[int] | None = None,
        bigrams: Mapping[tuple[int, int], int] | None = None,
    ) -> WordBundle:
        words = words or [f"w{i}" for i in range(len(codes))]
        array: NDArray[np.uint64] = np.array(codes, np.uint64)[:, None]
        return replace(
            bundle64,
            codes=array,
            vocabulary=make_vocabulary(words),
            masses=make_masses(masses or [1] * len(codes), bigrams or {}),
            index=HammingIndex(array),
            manifest={**bundle64.manifest, "bits": 64, "vocabulary_size": len(codes)},
        )

    return make


@pytest.fixture(scope="session")
def chi_square() -> Callable[[Sequence[int], Sequence[float]], float]:
    """Pearson's statistic over its critical value: above 1, the frequencies are others.

    The critical value k + 2 sqrt(k x) + 2 x with x = ln(10^9) bounds the tail of chi-square with k
    degrees of freedom by 10^-9 (Laurent and Massart 2000, Lemma 1). The tests expect at least 50
    in every cell, where the statistic's own tail is within a small factor of that: the false-alarm
    rate is below 10^-7 a call, if the source weren't seeded anyway.
    """

    def excess(counts: Sequence[int], probabilities: Sequence[float]) -> float:
        observed, expected = np.asarray(counts), sum(counts) * np.asarray(probabilities, float)
        assert math.isclose(sum(probabilities), 1)
        assert expected.min() >= 50, "too few draws for this test"
        degrees, x = len(counts) - 1, math.log(1e9)
        statistic = float((np.square(observed - expected) / expected).sum())
        return statistic / (degrees + 2 * math.sqrt(degrees * x) + 2 * x)

    return excess


@pytest.fixture
def in_8_threads() -> Iterator[Callable[[Callable[[int], None]], None]]:
    """Return what runs ``work(0)`` to ``work(7)`` at once.

    The threads take turns after every few instructions, so that races happen.
    """

    def run(work: Callable[[int], None]) -> None:
        start = threading.Barrier(8)

        def wait_and_work(number: int) -> None:
            start.wait()
            work(number)

        threads = [threading.Thread(target=wait_and_work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not any(thread.is_alive() for thread in threads)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield run
    sys.setswitchinterval(interval)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def budget(state: Path, clock: Clock) -> PrivacyBudget:
    """Return a budget of 10 an hour."""
    return PrivacyBudget(10, HOUR, state, clock=clock)
