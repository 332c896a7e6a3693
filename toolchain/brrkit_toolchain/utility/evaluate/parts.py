"""The division of labeled texts into parts for the experiments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit_toolchain.tasks.corpus import Corpus

_FEWEST_TEXTS = 10


@dataclass(frozen=True)
class Parts:
    """Texts of the four parts of the data (BRR, section 6), as numbers of a corpus's texts.

    Attributes:
        train: half of the training data; models are trained on it.
        validation: the other half; nothing is trained on it.
        test: half of the testing data.
        reserve: the other half.
    """

    train: NDArray[np.intp]
    validation: NDArray[np.intp]
    test: NDArray[np.intp]
    reserve: NDArray[np.intp]


def split(corpus: Corpus, texts: int, generator: np.random.Generator) -> Parts:
    """Draw four disjoint parts of at most ``texts`` texts each.

    Raises:
        ParameterError: there are too few texts, or a part has only one class.
    """
    order = generator.permutation(len(corpus.labels))
    if corpus.testing is None:
        training, testing = order[: len(order) // 2], order[len(order) // 2 :]
    else:
        training, testing = order[~corpus.testing[order]], order[corpus.testing[order]]
    half = min(texts, len(training) // 2, len(testing) // 2)
    if half < _FEWEST_TEXTS:
        raise ParameterError(
            f"{len(training)} texts for training and {len(testing)} for testing are too few; at "
            f"least {2 * _FEWEST_TEXTS} of each are needed"
        )
    parts = (training[:half], training[-half:], testing[:half], testing[-half:])
    if any(np.ptp(corpus.labels[part]) == 0 for part in parts):
        raise ParameterError("a part of the texts has only one class; use more texts")
    return Parts(*parts)
