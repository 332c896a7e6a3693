"""A classifier of texts like fastText: the mean of word vectors, then a linear layer.

Joulin et al. (2017) also learn the word vectors. Here they are the fixed source embeddings, because
a larger model would need more labeled texts than most users have.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.tasks.corpus import Texts

# Inverse of the L2 penalty, on features of unit variance. Instead, fastText stops after a few
# epochs. Without either, the classifier memorizes a few hundred texts.
_INVERSE_PENALTY = 0.01


class Classifier:
    """Logistic regression on the mean vector of a text."""

    def __init__(self, texts: Texts, vectors: NDArray[np.float32]) -> None:
        """Train on ``texts`` of at least two classes; ``vectors`` are float32[n, d]."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        self._vectors = vectors
        self._model = make_pipeline(
            StandardScaler(), LogisticRegression(C=_INVERSE_PENALTY, max_iter=1_000)
        )
        with warnings.catch_warnings():
            # On separable texts, the coefficients grow slowly, but the decisions don't change.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self._model.fit(mean_vectors(texts, vectors), texts.labels)

    def probabilities(self, texts: Texts, classes: int) -> NDArray[np.float64]:
        """Return the probability [m, classes] of each class; 0 for one without training texts."""
        result = np.zeros((len(texts.labels), classes))
        seen = self._model[-1].classes_
        result[:, seen] = self._model.predict_proba(mean_vectors(texts, self._vectors))
        return result

    def accuracy(self, texts: Texts) -> float:
        """Return the share of correctly classified ``texts``."""
        found = self._model.predict(mean_vectors(texts, self._vectors))
        return float((found == texts.labels).mean())


def mean_vectors(texts: Texts, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean vector float32[m, d] of the words of each text."""
    from scipy.sparse import csr_array

    shape = (len(texts.labels), len(vectors))
    counts = csr_array((np.ones(len(texts.ids), np.float32), texts.ids, texts.offsets), shape=shape)
    sums: NDArray[np.float32] = counts @ vectors
    lengths: NDArray[np.float32] = np.diff(texts.offsets).astype(np.float32)
    return sums / lengths[:, None]
