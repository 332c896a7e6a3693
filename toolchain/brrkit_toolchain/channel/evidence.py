"""K(y|x) for the released words y and every word x: an attacker's likelihoods of one output.

Only columns are computed: the whole matrix would be 20 GB at 50,000 words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.channel.drawing.bigram_base import BigramGains
from brrkit_toolchain.channel.surroundings import Surroundings
from brrkit_toolchain.channel.typed_as import TypedAs
from brrkit_toolchain.codes.portable import weighted_total
from brrkit_toolchain.codes.scans import scan
from brrkit_toolchain.io.compiled import compiled

Levels = Callable[[NDArray[np.int64]], NDArray[np.uint16]]
"""Returns, for ids [t], the distances from every word, uint16[t, n], in units of any size."""

START = -1
"""Stands for the word before a text's first one."""

_CACHED_HISTORIES = 1_000  # 200 MB at 50,000 words
_REMEMBERED_OUTPUTS = 64  # 13 MB at 50,000 words
_EUCLIDEAN_STEPS = 256
_OUTPUTS_AT_A_TIME = 64
_NORMALIZER_SAMPLE = 2_000  # words


@dataclass(frozen=True)
class Likelihoods:
    """A channel's likelihoods of outputs.

    Attributes:
        compute: takes the ids of outputs, int64[t] or [t, ...], those of the outputs before, and an
            array for Pr[y | x] float32[t, s]. A factor in each row makes its largest number
            about 1. Called from several threads.
        places: by output, the places of rows that are kept.
        rows: float32[k, s], these rows.
    """

    compute: Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]], object]
    places: Mapping[int, int] = field(default_factory=dict)
    rows: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))


@dataclass(frozen=True)
class Evidence:
    """An output's likelihoods: Pr[y | x] depends on the distance of y and x, and on a policy.

    Attributes:
        levels: the distances.
        table: float64, by distance; in any unit.
        scales: float64[n], for each input x; table[d(x, y)] * scales[x] is proportional to
            Pr[y | x], for each y that is a text's first word.
        stand_ins: float64[n], probability that each word replaces an unknown word.
        exact: whether the probabilities are the mechanism's own; otherwise they were estimated from
            draws.
        after: function that returns the scales after a released word; None if they don't depend on
            it.
        typed: the words that words are typed as, and the passing words; None without a policy.
            ``table`` and ``scales`` are for the mechanism's draws.
        unchanged: function that returns the probability that the mechanism draws a word y for
            itself, after the released word h (``START`` for none); only for ``typed``.
    """

    levels: Levels
    table: NDArray[np.float64]
    scales: NDArray[np.float64]
    stand_ins: NDArray[np.float64]
    exact: bool
    after: Callable[[int], NDArray[np.float32]] | None = None
    typed: TypedAs | None = None
    unchanged: Callable[[int, int], float] = lambda _word, _before: 1.0

    def knowing_forms(self, forms: Mapping[int, float]) -> Evidence:
        """Return the evidence for attackers who know the probability of a list's forms.

        Args:
            forms: by the head of a list, the share of the words outside the vocabulary that are
                typed as it.
        """
        if not forms:
            return self
        stand_ins = self.stand_ins * (1 - sum(forms.values()))
        for head, share in forms.items():
            stand_ins[head] += share
        return replace(self, stand_ins=stand_ins)

    def likelihoods(
        self,
        outputs: NDArray[np.int64],
        before: NDArray[np.int64] | None = None,
        room: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Return float32[t, n + 1], proportional to K_h(y|x) for each of ``outputs`` [t].

        Words that are typed as the same word have equal numbers.

        The last column is for unknown words, which another word replaces (the policy ``random``):
        the mean of the others, weighted by ``stand_ins``.

        Args:
            outputs: ids of y.
            before: ids [t] of h, the word released before each in its text; ``START`` for none. By
                default, each is a text's first word.
            room: float32[t, n + 1] for the result; by default a new array.
        """
        shape = len(outputs), len(self.scales) + 1
        result = np.empty(shape, np.float32) if room is None else room
        table, first, stand_ins = self._factors
        for start in range(0, len(outputs), _OUTPUTS_AT_A_TIME):
            part = slice(start, start + _OUTPUTS_AT_A_TIME)
            levels = self.levels(outputs[part])
            if self.after is None or before is None:
                _weigh(levels, table, first, stand_ins, result[part])
            else:
                for row, history in enumerate(before[part].tolist()):
                    scales = first if history == START else self.after(history)
                    own = result[start + row :][:1]
                    _weigh(levels[row : row + 1], table, scales, stand_ins, own)
            if self.typed is not None:
                histories = None if before is None else before[part]
                self._follow_policy(self.typed, outputs[part], histories, result[part])
        return result

    def remembering(self, outputs: NDArray[np.int64]) -> Likelihoods:
        """Return the likelihoods, with the rows of the most frequent ``outputs``.

        A few words are half of a text. If rows depend on the output before, or come from matrix
        products, whose last bits depend on the number of rows, none is kept.
        """
        if self.after is not None or not self.exact:
            return Likelihoods(self.likelihoods)
        words, counts = np.unique(outputs, return_counts=True)
        often = words[np.argsort(-counts, kind="stable")][:_REMEMBERED_OUTPUTS]
        places = {word: place for place, word in enumerate(often.tolist())}
        return Likelihoods(self.likelihoods, places, self.likelihoods(often))

    def _follow_policy(
        self,
        typed: TypedAs,
        outputs: NDArray[np.int64],
        before: NDArray[np.int64] | None,
        rows: NDArray[np.float32],
    ) -> None:
        """Turn the mechanism's probabilities in ``rows`` [t, n + 1] into the device's."""
        histories = np.full(len(outputs), START) if before is None else before
        times = np.ones(len(outputs), np.float32)
        for t in np.flatnonzero(typed.passing[outputs]).tolist():
            times[t] = self.times_by_coin(int(outputs[t]), int(histories[t]))
        _follow_policy(rows, outputs, times, self._policy)

    def times_by_coin(self, word: int, before: int = START) -> float:
        """Return the factor by which its coin makes a passing word more probable for itself.

        K(y|y) over (1 - p) M(y|y), where M is the mechanism's draw.
        """
        assert self.typed is not None
        share = self.typed.shares[word]
        return 1 + float(share / ((1 - share) * self.unchanged(word, before)))

    @cached_property
    def _policy(self) -> _PolicyArrays:
        assert self.typed is not None
        members, passing = self.typed.members, np.flatnonzero(self.typed.passing)
        drawn = (1 - self.typed.shares[passing]).astype(np.float32)
        return _PolicyArrays(members, self.typed.ids[members], passing, drawn)

    @cached_property
    def _factors(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """``table`` and ``scales``, with 1 as their largest, and ``stand_ins``."""
        table, scales = self.table / self.table.max(), self.scales / self.scales.max()
        return (
            table.astype(np.float32),
            scales.astype(np.float32),
            self.stand_ins.astype(np.float32),
        )


class _PolicyArrays(NamedTuple):
    """A policy's changes of a row.

    Attributes:
        members: intp[k], words that are typed as others.
        heads: intp[k], the words that they are typed as.
        passing: intp[f], words that may pass.
        drawn: float32[f], probability that each doesn't pass.
    """

    members: NDArray[np.intp]
    heads: NDArray[np.intp]
    passing: NDArray[np.intp]
    drawn: NDArray[np.float32]


@compiled
def _follow_policy(
    rows: NDArray[np.float32],
    outputs: NDArray[np.int64],
    times: NDArray[np.float32],
    policy: _PolicyArrays,
) -> None:
    """Apply the changes; each of ``outputs`` [t] is ``times`` [t] as probable for itself."""
    members, heads, passing, drawn = policy
    for t in range(len(rows)):
        row, output = rows[t], outputs[t]
        for k in range(len(members)):
            row[members[k]] = row[heads[k]]
        for k in range(len(passing)):
            row[passing[k]] *= drawn[k]
        row[output] *= times[t]
        if row[output] > 1:  # keeps the row's largest number about 1
            scale = np.float32(1) / row[output]
            for x in range(len(row)):
                row[x] *= scale


@compiled
def _weigh(
    levels: NDArray[np.uint16],
    table: NDArray[np.float32],
    scales: NDArray[np.float32],
    stand_ins: NDArray[np.float32],
    result: NDArray[np.float32],
) -> None:
    farthest = len(table) - 1
    for t in range(len(levels)):
        own, row = levels[t], result[t, :-1]
        for x in range(len(row)):
            row[x] = table[min(own[x], farthest)] * scales[x]
        result[t, len(row)] = weighted_total(row, stand_ins)


def weighted_evidence(
    near: Surroundings,
    weights: NDArray[np.int64],
    stand_ins: NDArray[np.float64],
    gains: BigramGains | None = None,
) -> Evidence:
    """Return the evidence of a mechanism with Pr[y | x, h] = m_h(y) W[d(x, y)] / N_h(x).

    Args:
        near: surroundings of all words, by the base measure m of a text's first word.
        weights: W int64[bits + 1].
        stand_ins: float64[n], probability that each word replaces an unknown word.
        gains: gains of the base measure after other words, if it has any.
    """
    totals = near.totals(weights)
    levels, table = hamming_levels(near.codes), weights.astype(np.float64)
    scales = totals[0] / totals
    policy = None if near.typed.is_empty else near.typed

    def unchanged(word: int, _before: int) -> float:
        return float(near.measure[word] * table[0] / totals[word])

    if gains is None:
        return Evidence(
            levels, table, scales, stand_ins, exact=True, typed=policy, unchanged=unchanged
        )
    known, planes = gains, near.codes.T.copy()

    @lru_cache(_CACHED_HISTORIES)
    def after(history: int) -> NDArray[np.float32]:
        following = slice(known.starts[history], known.starts[history + 1])
        gained = _gained(planes, known.after[following], known.gains[following], table)
        found: NDArray[np.float32] = (totals[0] / (totals + gained)).astype(np.float32)
        return found

    def unchanged_after(word: int, before: int) -> float:
        if before == START:
            return unchanged(word, START)
        following = slice(known.starts[before], known.starts[before + 1])
        mass = near.measure[word] + known.gains[following][known.after[following] == word].sum()
        return float(mass * table[0] * after(before)[word] / totals[0])

    return Evidence(
        levels, table, scales, stand_ins, True, after, typed=policy, unchanged=unchanged_after
    )


@compiled
def _gained(
    planes: NDArray[np.uint64],
    after: NDArray[np.int64],
    gains: NDArray[np.int64],
    table: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the sum of g(y) W[d(x, y)] over the words ``after``, for each word x."""
    result = np.zeros(planes.shape[1])
    scanned = np.empty(planes.shape[1], np.uint16)
    for k in range(len(after)):
        scan(planes, planes[:, after[k]], 0, scanned)
        for x in range(len(scanned)):
            result[x] += gains[k] * table[scanned[x]]
    return result


def drawn_evidence(
    levels: Levels,
    stand_ins: NDArray[np.float64],
    inputs: NDArray[np.int64],
    outputs: NDArray[np.int64],
    typed: TypedAs | None = None,
) -> Evidence:
    """Estimate the evidence of a mechanism from draws.

    The estimate assumes that outputs at one distance are equally probable for every word, except
    for the word's normalizer, and that nearer outputs are never less probable. An attacker may know
    better, so an attack success with this evidence is a lower bound.

    Args:
        levels: the distances on which the mechanism depends.
        stand_ins: float64[n], probability that each word replaces an unknown word.
        inputs: ids [m] of words that were drawn uniformly.
        outputs: ids [m] of the mechanism's draws for them.
        typed: the words that words are typed as, and the passing words; by default no policy.
    """
    from scipy.optimize import isotonic_regression  # the import takes 0.2 s

    words = len(stand_ins)
    some = np.random.default_rng(0).permutation(words)[:_NORMALIZER_SAMPLE]
    seen = np.zeros(1 << 16)
    possible = np.zeros(1 << 16)
    for start in range(0, len(outputs), _OUTPUTS_AT_A_TIME):
        part = slice(start, start + _OUTPUTS_AT_A_TIME)
        rows = levels(outputs[part])
        seen += np.bincount(rows[np.arange(len(rows)), inputs[part]], minlength=len(seen))
    for start in range(0, len(some), _OUTPUTS_AT_A_TIME):
        possible += np.bincount(
            levels(some[start : start + _OUTPUTS_AT_A_TIME]).ravel(), minlength=len(seen)
        )
    possible *= len(outputs) / len(some)
    size = int(np.flatnonzero(seen + possible)[-1]) + 1
    # Half a draw at every distance, since unseen outputs aren't impossible. Nearer outputs are
    # never less probable; a distance with few pairs follows its neighbors.
    there = np.flatnonzero(possible[:size])
    fitted = isotonic_regression(
        (seen[there] + 0.5) / possible[there], weights=possible[there], increasing=False
    )
    table = np.interp(np.arange(size), there, fitted.x)
    totals = np.zeros(words)
    for start in range(0, len(some), _OUTPUTS_AT_A_TIME):
        totals += table.take(levels(some[start : start + _OUTPUTS_AT_A_TIME]), mode="clip").sum(
            axis=0
        )
    everywhere = words / len(some)

    def unchanged(word: int, _before: int) -> float:
        return min(1.0, float(table[0] / (totals[word] * everywhere)))

    return Evidence(
        levels,
        np.append(table, table[-1]),
        1 / totals,
        stand_ins,
        exact=False,
        typed=None if typed is None or typed.is_empty else typed,
        unchanged=unchanged,
    )


def hamming_levels(codes: NDArray[np.uint64]) -> Levels:
    """Return the Hamming distances of ``codes`` uint64[n, bits / 64]."""
    planes = codes.T.copy()

    def levels(ids: NDArray[np.int64]) -> NDArray[np.uint16]:
        result = np.empty((len(ids), len(codes)), np.uint16)
        _scan_all(planes, codes[ids], result)
        return result

    return levels


@compiled
def _scan_all(
    planes: NDArray[np.uint64], queries: NDArray[np.uint64], result: NDArray[np.uint16]
) -> None:
    for t in range(len(queries)):
        scan(planes, queries[t], 0, result[t])


def euclidean_levels(vectors: NDArray[np.float32]) -> Levels:
    """Return the Euclidean distances of ``vectors`` float32[n, d], in steps."""
    squares = np.einsum("nd,nd->n", vectors, vectors)
    unit = np.float32(_EUCLIDEAN_STEPS / (2 * np.sqrt(squares.max())))

    def levels(ids: NDArray[np.int64]) -> NDArray[np.uint16]:
        products = vectors[ids] @ vectors.T
        far = np.sqrt(np.maximum(squares[ids][:, None] + squares - 2 * products, 0))
        steps: NDArray[np.uint16] = (far * unit).astype(np.uint16)
        return steps

    return levels
