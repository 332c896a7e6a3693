"""Vectors for frequent words of a text that have none, from the words around them and spelling.

The mean vector of the words around a word, with more weight on rare ones (Arora, Liang, Ma 2017),
predicts its own (Khodak et al. 2018, "A La Carte Embedding"). So do its character n-grams, as in
FastText (Bojanowski et al. 2017). A ridge regression learns both from words with a vector, in its
dual form: over pairs of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from brrkit.errors import ParameterError
from brrkit.tokenizer import Token, Tokenizer
from brrkit_toolchain.language.run_cache import RunCache

FEWEST_TEXTS = 20
"""Smallest number of texts with a word that gets a vector, or from which the regression learns."""

FEWEST_WORDS = 100
"""Smallest number of words with a vector from which the regression learns."""

LEAST_COSINE = 0.3
"""Smallest mean cosine between made vectors and words' own, about the mean of all. Below it, no
word gets a vector."""

_MOST_WORDS = 4_000  # words from which it learns; the time grows with their cube
_EACH = 5  # one in this number of words is held out
_NEAREST = 10
_WINDOW = 5  # words on each side
_RARE = 1e-3  # a word with this share of the text has half the weight of the rarest
_SHORTEST_GRAM, _LONGEST_GRAM = 2, 5  # characters
# Among weights of n-grams from 0 to 1 and ridges from 0.03 to 0.3, these kept most neighbors of
# vectors with 25 and 300 dimensions.
_WEIGHT_OF_GRAMS = 0.2
_RIDGE = 0.1


@dataclass(frozen=True)
class FilledVectors:
    """The number and the quality of made vectors.

    Attributes:
        added: number of words that got a vector.
        held_out: number of words with a vector for which another one was made, without their own.
        cosine: mean cosine between these made vectors and the words' own, about the mean of all.
        nearest: share of these made vectors whose ten nearest words include their own word.
    """

    added: int
    held_out: int
    cosine: float
    nearest: float


@dataclass(frozen=True)
class Filled:
    """Words with vectors, a text's most frequent first, then those that it lacks.

    Attributes:
        words: the n words.
        vectors: float32[n, d], their vectors.
        judged: quality of the made vectors.
    """

    words: list[str]
    vectors: NDArray[np.float32]
    judged: FilledVectors


def fill_vectors(
    tokenizer: Tokenizer,
    vectors: NDArray[np.float32],
    texts: Iterable[str],
    least: int,
    wanted: Callable[[str], bool],
    name: str,
) -> Filled:
    """Make vectors for frequent words of texts. The texts take 4 bytes of memory a word.

    Args:
        tokenizer: tokenizer of n words that have a vector.
        vectors: float32[n, d], the vectors of these words.
        texts: public texts.
        least: smallest number of texts with a word whose place or vector is shown.
        wanted: function that tells whether an unknown word shall get a vector.
        name: name of the texts, for messages.

    Raises:
        ParameterError: too few words with a vector are frequent.
    """
    known = list(tokenizer.vocabulary)
    numbers, others = _read(tokenizer, texts)
    size = len(known) + len(others)
    having = _counted(map(np.unique, numbers), size)
    enough = max(least, FEWEST_TEXTS)
    order = np.argsort(-having[: len(known)], kind="stable")
    taught = order[having[order] >= enough][:_MOST_WORDS]
    if len(taught) < FEWEST_WORDS:
        raise ParameterError(
            f"{name}: only {len(taught):,} words with a vector occur in {enough} or more of its "
            f"texts, and learning the vectors of others takes {FEWEST_WORDS}; give more text"
        )
    new = [
        len(known) + place
        for place, word in enumerate(others)
        if having[len(known) + place] >= enough and wanted(word)
    ]
    words = [*known, *(others[place - len(known)] for place in new)]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions = vectors / lengths
    rows = np.concatenate([taught, np.array(new, np.int64)])
    likeness = _Likeness(
        _around(numbers, rows, directions, size),
        _grams([known[i] for i in taught.tolist()] + words[len(known) :]),
        len(taught),
    )
    held = np.arange(len(taught)) % _EACH == 0
    seen, unseen = np.flatnonzero(~held), np.flatnonzero(held)
    cosine, nearest = _judged(
        _made(likeness, seen, directions[taught[seen]], unseen), taught[unseen], directions
    )
    if cosine < LEAST_COSINE:
        new, words = [], known
    behind = np.arange(len(taught), len(taught) + len(new))
    made = _made(likeness, np.arange(len(taught)), directions[taught], behind)
    made *= np.median(lengths)
    often = _counted(numbers, size)
    often[having < least] = 0
    order = np.argsort(-often[[*range(len(known)), *new]], kind="stable")
    return Filled(
        [words[i] for i in order.tolist()],
        np.concatenate([vectors, made])[order],
        FilledVectors(len(new), len(unseen), cosine, nearest),
    )


def _read(tokenizer: Tokenizer, texts: Iterable[str]) -> tuple[list[NDArray[np.int32]], list[str]]:
    """Return each text as ids int32[t], and the words with ids beyond the vocabulary."""
    others: dict[str, int] = {}
    size = len(tokenizer.vocabulary)

    def number(token: Token) -> int:
        if token.word_id is not None:
            return token.word_id
        return size + others.setdefault(token.text.strip("'"), len(others))

    cache = RunCache(tokenizer, number)
    ids = [np.frombuffer(cache.read(text), np.int64).astype(np.int32) for text in texts]
    return ids, list(others)


def _counted(texts: Iterable[NDArray[np.int32]], size: int) -> NDArray[np.int64]:
    """Return the number of occurrences in ``texts`` of each id below ``size``."""
    ids = np.concatenate([np.zeros(0, np.int32), *texts])
    return np.bincount(ids, minlength=size)


def _around(
    texts: Sequence[NDArray[np.int32]],
    rows: NDArray[np.int64],
    directions: NDArray[np.float32],
    size: int,
) -> NDArray[np.float32]:
    """Return the mean direction of the known words around each of ``rows``, float32[r, d]."""
    known = len(directions)
    gap = np.full(_WINDOW, size, np.int32)
    ids = np.concatenate([gap, *chain.from_iterable((text, gap) for text in texts)])
    often = np.bincount(ids, minlength=size + 1)[:known]
    weights = _RARE / (_RARE + often / max(1, often.sum()))
    row_of = np.full(size + 1, -1)
    row_of[rows] = np.arange(len(rows))
    counts = sparse.csr_array((len(rows), known))
    for distance in range(1, _WINDOW + 1):
        for one, other in ((ids[:-distance], ids[distance:]), (ids[distance:], ids[:-distance])):
            both = (row_of[one] >= 0) & (other < known)
            pairs = (row_of[one[both]], other[both])
            counts = counts + sparse.csr_array((np.ones(len(pairs[0])), pairs), counts.shape)
    weighted = (counts @ sparse.diags_array(weights)).astype(np.float32)
    total = np.maximum(weighted.sum(axis=1).reshape(-1, 1), np.float32(1e-9))
    around: NDArray[np.float32] = (weighted @ directions) / total
    return around


def _grams(words: Sequence[str]) -> sparse.csr_array:
    """Return the counts of n-grams in each word, its ends marked, scaled to unit length [r, g]."""
    ids: dict[str, int] = {}
    rows, columns = [], []
    for row, word in enumerate(words):
        marked = f"<{word}>"
        for length in range(_SHORTEST_GRAM, _LONGEST_GRAM + 1):
            for start in range(len(marked) - length + 1):
                rows.append(row)
                columns.append(ids.setdefault(marked[start : start + length], len(ids)))
    counts = sparse.csr_array((np.ones(len(rows)), (rows, columns)), (len(words), len(ids)))
    lengths = np.sqrt((counts * counts).sum(axis=1))
    return sparse.csr_array(sparse.diags_array(1 / lengths) @ counts)


@dataclass(frozen=True)
class _Likeness:
    """Similarity of words, by the words around them and by spelling.

    Attributes:
        around: float32[r, d], mean direction of the words around each word.
        grams: [r, g], n-grams of each word, of unit length.
        taught: number of words with a vector, which come first.
    """

    around: NDArray[np.float32]
    grams: sparse.csr_array
    taught: int

    def of(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the similarity of words to others float64[rows, columns]."""
        taught = self.around[: self.taught]
        mean = taught.mean(axis=0)
        scale = np.square(taught - mean).sum(axis=1).mean()
        alike = (self.around[rows] - mean) @ (self.around[columns] - mean).T / scale
        grams = (self.grams[rows] @ self.grams[columns].T).toarray()
        found: NDArray[np.float64] = alike + _WEIGHT_OF_GRAMS * grams
        return found


def _made(
    likeness: _Likeness,
    seen: NDArray[np.int64],
    own: NDArray[np.float32],
    rows: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Return directions of some words, from those of others.

    Args:
        likeness: similarity of words.
        seen: rows of the words to learn from.
        own: float32[len(seen), d], their directions.
        rows: rows of the words that get a direction.

    Returns:
        float32[len(rows), d], of unit length.
    """
    alike, mean = likeness.of(seen, seen), own.mean(axis=0)
    alike[np.diag_indices(len(seen))] += _RIDGE
    weights = linalg.solve(alike, own - mean, assume_a="pos")
    made = np.empty((len(rows), own.shape[1]), np.float32)
    for start in range(0, len(rows), _MOST_WORDS):
        part = slice(start, start + _MOST_WORDS)
        made[part] = likeness.of(rows[part], seen) @ weights + mean
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = made / np.where(lengths > 0, lengths, np.float32(1))
    return scaled


def _judged(
    made: NDArray[np.float32], words: NDArray[np.int64], directions: NDArray[np.float32]
) -> tuple[float, float]:
    """Return the mean cosine of made directions and ``words``' own, and the number of nearest."""
    mean = directions[words].mean(axis=0)
    one, other = made - mean, directions[words] - mean
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    cosine = float(((one * other).sum(axis=1) / np.maximum(lengths, 1e-9)).mean())
    nearer = np.concatenate(
        [
            (directions @ row > directions[word] @ row).sum(keepdims=True)
            for row, word in zip(made, words.tolist(), strict=True)
        ]
    )
    return cosine, float((nearer < _NEAREST).mean())
