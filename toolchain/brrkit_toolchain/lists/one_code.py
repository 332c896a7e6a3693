"""One code for all words of a list, which makes them one word for a mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit.policy import SecretList
from brrkit_toolchain.codes.packing import pack, unpack


def with_one_code(codes: NDArray[np.uint64], lists: Sequence[SecretList]) -> NDArray[np.uint64]:
    """Return ``codes`` with one code for the members of each list.

    Each bit of it is the members' most frequent one; in a tie, the head's.

    Args:
        codes: uint64[n, bits / 64].
        lists: disjoint lists.
    """
    shared: NDArray[np.uint64] = codes.copy()
    for each in lists:
        members = list(each.members)
        bits = unpack(codes[members])
        twice = 2 * bits.sum(axis=0)
        bit = np.where(twice == len(bits), bits[0], twice > len(bits))
        shared[members] = pack(bit[None])
    return shared
