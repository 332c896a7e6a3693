"""BRR: randomized response on the code, then the nearest word (BRR, Algorithm 3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import WordBundle
from brrkit.exact import flip_threshold, threshold_epsilon
from brrkit.premises import check_flips
from brrkit.randomizer import Randomizer
from brrkit.randomness import RandomSource


class BRR:
    """The paper's mechanism; metric DP for the Hamming distance by its Theorem 3.

    Proof: ``docs/explanation/proofs.md``, "brr".
    """

    def __init__(self, bundle: WordBundle, epsilon: float) -> None:
        """Prepare the randomizer.

        Raises:
            ParameterError: epsilon is out of range.
        """
        self.threshold = flip_threshold(epsilon)
        self.epsilon = float(epsilon)
        check_flips(self.threshold, self.epsilon)
        self.effective_epsilon = threshold_epsilon(self.threshold)
        self.setting = (b"brr", self.threshold.to_bytes(8, "little"))
        self.randomizer = Randomizer(bundle.graph, bundle.bits, self.threshold)
        self.k = 1
        self._index = bundle.index

    def __call__(
        self,
        codes: NDArray[np.uint64],
        random: RandomSource,
        before: int | None = None,  # noqa: ARG002 - without a base measure, words are independent
    ) -> NDArray[np.intp]:
        """Return the ids nearest to the noised codes; 4 * bits random bytes for each."""
        ids, _ = self._index.nearest(self.randomizer(codes, random))
        return ids[:, 0]
