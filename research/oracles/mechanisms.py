"""The field's frequency oracles over k symbols: attack success and errors.

A report of k-ary randomized response (Kairouz, Bonawitz and Ramage 2016), optimized local hashing,
optimized unary encoding (Wang, Blocki, Li and Jha 2017) and subset selection (Ye and Barg 2018)
supports some symbols: the typed one with probability p, each other one with q ("pure" protocols).
So a symbol's supporting reports are two binomial counts, and its share is estimated without bias by
(count / reports - q) / (p - q). Hadamard response (Acharya, Sun and Zhang 2019) supports half of a
block of symbols.

**Attackers.** Each report is e^epsilon times as probable if a symbol that it supports was typed as
for any other one. So the best guess is the most probable of the supported symbols, or the most
probable of all where none that is supported has at least e^-epsilon of its probability.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, exp, floor, log2
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from brrkit_counting.estimate.text.intervals import Z

Floats = NDArray[np.float64]

OURS = "k-ary randomized response"
SUBSET = "subset selection"
UNARY = "optimized unary encoding"
HADAMARD = "Hadamard response"

WITHIN = 0.2
"""Relative error of a symbol's share, not exceeded in 95% of all cases with the reports needed."""

_STEP = 0.05  # between the epsilons of a search
_LOWEST, _HIGHEST = 0.05, 16.0
_HALVINGS = 30

UNBOUNDED = _HIGHEST
"""An epsilon that ``largest_epsilon`` gives without a ``most`` stands for any, if it is this."""


class Oracle(Protocol):
    """A frequency oracle at one epsilon, which is the largest loss between any two symbols."""

    @property
    def epsilon(self) -> float:
        """The largest loss."""
        ...

    def success(self, prior: Floats, typed: Floats) -> float:
        """Return the best attacker's success on the typed symbol.

        Args:
            prior: [k], the attacker's prior.
            typed: [k], share of each typed symbol.
        """
        ...

    def variance(self, share: float) -> float:
        """Return the variance of one report's estimate of a symbol typed with this share."""
        ...

    def estimate(self, typed: NDArray[np.int64], generator: np.random.Generator) -> Floats:
        """Draw a report for each typed word; return unbiased estimates of the shares [k].

        Args:
            typed: [k], number of times that each symbol was typed.
            generator: seeded generator, for experiments.
        """
        ...


@dataclass(frozen=True)
class Pure:
    """An oracle whose reports support the typed symbol with p, and every other one with q.

    Attributes:
        epsilon: the largest loss.
        p: see above.
        q: see above.
        best: [k], by r: how probably r given other symbols are all unsupported by a report that
            supports the typed one.
        none: [k], the same of a report that doesn't support the typed one.
        chosen: symbols that each report supports; None where that isn't fixed.
    """

    epsilon: float
    p: float
    q: float
    best: Floats
    none: Floats
    chosen: int | None = None

    def success(self, prior: Floats, typed: Floats) -> float:
        """See ``Oracle``."""
        order = np.argsort(-prior, kind="stable")
        worth = int((prior[order] * exp(self.epsilon) >= prior[order[0]]).sum())
        among = order[:worth]
        right = self.p * typed[among] @ self.best[:worth]
        return float(right + (1 - self.p) * typed[order[0]] * self.none[worth - 1])

    def variance(self, share: float) -> float:
        """See ``Oracle``."""
        supported = share * self.p + (1 - share) * self.q
        return supported * (1 - supported) / (self.p - self.q) ** 2

    def estimate(self, typed: NDArray[np.int64], generator: np.random.Generator) -> Floats:
        """See ``Oracle``; each symbol's count is drawn by itself, exactly."""
        reports = typed.sum()
        counts = generator.binomial(typed, self.p) + generator.binomial(reports - typed, self.q)
        shares: Floats = (counts / reports - self.q) / (self.p - self.q)
        return shares


def randomized_response(epsilon: float, k: int) -> Pure:
    """Return ``counts``: the typed symbol, or any."""
    p = exp(epsilon) / (exp(epsilon) + k - 1)
    others: Floats = (k - 1 - np.arange(k)) / (k - 1)
    return Pure(epsilon, p, (1 - p) / (k - 1), np.ones(k), others, 1)


def local_hashing(epsilon: float, k: int) -> Pure:
    """Return optimized local hashing: a public hash of the reporter's own, and a bucket."""
    buckets = round(exp(epsilon)) + 1
    p = exp(epsilon) / (exp(epsilon) + buckets - 1)
    elsewhere = np.power(1 - 1 / buckets, np.arange(k), dtype=np.float64)
    return Pure(epsilon, p, 1 / buckets, elsewhere, elsewhere)


def unary_encoding(epsilon: float, k: int) -> Pure:
    """Return optimized unary encoding: a bit for each symbol."""
    q = 1 / (exp(epsilon) + 1)
    unset = np.power(1 - q, np.arange(k), dtype=np.float64)
    return Pure(epsilon, 0.5, q, unset, unset)


def symmetric_encoding(epsilon: float, k: int) -> Pure:
    """Return symmetric unary encoding: a bit for each symbol, with equal flip probabilities."""
    q = 1 / (exp(epsilon / 2) + 1)
    unset = np.power(1 - q, np.arange(k), dtype=np.float64)
    return Pure(epsilon, 1 - q, q, unset, unset)


def subset_selection(epsilon: float, k: int, size: int | None = None) -> Pure:
    """Return subset selection: some symbols, the typed one probably among them.

    Args:
        epsilon: the largest loss.
        k: number of symbols.
        size: size of a subset; by default, the optimal one at this epsilon.
    """
    d = max(1, round(k / (exp(epsilon) + 1))) if size is None else size
    p = d * exp(epsilon) / (d * exp(epsilon) + k - d)
    q = (p * (d - 1) + (1 - p) * d) / (k - 1)
    return Pure(epsilon, p, q, _missed(k - 1, d - 1), _missed(k - 1, d), d)


def _missed(others: int, drawn: int) -> Floats:
    """Return [others + 1], by r: how probably ``drawn`` of the others have none of r given ones."""
    given = np.arange(others)
    factors = np.maximum(others - given - drawn, 0) / (others - given)
    return np.concatenate([[1.0], np.cumprod(factors)])


@dataclass(frozen=True)
class Hadamard:
    """Hadamard response, like in ``pure-LDP``: an output of the typed symbol's set, or any.

    Attributes:
        epsilon: the largest loss.
        blocks: number of blocks of outputs, a power of 2.
        size: number of outputs of a block, a power of 2; a block has one symbol less.
        places: intp[k], place of each symbol, with ``size - 1`` in a block.
    """

    epsilon: float
    blocks: int
    size: int
    places: NDArray[np.intp]

    @property
    def total(self) -> float:
        """Weight of all outputs of a symbol; a half of a block that isn't its own weighs 1."""
        return 2 * self.blocks - 1 + exp(self.epsilon)

    @property
    def cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Block and row of each symbol; row 0 has no symbol."""
        block, row = np.divmod(self.places, self.size - 1)
        return block, row + 1

    def success(self, prior: Floats, typed: Floats) -> float:
        """See ``Oracle``; over all outputs."""
        block, row = self.cells
        order = np.argsort(-prior, kind="stable")
        worth = order[prior[order] * exp(self.epsilon) >= prior[order[0]]]
        guess = np.full((self.blocks, self.size), -1)
        # The symbols of a block one by one, of all blocks at once: the first is most probable.
        members = worth[np.argsort(block[worth], kind="stable")]
        starts = np.searchsorted(block[members], np.arange(self.blocks + 1))
        columns = np.arange(self.size)
        for turn in range(int(np.diff(starts).max(initial=0))):
            open_blocks = np.flatnonzero(starts[:-1] + turn < starts[1:])
            open_blocks = open_blocks[(guess[open_blocks] < 0).any(axis=1)]
            if not len(open_blocks):
                break
            symbols = members[starts[open_blocks] + turn]
            free = even(row[symbols][:, None] & columns) & (guess[open_blocks] < 0)
            guess[open_blocks] = np.where(free, symbols[:, None], guess[open_blocks])
        supported = guess >= 0
        right = exp(self.epsilon) * typed[guess[supported]].sum()
        right += (~supported).sum() * typed[order[0]]
        return float(right * 2 / (self.size * self.total))

    def variance(self, share: float) -> float:
        """See ``Oracle``; with the mean share of a symbol's block over all places."""
        block, _ = self.cells
        symbols = np.bincount(block)
        others = float((symbols * (symbols - 1)).sum()) / len(block)
        block_share = share + (1 - share) * others / (len(block) - 1)
        rate = exp(self.epsilon) - 1
        return self.total * (2 + rate * block_share) / rate**2 - share**2

    def estimate(self, typed: NDArray[np.int64], generator: np.random.Generator) -> Floats:
        """See ``Oracle``; the reports themselves are drawn."""
        block, row = self.cells
        words = np.repeat(np.arange(len(typed)), typed)
        at, output = block[words], generator.integers(0, self.size, len(words))
        kept = row[words]
        output ^= np.where(even(kept & output), 0, kept & -kept)
        anything = generator.random(len(words)) < 2 * self.blocks / self.total
        some = int(anything.sum())
        at[anything] = generator.integers(0, self.blocks, some)
        output[anything] = generator.integers(0, self.size, some)
        cells = np.bincount(at * self.size + output, minlength=self.blocks * self.size)
        sums = transformed(cells.reshape(self.blocks, self.size).astype(np.float64))
        shares: Floats = sums[block, row] * self.total / (exp(self.epsilon) - 1) / len(words)
        return shares


def hadamard_response(epsilon: float, k: int, blocks: int | None = None) -> Hadamard:
    """Return Hadamard response with the symbols' places drawn from seed 0.

    Args:
        epsilon: the largest loss.
        k: number of symbols.
        blocks: number of blocks of outputs, a power of 2; by default, its authors' number.
    """
    if blocks is None:
        blocks = 2 ** floor(log2(min(2 * k, exp(epsilon))))
    size = 2 ** ceil(log2(k / blocks + 1))
    return Hadamard(epsilon, blocks, size, np.random.default_rng(0).permutation(k))


def even(numbers: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return where the number of set bits is even; numbers below 2^32."""
    folded = numbers.copy()
    for shift in (16, 8, 4, 2, 1):
        folded ^= folded >> shift
    found: NDArray[np.bool_] = folded & 1 == 0
    return found


def transformed(rows: Floats) -> Floats:
    """Return the Walsh-Hadamard transform of each of ``rows`` [m, a power of 2]."""
    width = 1
    while width < rows.shape[1]:
        pairs = rows.reshape(len(rows), -1, 2, width)
        left, right = pairs[:, :, 0], pairs[:, :, 1]
        rows = np.stack([left + right, left - right], axis=2).reshape(len(rows), -1)
        width *= 2
    return rows


ORACLES: Mapping[str, Callable[[float, int], Oracle]] = {
    OURS: randomized_response,
    "optimized local hashing": local_hashing,
    UNARY: unary_encoding,
    SUBSET: subset_selection,
    HADAMARD: hadamard_response,
}


def reports_needed(oracle: Oracle, share: float) -> float:
    """Return the number of reports that show this share to within ``WITHIN`` of it, with 95%."""
    return Z**2 * oracle.variance(share) / (WITHIN * share) ** 2


def largest_epsilon(
    success: Callable[[float], float], goal: float, most: float = _HIGHEST
) -> float:
    """Return about the largest epsilon, up to ``most``, at which ``success`` isn't above ``goal``.

    Where an oracle's whole numbers jump, success may stay below.
    """
    if success(most) <= goal:
        return most
    high = most
    low = high - _STEP
    while success(low) > goal:
        low, high = low - _STEP, low
        if low < _LOWEST:
            raise ValueError("the attacker is right as often without any report")
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if success(middle) <= goal else (low, middle)
    return low


def on_simplex(shares: Floats) -> Floats:
    """Return the nearest shares that are at least 0 and sum to 1 (Wang and others 2020)."""
    falling = np.sort(shares)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(shares) + 1)
    nearest: Floats = np.maximum(shares - excess[np.flatnonzero(falling > excess)[-1]], 0)
    return nearest
