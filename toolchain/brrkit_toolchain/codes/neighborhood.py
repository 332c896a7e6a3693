"""Free codes, trained so that their Hamming neighbours are the source's, near and far.

The vocabulary of a bundle is closed: no other vector is ever encoded. So there is no encoder. The
codes themselves are the parameters, a real number z for each word and bit, whose sign is the bit.

For a batch of words, p(j | i) is the distribution over the neighbours j of a word i that cosines
imply, a softmax at temperature T, and q(j | i) the one that codes imply, a softmax of their inner
products times a learned gain (Hinton, Roweis, "Stochastic Neighbor Embedding", NIPS 2002,
equations 1 to 4, with cosines for distances). The loss is the mean of KL(p || q), at two scales:

- *near*: cosines of the vectors, at a T that spreads p over a few words of a batch;
- *far*: cosines of the vectors without the few components that nearly all words share, at a T that
  spreads p over more. What is shared says how frequent a word is, little of what it means (Mu,
  Viswanath, "All-but-the-Top", ICLR 2018, with their number of components, a hundredth of the
  dimensions; the common mean is one more).

A batch is a few words, each with many of its neighbours, near ones and, ever sparser, further ones.
Some batches are from the most frequent quarter of the words only, some from the most frequent
sixteenth, and so on: these are the words that are typed, and there they find their neighbours among
one another.

Gradients pass the sign as if it weren't there (a straight-through estimator: Bengio, Léonard,
Courville, arXiv:1308.3432). But a bit can only flip, which moves its sign s by -2 s and the loss by
-2 s (slope - s curvature), to second order; and the curvature of this loss is never negative. So
slopes promise of a flip more than it brings, and words flip back and forth. The curvature is
therefore taken off, none of it at the start, where the codes still have far to go, all of it at the
end. A word's z moves against the rest, divided by the root mean square of the word's slopes lately
(RMSProp: Tieleman, Hinton, Coursera 2012, lecture 6.5, with one mean per word), and stays in
[-1, 1]. ``benchmarks/results/codes-tried.md`` says what was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
from numba import njit
from threadpoolctl import threadpool_info, threadpool_limits
from tqdm import tqdm

from brrkit.errors import ParameterError

from .distinct import distinct_signs
from .divergence import LEAST_SHARE, Batch, Floats, Scale, cosines, slopes, targets
from .nearest import nearest_words
from .packing import pack
from .portable import (
    Doubles,
    Draws,
    exact_gram,
    leading_axes,
    logarithm,
    mean_square,
    orthonormal,
)
from .vectors import LENGTH, integer_directions

if TYPE_CHECKING:
    from . import Settings

Ids = npt.NDArray[np.int64]
Made = TypeVar("Made")

SETTINGS = {
    "visits": 350,  # how often a word is in a batch, on average and about
    "fewest_steps": 18_000,  # a small vocabulary needs as many
    "seeds": 8,  # random words of a batch ...
    "neighbors": 100,  # ... and how many draws from its nearest each brings along ...
    "furthest": 300,  # ... up to this one, every octave as often
    "words_per_level": 4,  # a level's words to those of the next
    "fewest_words": 3_000,  # of a level
    "whole_share": 3,  # batches from all words to those from each other level
    "near_perplexity": 3.0,  # words of a batch that p spreads over
    "far_perplexity": 50.0,
    "far_weight_bits": 512,  # weight of the far loss times the bits of a code
    "dimensions_per_shared": 100,
    "learning_rate": 0.1,  # at the start; falls to 0 by 1 - 3 t^2 + 2 t^3
    "spread": 0.5,  # standard deviation of z at the start
}

_TEMPERATURE_BATCHES = 8  # that a temperature is chosen on
_SHARED_ITERATIONS = 200  # which leave of what isn't shared less than the vectors' own noise
_OTHER_ITERATIONS = 15  # where training starts: that need not be exact
_NOTHING = np.float32(1e-12)  # keeps a quotient finite


def encode(
    vectors: npt.NDArray[np.float32], bits: int, seed: int, progress: bool, effort: float
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Train a code for each of ``vectors`` and return them, no two alike.

    Args:
        vectors: float32[n, d], n >= 2, most frequent words first.
        bits: length of a code.
        seed: of the initial rotation and the batches.
        progress: whether to show progress bars where standard error is a terminal.
        effort: multiplies the number of training steps.

    Returns:
        bool[n, bits] and the settings used.

    Raises:
        ParameterError: the vectors' directions don't differ.
    """
    draws = Draws(seed)
    words, dimensions = vectors.shape
    integers = integer_directions(vectors)
    if (integers == integers[0]).all():
        raise ParameterError(
            "vectors: all words would get the same code; their directions don't differ"
        )
    furthest = min(int(SETTINGS["furthest"]), words - 1)
    levels = [nearest_words(integers[:size], furthest, progress) for size in _level_sizes(words)]
    source = _Source(integers, 1 + dimensions // int(SETTINGS["dimensions_per_shared"]), draws)
    codes = _Codes(source.start(bits, draws))
    batches = _Batches(levels, draws)
    samples = [source.batch(batches.take()) for _ in range(_TEMPERATURE_BATCHES)]
    near_samples, far_samples = zip(*map(cosines, samples), strict=True)
    far_weight = SETTINGS["far_weight_bits"] / bits
    near = Scale(near_samples, SETTINGS["near_perplexity"], 1)
    far = Scale(far_samples, SETTINGS["far_perplexity"], far_weight)
    size = sum(len(sample.products) for sample in samples) / len(samples)
    steps = max(SETTINGS["fewest_steps"], SETTINGS["visits"] * words / size)
    steps = max(1, round(steps * effort))

    def batch() -> tuple[Ids, tuple[Floats, Floats]]:
        rows = batches.take()
        return rows, targets(source.batch(rows), near, far)

    shown = tqdm(_ahead(batch, steps), "neighborhood", steps, disable=None if progress else True)
    for step, (rows, shares) in enumerate(shown):
        done = step / steps
        signs, packed = codes.signs(rows)
        change = slopes(packed, signs, shares, (near, far), done)
        codes.improve(rows, change, SETTINGS["learning_rate"] * (1 + 2 * done) * (1 - done) ** 2)
    near_t, far_t = (round(scale.temperature, 5) for scale in (near, far))
    used = {**SETTINGS, "steps": steps, "near_temperature": near_t, "far_temperature": far_t}
    return distinct_signs(codes.values), used


def _ahead(make: Callable[[], Made], times: int) -> Iterator[Made]:
    """Yield what ``make`` returns, ``times`` times, while a thread makes the next.

    Matrix products get half of the cores each: with all of them on both sides, threads wait for
    one another, which takes half as long again on two cores.

    The thread is asked for each, and its end is asked for but not waited for: whatever stops this
    function, and wherever, nothing is left that waits for something else.
    """
    asked: SimpleQueue[bool] = SimpleQueue()
    answers: SimpleQueue[Callable[[], Made]] = SimpleQueue()

    def work() -> None:
        while asked.get():
            answers.put(_answer(make))

    blas = (pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
    threads = max(blas, default=1)
    with threadpool_limits(max(1, threads // 2), "blas"):
        Thread(target=work, daemon=True).start()
        try:
            asked.put(True)
            for left in reversed(range(times)):
                made = answers.get()()
                asked.put(left > 0)
                yield made
        finally:
            asked.put(False)


def _answer(make: Callable[[], Made]) -> Callable[[], Made]:
    """Call ``make``, and return what returns or raises the same."""
    try:
        made = make()
    except Exception as error:
        problem = error

        def fail() -> Made:
            raise problem

        return fail
    return lambda: made


class _Source:
    """The vectors' directions, and what of them all words share."""

    def __init__(self, integers: Floats, shared: int, draws: Draws) -> None:
        self._integers = integers
        self._gram = exact_gram(integers)
        dimensions = integers.shape[1]
        shared = min(shared, dimensions - 1)
        start = draws.shares(shared, dimensions) - 0.5
        self._axes = leading_axes(self._gram, start, _SHARED_ITERATIONS)
        self._shared = np.empty((len(integers), shared), np.float32)
        self._scales = np.empty(len(integers), np.float32)
        _split(integers, self._axes / LENGTH, self._shared, self._scales)

    def start(self, bits: int, draws: Draws) -> Floats:
        """Return float32[n, bits] to begin with: what isn't shared, turned at random.

        The first components in all bits, so that these have like variance.
        """
        shared, dimensions = self._axes.shape
        kept = min(bits, dimensions - shared)
        start = np.concatenate([self._axes, draws.shares(kept, dimensions) - 0.5])
        axes = leading_axes(self._gram, start, _OTHER_ITERATIONS)[shared:]
        rotation = draws.shares(bits, bits) - 0.5
        orthonormal(rotation)
        # A column is at most LENGTH long, as a row of the integers is: the product is exact.
        turn = np.zeros((dimensions, bits))
        for axis, weights in zip(axes, rotation[:kept], strict=True):
            turn += axis[:, None] * weights
        turned: Floats = self._integers @ np.rint(turn * (LENGTH - sqrt(dimensions) / 2)).astype(
            np.float32
        )
        turned -= (turned.sum(axis=0, dtype=np.float64) / len(turned)).astype(np.float32)
        turned *= np.float32(SETTINGS["spread"] / max(sqrt(mean_square(turned)), _NOTHING))
        return turned

    def batch(self, rows: Ids) -> Batch:
        """Return what the cosines between ``rows`` come from."""
        integers = self._integers[rows]
        shared = np.ascontiguousarray(self._shared[rows].T)
        return Batch(integers @ integers.T, shared, self._scales[rows])


@njit(cache=True)  # type: ignore[untyped-decorator]
def _split(integers: Floats, axes: Doubles, shared: Floats, scales: Floats) -> None:
    """Write each row's components along ``axes``, and 1 over the length of its rest."""
    words, dimensions = integers.shape
    for i in range(words):
        rest = 0.0
        for c in range(dimensions):
            rest += (integers[i, c] / LENGTH) ** 2
        for k in range(len(axes)):
            component = 0.0
            for c in range(dimensions):
                component += integers[i, c] * axes[k, c]
            shared[i, k] = component
            rest -= component * component
        scales[i] = 1 / max(sqrt(max(rest, 0.0)), 1e-3)


def _level_sizes(words: int) -> list[int]:
    """Return how many words each level has, the most frequent ones, all ``words`` first."""
    sizes = [words]
    while sizes[-1] >= SETTINGS["fewest_words"] * SETTINGS["words_per_level"]:
        sizes.append(sizes[-1] // int(SETTINGS["words_per_level"]))
    return sizes


class _Batches:
    """Random words of a random level, each with neighbours among that level's words."""

    def __init__(self, levels: Sequence[npt.NDArray[np.int32]], draws: Draws) -> None:
        """Take the neighbours int32[words, furthest] of each level, nearest first; whole first."""
        self._levels = levels
        self._draws = draws
        furthest = levels[0].shape[1]
        # Pr[rank <= r] = log(r + 2) / log(furthest + 1): every octave as often.
        whole = logarithm(furthest + 1)
        self._ranks = np.array([logarithm(rank + 2) / whole for rank in range(furthest)])

    def take(self) -> Ids:
        """Return the ids of the next batch, ascending."""
        whole = int(SETTINGS["whole_share"])
        drawn = int(self._draws.below(whole + len(self._levels) - 1, 1)[0])
        near = self._levels[max(0, drawn - whole + 1)]
        seeds = self._draws.below(len(near), int(SETTINGS["seeds"]))
        shares = self._draws.shares(len(seeds), int(SETTINGS["neighbors"]))
        ranks = np.minimum(np.searchsorted(self._ranks, shares, "right"), near.shape[1] - 1)
        return np.unique(np.concatenate([seeds, near[seeds[:, None], ranks].ravel()]))


class _Codes:
    """The codes' real numbers z, and the running mean square of each word's slopes."""

    def __init__(self, values: Floats) -> None:
        self.values = np.clip(values, -1, 1)
        self._squares = np.zeros(len(values), np.float32)
        self._visits = np.zeros(len(values), np.int64)

    def signs(self, rows: Ids) -> tuple[Floats, npt.NDArray[np.uint64]]:
        """Return the codes of ``rows``: -1 and 1, and packed, a column each."""
        set_bits = self.values[rows] >= 0
        signs = set_bits.astype(np.float32)  # np.where takes ten times as long as these three
        signs *= 2
        signs -= 1
        return signs, np.ascontiguousarray(pack(set_bits).T)

    def improve(self, rows: Ids, slopes: Floats, rate: float) -> None:
        """Take a step against ``slopes``; their scale doesn't matter."""
        _improve(rows, slopes, np.float32(rate), self.values, self._squares, self._visits)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _improve(
    rows: Ids,
    slopes: Floats,
    rate: np.float32,
    values: Floats,
    squares: Floats,
    visits: npt.NDArray[np.int64],
) -> None:
    bits = slopes.shape[1]
    for place in range(len(rows)):
        row = rows[place]
        visits[row] += 1
        square = np.float32(0)
        for j in range(bits):
            square += slopes[place, j] * slopes[place, j]
        # The mean of all squares yet, later of about the last hundred.
        share = np.float32(max(1 / visits[row], LEAST_SHARE))
        squares[row] += share * (square / np.float32(bits) - squares[row])
        step = rate / (np.float32(sqrt(squares[row])) + _NOTHING)
        for j in range(bits):
            value = values[row, j] - step * slopes[place, j]
            values[row, j] = min(max(value, np.float32(-1)), np.float32(1))
