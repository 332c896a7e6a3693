"""The meaning that a mechanism keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.exact import EPSILON_MAX, EPSILON_MIN
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Setting
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.full_size import laplace_at_each
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.privacy_loss.distances import DistanceStatistics
from brrkit_toolchain.utility.neighbors import pair_cosines


@dataclass(frozen=True)
class Utility:
    """The utility of released words.

    Attributes:
        unchanged: share of words that are released unchanged.
        cosine: mean cosine between output and input vectors, after subtraction of the mean vector.
    """

    unchanged: float
    cosine: float


def release_utility(
    vectors: NDArray[np.float32], inputs: NDArray[np.intp], outputs: NDArray[np.intp]
) -> Utility:
    """Compare released words with their inputs.

    Args:
        vectors: float32[n, d], the source embeddings.
        inputs: ids of the input words.
        outputs: ids of the released words.
    """
    return _kept(vectors, vectors.mean(axis=0), inputs, outputs)


def _kept(
    vectors: NDArray[np.float32],
    mean: NDArray[np.float32],
    inputs: NDArray[np.intp],
    outputs: NDArray[np.intp],
) -> Utility:
    before, after = vectors[inputs] - mean, vectors[outputs] - mean
    cosines = pair_cosines(before, after)
    return Utility(float((inputs == outputs).mean()), float(cosines.mean()))


@dataclass(frozen=True)
class CodedVectors:
    """Words as vectors, and as codes.

    Attributes:
        vectors: float32[n, d], the source embeddings.
        codes: uint64[n, bits / 64].
        distances: distances in both metrics, for P_avg.
        task_bits: number of task bits, the last bits of a code.
    """

    vectors: NDArray[np.float32]
    codes: NDArray[np.uint64]
    distances: DistanceStatistics
    task_bits: int = 0

    @cached_property
    def mean(self) -> NDArray[np.float32]:
        """The mean vector float32[d]."""
        found: NDArray[np.float32] = self.vectors.mean(axis=0)
        return found


def utility_at(
    estimated_loss: float,
    name: str,
    words: CodedVectors,
    ids: NDArray[np.intp],
    generator: np.random.Generator,
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> Utility:
    """Return the utility of a mechanism at an E = epsilon * P_avg.

    Args:
        estimated_loss: E.
        name: name of the mechanism, one on codes or ``LAPLACE``.
        words: words of the vocabulary.
        ids: ids of the input words; each is released once.
        generator: source of the noise.
        parameters: parameters of the mechanism.
    """
    metric = words.distances.hamming if name in MECHANISMS else words.distances.euclidean
    epsilon = epsilon_of_estimated_loss(estimated_loss, metric.average)
    bundle = bundle_of(words.codes, task_bits=words.task_bits)
    channel = Channel(bundle, Setting(epsilon, name, parameters), words.vectors)
    return _kept(words.vectors, words.mean, ids, channel.releaser(generator)(ids))


def laplace_utility(
    estimated_losses: Sequence[float],
    words: CodedVectors,
    ids: NDArray[np.intp],
    generator: np.random.Generator,
) -> list[Utility]:
    """Return the utility of ``LAPLACE`` at each E, like ``utility_at``, with the same noise.

    Args:
        estimated_losses: each E.
        words: words of the vocabulary.
        ids: ids of the input words; each is released once at each E.
        generator: source of the noise.
    """
    average = words.distances.euclidean.average
    epsilons = [epsilon_of_estimated_loss(loss, average) for loss in estimated_losses]
    released = laplace_at_each(words.vectors, ids, epsilons, generator)
    return [_kept(words.vectors, words.mean, ids, outputs) for outputs in released]


def epsilon_of_estimated_loss(estimated_loss: float, average: float) -> float:
    """Return the epsilon with this epsilon * P_avg, within the device's limits."""
    return min(max(estimated_loss / average, EPSILON_MIN), EPSILON_MAX) if average else EPSILON_MAX
