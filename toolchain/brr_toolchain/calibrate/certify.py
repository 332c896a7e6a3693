"""The exponential mechanism's exact loss on the vocabulary in hand.

For any vocabulary it loses twice its table's slope: once by the weight, once by the normalizer N.
For one vocabulary N is a known number for each word, and neighbours' are nearly equal: what is lost
per bit is at most the largest, over all pairs of words, of

    (ln max W[i] / W[i + d] + ln N(x) / N(x')) / d,  d being their distance.

Everything that is compared is an integer. Proof: ``docs/privacy.md``, "The exact loss, certified".
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from brr_runtime.bundle import WordBundle
from brr_runtime.errors import ParameterError
from brr_runtime.exact import (
    EPSILON_MAX,
    EPSILON_MIN,
    as_number,
    check_epsilon,
    log_up,
    weight_table,
)
from brr_runtime.mechanisms.exponential import check_radius
from brr_toolchain.codes.pairs import distance, histograms, over_rows

_PASSES = 50  # of the search for a slope: some need five


def certified_epsilon(
    codes: NDArray[np.uint64], slope: float, radius: int, *, progress: bool = True
) -> float:
    """Return what a table of weights loses per bit on a vocabulary, rounded up.

    Args:
        codes: uint64[n, bits / 64], of the whole vocabulary.
        slope: ln of the table's largest step.
        radius: in bits, up to which the weights fall gently.
        progress: show bars on standard error.

    Returns:
        The smallest double that isn't below the loss; at most ``2 * slope``, and 0 where every word
        comes out equally often.

    Raises:
        ParameterError: the slope or the radius is out of range.
    """
    value = as_number(slope)
    if not EPSILON_MIN / 2 <= value <= EPSILON_MAX:
        raise ParameterError(
            f"slope must be a number from {EPSILON_MIN / 2:g} to {EPSILON_MAX:g} (per bit of "
            f"Hamming distance), not {value:g}"
        )
    return _PrivacyLosses(codes, radius, progress).epsilon(value)


def certify(
    bundle: WordBundle, slope: float, radius: int, *, progress: bool = True
) -> tuple[float, dict[str, Any]]:
    """Return an epsilon and the certificate by which a device may use ``slope`` for it.

    Args:
        bundle: an opened bundle.
        slope: ln of the largest step of the exponential mechanism's table.
        radius: in bits, up to which the weights fall gently.
        progress: show bars on standard error.

    Returns:
        The certified epsilon, but at least ``slope`` (which any vocabulary loses where two words
        can tell the table), and the ``certificate`` of a recommended setting.

    Raises:
        ParameterError: the slope or the radius is out of range.
    """
    epsilon = certified_epsilon(bundle.codes, slope, radius, progress=progress)
    epsilon = check_epsilon(max(epsilon, slope, EPSILON_MIN))
    return epsilon, {"slope": float(slope), "index": bundle.unit}


def certified_slope(
    codes: NDArray[np.uint64], epsilon: float, radius: int, *, progress: bool = True
) -> float:
    """Return a slope whose certified epsilon is at most ``epsilon``, as steep as can be found.

    A steeper one by a millionth loses more, unless the loss falls again beyond it.

    Args:
        codes: as above.
        epsilon: that is allowed, per bit.
        radius: as above.
        progress: as above.

    Raises:
        ParameterError: epsilon or the radius is out of range.
    """
    check_epsilon(epsilon)
    losses = _PrivacyLosses(codes, radius, progress)
    steepest = epsilon  # a table of this slope loses more, unless no two words tell it
    for _ in range(_PASSES):
        low, high = epsilon / 2, steepest
        if losses.known(high) <= epsilon:
            low = high
        while high - low > 1e-6 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if losses.known(middle) <= epsilon else (low, middle)
        if losses.epsilon(low) <= epsilon:
            return low
        steepest = low
    return epsilon / 2


def steepest_pairs(
    codes: NDArray[np.uint64], slope: float, radius: int, *, progress: bool = True
) -> dict[int, tuple[int, int]]:
    """Return two words of each distance that occurs, from 1 on, whose N differ most.

    Arguments as for ``certified_epsilon``. By distance in bits: their ids.
    """
    return _PrivacyLosses(codes, radius, progress).steepest_pairs(slope)


class _PrivacyLosses:
    """What tables lose on a vocabulary; pairs that lost most are kept for the next table."""

    def __init__(self, codes: NDArray[np.uint64], radius: int, progress: bool) -> None:
        self._codes = np.ascontiguousarray(codes)
        self._bits = 64 * codes.shape[1]
        self._radius = check_radius(radius, self._bits)
        self._progress = progress
        self._counts = histograms(self._codes, progress=progress)
        self._pairs: dict[int, list[tuple[int, int]]] = {}

    def epsilon(self, slope: float) -> float:
        """Return the loss of the table of ``slope``, over all pairs of words."""
        weights = self._table(slope)
        totals = self._totals(weights, self._counts)
        pairs = self.steepest_pairs(slope)
        for bits, pair in pairs.items():
            self._pairs.setdefault(bits, []).append(pair)
        return _privacy_loss_per_bit(
            weights, {d: (int(totals[i]), int(totals[j])) for d, (i, j) in pairs.items()}
        )

    def steepest_pairs(self, slope: float) -> dict[int, tuple[int, int]]:
        """Return, by distance, the words whose N differ most."""
        totals = self._totals(self._table(slope), self._counts)
        return _steepest_pairs(self._codes, totals, self._progress)

    def known(self, slope: float) -> float:
        """Return the loss over the kept pairs: a lower bound."""
        weights = self._table(slope)
        steepest = {}
        for bits, pairs in self._pairs.items():
            totals = self._totals(weights, self._counts[np.array(pairs)]).tolist()
            steepest[bits] = max(
                ((max(pair), min(pair)) for pair in totals), key=lambda pair: Fraction(*pair)
            )
        return _privacy_loss_per_bit(weights, steepest)

    def _table(self, slope: float) -> list[int]:
        return weight_table(Fraction(slope), self._bits, len(self._codes), self._radius)

    def _totals(self, weights: Sequence[int], counts: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return N int64, exact: below 2^63 by the choice of W[0]."""
        return counts.astype(np.int64) @ np.array(weights, np.int64)


def _privacy_loss_per_bit(weights: Sequence[int], totals: dict[int, tuple[int, int]]) -> float:
    """Return the largest loss per bit, rounded up.

    Args:
        weights: the table.
        totals: by distance in bits, those two normalizers of words at that distance whose ratio is
            largest, the larger one first.
    """
    privacy_loss = 0.0
    for bits, (high, low) in totals.items():
        near, far = 1, 1
        for i in range(len(weights) - bits):
            if weights[i] * far > near * weights[i + bits]:
                near, far = weights[i], weights[i + bits]
        privacy_loss = max(privacy_loss, log_up(near * high, far * low, bits))
    return privacy_loss


def _steepest_pairs(
    codes: NDArray[np.uint64], totals: NDArray[np.int64], progress: bool
) -> dict[int, tuple[int, int]]:
    """Return, by distance from 1 on, the words i and j for which N(i) / N(j) is largest."""
    order = np.argsort(-totals, kind="stable")
    codes, totals = codes[order], totals[order].astype(np.uint64)
    found: list[NDArray[np.int64]] = []
    over_rows(
        lambda start, stop: found.append(_steepest_of_rows(codes, totals, start, stop)),
        len(codes),
        description="Losses",
        progress=progress,
    )
    pairs: dict[int, tuple[int, int]] = {}
    numbers = totals.tolist()
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
    """Tell whether a * b > c * d, for uint64, in 128 bits."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        a, b, c, d = (builder.zext(value, ir.IntType(128)) for value in arguments)
        return builder.icmp_unsigned(">", builder.mul(a, b), builder.mul(c, d))

    return types.boolean(types.uint64, types.uint64, types.uint64, types.uint64), generate


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _steepest_of_rows(
    codes: NDArray[np.uint64], totals: NDArray[np.uint64], start: int, stop: int
) -> NDArray[np.int64]:
    """Return int64[bits + 1, 2] for rows i and all j > i; i = j where there is no such pair.

    ``totals`` never increases, so the larger one of a pair comes first.
    """
    bits = 64 * codes.shape[1]
    pairs = np.zeros((bits + 1, 2), np.int64)
    high = np.zeros(bits + 1, np.uint64)
    low = np.ones(bits + 1, np.uint64)
    for i in range(start, stop):
        for j in range(i + 1, len(codes)):
            d = distance(codes, i, j)
            if _product_is_larger(totals[i], low[d], high[d], totals[j]):
                pairs[d, 0], pairs[d, 1] = i, j
                high[d], low[d] = totals[i], totals[j]
    return pairs
