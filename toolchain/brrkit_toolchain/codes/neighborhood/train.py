"""Free codes, trained to have the source's neighbors, near and far, as Hamming neighbors.

The vocabulary of a bundle is closed, so no other vector is ever encoded, and no encoder is needed.
The codes themselves are the parameters: a real number z for each word and bit, whose sign is the
bit.

For a batch of words, cosines imply the distribution p(j | i) over the neighbors j of a word i, a
softmax at temperature T. Codes imply q(j | i), a softmax of their inner products times a learned
gain (Hinton, Roweis, "Stochastic Neighbor Embedding", NIPS 2002, equations 1 to 4, with cosines
instead of distances). The loss is the mean of KL(p || q), at two scales:

- *near*: cosines of the vectors, at a T that spreads p over a few words of a batch;
- *far*: cosines of the vectors without the few components that nearly all words share, at a T that
  spreads p over more words. The shared components reveal a word's frequency rather than its meaning
  (Mu, Viswanath, "All-but-the-Top", ICLR 2018). As there, their number is a hundredth of the
  dimensions, plus one for the common mean.

Words are compared in groups (``groups``). Threads compute the slopes of a round of groups with the
current codes. Then the codes take a step for each group, one after the other.

Gradients pass the sign function unchanged (a straight-through estimator: Bengio, Léonard,
Courville, arXiv:1308.3432). But a bit can only flip, which changes its sign s by -2 s, and the loss
by -2 s (slope - s curvature), to second order. The curvature of this loss is never negative, so
slopes overestimate the gain from a flip, and words flip back and forth. Therefore, a share of the
curvature is subtracted: nothing at the start, where the codes are still far from the minimum, and
all of it at the end. A word's z moves against the result, divided by the root mean square of the
word's recent slopes (RMSProp: Tieleman, Hinton, Coursera 2012, lecture 6.5, with one mean per
word), and stays in [-1, 1]. ``benchmarks/results/codes-tried.md`` lists the ideas that were tried.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy.linalg  # noqa: F401  # loads the BLAS of compiled loops; its threads are set below
from threadpoolctl import threadpool_limits

from brrkit.errors import ParameterError
from brrkit_toolchain.codes.portable import (
    Doubles,
    Draws,
    exact_gram,
    leading_axes,
    mean_square,
    orthonormal,
)
from brrkit_toolchain.codes.vectors import LENGTH, Integers, integer_directions, integer_products
from brrkit_toolchain.io.compiled import compiled
from brrkit_toolchain.io.progress import Progress

from . import groups
from .distinct import distinct_signs
from .divergence import Slopes, find_slopes, no_slopes
from .groups import Groups, find_levels
from .scale import LEAST_SHARE, Scale
from .targets import AXES_AT_ONCE, Floats, Ids, Source, cosines

if TYPE_CHECKING:
    from brrkit_toolchain.codes import Settings

SETTINGS = {
    "visits": 350,  # mean number of groups with a word
    "fewest_visits": 8_000_000,  # smallest sum of visits of all words, for small vocabularies
    "groups": 32,  # groups in a round
    "near_perplexity": 3.0,  # number of a group's words over which p spreads
    "far_perplexity": 40.0,
    "far_weight_bits": 600,  # weight of the far loss, times the bits of a code
    "dimensions_per_shared": 100,
    "learning_rate": 0.1,  # at the start; falls to 0 by 1 - 3 t^2 + 2 t^3
    "spread": 0.5,  # standard deviation of z at the start
}

_TEMPERATURE_GROUPS = 32  # groups from which temperatures are chosen
_SHARED_ITERATIONS = 200  # enough to reduce the error below the vectors' own noise
_OTHER_ITERATIONS = 15  # fewer, since the start of training needn't be exact
_TINY = np.float32(1e-12)  # keeps a quotient finite


def encode(
    vectors: npt.NDArray[np.float32], bits: int, seed: int, progress: bool, effort: float
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Train a code for each of ``vectors`` and return them, no two alike.

    Args:
        vectors: float32[n, d], n >= 2, most frequent words first.
        bits: length of a code.
        seed: seed of the initial rotation and the batches.
        progress: show progress bars on standard error, if that is a terminal.
        effort: factor for the number of training steps.

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
            "vectors: all words would get the same code; use vectors whose directions differ"
        )
    drawn = Groups(find_levels(integers, draws, progress), draws)
    gram = exact_gram(integers)
    shared = 1 + dimensions // int(SETTINGS["dimensions_per_shared"])
    axes = leading_axes(
        gram, draws.shares(min(shared, dimensions - 1), dimensions) - 0.5, _SHARED_ITERATIONS
    )
    source = _split(integers, axes)
    codes = _Codes(_start(integers, gram, axes, bits, draws))
    samples = [cosines(source, rows) for rows in drawn.take(_TEMPERATURE_GROUPS)]
    near_samples, far_samples = zip(*samples, strict=True)
    near = Scale(near_samples, SETTINGS["near_perplexity"], 1)
    far = Scale(far_samples, SETTINGS["far_perplexity"], SETTINGS["far_weight_bits"] / bits)
    visits = max(SETTINGS["fewest_visits"], SETTINGS["visits"] * words)
    rounds = max(1, round(visits * effort / (SETTINGS["groups"] * drawn.size)))
    _train(codes, drawn, source, (near, far), rounds, progress)
    near_t, far_t = (round(scale.temperature, 5) for scale in (near, far))
    return distinct_signs(codes.values), {
        **groups.SETTINGS,
        **SETTINGS,
        "rounds": rounds,
        "near_temperature": near_t,
        "far_temperature": far_t,
    }


def _train(
    codes: _Codes,
    drawn: Groups,
    source: Source,
    scales: tuple[Scale, Scale],
    rounds: int,
    progress: bool,
) -> None:
    """Improve the codes and the scales' gains, one round of groups after the other."""
    count, bits = int(SETTINGS["groups"]), codes.values.shape[1]
    found = no_slopes(count, drawn.size, bits)
    threads = min(os.cpu_count() or 1, count)
    bounds = [count * thread // threads for thread in range(threads + 1)]
    parts = [slice(*pair) for pair in pairwise(bounds)]
    shown = Progress(range(rounds), desc="neighborhood", progress=progress)

    def find(part: slice, taken: Ids, done: float) -> None:
        find_slopes(taken[part], source, codes.values, scales, done, found.part(part))

    # This thread computes slopes, too: waking another one takes as long as a group or two.
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(max(1, threads - 1)) as pool:
        following = pool.submit(drawn.take, count)
        for number in shown:
            done = number / rounds
            taken = following.result()
            waiting = [pool.submit(find, part, taken, done) for part in parts[1:]]
            following = pool.submit(drawn.take, count)  # while the codes take their steps
            find(parts[0], taken, done)
            for part in waiting:
                part.result()
            rate = SETTINGS["learning_rate"] * (1 + 2 * done) * (1 - done) ** 2
            codes.improve(taken, found, rate)
            for scale, excess in zip(scales, found.excess.T, strict=True):
                scale.improve_gain(float(np.add.accumulate(excess)[-1]), taken.size, bits)


def _split(integers: Integers, axes: Doubles) -> Source:
    """Split off the components along ``axes``, float64[shared, d]."""
    shared = np.zeros((len(integers), -(-len(axes) // AXES_AT_ONCE) * AXES_AT_ONCE), np.float32)
    scales = np.empty(len(integers), np.float32)
    _split_rows(integers, axes / LENGTH, shared, scales)
    return Source(integers, shared, scales)


def _start(integers: Integers, gram: Doubles, axes: Doubles, bits: int, draws: Draws) -> Floats:
    """Return initial numbers z, float32[n, bits]: the components not along ``axes``, rotated.

    A random rotation spreads the first components over all bits, so that these have similar
    variances. ``gram``, float64[d, d], contains the products of the columns of ``integers``.
    """
    shared, dimensions = axes.shape
    kept = min(bits, dimensions - shared)
    start = np.concatenate([axes, draws.shares(kept, dimensions) - 0.5])
    others = leading_axes(gram, start, _OTHER_ITERATIONS)[shared:]
    rotation = draws.shares(bits, bits) - 0.5
    orthonormal(rotation)
    # Columns are at most LENGTH long, like rows of the integers, so the product is exact.
    turn = np.zeros((dimensions, bits))
    for axis, weights in zip(others, rotation[:kept], strict=True):
        turn += axis[:, None] * weights
    turn = np.rint(turn * (LENGTH - sqrt(dimensions) / 2))
    turned = integer_products(integers, turn.astype(np.float32))
    turned -= (turned.sum(axis=0, dtype=np.float64) / len(turned)).astype(np.float32)
    turned *= np.float32(SETTINGS["spread"] / max(sqrt(mean_square(turned)), _TINY))
    return turned


@compiled
def _split_rows(integers: Integers, axes: Doubles, shared: Floats, scales: Floats) -> None:
    """Write 1 over the length of each row's rest, and the components along ``axes`` times that."""
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
        for k in range(len(axes)):
            shared[i, k] *= scales[i]


class _Codes:
    """The codes' real numbers z, and the running mean square of each word's slopes."""

    def __init__(self, values: Floats) -> None:
        self.values = np.clip(values, -1, 1)
        self._squares = np.zeros(len(values), np.float32)
        self._visits = np.zeros(len(values), np.int64)

    def improve(self, groups: Ids, found: Slopes, rate: float) -> None:
        """Take a step against the slopes of each group; the scale of the slopes doesn't matter."""
        _improve(
            groups,
            found.slopes,
            found.squares,
            np.float32(rate),
            self.values,
            self._squares,
            self._visits,
        )


@compiled
def _improve(
    groups: Ids,
    slopes: Floats,
    new: Floats,
    rate: np.float32,
    values: Floats,
    squares: Floats,
    visits: npt.NDArray[np.int64],
) -> None:
    for group in range(len(groups)):
        for place in range(groups.shape[1]):
            row = groups[group, place]
            visits[row] += 1
            # The mean of all squares so far, later of about the last hundred.
            share = np.float32(max(1 / visits[row], LEAST_SHARE))
            squares[row] += share * (new[group, place] - squares[row])
            step = rate / (np.float32(sqrt(squares[row])) + _TINY)
            own, slope = values[row], slopes[group, place]
            for j in range(len(own)):
                own[j] = min(max(own[j] - step * slope[j], np.float32(-1)), np.float32(1))
