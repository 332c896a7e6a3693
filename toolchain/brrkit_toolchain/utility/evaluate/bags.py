"""A classifier of whole texts: logistic regression on TF-IDF word counts."""

from __future__ import annotations

import numpy as np

from brrkit_toolchain.tasks.corpus import Texts

_INVERSE_PENALTY = 3.0  # inverse weight of the L2 penalty


def bag_accuracy(training: Texts, testing: Texts, words: int) -> float:
    """Return the accuracy on ``testing`` texts.

    Args:
        training: texts of at least two classes.
        testing: other texts.
        words: number of words in the vocabulary.
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    def bags(texts: Texts) -> csr_matrix:
        shape = (len(texts.labels), words)
        return csr_matrix((np.ones(len(texts.ids)), texts.ids, texts.offsets), shape=shape)

    model = make_pipeline(
        TfidfTransformer(sublinear_tf=True), LogisticRegression(C=_INVERSE_PENALTY, max_iter=1_000)
    )
    model.fit(bags(training), training.labels)
    return float((model.predict(bags(testing)) == testing.labels).mean())
