"""The exponential mechanism's exact privacy loss on a given vocabulary.

For all vocabularies, the bound is its epsilon: half from the weight, half from the normalizer N.
For one vocabulary and the base ``uniform`` or ``unigram``, N is a known number for each word, and
nearly equal for neighbors. The loss per bit is at most the largest value, over all pairs of words,
of

    (ln max W[i] / W[i + d] + ln N(x) / N(x')) / d,  where d is their distance.

All compared numbers are integers. Proof: ``docs/explanation/proofs.md``, "The certified epsilon".
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from brrkit.exact import log_up
from brrkit.setting import Certificate, Setting
from brrkit_toolchain.codes.scans import over_rows, scan
from brrkit_toolchain.io.compiled import compiled

_CERTIFICATE_DIGITS = 4
_WORDS_RULED_OUT_AT_ONCE = 256
_ROWS_KNOWN_FIRST = 64


def loss_per_bit(
    codes: NDArray[np.uint64],
    weights: NDArray[np.int64],
    totals: NDArray[np.int64],
    *,
    progress: bool = False,
) -> float:
    """Return a table's privacy loss per bit on a vocabulary, rounded up to the next double.

    Args:
        codes: uint64[n, bits / 64], of the whole vocabulary.
        weights: W int64[bits + 1].
        totals: the normalizers N int64[n], all below 2^63.
        progress: show a bar on standard error.

    Returns:
        At most the table's epsilon; 0 if all outputs are equally probable.
    """
    pairs = steepest_pairs(codes, totals, progress=progress)
    return _privacy_loss_per_bit(
        weights.tolist(), {d: (int(totals[i]), int(totals[j])) for d, (i, j) in pairs.items()}
    )


def loss_between_any(weights: NDArray[np.int64], totals: NDArray[np.int64]) -> float:
    """Return a bound on the privacy loss between any two words, at any distance, rounded up.

    It assumes that an output may be at the smallest distance from one word, and at the largest from
    the other.
    """
    return log_up(int(weights[0]) * int(totals.max()), int(weights[-1]) * int(totals.min()))


def certificate(setting: Setting, index: str, loss: float) -> Certificate:
    """Return the certificate of a setting with a given privacy loss per bit on a vocabulary.

    Args:
        setting: setting of ``exponential``.
        index: the digest of the vocabulary's index.
        loss: privacy loss from ``loss_per_bit``.

    Returns:
        The certificate. Its loss is rounded up to four digits, but is at least ``epsilon / 2``
        (which any vocabulary loses if two words can tell the table) and at most ``epsilon``.
    """
    epsilon = float(setting.epsilon)
    certified = min(_rounded_up(max(loss, epsilon / 2)), epsilon)
    return Certificate(certified, index, setting.as_run)


def _rounded_up(value: float) -> float:
    """Return the double nearest to ``value`` rounded up to a few digits: it isn't below it."""
    return float(
        Context(prec=_CERTIFICATE_DIGITS, rounding=ROUND_CEILING).create_decimal(Decimal(value))
    )


def _privacy_loss_per_bit(weights: Sequence[int], totals: dict[int, tuple[int, int]]) -> float:
    """Return the largest loss per bit, rounded up.

    Args:
        weights: the table.
        totals: by distance in bits, the two normalizers of words at this distance with the largest
            ratio, the larger one first.
    """
    privacy_loss = 0.0
    for bits, (high, low) in totals.items():
        near, far = 1, 1
        for i in range(len(weights) - bits):
            if weights[i] * far > near * weights[i + bits]:
                near, far = weights[i], weights[i + bits]
        privacy_loss = max(privacy_loss, log_up(near * high, far * low, bits))
    return privacy_loss


def steepest_pairs(
    codes: NDArray[np.uint64], totals: NDArray[np.int64], *, progress: bool = False
) -> dict[int, tuple[int, int]]:
    """Return, by distance from 1 bit, the words i and j with the largest N(i) / N(j).

    The arguments are those of ``loss_per_bit``.
    """
    planes = codes.T.copy()
    order = np.argsort(-totals, kind="stable")
    planes, falling = np.ascontiguousarray(planes[:, order]), totals[order].astype(np.uint64)
    # With the largest totals, these rows have most of the steepest pairs.
    known = np.zeros((64 * len(planes) + 1, 2), np.int64)
    known = _steepest_of_rows(planes, falling, known, 0, min(_ROWS_KNOWN_FIRST, len(falling)))
    found: list[NDArray[np.int64]] = []
    over_rows(
        lambda start, stop: found.append(_steepest_of_rows(planes, falling, known, start, stop)),
        len(falling),
        description="Losses",
        progress=progress,
    )
    pairs: dict[int, tuple[int, int]] = {}
    numbers = falling.tolist()
    for rows in found:
        for bits, (i, j) in enumerate(rows.tolist()):
            if bits == 0 or i == j:
                continue
            if bits in pairs:
                k, m = pairs[bits]
                if numbers[i] * numbers[m] <= numbers[k] * numbers[j]:
                    continue
            pairs[bits] = (i, j)
    return {bits: (int(order[i]), int(order[j])) for bits, (i, j) in pairs.items()}


@intrinsic  # type: ignore[untyped-decorator]
def _product_is_larger(_context: Any, _a: Any, _b: Any, _c: Any, _d: Any) -> Any:
    """Return whether a * b > c * d, for uint64, in 128 bits."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        a, b, c, d = (builder.zext(value, ir.IntType(128)) for value in arguments)
        return builder.icmp_unsigned(">", builder.mul(a, b), builder.mul(c, d))

    return types.boolean(types.uint64, types.uint64, types.uint64, types.uint64), generate


@compiled
def _steepest_of_rows(
    planes: NDArray[np.uint64],
    totals: NDArray[np.uint64],
    known: NDArray[np.int64],
    start: int,
    stop: int,
) -> NDArray[np.int64]:
    """Return the steepest of ``known`` and of the pairs of rows i and all j > i, by distance.

    int64[bits + 1, 2]; i = j if there is no such pair.

    ``totals`` doesn't increase, so the larger one of a pair comes first. The last total bounds a
    row's ratios: the row's pairs at most distances, those from ``near`` to ``far``, aren't steeper
    than known ones. Blocks with no other distance are left out.
    """
    bits = 64 * len(planes)
    room = np.empty(_WORDS_RULED_OUT_AT_ONCE, np.uint16)
    pairs: NDArray[np.int64] = known.copy()
    high, low = np.zeros(bits + 1, np.uint64), np.ones(bits + 1, np.uint64)
    for d in range(bits + 1):
        if pairs[d, 0] != pairs[d, 1]:
            high[d], low[d] = totals[pairs[d, 0]], totals[pairs[d, 1]]
    for i in range(start, stop):
        near, far = bits // 2 + 1, bits // 2
        while near > 0 and not _product_is_larger(
            totals[i], low[near - 1], high[near - 1], totals[-1]
        ):
            near -= 1
        while far < bits and not _product_is_larger(
            totals[i], low[far + 1], high[far + 1], totals[-1]
        ):
            far += 1
        for first in range(i + 1, len(totals), _WORDS_RULED_OUT_AT_ONCE):
            distances = room[: min(_WORDS_RULED_OUT_AT_ONCE, len(totals) - first)]
            scan(planes, planes[:, i], first, distances)
            least, most = distances[0], distances[0]
            for k in range(len(distances)):
                least, most = min(least, distances[k]), max(most, distances[k])
            if near <= least and most <= far:
                continue
            for k in range(len(distances)):
                d, j = distances[k], first + k
                if _product_is_larger(totals[i], low[d], high[d], totals[j]):
                    pairs[d, 0], pairs[d, 1] = i, j
                    high[d], low[d] = totals[i], totals[j]
    return pairs
