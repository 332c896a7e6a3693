"""Vickrey in batches: noise, then one of the nearest words at random (Vickrey, Algorithms 1 and 3).

``code_vickrey`` is the device's, after randomized response; ``vector_vickrey`` the paper's, after
Laplace noise.

As on the device, the candidates are the whole vocabulary: leaving the input word out, as the
printed algorithms do, would break the guarantee. Proof: ``docs/privacy.md``, "vickrey".
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.mechanisms.vickrey import DEFAULT_T
from brrkit_toolchain.simulate.brr import BRR
from brrkit_toolchain.simulate.faiss_search import in_batches
from brrkit_toolchain.simulate.laplace import Laplace
from brrkit_toolchain.simulate.mechanism import OnCodes


def candidates(t: float | Sequence[float], vocabulary: int) -> int:
    """Return k, the number of nearest words that ``t`` chooses among.

    Raises:
        ParameterError: t isn't as in ``choose``, or there are fewer than k words.
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
        distances: [m, k] from the noised input to its nearest words, ascending.
        t: a number in [0, 1] with k = 2 (Algorithm 1), or t_1 ... t_k (Algorithm 3).
        generator: makes the choice.
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
    # A product can round up to the total: the last candidate with a weight, then.
    last: NDArray[np.intp] = weights.shape[1] - 1 - (weights[:, ::-1] > 0).argmax(axis=1)
    return np.minimum(chosen, last)


class Vickrey:
    """Another mechanism's noise, then one of the k nearest words at random; t = 0 is that one."""

    def __init__(
        self,
        noisy: BRR | Laplace,
        k: int,
        t: float | Sequence[float],
        generator: np.random.Generator,
    ) -> None:
        """Take the mechanism that adds the noise, and k and t as in ``candidates``."""
        self._noisy = noisy
        self._k = k
        self._t = t
        self._generator = generator

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return in_batches(ids, self._release)

    def suspects(self, ids: NDArray[np.intp], prior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable input, given the noised one, for each of ``ids``."""
        return self._noisy.suspects(ids, prior)

    def _release(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        noised: Any = self._noisy.noised(ids)  # what its own search takes
        near, distances = self._noisy.search.nearest(noised, self._k)
        return near[np.arange(len(ids)), choose(distances, self._t, self._generator)]


def code_vickrey(
    codes: NDArray[np.uint64],
    epsilon: float,
    generator: np.random.Generator,
    t: float | Sequence[float] = DEFAULT_T,
) -> Vickrey:
    """Return the device's mechanism on ``codes`` uint64[n, bits / 64]; ``t`` as in ``choose``.

    Raises:
        ParameterError: epsilon or t is out of range.
    """
    k = candidates(t, len(codes))
    return Vickrey(BRR(codes, epsilon, generator), k, t, generator)


def vector_vickrey(
    vectors: NDArray[np.float32],
    epsilon: float,
    generator: np.random.Generator,
    t: float | Sequence[float] = DEFAULT_T,
) -> Vickrey:
    """Return the full-size mechanism on ``vectors`` float32[n, d]; epsilon is per unit of L2.

    Raises:
        ParameterError: t, as in ``choose``, is out of range.
    """
    k = candidates(t, len(vectors))
    return Vickrey(Laplace(vectors, epsilon, generator), k, t, generator)


def _default(_bits: int) -> dict[str, float]:
    return {"t": DEFAULT_T}


MECHANISM = OnCodes(
    code_vickrey,
    defaults=_default,
    chosen="t",
    experiments={"t": DEFAULT_T},
    variant=f"t={DEFAULT_T}",
)
