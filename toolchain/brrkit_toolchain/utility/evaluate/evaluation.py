"""A classifier trained on unprivatized texts, and on the same texts privatized."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from brrkit import Privatizer, WordBundle
from brrkit.errors import ParameterError
from brrkit.setting import Estimate
from brrkit_toolchain.channel.drawing.on_codes import BatchedMechanism, releaser
from brrkit_toolchain.confidence import mean
from brrkit_toolchain.defaults import TEXTS
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.tasks.corpus import Corpus, Texts
from brrkit_toolchain.utility.evaluate.classifier import Classifier
from brrkit_toolchain.utility.evaluate.membership import attack_auc
from brrkit_toolchain.utility.evaluate.parts import Parts, split


@dataclass(frozen=True)
class Scores:
    """Means over the trials, with 95% t-intervals.

    Attributes:
        accuracy: accuracy of the classifier on other unprivatized texts.
        membership: AUC of an attack that tells whether a text was in its training data; 0.5 means
            guessing.
        unchanged: share of the training texts' words that stay as typed.
    """

    accuracy: Estimate
    membership: Estimate
    unchanged: Estimate


@dataclass(frozen=True)
class Evaluation:
    """A text classifier's loss of accuracy, and the success of membership inference.

    Attributes:
        epsilon: epsilon of the setting.
        typed: scores of a classifier trained on unprivatized texts.
        privatized: scores of a classifier trained on the same texts, each word privatized by
            itself.
        texts: number of training texts of each classifier.
        trials: number of trials, each with its own split, noise and models.
        left_out: number of empty texts in the data, and of texts without a known word.
    """

    epsilon: float
    typed: Scores
    privatized: Scores
    texts: int
    trials: int
    left_out: Mapping[str, int] = field(default_factory=dict)


def evaluate(
    bundle: WordBundle,
    privatizer: Privatizer,
    vectors: NDArray[np.float32],
    corpus: Corpus,
    *,
    texts: int = TEXTS,
    trials: int = 5,
    seed: int = 0,
    progress: bool = False,
) -> Evaluation:
    """Train classifiers on ``corpus`` with and without privacy, and attack both.

    Half of the texts for training train the classifier. Half of those for testing test it, and
    train the attacker's own classifier, privatized or not like the classifier's. Neither has seen
    the other two halves.

    Args:
        bundle: the bundle with the corpus's words.
        privatizer: a privatizer on this bundle; only its mechanism matters.
        vectors: float32[n, d], vectors of the bundle's words, for the classifier.
        corpus: labeled texts.
        texts: largest number of texts in a part of the data.
        trials: number of trials, at least 2.
        seed: seed of splits, noise and attacks.
        progress: show a bar on standard error.

    Raises:
        ParameterError: there are too few trials or texts, or a part has only one class.
    """
    if trials < 2:
        raise ParameterError(f"trials must be 2 or more, not {trials}")
    if seed < 0:
        raise ParameterError(f"seed must be 0 or more, not {seed}")
    found = []
    for trial in Progress(range(trials), desc="Trials", progress=progress):
        parts = split(corpus, texts, np.random.default_rng([seed, trial]))
        for private in (False, True):
            generator = np.random.default_rng([seed, trial, 1])
            release = releaser(bundle, privatizer.mechanism, generator.bytes)
            found.append(
                _trial(corpus, parts, vectors, release if private else _as_typed, generator)
            )
    values = np.array(found).reshape(trials, 2, 3)
    typed, privatized = (Scores(*(mean(values[:, i, j], 1.0) for j in range(3))) for i in range(2))
    return Evaluation(privatizer.epsilon, typed, privatized, len(parts.train), trials)


def _as_typed(
    ids: NDArray[np.intp],
    texts: NDArray[np.intp] | None = None,  # noqa: ARG001 - nothing is drawn
    stood_in: NDArray[np.bool_] | None = None,  # noqa: ARG001
) -> NDArray[np.int64]:
    return ids.astype(np.int64)


def _trial(
    corpus: Corpus,
    parts: Parts,
    vectors: NDArray[np.float32],
    release: BatchedMechanism,
    generator: np.random.Generator,
) -> tuple[float, float, float]:
    """Return the accuracy, the AUC of the attack and the share of unchanged words."""
    train, validation, test, reserve = (
        corpus.start(part, None)
        for part in (parts.train, parts.validation, parts.test, parts.reserve)
    )

    def released(part: Texts) -> Texts:
        numbers = np.repeat(np.arange(len(part.labels)), np.diff(part.offsets))
        return Texts(release(part.ids, numbers), part.offsets, part.labels)

    trained_on = released(train)
    target, shadow = Classifier(trained_on, vectors), Classifier(released(test), vectors)
    auc = attack_auc(
        shadow,
        (test, reserve),
        target,
        (train, validation),
        int(corpus.labels.max()) + 1,
        int(generator.integers(2**32)),
    )
    return target.accuracy(test), auc, float((trained_on.ids == train.ids).mean())
