"""Distances of a mechanism's own metric: what makes its epsilon comparable (BRR, appendix A)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import BundleError
from brrkit.exact import as_number
from brrkit_toolchain.simulate import ON_CODES
from brrkit_toolchain.simulate.mahalanobis import Mahalanobis

_PAIRS = 200_000
_BATCH = 4_096  # pairs whose vectors are held at once


@dataclass(frozen=True)
class Metric:
    """Distances over all pairs of words, in the metric of a mechanism.

    Times epsilon they estimate and bound the privacy loss (BRR, section 5 and equation 8).

    Attributes:
        average: P_avg (BRR, equation 7).
        maximum: P_max (equation 6); with ``exact`` false, the largest distance seen.
        exact: whether every pair was visited.
    """

    average: float
    maximum: float
    exact: bool


def stated_distance(bundle: WordBundle, *path: str) -> float:
    """Return a number from the manifest's ``distances``, by its path of fields.

    Raises:
        BundleError: it isn't a positive number.
    """
    value: Any = bundle.manifest.get("distances")
    for field in path:
        value = value.get(field) if isinstance(value, dict) else None
    number = as_number(value)
    if not 0 < number < inf:
        raise BundleError(
            f"{bundle.path}: field 'distances.{'.'.join(path)}' of the manifest isn't a positive "
            "number; rebuild the bundle, from words that differ"
        )
    return number


def metric_of(
    name: str, bundle: WordBundle, vectors: NDArray[np.float32] | None, parameters: dict[str, Any]
) -> Metric:
    """Return the distances of the metric in which the mechanism ``name`` is private.

    Hamming for the device's mechanisms and Euclidean for those with Laplace noise, both from the
    manifest. Mahalanobis's are of random pairs, from ``vectors`` float32[n, d].

    Raises:
        BundleError: the manifest has no usable distances.
        ParameterError: lambda is out of range.
    """
    if name == "mahalanobis" and vectors is not None:
        return mahalanobis_metric(vectors, parameters)
    field = "hamming" if name in ON_CODES else "euclidean"
    return Metric(
        stated_distance(bundle, field, "average"),
        stated_distance(bundle, field, "maximum"),
        bundle.manifest["distances"][field].get("exact") is True,
    )


def mahalanobis_metric(vectors: NDArray[np.float32], parameters: Mapping[str, Any]) -> Metric:
    """Return the distances of random pairs of ``vectors`` float32[n, d] in Mahalanobis's metric.

    Raises:
        ParameterError: lambda is out of range.
    """
    generator = np.random.default_rng(0)
    left, right = generator.integers(len(vectors), size=(2, _PAIRS))
    mechanism = Mahalanobis(vectors, 1.0, generator, **parameters)
    distances = np.concatenate(
        [
            mechanism.distances(vectors[left[i : i + _BATCH]], vectors[right[i : i + _BATCH]])
            for i in range(0, _PAIRS, _BATCH)
        ]
    )
    return Metric(float(distances.mean()), float(distances.max()), False)
