"""Membership inference by a shadow model (Shokri et al. 2017).

An attacker of a classifier has other texts. They train a model of the same kind on half of them,
privatized by the same mechanism. Its outputs show how a model responds to its training texts. The
attacker tests unprivatized texts, because these are the texts whose membership they want to infer.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.tasks.corpus import Texts
from brrkit_toolchain.utility.evaluate.classifier import Classifier

_HIDDEN_LAYERS = (64, 64)  # BRR, section 6
_LEAST_PROBABILITY = 1e-6


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
        shadow_texts: its training texts (unprivatized), and other texts.
        target: the model under attack; the attacker sees only its outputs.
        target_texts: its training texts (unprivatized), and other texts.
        classes: number of classes.
        seed: seed of the attack's network.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import roc_auc_score
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    attack = make_pipeline(
        StandardScaler(), MLPClassifier(_HIDDEN_LAYERS, activation="relu", random_state=seed)
    )
    with warnings.catch_warnings():
        # On nearly uninformative answers, the loss falls slowly forever.
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
                np.log(np.maximum(model.probabilities(part, classes), _LEAST_PROBABILITY)),
                np.eye(classes)[part.labels],
            ]
        )
        for part in texts
    ]
    members = np.repeat([1, 0], [len(part.labels) for part in texts])
    return np.concatenate(features), members
