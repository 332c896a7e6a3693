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
[-1, 1]. ``docs/codes.md`` says what was tried and what each part brings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_info, threadpool_limits
from tqdm import tqdm

from brr_runtime.errors import ParameterError

from .distinct import distinct_signs
from .divergence import ITSELF, Distances, Floats, Scale, hamming, running_mean, without_shared
from .nearest import nearest_words
from .packing import pack
from .vectors import directions

if TYPE_CHECKING:
    from . import Settings

Ids = npt.NDArray[np.int64]
Pair = tuple[Floats, Floats]
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
    "learning_rate": 0.1,  # at the start; falls to 0 along half a cosine
    "spread": 0.5,  # standard deviation of z at the start
}

_LEAST_DIFFERENCE = 1e-6  # of two directions, in a coordinate
_TEMPERATURE_BATCHES = 8  # that a temperature is chosen on
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
    rng = np.random.default_rng(seed)
    words, dimensions = vectors.shape
    scaled = directions(vectors)
    if np.abs(scaled - scaled.mean(axis=0)).max() < _LEAST_DIFFERENCE:
        raise ParameterError(
            "vectors: all words would get the same code; their directions don't differ"
        )
    furthest = min(int(SETTINGS["furthest"]), words - 1)
    levels = [nearest_words(scaled[:size], furthest, progress) for size in _level_sizes(words)]
    source = _Source(scaled, 1 + dimensions // int(SETTINGS["dimensions_per_shared"]))
    del scaled
    codes = _Codes(_rotated(source.components, bits, rng))
    batches = _Batches(levels, rng)
    samples = [source.cosines(batches.take()) for _ in range(_TEMPERATURE_BATCHES)]
    scales = [
        Scale([near for near, _ in samples], SETTINGS["near_perplexity"], 1),
        Scale(
            [far for _, far in samples],
            SETTINGS["far_perplexity"],
            SETTINGS["far_weight_bits"] / bits,
        ),
    ]
    size = float(np.mean([len(near) for near, _ in samples]))
    steps = max(SETTINGS["fewest_steps"], SETTINGS["visits"] * words / size)
    steps = max(1, round(steps * effort))

    def batch() -> tuple[Ids, list[Floats]]:
        rows = batches.take()
        pairs = zip(scales, source.cosines(rows), strict=True)
        return rows, [scale.targets(cosines) for scale, cosines in pairs]

    shown = tqdm(_ahead(batch, steps), "neighborhood", steps, disable=None if progress else True)
    for step, (rows, targets) in enumerate(shown):
        signs, distances = codes.signs(rows)
        pull = np.zeros(distances.shape, np.float32)
        curvatures = sum(
            scale.pull(each, distances, signs, pull)
            for scale, each in zip(scales, targets, strict=True)
        )
        slopes = pull @ signs
        slopes += pull.T @ signs  # a word is i in its own row, and j in the others'
        slopes /= np.float32(bits)
        slopes -= np.float32(step / steps) * curvatures * signs
        decay = (1 + np.cos(np.pi * step / steps)) / 2
        codes.improve(rows, slopes, SETTINGS["learning_rate"] * decay)
    near_t, far_t = (round(scale.temperature, 5) for scale in scales)
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
    """The vectors' directions, turned so that what all words share comes first."""

    def __init__(self, scaled: Floats, shared: int) -> None:
        _, axes = np.linalg.eigh(scaled.T @ scaled)  # ascending eigenvalues
        self._turned: Floats = scaled @ axes[:, ::-1]
        self._shared = min(shared, len(axes) - 1)
        lengths = np.linalg.norm(self.components, axis=1)
        self._scales = 1 / np.maximum(lengths, np.float32(_LEAST_DIFFERENCE))

    @property
    def components(self) -> Floats:
        """All components but the shared ones, float32[n, d - shared], by their size."""
        return self._turned[:, self._shared :]

    def cosines(self, rows: Ids) -> Pair:
        """Return the cosines between ``rows``, with and without what all words share."""
        turned = self._turned[rows]
        near = turned @ turned.T
        far = np.empty_like(near)
        shared = np.ascontiguousarray(turned[:, : self._shared].T)
        without_shared(near, shared, self._scales[rows], far)
        np.fill_diagonal(near, ITSELF)
        np.fill_diagonal(far, ITSELF)
        return near, far


def _rotated(components: Floats, bits: int, rng: np.random.Generator) -> Floats:
    """Return float32[n, bits]: the first components, turned so that all have like variance."""
    kept = min(bits, components.shape[1])
    rotation = np.linalg.qr(rng.standard_normal((bits, bits)))[0][:kept].astype(np.float32)
    turned: Floats = components[:, :kept] @ rotation
    turned -= turned.mean(axis=0)
    turned *= SETTINGS["spread"] / max(float(turned.std()), _NOTHING)
    return turned


def _level_sizes(words: int) -> list[int]:
    """Return how many words each level has, the most frequent ones, all ``words`` first."""
    sizes = [words]
    while sizes[-1] >= SETTINGS["fewest_words"] * SETTINGS["words_per_level"]:
        sizes.append(sizes[-1] // int(SETTINGS["words_per_level"]))
    return sizes


class _Batches:
    """Random words of a random level, each with neighbours among that level's words."""

    def __init__(self, levels: Sequence[npt.NDArray[np.int32]], rng: np.random.Generator) -> None:
        """Take the neighbours int32[words, furthest] of each level, nearest first; whole first."""
        self._levels = levels
        self._rng = rng
        shares = np.ones(len(levels))
        shares[0] = SETTINGS["whole_share"]
        self._shares = shares / shares.sum()

    def take(self) -> Ids:
        """Return the ids of the next batch, ascending."""
        near = self._levels[self._rng.choice(len(self._levels), p=self._shares)]
        words, furthest = near.shape
        seeds = self._rng.integers(words, size=int(SETTINGS["seeds"]))
        draws = self._rng.random((len(seeds), int(SETTINGS["neighbors"])))
        ranks = np.minimum((furthest + 1) ** draws - 1, furthest - 1).astype(np.int64)
        return np.unique(np.concatenate([seeds, near[seeds[:, None], ranks].ravel()]))


class _Codes:
    """The codes' real numbers z, and the running mean square of each word's slopes."""

    def __init__(self, values: Floats) -> None:
        self.values = np.clip(values, -1, 1)
        self._squares = np.zeros((len(values), 1), np.float32)
        self._visits = np.zeros((len(values), 1), np.float32)

    def signs(self, rows: Ids) -> tuple[Floats, Distances]:
        """Return the codes of ``rows``, -1 and 1, and their distances."""
        set_bits = self.values[rows] >= 0
        signs = set_bits.astype(np.float32)  # np.where takes ten times as long as these three
        signs *= 2
        signs -= 1
        return signs, hamming(np.ascontiguousarray(pack(set_bits).T))

    def improve(self, rows: Ids, slopes: Floats, rate: float) -> None:
        """Take a step against ``slopes``, and overwrite them; their scale doesn't matter."""
        self._visits[rows] += 1
        squares = np.square(slopes).mean(axis=1, keepdims=True)
        squares = running_mean(self._squares[rows], squares, self._visits[rows])
        self._squares[rows] = squares
        slopes *= np.float32(-rate) / (np.sqrt(squares) + _NOTHING)
        slopes += self.values[rows]
        self.values[rows] = np.clip(slopes, -1, 1, out=slopes)
