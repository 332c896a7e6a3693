"""BRR in batches, with the runtime's flip threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit.exact import flip_threshold, threshold_epsilon
from brrkit_toolchain.codes.packing import pack
from brrkit_toolchain.simulate.faiss_search import CodeSearch, in_batches
from brrkit_toolchain.simulate.mechanism import OnCodes


class BRR:
    """Randomized response on the code, then the nearest word (BRR, Algorithm 3)."""

    def __init__(
        self, codes: NDArray[np.uint64], epsilon: float, generator: np.random.Generator
    ) -> None:
        """Index ``codes`` uint64[n, bits / 64]; ``epsilon`` is per bit of Hamming distance."""
        self.epsilon = epsilon
        self.search = CodeSearch(codes)
        self._threshold = flip_threshold(epsilon)
        self._generator = generator

    def noised(self, ids: NDArray[np.intp]) -> NDArray[np.uint64]:
        """Return the noised codes uint64[m, bits / 64] of the words ``ids`` [m]."""
        codes = self.search.codes[ids]
        shape = (len(ids), codes.shape[1] * 64)
        flips = self._generator.integers(1 << 32, size=shape, dtype=np.uint32) < self._threshold
        noised: NDArray[np.uint64] = codes ^ pack(flips)
        return noised

    def __call__(self, ids: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the released word's id for each of ``ids``, drawn independently."""
        return in_batches(ids, lambda part: self.search.nearest(self.noised(part))[0][:, 0])

    def suspects(self, ids: NDArray[np.intp], prior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable input, given the noised code, for each of ``ids``."""
        from brrkit_toolchain.codes.pairs import most_probable

        bits = self.search.codes.shape[1] * 64
        table = np.exp(-threshold_epsilon(self._threshold) * np.arange(bits + 1))
        return most_probable(self.noised(ids), self.search.codes, table, prior)[1]


MECHANISM = OnCodes(BRR)
