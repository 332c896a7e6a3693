"""The channel of a mechanism that adds noise to a word's place in a list."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.channel.evidence import Evidence


def list_channel(
    epsilon: float, places: NDArray[np.intp], stand_ins: NDArray[np.float64]
) -> Evidence:
    """Return the channel of ``dp-diffractor``'s default, ``geometric``.

    It adds two-sided geometric noise to a word's place in its list. So the channel is exact, except
    at the ends of the list, where places beyond count as the end.

    Args:
        epsilon: epsilon per place.
        places: intp[n], place of each word in the list.
        stand_ins: float64[n], probability that each word replaces an unknown word.
    """
    table = np.exp(-epsilon * np.arange(len(places), dtype=np.float64))

    def levels(outputs: NDArray[np.int64]) -> NDArray[np.uint16]:
        apart: NDArray[np.int64] = np.abs(places[outputs][:, None] - places)
        return apart.astype(np.uint16)

    return Evidence(levels, table, np.ones(len(places)), stand_ins, exact=True)
