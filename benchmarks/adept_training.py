"""How long a model's training takes, and how much of unseen sentences comes back.

``python -m benchmarks.adept_training --data snips-train.tsv --test snips-test.tsv --output model``
trains with the defaults of ``brr adept train --label-column label``; with a model that is already
there, only what comes back of the test sentences is measured, at the largest epsilon. The tables
are those of ``benchmarks.intents``.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from brr_runtime.tokenizer import tokenize
from brr_toolchain.adept.data import Sentences, read_sentences
from brr_toolchain.adept.model import Model, make_model, open_model
from brr_toolchain.adept.release import EPSILONS
from brr_toolchain.adept.train import Settings


@dataclass(frozen=True)
class Returned:
    """Shares of test sentences, rewritten with next to no noise.

    Attributes:
        words: that stand in the same place.
        known: words that the vocabulary has: no others can come back.
        sentences: that are the same, word for word.
        possible: sentences of known words alone.
        labels: that are the same.
    """

    words: float
    known: float
    sentences: float
    possible: float
    labels: float


def returned(model: Model, test: Sentences) -> Returned:
    """Rewrite ``test``, labelled sentences, at the largest epsilon."""
    release = model.release("codes", EPSILONS[1])
    found = model.rewrite(test.texts, release, test.labels, random=os.urandom, repeat=0)
    typed = [tokenize(text) for text in test.texts]
    written = [text.split() for _, text in found]
    vocabulary = set(model.vocabulary.words)
    same = sum(
        a == b for x, y in zip(typed, written, strict=True) for a, b in zip(x, y, strict=False)
    )
    count = sum(map(len, typed))
    labels = [label for label, _ in found]
    return Returned(
        same / count,
        sum(word in vocabulary for words in typed for word in words) / count,
        float(np.mean([x == y for x, y in zip(typed, written, strict=True)])),
        float(np.mean([vocabulary.issuperset(words) for words in typed])),
        float(np.mean([a == b for a, b in zip(labels, test.labels or [], strict=True)])),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    if not arguments.output.exists():
        sentences = read_sentences(arguments.data, "text", "label")
        wall, cpu = time.perf_counter(), time.process_time()
        manifest = make_model(sentences, arguments.output, Settings())
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"{len(sentences.texts):,} sentences: {wall:.0f} s, {cpu:.0f} s of CPU time")
        print(f"loss {manifest['loss']:.3f} nats a token")
    model, _ = open_model(arguments.output)
    print(returned(model, read_sentences(arguments.test, "text", "label")))


if __name__ == "__main__":
    main()
