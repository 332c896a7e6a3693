"""The exponential mechanism's exact loss on the vocabulary in hand.

For any vocabulary it loses its epsilon: half by the weight, half by the normalizer N. For one
vocabulary and the base ``uniform`` or ``words``, N is a known number for each word, and neighbours'
are nearly equal: what is lost per bit is at most the largest, over all pairs of words, of

    (ln max W[i] / W[i + d] + ln N(x) / N(x')) / d,  d being their distance.

Everything that is compared is an integer. Proof: ``docs/explanation/proofs.md``, "The exact loss,
certified".
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from brrkit.bundle import WordBundle
from brrkit.errors import ParameterError
from brrkit.exact import check_cap, check_epsilon, log_up, weight_table
from brrkit.mechanisms import create_mechanism
from brrkit.mechanisms.exponential import LANGUAGE, Exponential, check_radius
from brrkit.setting import Certificate, Setting
from brrkit_toolchain.codes.scans import all_histograms, over_rows, scan

_DIGITS = 4  # of a certificate


def certified_epsilon(
    codes: NDArray[np.uint64],
    epsilon: float,
    radius: int,
    measure: NDArray[np.int64] | None = None,
    cap: float | None = None,
    *,
    progress: bool = False,
) -> float:
    """Return what the mechanism loses per bit on a vocabulary, rounded up.

    Args:
        codes: uint64[n, bits / 64], of the whole vocabulary.
        epsilon: the mechanism's, per bit.
        radius: in bits, up to which the weights fall gently.
        measure: int64[n], the base measure; by default all words are alike.
        cap: of the mechanism.
        progress: show bars on standard error.

    Returns:
        The smallest double that isn't below the loss; at most ``epsilon``, and 0 where every word
        comes out equally often.

    Raises:
        ParameterError: epsilon or the radius is out of range.
    """
    check_epsilon(epsilon)
    return PrivacyLosses(codes, radius, measure, cap, progress).loss(epsilon)


def certify(bundle: WordBundle, setting: Setting, *, progress: bool = False) -> Certificate | None:
    """Return the certificate of what a setting of ``exponential`` loses on ``bundle``.

    Args:
        bundle: an opened bundle.
        setting: of ``exponential``.
        progress: show bars on standard error, where that is a terminal.

    Returns:
        The loss, rounded up to four digits, but from ``epsilon / 2`` (which any vocabulary loses
        where two words can tell the table) to ``epsilon``. None for the base ``language``: there
        what is lost depends on the word before, and only ``epsilon`` is proven.

    Raises:
        ParameterError: a parameter is out of range, or the mechanism is another.
    """
    mechanism, epsilon = create_mechanism(bundle, setting), float(setting.epsilon)
    if not isinstance(mechanism, Exponential):
        raise ParameterError("only the mechanism 'exponential' has a certificate; take that")
    if mechanism.base == LANGUAGE:
        return None
    loss = certified_epsilon(
        bundle.codes,
        epsilon,
        mechanism.radius,
        mechanism.measure(),
        mechanism.cap,
        progress=progress,
    )
    certified = min(_rounded_up(max(loss, epsilon / 2)), epsilon)
    return Certificate(certified, bundle.digest, str(setting))


def steepest_pairs(
    codes: NDArray[np.uint64],
    epsilon: float,
    radius: int,
    measure: NDArray[np.int64] | None = None,
    cap: float | None = None,
    *,
    progress: bool = False,
) -> dict[int, tuple[int, int]]:
    """Return two words of each distance that occurs, from 1 on, whose N differ most.

    Arguments as for ``certified_epsilon``. By distance in bits: their ids.
    """
    return PrivacyLosses(codes, radius, measure, cap, progress).steepest_pairs(epsilon)


def _rounded_up(value: float) -> float:
    """Return the double nearest to ``value`` rounded up to a few digits: it isn't below it."""
    return float(Context(prec=_DIGITS, rounding=ROUND_CEILING).create_decimal(Decimal(value)))


class PrivacyLosses:
    """What tables of one radius, base measure and cap lose on a vocabulary."""

    def __init__(
        self,
        codes: NDArray[np.uint64],
        radius: int,
        measure: NDArray[np.int64] | None = None,
        cap: float | None = None,
        progress: bool = False,
    ) -> None:
        """Scan all pairs of ``codes`` uint64[n, bits / 64]; the rest as for ``certified_epsilon``.

        Raises:
            ParameterError: the radius or the cap is out of range.
        """
        self._cap = None if cap is None else check_cap(cap)
        self._total = len(codes) if measure is None else int(measure.sum())
        self._planes = np.ascontiguousarray(codes.T)
        self._bits = 64 * codes.shape[1]
        self._radius = check_radius(radius, self._bits)
        self._progress = progress
        self._masses = all_histograms(codes, measure=measure, progress=progress)

    def loss(self, epsilon: float) -> float:
        """Return what ``epsilon`` loses, over all pairs of words."""
        weights = self._table(epsilon)
        totals = self._totals(weights)
        pairs = _steepest_pairs(self._planes, totals, self._progress)
        return _privacy_loss_per_bit(
            weights, {d: (int(totals[i]), int(totals[j])) for d, (i, j) in pairs.items()}
        )

    def loss_between_any(self, epsilon: float) -> float:
        """Return a bound of the loss between any two words, however far, rounded up.

        Every output is counted as if it were as near to one word and as far from the other as any.
        """
        weights = self._table(epsilon)
        totals = self._totals(weights)
        return log_up(weights[0] * int(totals.max()), weights[-1] * int(totals.min()))

    def steepest_pairs(self, epsilon: float) -> dict[int, tuple[int, int]]:
        """Return, by distance, the words whose N differ most."""
        totals = self._totals(self._table(epsilon))
        return _steepest_pairs(self._planes, totals, self._progress)

    def _table(self, epsilon: float) -> list[int]:
        return weight_table(epsilon, self._bits, self._total, self._radius, self._cap)

    def _totals(self, weights: Sequence[int]) -> NDArray[np.int64]:
        """Return N int64, exact: below 2^63 by the choice of W[0]."""
        return self._masses @ np.array(weights, np.int64)


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
    planes: NDArray[np.uint64], totals: NDArray[np.int64], progress: bool
) -> dict[int, tuple[int, int]]:
    """Return, by distance from 1 on, the words i and j for which N(i) / N(j) is largest."""
    order = np.argsort(-totals, kind="stable")
    planes, totals = np.ascontiguousarray(planes[:, order]), totals[order].astype(np.uint64)
    found: list[NDArray[np.int64]] = []
    over_rows(
        lambda start, stop: found.append(_steepest_of_rows(planes, totals, start, stop)),
        len(totals),
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
    planes: NDArray[np.uint64], totals: NDArray[np.uint64], start: int, stop: int
) -> NDArray[np.int64]:
    """Return int64[bits + 1, 2] for rows i and all j > i; i = j where there is no such pair.

    ``totals`` never increases, so the larger one of a pair comes first.
    """
    bits = 64 * len(planes)
    room = np.empty(len(totals), np.uint16)
    pairs = np.zeros((bits + 1, 2), np.int64)
    high = np.zeros(bits + 1, np.uint64)
    low = np.ones(bits + 1, np.uint64)
    for i in range(start, stop):
        distances = room[i + 1 :]
        scan(planes, planes[:, i], i + 1, distances)
        for j in range(i + 1, len(totals)):
            d = distances[j - i - 1]
            if _product_is_larger(totals[i], low[d], high[d], totals[j]):
                pairs[d, 0], pairs[d, 1] = i, j
                high[d], low[d] = totals[i], totals[j]
    return pairs
