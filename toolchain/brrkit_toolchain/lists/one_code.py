"""One code for all words of a list: what makes them one word to a mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit.policy import SecretList
from brrkit_toolchain.codes.packing import pack, unpack


def with_one_code(codes: NDArray[np.uint64], lists: Sequence[SecretList]) -> NDArray[np.uint64]:
    """Return ``codes`` in which the members of each list have one.

    Each of its bits is that of most members; where they are as many, the head's.

    Args:
        codes: uint64[n, bits / 64].
        lists: disjoint.
    """
    shared: NDArray[np.uint64] = codes.copy()
    for each in lists:
        members = list(each.members)
        bits = unpack(codes[members])
        twice = 2 * bits.sum(axis=0)
        bit = np.where(twice == len(bits), bits[0], twice > len(bits))
        shared[members] = pack(bit[None])
    return shared
