"""A different code for each word: of two words with one code, a mechanism releases only one."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.packing import pack


def distinct_signs(z: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    """Return the signs bool[n, bits] of ``z`` float32[n, bits], no two rows alike.

    Of equal rows, the first keeps its code, since it belongs to the most frequent word. In each
    other, as few bits as possible are flipped, those nearest to 0 first.
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
