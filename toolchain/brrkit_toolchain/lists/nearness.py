"""A word's nearness to a list: the list's share of the codes nearest to the word's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.codes.scans import nearest, over_rows

NEAREST = 20
"""Number of nearest codes; for a shorter list, the number of its other words."""

FEW = 0.15
"""A word with a smaller share may be an ordinary word."""


def shares_on_list(
    codes: NDArray[np.uint64],
    ids: Sequence[int],
    members: Sequence[int],
    *,
    progress: bool = False,
) -> NDArray[np.float64]:
    """Return a list's share [m] of the codes nearest to each word's.

    A word's own code doesn't count; of equally distant codes, those of frequent words come first.

    Args:
        codes: uint64[n, bits / 64].
        ids: ids [m] of the words.
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
        others[:, k] &= ~others.all(axis=1)  # with many equal codes, the own one may come later
        shares[start:stop] = (on_list[found] & others).sum(axis=1) / k

    over_rows(count, len(rows), description="Lists", progress=progress)
    return shares
