"""The pairs of a group: their weights in p, which cosines imply, and in q, which codes imply.

A pair has one weight for both its words, since cosines and distances are symmetric; p and q divide
it by the sum of a word's weights. All sums add one row at a time, so each column has a sum of its
own, in a fixed order. The compiler can therefore vectorize every loop, and the result has the same
bits on every processor (``portable``).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.codes.scans import popcount
from brrkit_toolchain.codes.vectors import Integers
from brrkit_toolchain.io.compiled import compiled

from .targets import Floats, likelihood, row_cosines


@compiled
def weigh(
    products: Floats,
    shared: Floats,
    scales: Floats,
    packed: npt.NDArray[np.uint64],
    near_inverse: np.float32,
    far_inverse: np.float32,
    near_fall: np.float32,
    far_fall: np.float32,
    distances: Floats,
    weighed: Floats,
    parts: Floats,
) -> None:
    """Write the weights of a group's pairs in p and q.

    Args:
        products: float32[>= m, >= m], products of the words' rows, by ``integer_directions``. Those
            of a word with itself are overwritten.
        shared: float32[k, m], shared components; k is a multiple of ``AXES_AT_ONCE``.
        scales: float32[m], as in ``Source``.
        packed: uint64[bits / 64, m], codes.
        near_inverse: 1 over the near temperature.
        far_inverse: 1 over the far temperature.
        near_fall: near weights in q are e^-near_fall at a distance of 1.
        far_fall: the same for far weights.
        distances: float32[m, m], written to: distances of codes.
        weighed: float32[4, m, m], written to: weights in near p, far p, near q, far q.
        parts: float32[4, m], written to: 1 over the sum of each word's weights.
    """
    planes, words = packed.shape
    near_p, far_p, near_q, far_q = weighed[0], weighed[1], weighed[2], weighed[3]
    row = np.empty(words, np.uint16)
    parts[:] = 0
    for i in range(words):
        products[i, i] = np.float32(-(1 << 30))
        row_cosines(products[i], shared, scales, i, near_p[i], far_p[i])
        for j in range(words):
            near_p[i, j] = likelihood((near_p[i, j] - np.float32(1)) * near_inverse)
            far_p[i, j] = likelihood((far_p[i, j] - np.float32(1)) * far_inverse)
            parts[0, j] += near_p[i, j]
            parts[1, j] += far_p[i, j]
        row[:] = 0
        for plane in range(planes):
            code = packed[plane, i]
            for j in range(words):
                row[j] += np.uint16(popcount(code ^ packed[plane, j]))
        for j in range(words):
            distances[i, j] = np.float32(np.int32(row[j]))
            near_q[i, j] = likelihood(-near_fall * distances[i, j])
            far_q[i, j] = likelihood(-far_fall * distances[i, j])
        near_q[i, i] = far_q[i, i] = 0
        for j in range(words):
            parts[2, j] += near_q[i, j]
            parts[3, j] += far_q[i, j]
    for kind in range(4):
        for j in range(words):
            parts[kind, j] = np.float32(1) / parts[kind, j]


@compiled
def compare(
    distances: Floats,
    weighed: Floats,
    parts: Floats,
    near_units: np.float32,
    far_units: np.float32,
    pulls: Integers,
    variances: Floats,
    excess: Floats,
) -> None:
    """Compare the p and q of a group's pairs.

    Args:
        distances: float32[m, m], as written by ``weigh``, like the next two.
        weighed: float32[4, m, m].
        parts: float32[4, m].
        near_units: factor of near q - p in a pull.
        far_units: factor of far q - p in a pull.
        pulls: int16[>= m, >= m], written to: the weighted sum of q - p over both directions and
            both losses.
        variances: float32[2, m], written to: near and far sums of a word's variances, as in
            ``find_slopes``.
        excess: float32[2, m], written to: near and far sums over rows of (q - p) * distance.
    """
    words = len(distances)
    near_p, far_p, near_q, far_q = weighed[0], weighed[1], weighed[2], weighed[3]
    row = np.empty(words, np.float32)
    variances[:] = 1
    excess[:] = 0
    for i in range(words):
        near_p_part, far_p_part = parts[0, i], parts[1, i]
        near_q_part, far_q_part = parts[2, i], parts[3, i]
        for j in range(words):
            # Of j given i, and of i given j.
            near_p_ij, near_p_ji = near_p[i, j] * near_p_part, near_p[i, j] * parts[0, j]
            far_p_ij, far_p_ji = far_p[i, j] * far_p_part, far_p[i, j] * parts[1, j]
            near_q_ij, near_q_ji = near_q[i, j] * near_q_part, near_q[i, j] * parts[2, j]
            far_q_ij, far_q_ji = far_q[i, j] * far_q_part, far_q[i, j] * parts[3, j]
            near_pull = (near_q_ij + near_q_ji) - (near_p_ij + near_p_ji)
            far_pull = (far_q_ij + far_q_ji) - (far_p_ij + far_p_ji)
            variances[0, j] += near_q_ij - near_q_ij * near_q_ij - near_q_ji * near_q_ji
            variances[1, j] += far_q_ij - far_q_ij * far_q_ij - far_q_ji * far_q_ji
            excess[0, j] += (near_q_ij - near_p_ij) * distances[i, j]
            excess[1, j] += (far_q_ij - far_p_ij) * distances[i, j]
            row[j] = near_units * near_pull + far_units * far_pull
        for j in range(words):
            pulls[i, j] = np.int16(np.rint(row[j]))
