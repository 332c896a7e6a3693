"""Membership inference by a shadow model (BRR, figure 1b; Shokri et al. 2017).

The target is the model of the sentiment experiment, with the same texts and the same noise. Whoever
attacks it has other texts, trains a model of the same kind on half of them, privatized by the same
mechanism, and learns from its answers how a model answers on texts that it was trained on. The
texts that are asked about are the original ones: they are what the attacker wants to know about.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.evaluate.bundle_words import BundleWords
from brrkit_toolchain.evaluate.classifier import Classifier
from brrkit_toolchain.evaluate.corpus import Corpus, Texts, split
from brrkit_toolchain.evaluate.results import Results, Unit, seeded
from brrkit_toolchain.evaluate.scale import Scale
from brrkit_toolchain.evaluate.summary import Evaluated, Findings
from brrkit_toolchain.evaluate.texts import (
    privatized,
    run_units,
    text_figure,
    text_table,
    text_units,
)

NAME = "membership"
METRICS = ("auc",)
TITLE = "Membership inference (BRR, figure 1b)"

_HIDDEN = (64, 64)  # BRR, section 6
_LEAST = 1e-6  # a probability, before its logarithm


def run(
    bundle_words: BundleWords,
    corpus: Corpus,
    scale: Scale,
    estimated_losses: Sequence[float],
    results: Results,
    *,
    progress: bool = True,
) -> None:
    """Attack the target of each unit that has no results yet; arguments as in ``sentiment.run``."""
    classes = int(corpus.labels.max()) + 1

    def measure(unit: Unit) -> Mapping[str, float]:
        parts = split(corpus, scale.texts, seeded("split", unit.trial))
        train, validation, test, reserve = (
            corpus.start(part, scale.tokens)
            for part in (parts.train, parts.validation, parts.test, parts.reserve)
        )
        target = Classifier(privatized(bundle_words, unit, train, "train"), bundle_words.vectors)
        shadow = Classifier(privatized(bundle_words, unit, test, "test"), bundle_words.vectors)
        seed = int(unit.generator("attack").integers(2**32))
        return {
            "auc": attack_auc(shadow, (test, reserve), target, (train, validation), classes, seed)
        }

    run_units(
        results,
        text_units(bundle_words, estimated_losses, scale.trials),
        measure,
        progress=progress,
    )


def attack_auc(
    shadow: Classifier,
    shadow_texts: tuple[Texts, Texts],
    target: Classifier,
    target_texts: tuple[Texts, Texts],
    classes: int,
    seed: int,
) -> float:
    """Return the area under the ROC curve of the attack; 0.5 is guessing.

    Args:
        shadow: the attacker's own model.
        shadow_texts: those that it was trained on (as typed), and others.
        target: the model under attack, of which only the answers are seen.
        target_texts: those that it was trained on (as typed), and others.
        classes: of the texts.
        seed: of the attack's network.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import roc_auc_score
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    attack = make_pipeline(
        StandardScaler(), MLPClassifier(_HIDDEN, activation="relu", random_state=seed)
    )
    with warnings.catch_warnings():
        # On answers that say next to nothing, the loss keeps falling a little for ever.
        warnings.simplefilter("ignore", ConvergenceWarning)
        attack.fit(*_answers(shadow, shadow_texts, classes))
    features, members = _answers(target, target_texts, classes)
    return float(roc_auc_score(members, attack.predict_proba(features)[:, 1]))


def _answers(
    model: Classifier, texts: tuple[Texts, Texts], classes: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return features [m, 2 * classes] (log probabilities, true class) and membership [m]."""
    features = [
        np.hstack(
            [
                np.log(np.maximum(model.probabilities(part, classes), _LEAST)),
                np.eye(classes)[part.labels],
            ]
        )
        for part in texts
    ]
    members = np.repeat([1, 0], [len(part.labels) for part in texts])
    return np.concatenate(features), members


def findings(evaluated: Evaluated) -> Findings:
    """Return the AUC of the attack."""
    return Findings(
        notes=[
            "The target is the classifier above. The attack (a network with two hidden layers of "
            "64 nodes) learns from a shadow model of the same kind on other texts, sees only class "
            "probabilities and the true class, and asks about texts as they were typed. 0.5 is "
            "guessing.",
        ],
        figures=[text_figure(evaluated, "auc", "AUC of the attack")],
        tables=[text_table(evaluated, "auc", "AUC of the attack")],
    )
