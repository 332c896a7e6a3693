"""No two words with one code: of two such words one could never come out of a mechanism."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.packing import pack


def distinct_signs(z: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """Return the signs bool[n, bits] of ``z`` float32[n, bits], no two rows alike.

    Where rows are equal the first keeps its code, being the most frequent word's; in the others
    the bits nearest to 0 are flipped, as few as it takes.
    """
    bits = z >= 0
    packed = pack(bits)
    taken = {code.tobytes() for code in packed}
    _, first = np.unique(packed, axis=0, return_index=True)
    for row in np.setdiff1d(np.arange(len(z)), first):
        by_doubt = np.argsort(np.abs(z[row]), kind="stable")
        flips = chain.from_iterable(
            combinations(by_doubt, count) for count in range(1, len(by_doubt))
        )
        for flip in flips:
            changed = bits[row].copy()
            changed[list(flip)] ^= True
            code = pack(changed[None]).tobytes()
            if code not in taken:
                break
        bits[row] = changed
        taken.add(code)
    return bits
