"""How well a task can be done on released text: what classifiers of it reach.

One reads whole texts: logistic regression on how often words occur, by TF-IDF, a strong baseline
for topics and moods. The other is ``evaluate``'s, on the first 100 words; its word vectors are the
bundle's own codes, with their task bits, as everybody has them. Both are trained and tested on
texts that no task bit was learned from.
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
"""Of a text, that the classifier on codes reads: the first ones."""


@dataclass(frozen=True)
class TaskAccuracy:
    """The accuracy of a task's classifiers.

    Attributes:
        name: of the task.
        classes: how many there are. Of a number they are two: up to the median, and above.
        texts: that were tested.
        typed: of typed whole texts, by TF-IDF and logistic regression trained on such.
        released: of released whole texts, by the same trained on released ones.
        typed_codes: of the first 100 words as typed, by their mean code.
        released_codes: of the first 100 words as released, by their mean code.
        frequent: share of the most frequent class: by who sees no text.
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
        """Of released text, by the classifier that is right more often."""
        return max(self.released, self.released_codes, key=lambda found: found.value)


class TaskTexts:
    """The held-out texts of a bundle's tasks, and what classifiers reach on them as typed."""

    def __init__(self, bundle: WordBundle) -> None:
        """Read them.

        Raises:
            BundleError: the bundle has no such texts, or they or their tasks are damaged.
        """
        self._vectors = 1 - 2 * unpack(bundle.codes).astype(np.float32)
        self._names = _names(bundle)
        self._parts = [
            _in_classes(*read_held_out(bundle.path, number, len(bundle)))
            for number in range(len(self._names))
        ]
        self._typed = [self._accuracies(*parts) for parts in self._parts]

    def measure(self, release: BatchedMechanism) -> tuple[TaskAccuracy, ...]:
        """Return what is reached on texts that ``release`` releases."""
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
        """Return that of whole texts, and that of the mean codes of their starts."""
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
        BundleError: they are damaged.
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

    An attacker learns a text's class as well as they do.

    Args:
        bundle: an opened bundle.
        setting: as in ``measure_words``.
        embeddings: as in ``measure_words``.
        seed: of the releases.
        progress: show bars on standard error, where that is a terminal.

    Returns:
        What was found of each task; nothing where the bundle has no tasks, or no longer the texts
        to measure them with.

    Raises:
        ParameterError: as ``measure_words``.
        BundleError: the texts are damaged, or the manifest doesn't say what the bundle was built
            from.
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
    """Return texts whose labels are classes: numbers become those up to the median, and above."""
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
