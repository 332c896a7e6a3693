"""Requests as typed and as released, with the classes that a classifier of releases assigns.

The requests are from SNIPS, with the bundle's recommended setting. The classifier is trained on
released requests of the train part. The first test request of each class with a usual length is
shown, chosen before its release. The classifier's accuracy, and the success of an attacker who
reads a whole request, are over all test requests.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Finding
from benchmarks.reviews import inputs_of
from brrkit import WordBundle
from brrkit.resolve import resolve
from brrkit_toolchain.attackers.texts.knowledge import learn_knowledge
from brrkit_toolchain.attackers.texts.text_attack import attack_text, sample_texts
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.language.texts import TextIds, TypedText
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.utility.evaluate.classifier import Classifier

_TITLE = "Requests: typed, released, and what a classifier of released requests says"
_SHOWN = range(6, 11)  # number of words in a shown request
_TOKENS = 4_000  # attacked tokens


@dataclass(frozen=True)
class _Requests:
    """Requests of a part, and the place of each request's class among ``names``."""

    typed: Sequence[TypedText]
    labels: NDArray[np.intp]
    names: Sequence[str]

    def texts(self, ids: NDArray[np.intp]) -> Texts:
        """Return the ``ids`` of all words, request by request."""
        return Texts(ids, np.r_[0, np.cumsum([len(text.ids) for text in self.typed])], self.labels)


def run(bench: Bench) -> Finding:
    """Release all requests once; measure the classifier and the attacker."""
    bundle = bench.bundle
    folder = Path(os.environ.get("BRR_DATA", "../shared/data")) / "intents" / "snips"
    if not folder.exists():
        return Finding(_TITLE, (), (), notes=("skipped: SNIPS isn't there (BRR_DATA)",))
    progress("example: releasing requests")
    training, testing = (_read(folder / part, bundle) for part in ("train", "test"))
    setting, _ = resolve(bundle, None)
    channel = Channel(bundle, setting)
    release, evidence = channel.release_and_evidence(np.random.default_rng(0))
    drawn = [release(*_inputs(part, bundle)).astype(np.intp) for part in (training, testing)]
    classifier = Classifier(
        training.texts(drawn[0]), 1 - 2 * unpack(bundle.codes).astype(np.float32)
    )
    verdicts = classifier.probabilities(testing.texts(drawn[1]), len(testing.names)).argmax(axis=1)
    right = float((verdicts == testing.labels).mean())
    progress("example: attackers")
    knows = learn_knowledge(bundle.masses, [text.ids for text in training.typed])
    tokens = 500 if bench.quick else _TOKENS
    found = attack_text(sample_texts(testing.typed, tokens), knows, evidence, release)
    guessed = {
        name: {over: found.attackers[name][over].top1.value for over in ("all", "content")}
        for name in ("sentence", "language_alone")
    }
    rows = [
        (
            _spelled(bundle, testing.typed[i].ids),
            _spelled(bundle, _of(testing, drawn[1], i)),
            testing.names[verdicts[i]] + ("" if verdicts[i] == testing.labels[i] else " (wrong)"),
        )
        for i in _first_of_each(testing, len(bundle))
    ]
    return Finding(
        title=_TITLE,
        columns=("typed", "released", "class assigned by a classifier"),
        rows=rows,
        notes=(
            f"classifier right for {right:.3f} of {len(testing.typed)} requests",
            *(
                f"named of all words, and of content words, by the attacker {name}: "
                f"{shares['all']:.3f}, {shares['content']:.3f}"
                for name, shares in guessed.items()
            ),
        ),
        numbers={"rows": rows, "right": right, "guessed": guessed, "tested": len(testing.typed)},
    )


def _read(folder: Path, bundle: WordBundle) -> _Requests:
    convert = TextIds(bundle.tokenizer)
    lines = [
        (folder / name).read_text(encoding="utf-8").splitlines() for name in ("seq.in", "label")
    ]
    labels = [label.strip() for label in lines[1]]
    names = sorted(set(labels))
    return _Requests(
        [convert(text) for text in lines[0]],
        np.array([names.index(label) for label in labels], np.intp),
        names,
    )


def _inputs(part: _Requests, bundle: WordBundle) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the mechanism's input words, with unknown words replaced, and their requests."""
    lengths = [len(text.ids) for text in part.typed]
    return inputs_of(part.typed, bundle), np.repeat(np.arange(len(part.typed)), lengths)


def _first_of_each(part: _Requests, words: int) -> list[int]:
    """Return the first request of each class with a usual length and only known words."""
    fit = [len(text.ids) in _SHOWN and bool((text.ids < words).all()) for text in part.typed]
    return [
        next(i for i, label in enumerate(part.labels) if label == each and fit[i])
        for each in range(len(part.names))
    ]


def _of(part: _Requests, ids: NDArray[np.intp], request: int) -> NDArray[np.intp]:
    ends = np.cumsum([len(text.ids) for text in part.typed])
    return ids[ends[request] - len(part.typed[request].ids) : ends[request]]


def _spelled(bundle: WordBundle, ids: NDArray[np.intp] | NDArray[np.int32]) -> str:
    return " ".join(bundle.vocabulary.word(int(i)) for i in ids)
