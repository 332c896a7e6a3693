"""A classifier of intents, and membership inference against it (ADePT, section 4.5)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_adept.data import LabeledSentences

_TOP = 5  # scores that the attack sees


class Classifier:
    """Logistic regression on the words of a sentence."""

    def __init__(self, part: LabeledSentences) -> None:
        """Train on ``part``."""
        from sklearn.dummy import DummyClassifier
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        several = len(set(part.labels)) > 1  # of noise alone, there may be one
        last = LogisticRegression(max_iter=1_000) if several else DummyClassifier()
        words = CountVectorizer(token_pattern=r"\S+", binary=True)
        self._model = make_pipeline(words, last).fit(part.texts, part.labels)

    def accuracy(self, part: LabeledSentences) -> float:
        """Return the share of sentences that get their label."""
        return float((self._model.predict(part.texts) == np.array(part.labels)).mean())

    def scores(self, part: LabeledSentences) -> NDArray[np.float64]:
        """Return the largest probabilities [m, 5] of each sentence, sorted."""
        scores = np.sort(self._model.predict_proba(part.texts), axis=1)[:, ::-1][:, :_TOP]
        return np.pad(scores, ((0, 0), (0, _TOP - scores.shape[1])))


def attack_auc(
    shadow: Classifier,
    shadow_parts: tuple[LabeledSentences, LabeledSentences],
    target: Classifier,
    target_parts: tuple[LabeledSentences, LabeledSentences],
) -> float:
    """Return the area under the ROC curve of the attack; 0.5 is guessing.

    Args:
        shadow: the attacker's own model.
        shadow_parts: sentences whose rewritten form it was trained on, and others; as typed.
        target: the model under attack.
        target_parts: the same of that.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    def answers(
        model: Classifier, parts: tuple[LabeledSentences, LabeledSentences]
    ) -> tuple[Any, Any]:
        scores = [model.scores(part) for part in parts]
        return np.concatenate(scores), np.repeat([1, 0], [len(part) for part in scores])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        attack = LogisticRegression(max_iter=1_000).fit(*answers(shadow, shadow_parts))
    scores, members = answers(target, target_parts)
    return float(roc_auc_score(members, attack.predict_proba(scores)[:, 1]))
