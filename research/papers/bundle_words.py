"""The evaluated words: those of a bundle, with the vectors from which it was built."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import EPSILON_MAX, EPSILON_MIN
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import Setting
from brrkit_toolchain.channel import BatchedMechanism, Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.manifest_info import manifest_info
from brrkit_toolchain.channel.privacy_loss.distances import (
    mahalanobis_metric,
    measure_distances,
    stated_distance,
)
from brrkit_toolchain.embeddings.of_bundle import read_matching
from research.papers.contenders import Contender


@dataclass(frozen=True)
class BundleWords:
    """Words with their codes and vectors, and the average distance of each metric.

    Attributes:
        words: words in rank order.
        codes: uint64[n, bits / 64].
        vectors: float32[n, d], the source embeddings.
        averages: P_avg by metric: ``hamming`` and ``euclidean``.
        description: data on which results depend, for their settings.
    """

    words: Sequence[str]
    codes: NDArray[np.uint64]
    vectors: NDArray[np.float32]
    averages: Mapping[str, float]
    description: Mapping[str, Any]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that results on these words must share."""
        return {**self.description, "averages": dict(self.averages)}

    def estimated_losses(
        self, madlib_epsilons: Sequence[float], own: Sequence[float], *, coarse: bool
    ) -> list[float]:
        """Return the values of E = epsilon * P_avg at which to measure.

        Args:
            madlib_epsilons: chosen ones, of Madlib.
            own: E of the experiment, for when none are chosen; those beyond the codes' are left
                out.
            coarse: whether to take only every other one of ``own``.

        Raises:
            ParameterError: a chosen epsilon isn't positive, or too small or large for the codes.
        """
        smallest, largest = (end * self.averages["hamming"] for end in (EPSILON_MIN, EPSILON_MAX))
        for epsilon in madlib_epsilons:
            if not smallest <= epsilon * self.averages["euclidean"] <= largest:
                on_codes = epsilon * self.averages["euclidean"] / self.averages["hamming"]
                raise ParameterError(
                    f"epsilon {epsilon:g} of Madlib is {on_codes:.3g} on the codes, which isn't "
                    f"from {EPSILON_MIN:g} to {EPSILON_MAX:g}; choose another --epsilon"
                )
        if madlib_epsilons:
            return [epsilon * self.averages["euclidean"] for epsilon in madlib_epsilons]
        return [
            estimated_loss
            for estimated_loss in own[:: 2 if coarse else 1]
            if estimated_loss <= largest
        ]

    def average(self, contender: Contender) -> float:
        """Return P_avg of the contender's metric.

        Divided by it, E = epsilon * P_avg gives the contender's epsilon (BRR, eq. 3).
        """
        if contender.mechanism == "mahalanobis":
            return mahalanobis_metric(self.vectors, contender.parameters).average
        return self.averages["hamming" if contender.mechanism in MECHANISMS else "euclidean"]

    def mechanism(
        self, contender: Contender, epsilon: float, generator: np.random.Generator
    ) -> BatchedMechanism:
        """Return the contender on these words."""
        return Channel(
            bundle_of(self.codes),
            Setting(epsilon, contender.mechanism, contender.parameters),
            self.vectors,
        ).releaser(generator)

    def restricted(self, ids: NDArray[np.intp]) -> BundleWords:
        """Return only the words ``ids``, as if there were no others."""
        codes, vectors = self.codes[ids], self.vectors[ids]
        distances = measure_distances(vectors, codes)
        return BundleWords(
            [self.words[i] for i in ids],
            codes,
            vectors,
            # Rounded, because the continuation of a run must not depend on the order of a sum.
            {
                "hamming": float(f"{distances.hamming.average:.5g}"),
                "euclidean": float(f"{distances.euclidean.average:.5g}"),
            },
            self.description,
        )


def open_bundle_words(bundle: Path, embeddings: str, *, progress: bool = True) -> BundleWords:
    """Open a bundle and read the vectors of its words.

    Raises:
        BrrError: one can't be read.
        ParameterError: the embeddings aren't those that the bundle was built from.
    """
    opened = WordBundle.open(bundle)
    source = read_matching(opened, embeddings, progress=progress)
    return BundleWords(
        source.words,
        opened.codes,
        source.vectors,
        {name: stated_distance(opened, name, "average") for name in ("hamming", "euclidean")},
        {
            "codes": hashlib.sha256(opened.codes.tobytes()).hexdigest(),
            "embeddings": source.source.name,
            "words": len(opened),
            "bits": opened.bits,
            "method": manifest_info(opened.manifest).method or "unknown",
            "dimensions": source.vectors.shape[1],
        },
    )
