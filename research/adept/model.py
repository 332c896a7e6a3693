"""A model of ``brr adept`` with the defaults: its training, its reconstruction, its times.

    python -m research.adept.model --train snips-train.tsv --test snips-test.tsv

trains a model, measures it on sentences that it wasn't trained on, and writes what it found to
``research/results/stored/adept-model.json``. The tables are those of
``benchmarks.intents``. Threads are as many as OMP_NUM_THREADS says, or all.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import LIBRARIES
from benchmarks.store import write_alone
from brrkit.tokenizer import tokenize
from brrkit_adept.data import Sentences, read_sentences
from brrkit_adept.graphs import export
from brrkit_adept.model import Model, make_model, open_model
from brrkit_adept.release import EPSILONS, Release
from brrkit_adept.settings import Settings
from brrkit_toolchain.io.machine import describe_machine
from research import ADEPT_MODEL
from research.adept.lattice import LAPLACE_L2
from research.adept.noise import discrete_gaussian, discrete_laplace
from research.adept.rebuttal import exceeding
from research.adept.variants import release

_EPSILON = 100.0
_COORDINATES = 1_024
_REWRITTEN = 50  # sentences whose rewriting is timed


def trained(sentences: Sentences, output: Path) -> dict[str, Any]:
    """Train a model with the defaults, and return its costs and results."""
    wall, cpu = time.perf_counter(), time.process_time()
    manifest = make_model(sentences, output, Settings())
    return {
        "sentences": len(sentences.texts),
        "seconds": time.perf_counter() - wall,
        "CPU seconds": time.process_time() - cpu,
        "loss": manifest["loss"],
    }


def returned(model: Model, test: Sentences) -> dict[str, float]:
    """Rewrite ``test``, labeled sentences, at the largest epsilon, and return shares.

    Returns:
        Of words that stand in the same place ("words") and words that the vocabulary has, as no
        others can come back ("known"); sentences that are the same, word for word ("sentences") and
        sentences of known words alone ("possible"); labels that are the same ("labels").
    """
    found = model.rewrite(
        test.texts, model.release(EPSILONS[1]), test.labels, random=os.urandom, repeat=0
    )
    typed = [tokenize(text) for text in test.texts]
    written = [text.split() for _, text in found]
    vocabulary = set(model.vocabulary.words)
    same = sum(
        a == b for x, y in zip(typed, written, strict=True) for a, b in zip(x, y, strict=False)
    )
    count = sum(map(len, typed))
    labels = [label for label, _ in found]
    return {
        "words": same / count,
        "known": sum(word in vocabulary for words in typed for word in words) / count,
        "sentences": float(np.mean([x == y for x, y in zip(typed, written, strict=True)])),
        "possible": float(np.mean([vocabulary.issuperset(words) for words in typed])),
        "labels": float(np.mean([a == b for a, b in zip(labels, test.labels or [], strict=True)])),
    }


def milliseconds(model: Model, texts: list[str]) -> dict[str, float]:
    """Return how long noise, releases and whole sentences take, by a name for each."""
    latents = model.latents(texts)
    codes = model.release(_EPSILON)
    laplace = release(model, LAPLACE_L2, _EPSILON)
    draw_laplace, draw_gaussian = discrete_laplace(), discrete_gaussian()

    def rewriting(mechanism: Release, beam: int) -> float:
        def all_of_them() -> None:
            for text in texts[:_REWRITTEN]:
                model.rewrite([text], mechanism, beam=beam)

        return _each(all_of_them, 1) / _REWRITTEN

    return {
        f"Laplace noise, {_COORDINATES:,} coordinates": _each(
            lambda: draw_laplace(_COORDINATES, os.urandom), 200
        ),
        f"Gaussian noise, {_COORDINATES:,} coordinates": _each(
            lambda: draw_gaussian(_COORDINATES, os.urandom), 200
        ),
        "a sentence's code, released": _each(lambda: codes(latents[:1], os.urandom), 200),
        f"codes of {len(texts):,} sentences, released": _each(
            lambda: codes(latents, os.urandom), 5
        ),
        "dividing ε over the stages, once": _each(lambda: model.release(_EPSILON), 3),
        "a sentence rewritten, `codes`": rewriting(codes, 1),
        "the same with a beam of 4": rewriting(codes, 4),
        "a sentence rewritten, `laplace-l2` (longer ones come out)": rewriting(laplace, 1),
        "that with a beam of 4": rewriting(laplace, 4),
    }


def _each(run: Callable[[], object], times: int) -> float:
    """Return milliseconds of this process's own time for each of some runs, after a first one."""
    run()
    start = time.process_time()
    for _ in range(times):
        run()
    return 1_000 * (time.process_time() - start) / times


def bytes_of(folder: Path) -> dict[str, int]:
    """Return the size of each file of a folder."""
    return {path.name: path.stat().st_size for path in sorted(folder.iterdir())}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, required=True, metavar="TABLE")
    parser.add_argument("--test", type=Path, required=True, metavar="TABLE")
    arguments = parser.parse_args()
    sentences, test = (
        read_sentences(path, "text", "label") for path in (arguments.train, arguments.test)
    )
    machine = describe_machine(LIBRARIES)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "model"
        training = trained(sentences, path)
        model, _ = open_model(path)
        export(path, Path(temporary) / "graphs")
        found = {
            "tables": [arguments.train.name, arguments.test.name],
            "machine": machine,
            "training": training,
            "returned": returned(model, test),
            "milliseconds": milliseconds(model, list(test.texts)),
            "exceeding": exceeding(model.latents(test.texts).astype(np.float64), model.clips[2]),
            "tokens": len(model.vocabulary.words),
            "latent": model.network.latent,
            "bytes": {"model": bytes_of(path), "graphs": bytes_of(Path(temporary) / "graphs")},
        }
    print(json.dumps(found, indent=1, ensure_ascii=False))
    write_alone(ADEPT_MODEL, found)


if __name__ == "__main__":
    main()
