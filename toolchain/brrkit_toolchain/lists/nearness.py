"""How near a word is to a list: the share of the codes nearest to its own that are on the list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.codes.scans import nearest, over_rows

NEAREST = 20
"""Codes that are looked at; of a list shorter than that, as many as it has other words."""

FEW = 0.15
"""A word with a smaller share may be an ordinary one."""


def shares_on_list(
    codes: NDArray[np.uint64],
    ids: Sequence[int],
    members: Sequence[int],
    *,
    progress: bool = False,
) -> NDArray[np.float64]:
    """Return the share [m] of the codes nearest to each word's that are a list's.

    A word isn't near itself; equally distant codes count by rank.

    Args:
        codes: uint64[n, bits / 64].
        ids: of the words [m].
        members: ids of the list's words, which may be among ``ids``.
        progress: show a bar on standard error, if that is a terminal.
    """
    rows = np.array(ids, np.intp)
    planes = codes.T.copy()
    on_list = np.zeros(len(codes), np.bool_)
    on_list[list(members)] = True
    k = max(1, min(NEAREST, len(members) - 1))
    shares = np.zeros(len(rows))

    def count(start: int, stop: int) -> None:
        own = rows[start:stop]
        found, _ = nearest(planes, codes[own], k + 1)
        others = found != own[:, None]
        others[:, k] &= ~others.all(axis=1)  # of many equal codes, its own may come later
        shares[start:stop] = (on_list[found] & others).sum(axis=1) / k

    over_rows(count, len(rows), description="Lists", progress=progress)
    return shares
