"""The full-size mechanisms of the papers: noise on the words' float vectors.

They serve to compare the device's mechanisms with, for many words at once. Their noise is floating
point from a seeded generator. Use them for experiments, never for releases.

``laplace`` is Madlib: multivariate Laplace noise (BRR, Algorithm 1). ``mahalanobis`` is the
regularized Mahalanobis mechanism (Xu et al. 2020, PrivateNLP; a baseline of Vickrey, section 4):
metric DP for d(x, y) = ||S^(-1/2) (x - y)||_2 with S = lambda * C + (1 - lambda) * I, where C is
the sample covariance of the vectors, scaled to the trace d. So its noise is proportional to the
spread of the words. ``laplace-vickrey`` adds Laplace noise, and then chooses one of the nearest
words at random (Vickrey, Algorithms 1 and 3). Its candidates are the whole vocabulary: leaving out
the input word, as in the printed algorithms, would break the guarantee. Proof:
``docs/explanation/proofs.md``, "vickrey".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.mechanisms.vickrey import DEFAULT_T

_WORDS_AT_A_TIME = 4_096
_ROWS_AT_A_TIME = 256  # rows whose distances from all words are in memory
_COLUMNS_AT_A_TIME = 1_024  # columns of distances in memory


def laplace_noise(
    shape: tuple[int, int], epsilon: float, generator: np.random.Generator
) -> NDArray[np.float32]:
    """Return float32[m, d] noise with density proportional to exp(-epsilon * ||z||_2).

    The noise has the direction of a Gaussian vector, and a length from Gamma(d, 1 / epsilon).

    Raises:
        ParameterError: epsilon isn't a positive number.
    """
    if not 0 < epsilon < inf:
        raise ParameterError(f"epsilon must be a positive number, not {epsilon:g}")
    directions = generator.standard_normal(shape, np.float32)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radii = generator.gamma(shape[1], 1 / epsilon, shape[0])
    return directions * radii[:, None].astype(np.float32)


class VectorSearch:
    """Float vectors, searched by L2 distance."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        """Index ``vectors`` float32[n, d] with IndexFlatL2."""
        import faiss

        self.vectors = np.ascontiguousarray(vectors, np.float32)
        self._index = faiss.IndexFlatL2(vectors.shape[1])
        self._index.add(self.vectors)

    def nearest(
        self, queries: NDArray[np.float32], k: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return ids and distances [m, k] of the k vectors nearest to ``queries`` float32[m, d]."""
        squares, ids = self._index.search(queries, k)
        return ids, np.sqrt(np.maximum(squares, 0))


class Laplace:
    """Multivariate Laplace noise on the word vector, then the nearest word by L2 distance."""

    def __init__(
        self, vectors: NDArray[np.float32], epsilon: float, generator: np.random.Generator
    ) -> None:
        """Index ``vectors`` float32[n, d]; ``epsilon`` is per unit of L2 distance."""
        self.epsilon = epsilon
        self.search = VectorSearch(vectors)
        self._generator = generator

    def noised(self, ids: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the noised vectors float32[m, d] of the words ``ids`` [m]."""
        vectors = self.search.vectors[ids]
        return vectors + laplace_noise(vectors.shape, self.epsilon, self._generator)

    def __call__(
        self,
        ids: NDArray[np.intp],
        texts: NDArray[np.intp] | None = None,  # noqa: ARG002 - each is drawn by itself
        stood_in: NDArray[np.bool_] | None = None,  # noqa: ARG002 - no word passes
    ) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return _in_batches(ids, lambda part: self.search.nearest(self.noised(part))[0][:, 0])

    def release_and_guess(
        self, ids: NDArray[np.intp], prior: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the output, and the most probable input, given another noised vector."""
        return self(ids), self.guess(ids, prior)

    def guess(self, ids: NDArray[np.intp], prior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable input, given the noised vector, for each of ``ids``."""
        return _in_batches(
            ids,
            lambda part: _most_probable(
                self.noised(part), self.search.vectors, self.epsilon, prior
            ),
        )


def laplace_at_each(
    vectors: NDArray[np.float32],
    ids: NDArray[np.intp],
    epsilons: Sequence[float],
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Return the releases of ``Laplace`` at each epsilon, int64[e, m], by the same random numbers.

    So differences between epsilons aren't noise, and the products of all vectors with the words'
    vectors and with the noise serve every epsilon. Each release has the distribution for its
    epsilon.

    Args:
        vectors: float32[n, d].
        ids: ids [m] of the words.
        epsilons: positive numbers, per unit of L2 distance.
        generator: source of the noise.
    """
    from threadpoolctl import threadpool_limits

    from brrkit_toolchain.codes.scans import over_rows

    noise = laplace_noise((len(ids), vectors.shape[1]), 1.0, generator)
    halves = np.einsum("ij,ij->i", vectors, vectors) / 2
    released = np.zeros((len(epsilons), len(ids)), np.int64)

    def release(start: int, stop: int) -> None:
        for top in range(start, stop, _ROWS_AT_A_TIME):
            rows = slice(top, min(top + _ROWS_AT_A_TIME, stop))
            words, alone = vectors[ids[rows]], noise[rows]
            least = np.full((len(epsilons), len(words)), inf, np.float32)
            places = np.arange(len(words))
            for first in range(0, len(vectors), _COLUMNS_AT_A_TIME):
                others = vectors[first : first + _COLUMNS_AT_A_TIME].T
                # Half of the squared distance, up to a constant.
                typed = halves[first : first + _COLUMNS_AT_A_TIME] - words @ others
                shift = alone @ others
                for place, epsilon in enumerate(epsilons):
                    found = shift * np.float32(-1 / epsilon)
                    found += typed
                    named = found.argmin(axis=1)
                    nearer = found[places, named] < least[place]
                    least[place, nearer] = found[places, named][nearer]
                    released[place, rows][nearer] = first + named[nearer]

    with threadpool_limits(1, "blas"):  # threads that wait for a share of a product take time
        over_rows(release, len(ids), description="Laplace", progress=False)
    return released


class Mahalanobis:
    """Elliptical noise on the word vector, then the nearest word by L2 distance."""

    def __init__(
        self,
        vectors: NDArray[np.float32],
        epsilon: float,
        generator: np.random.Generator,
        lambda_: float = 1.0,
    ) -> None:
        """Index the vectors and compute the metric.

        Args:
            vectors: float32[n, d].
            epsilon: per unit of the regularized Mahalanobis distance.
            generator: source of the noise.
            lambda_: from 0, the Laplace mechanism, to 1, the covariance alone.

        Raises:
            ParameterError: lambda is out of range.
        """
        if not 0 <= lambda_ <= 1:
            raise ParameterError(f"lambda must be a number from 0 to 1, not {lambda_:g}")
        self.epsilon = epsilon
        self._search = VectorSearch(vectors)
        self._generator = generator
        dimensions = vectors.shape[1]
        covariance = np.atleast_2d(np.cov(vectors, rowvar=False, dtype=np.float64))
        covariance *= dimensions / np.trace(covariance)
        shape = lambda_ * covariance + (1 - lambda_) * np.eye(dimensions)
        values, axes = np.linalg.eigh(shape)
        # The floor keeps the metric finite if the vectors lie in a subspace.
        self._scales = np.sqrt(np.maximum(values, 1e-6))
        self._axes = axes
        self._root = ((axes * self._scales) @ axes.T).astype(np.float32)

    def distances(
        self, left: NDArray[np.float32], right: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the metric's distance [m] of each row of ``left`` to that of ``right``."""
        whitened = (left - right).astype(np.float64) @ (self._axes / self._scales)
        result: NDArray[np.float64] = np.linalg.norm(whitened, axis=1)
        return result

    def noised(self, ids: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the noised vectors float32[m, d] of the words ``ids`` [m]."""
        vectors = self._search.vectors[ids]
        noise = laplace_noise(vectors.shape, self.epsilon, self._generator)
        noised: NDArray[np.float32] = vectors + noise @ self._root
        return noised

    def __call__(
        self,
        ids: NDArray[np.intp],
        texts: NDArray[np.intp] | None = None,  # noqa: ARG002 - each is drawn by itself
        stood_in: NDArray[np.bool_] | None = None,  # noqa: ARG002 - no word passes
    ) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return _in_batches(ids, lambda part: self._search.nearest(self.noised(part))[0][:, 0])

    def release_and_guess(
        self, ids: NDArray[np.intp], prior: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the output, and the most probable input, given another noised vector."""
        released = self(ids)
        whitening = (self._axes / self._scales).astype(np.float32)
        whitened = self._search.vectors @ whitening
        return released, _in_batches(
            ids,
            lambda part: _most_probable(
                self.noised(part) @ whitening, whitened, self.epsilon, prior
            ),
        )


class VectorVickrey:
    """Laplace noise, then one of the k nearest words at random; t = 0 is Laplace."""

    def __init__(
        self,
        vectors: NDArray[np.float32],
        epsilon: float,
        generator: np.random.Generator,
        t: float | Sequence[float] = DEFAULT_T,
    ) -> None:
        """Index ``vectors`` float32[n, d].

        Args:
            vectors: vectors of the words.
            epsilon: epsilon per unit of L2 distance.
            generator: source of the noise and of the choice.
            t: a number in [0, 1] with k = 2 (Algorithm 1), or t_1 ... t_k (Algorithm 3).

        Raises:
            ParameterError: t is out of range, or there are fewer than k words.
        """
        self._k = candidates(t, len(vectors))
        self._t = t
        self._noisy = Laplace(vectors, epsilon, generator)
        self._generator = generator

    def __call__(
        self,
        ids: NDArray[np.intp],
        texts: NDArray[np.intp] | None = None,  # noqa: ARG002 - each is drawn by itself
        stood_in: NDArray[np.bool_] | None = None,  # noqa: ARG002 - no word passes
    ) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return _in_batches(ids, self._release)

    def release_and_guess(
        self, ids: NDArray[np.intp], prior: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the output, and the most probable input, given another noised vector."""
        return self(ids), self._noisy.guess(ids, prior)

    def _release(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        near, distances = self._noisy.search.nearest(self._noisy.noised(ids), self._k)
        return near[np.arange(len(ids)), choose(distances, self._t, self._generator)]


def candidates(t: float | Sequence[float], vocabulary: int) -> int:
    """Return k, the number of nearest words from which ``t`` chooses.

    Raises:
        ParameterError: t is invalid for ``choose``, or there are fewer than k words.
    """
    values = list(t) if isinstance(t, Sequence) else [t]
    most = inf if isinstance(t, Sequence) else 1
    if not values or not all(0 <= value <= most and value < inf for value in values):
        raise ParameterError(
            f"t must be a number from 0 to 1, or a list of k numbers >= 0, not {values}"
        )
    k = len(values) if isinstance(t, Sequence) else 2
    if k > vocabulary:
        raise ParameterError(f"k = {k} is larger than the vocabulary of {vocabulary} words")
    return k


def choose(
    distances: NDArray[np.floating] | NDArray[np.integer],
    t: float | Sequence[float],
    generator: np.random.Generator,
) -> NDArray[np.intp]:
    """Return the rank [m] of the chosen candidate.

    Args:
        distances: [m, k], distances from the noised input to its nearest words, ascending.
        t: a number in [0, 1] with k = 2 (Algorithm 1), or t_1 ... t_k (Algorithm 3).
        generator: source of the choice.
    """
    d = distances.astype(np.float64)
    if isinstance(t, Sequence):
        exponents = d * np.array(t)
        weights = np.exp(exponents.min(axis=1, keepdims=True) - exponents)
    else:
        weights = np.stack([(1 - t) * d[:, 1], t * d[:, 0]], axis=1)
        weights[weights.sum(axis=1) == 0] = (1 - t, t)  # the nearest is the noised input itself
    cumulative = weights.cumsum(axis=1)
    numbers = generator.random(len(d)) * cumulative[:, -1]
    chosen: NDArray[np.intp] = (numbers[:, None] >= cumulative).sum(axis=1)
    # A product can round up to the total; then choose the last candidate with a weight.
    last: NDArray[np.intp] = weights.shape[1] - 1 - (weights[:, ::-1] > 0).argmax(axis=1)
    return np.minimum(chosen, last)


def _in_batches(
    ids: NDArray[np.intp], release: Callable[[NDArray[np.intp]], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Return ``release`` of all ``ids``, called with a few thousand at a time to bound memory."""
    released = np.empty(len(ids), np.int64)
    for start in range(0, len(ids), _WORDS_AT_A_TIME):
        released[start : start + _WORDS_AT_A_TIME] = release(ids[start : start + _WORDS_AT_A_TIME])
    return released


def _most_probable(
    noised: NDArray[np.float32],
    vectors: NDArray[np.float32],
    epsilon: float,
    prior: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the most probable input [m], given each of ``noised`` float32[m, d].

    The noise has a density proportional to exp(-epsilon * ||z||_2). Of equally probable words, the
    first is returned.

    Args:
        noised: vectors with noise.
        vectors: float32[n, d], vectors of all words.
        epsilon: epsilon of the noise.
        prior: [n], prior probability of each word.
    """
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    squares = (vectors.astype(np.float64) ** 2).sum(axis=1)
    named = np.empty(len(noised), np.int64)
    for start in range(0, len(noised), _ROWS_AT_A_TIME):
        part = noised[start : start + _ROWS_AT_A_TIME]
        own = (part.astype(np.float64) ** 2).sum(axis=1)[:, None]
        distances = np.sqrt(np.maximum(own + squares - 2 * (part @ vectors.T), 0))
        named[start : start + _ROWS_AT_A_TIME] = (log_prior - epsilon * distances).argmax(axis=1)
    return named
