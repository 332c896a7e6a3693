"""Word vectors that a training starts from."""

from __future__ import annotations

import numpy as np

from brrkit.errors import ParameterError
from brrkit_adept.network import Array
from brrkit_adept.sentence_vocabulary import SentenceVocabulary
from brrkit_toolchain.embeddings.reader import Embeddings


def pretrained(vocabulary: SentenceVocabulary, embeddings: Embeddings, size: int) -> Array:
    """Return the vectors float32[tokens, size] of a vocabulary; NaN where there is none.

    Their mean is removed, their longest ``size`` directions are kept (all of them, if there are
    fewer), and their mean length is 1, that of the random vectors of other words.

    Raises:
        ParameterError: none of the words has a vector.
    """
    numbers = {word: number for number, word in enumerate(embeddings.words)}
    places = [i for i, word in enumerate(vocabulary.words) if word in numbers]
    if not places:
        raise ParameterError(
            f"{embeddings.source.name}: has none of the words of the training sentences; use word "
            "vectors of their language"
        )
    vectors = embeddings.vectors[[numbers[vocabulary.words[i]] for i in places]]
    vectors = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    vectors = vectors @ directions[:, ::-1][:, :size]
    vectors /= max(float(np.linalg.norm(vectors, axis=1).mean()), 1e-12)
    result = np.full((vocabulary.size, size), np.nan, np.float32)
    rows = np.array(places) + vocabulary.first_word
    result[rows, : vectors.shape[1]] = vectors
    return result
