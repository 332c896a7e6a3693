"""Utility of released text for tasks: the accuracy of classifiers.

One classifier reads whole texts: logistic regression on TF-IDF word counts, a strong baseline for
topics and moods. The other is that of ``evaluate``, on the first 100 words. Its word vectors are
the bundle's codes, with their task bits, which everybody has. Both are trained and tested on texts
from which no task bit was learned.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import BundleError
from brrkit.messages import printable
from brrkit.setting import Estimate, Setting
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.channel.in_force import setting_in_force
from brrkit_toolchain.codes.packing import unpack
from brrkit_toolchain.confidence import proportion
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import given_vectors
from brrkit_toolchain.tasks import TASKS
from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.tasks.held_out import HeldOut, read_held_out

WORDS = 100
"""Number of a text's first words that the classifier on codes reads."""


@dataclass(frozen=True)
class TaskAccuracy:
    """The accuracy of a task's classifiers.

    Attributes:
        name: name of the task.
        classes: number of classes. For a number, there are two: up to the median, and above.
        texts: number of tested texts.
        typed: accuracy on unprivatized whole texts, of TF-IDF and logistic regression trained on
            such texts.
        released: accuracy on released whole texts, of the same trained on released texts.
        typed_codes: accuracy on the first 100 typed words, from their mean code.
        released_codes: accuracy on the first 100 released words, from their mean code.
        frequent: share of the most frequent class: the accuracy without any text.
    """

    name: str
    classes: int
    texts: int
    typed: Estimate
    released: Estimate
    typed_codes: Estimate
    released_codes: Estimate
    frequent: float

    @property
    def reached(self) -> Estimate:
        """The accuracy of the better classifier on released text."""
        return max(self.released, self.released_codes, key=lambda found: found.value)


class TaskTexts:
    """The held-out texts of a bundle's tasks, and classifiers' accuracy on them unprivatized."""

    def __init__(self, bundle: WordBundle) -> None:
        """Read the texts.

        Raises:
            BundleError: the bundle has no such texts, or the texts or their tasks are damaged.
        """
        self._vectors = 1 - 2 * unpack(bundle.codes).astype(np.float32)
        self._names = _names(bundle)
        self._parts = [
            _in_classes(*read_held_out(bundle.path, number, len(bundle)))
            for number in range(len(self._names))
        ]
        self._typed = [self._accuracies(*parts) for parts in self._parts]

    def measure(self, release: BatchedMechanism) -> tuple[TaskAccuracy, ...]:
        """Return the accuracy on texts released by ``release``."""
        found = []
        for name, parts, (typed, typed_codes) in zip(
            self._names, self._parts, self._typed, strict=True
        ):
            labels = parts[1].labels
            counts = np.bincount(labels)
            released, released_codes = self._accuracies(
                *(_released(texts, release) for texts in parts)
            )
            found.append(
                TaskAccuracy(
                    name,
                    len(counts),
                    len(labels),
                    typed,
                    released,
                    typed_codes,
                    released_codes,
                    float(counts.max() / len(labels)),
                )
            )
        return tuple(found)

    def _accuracies(self, training: Texts, testing: Texts) -> tuple[Estimate, Estimate]:
        """Return the accuracy on whole texts, and on the mean codes of their first words."""
        from brrkit_toolchain.utility.evaluate.bags import bag_accuracy  # needs scikit-learn
        from brrkit_toolchain.utility.evaluate.classifier import Classifier

        codes = Classifier(training.start(WORDS), self._vectors)
        shares = (
            bag_accuracy(training, testing, len(self._vectors)),
            codes.accuracy(testing.start(WORDS)),
        )
        count = len(testing.labels)
        whole, start = (proportion(share, share * (1 - share) / count, count) for share in shares)
        return whole, start


def task_texts(bundle: WordBundle) -> TaskTexts | None:
    """Return the held-out texts of a bundle; None if it has none, or has no tasks.

    Raises:
        BundleError: the texts are damaged.
    """
    if not bundle.task_bits or not (bundle.path / TASKS).exists():
        return None
    return TaskTexts(bundle)


def measure_tasks(
    bundle: WordBundle,
    setting: Setting | None = None,
    *,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    seed: int = 0,
    progress: bool = False,
) -> tuple[TaskAccuracy, ...]:
    """Measure the accuracy of classifiers of released text on the bundle's tasks, at one setting.

    An attacker learns a text's class with the same accuracy.

    Args:
        bundle: an opened bundle.
        setting: a setting, as for ``measure_words``.
        embeddings: embeddings, as for ``measure_words``.
        seed: seed of the releases.
        progress: show bars on standard error, if that is a terminal.

    Returns:
        The accuracy for each task; empty if the bundle has no tasks, or lacks the texts to measure
        them with.

    Raises:
        ParameterError: as for ``measure_words``.
        BundleError: the texts are damaged, or the manifest doesn't state the bundle's embeddings.
        EmbeddingsError: the embeddings can't be read.
    """
    setting = setting_in_force(bundle, setting)
    vectors = given_vectors(bundle, embeddings, progress)
    texts = task_texts(bundle)
    if texts is None:
        return ()
    return texts.measure(Channel(bundle, setting, vectors).releaser(np.random.default_rng(seed)))


def _names(bundle: WordBundle) -> list[str]:
    """Return the names of the tasks, printable."""
    try:
        return [printable(str(task["name"])) for task in bundle.manifest["tasks"]]
    except (KeyError, TypeError):
        raise BundleError(
            f"{bundle.path}: field 'tasks' of the manifest is missing or wrong; rebuild the bundle"
        ) from None


def _in_classes(*parts: HeldOut) -> Sequence[Texts]:
    """Return texts with classes as labels: numbers become two, up to the median and above."""
    labels = [part.labels for part in parts]
    if labels[0].dtype.kind == "f":
        middle = np.median(np.concatenate(labels))
        labels = [(part > middle).astype(np.int64) for part in labels]
    return [
        Texts(part.ids.astype(np.intp), part.offsets.astype(np.intp), numbers.astype(np.intp))
        for part, numbers in zip(parts, labels, strict=True)
    ]


def _released(texts: Texts, release: BatchedMechanism) -> Texts:
    places: NDArray[np.intp] = np.repeat(np.arange(len(texts.labels)), np.diff(texts.offsets))
    return Texts(release(texts.ids, places).astype(np.intp), texts.offsets, texts.labels)
