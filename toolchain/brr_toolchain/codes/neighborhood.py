"""Free codes, trained so that their Hamming neighbours are the source's.

The vocabulary of a bundle is closed: no other vector is ever encoded. So there is no encoder. The
codes themselves are the parameters, a real number z for each word and bit, whose sign is the bit.

For a batch of words, p(j | i) is the distribution over the neighbours j of a word i that cosines
imply, a softmax at temperature T, and q(j | i) the one that codes imply, a softmax of their inner
products times a learned gain (Hinton, Roweis, "Stochastic Neighbor Embedding", NIPS 2002,
equations 1 to 4, with cosines for distances). The loss is the mean of KL(p || q). Gradients pass
the sign as if it weren't there (a straight-through estimator: Bengio, Léonard, Courville,
arXiv:1308.3432) and go to Adam, with its moments kept for each word and counted by its own visits;
z stays in [-1, 1].

What makes it work, and fast:

- A batch holds random words with their nearest neighbours, and every word of the batch is compared
  with every other: the hard cases are always there, and one product serves all of them.
- T is chosen so that p spreads over about six words of a batch, in whatever way an embedding's
  cosines are distributed.
- z starts at the randomly rotated principal components, as in iterative quantization (``itq``).

On 7,336 GloVe vectors of 300 dimensions 64 bits keep 0.54 of the 10 nearest neighbours after 600
steps, where comparing 512 words with the whole vocabulary at T = 0.05 kept 0.48 in twice the time.
A temperature for each word (one perplexity for all, as in t-SNE) kept less: 0.53.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from tqdm import trange

from brr_runtime.errors import ParameterError
from brr_toolchain.quiet_tensorflow import import_tensorflow

from .packing import pack
from .vectors import centred_directions

if TYPE_CHECKING:
    from . import Settings

Floats = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]

SETTINGS = {
    "visits": 80,  # how often a word is in a batch, on average and about
    "fewest_steps": 1_200,  # a small vocabulary needs as many
    "seeds": 128,  # random words of a batch ...
    "neighbors": 15,  # ... and how many of its nearest each brings along
    "perplexity": 6.0,  # words of a batch that p spreads over
    "learning_rate": 0.03,  # at the start; falls to 0 along half a cosine
    "spread": 0.5,  # standard deviation of z at the start
}

_MOMENTS = (0.9, 0.999)  # Adam's
_GAIN_RATE = 0.01
_EXACT_UP_TO = 20_000  # words whose neighbours are found by comparing all
_PROBES = 32  # cells searched for a word's neighbours beyond that
_LEAST_DIFFERENCE = 1e-6  # of two directions, in a coordinate
_TEMPERATURE_BATCHES = 3  # that T is chosen on


def encode(
    vectors: npt.NDArray[np.float32], bits: int, seed: int, progress: bool, effort: float
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Train a code for each of ``vectors`` and return them, no two alike.

    Args:
        vectors: float32[n, d], n >= 2.
        bits: length of a code.
        seed: of the initial rotation and the batches.
        progress: whether to show a progress bar where standard error is a terminal.
        effort: multiplies the number of training steps.

    Returns:
        bool[n, bits] and the settings used.

    Raises:
        ParameterError: the vectors' directions don't differ.
    """
    rng = np.random.default_rng(seed)
    words = len(vectors)
    centred = centred_directions(vectors)
    if np.abs(centred).max() < _LEAST_DIFFERENCE:
        raise ParameterError(
            "vectors: all words would get the same code; their directions don't differ"
        )
    directions = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
    near = _nearest(directions, min(int(SETTINGS["neighbors"]), words - 1))
    table = _Table(_rotated_components(centred, bits, rng))
    batch = int(SETTINGS["seeds"]) * (1 + near.shape[1])
    steps = max(SETTINGS["fewest_steps"], SETTINGS["visits"] * words / batch)
    steps = max(1, round(steps * effort))
    batches = _Batches(near, rng)
    samples = [directions[batches.take()] for _ in range(_TEMPERATURE_BATCHES)]
    temperature = _temperature(samples, SETTINGS["perplexity"])
    compare = _comparison(temperature, bits)
    for step in trange(steps, desc="neighborhood", disable=None if progress else True):
        rows = batches.take()
        decay = (1 + np.cos(np.pi * step / steps)) / 2
        table.improve(rows, directions[rows], compare, SETTINGS["learning_rate"] * decay)
    settings = {**SETTINGS, "steps": steps, "temperature": round(float(temperature), 5)}
    return _all_different(table.z), settings


def _nearest(directions: Floats, k: int) -> Ids:
    """Return the ids [n, k] of the words nearest to each by cosine, nearly all of them right."""
    import faiss

    words, dimensions = directions.shape
    if words <= _EXACT_UP_TO:
        index: Any = faiss.IndexFlatIP(dimensions)
    else:
        cells = int(2 * np.sqrt(words))
        quantizer = faiss.IndexFlatIP(dimensions)
        index = faiss.IndexIVFFlat(quantizer, dimensions, cells, faiss.METRIC_INNER_PRODUCT)
        index.train(directions)
        index.nprobe = _PROBES
    index.add(directions)
    _, found = index.search(directions, k + 1)
    # Usually a word is its own nearest; where it isn't, twins took its place. -1: a small cell.
    itself = np.arange(words)[:, None]
    others = np.argsort(found == itself, axis=1, kind="stable")[:, :k]
    near: Ids = np.take_along_axis(found, others, axis=1)
    return np.where(near < 0, itself, near)


def _temperature(batches: Sequence[Floats], perplexity: float) -> float:
    """Return T for which exp(entropy of p(. | i)) has the geometric mean ``perplexity``.

    Over all words i of the ``batches`` of directions float32[m, d].
    """
    products = [batch @ batch.T for batch in batches]
    for cosines in products:
        np.fill_diagonal(cosines, -np.inf)
        np.subtract(cosines, cosines.max(axis=1, keepdims=True), out=cosines)
        np.fill_diagonal(cosines, -10)  # e^(-10 / T) is nothing
    low, high = 1e-3, 1.0
    for _ in range(12):
        middle = np.float32(np.sqrt(low * high))
        entropies = [_entropy(cosines / middle) for cosines in products]
        low, high = (middle, high) if np.mean(entropies) < np.log(perplexity) else (low, middle)
    return float(np.sqrt(low * high))


def _entropy(logits: Floats) -> float:
    """Return the mean entropy of the softmax of each row, whose largest logit is 0."""
    weights = np.exp(logits)
    totals = weights.sum(axis=1)
    weights *= logits
    return float((np.log(totals) - weights.sum(axis=1) / totals).mean())


def _rotated_components(centred: Floats, bits: int, rng: np.random.Generator) -> Floats:
    """Return float32[n, bits]: principal components, turned so that all have like variance."""
    kept = min(bits, centred.shape[1])
    _, axes = np.linalg.eigh(centred.T @ centred)  # ascending eigenvalues
    rotation = np.linalg.qr(rng.standard_normal((bits, bits)))[0][:kept]
    turned: Floats = centred @ (axes[:, -kept:] @ rotation).astype(np.float32)
    turned *= SETTINGS["spread"] / max(float(turned.std()), 1e-12)
    return turned


class _Batches:
    """All words in random order, again and again, some at a time and each with its neighbours."""

    def __init__(self, near: Ids, rng: np.random.Generator) -> None:
        self._near = near
        self._rng = rng
        self._order = rng.permutation(len(near))
        self._at = 0

    def take(self) -> Ids:
        """Return the ids of the next batch, ascending."""
        count = int(SETTINGS["seeds"])
        if self._at + count > len(self._order):
            self._order = self._rng.permutation(len(self._order))
            self._at = 0
        seeds = self._order[self._at : self._at + count]
        self._at += count
        return np.unique(np.concatenate([seeds, self._near[seeds].ravel()]))


class _Table:
    """The codes' real numbers, the gain, and Adam's moments of both."""

    def __init__(self, z: Floats) -> None:
        self.z = np.clip(z, -1, 1)
        self._first = np.zeros_like(z)
        self._second = np.zeros_like(z)
        self._visits = np.zeros((len(z), 1), np.float32)
        self._gain = np.array([np.log(0.5), 0, 0])  # its logarithm, in units of 1 / T; moments
        self._steps = 0

    def improve(self, rows: Ids, directions: Floats, compare: Any, rate: float) -> None:
        """Take a step of Adam for the words ``rows`` and the gain."""
        signs = np.where(self.z[rows] >= 0, np.float32(1), np.float32(-1))
        slopes, gain_slope = (
            result.numpy() for result in compare(directions, signs, np.float32(self._gain[0]))
        )
        self._visits[rows] += 1
        z, self._first[rows], self._second[rows] = _adam(
            self.z[rows], slopes, self._first[rows], self._second[rows], self._visits[rows], rate
        )
        self.z[rows] = np.clip(z, -1, 1)
        self._steps += 1
        gain, first, second = self._gain
        self._gain[:] = _adam(gain, gain_slope, first, second, self._steps, _GAIN_RATE)


def _adam(value: Any, slope: Any, first: Any, second: Any, times: Any, rate: float) -> Any:
    """Return the new value and moments after a step of Adam (Kingma, Ba, arXiv:1412.6980)."""
    a, b = _MOMENTS
    first = a * first + (1 - a) * slope
    second = b * second + (1 - b) * slope * slope
    step = rate * (first / (1 - a**times)) / (np.sqrt(second / (1 - b**times)) + 1e-12)
    return value - step, first, second


def _comparison(temperature: float, bits: int) -> Any:
    """Return a function that compares a batch's codes with its directions.

    It takes directions float32[m, d], codes float32[m, bits] of -1 and 1 and the logarithm of the
    gain, and returns the derivatives of the batch's sum of KL(p || q): to the codes float32[m,
    bits], up to a factor, which Adam doesn't see, and to the logarithm of the gain.
    """
    tf = import_tensorflow()
    tf.config.experimental.enable_op_determinism()

    def compare(directions: Any, signs: Any, log_gain: Any) -> Any:
        itself = 1e9 * tf.eye(tf.shape(signs)[0])  # a word isn't its own neighbour
        cosines = tf.matmul(directions, directions, transpose_b=True)
        products = tf.matmul(signs, signs, transpose_b=True)
        logits = products * (tf.exp(log_gain) / (temperature * bits)) - itself
        excess = tf.nn.softmax(logits) - tf.nn.softmax(cosines / temperature - itself)
        slopes = tf.matmul(excess, signs) + tf.matmul(excess, signs, transpose_a=True)
        return slopes, tf.reduce_mean(tf.reduce_sum(excess * logits, axis=1))

    shapes = [[None, None], [None, bits], []]
    return tf.function(compare, input_signature=[tf.TensorSpec(s, tf.float32) for s in shapes])


def _all_different(z: Floats) -> npt.NDArray[np.bool_]:
    """Return the signs bool[n, bits], with the least sure bits flipped where codes are equal.

    A word whose code a more frequent word has could never come out of a mechanism.
    """
    bits = z >= 0
    packed = pack(bits)
    taken = {code.tobytes() for code in packed}
    _, first = np.unique(packed, axis=0, return_index=True)
    for row in np.setdiff1d(np.arange(len(z)), first):
        by_doubt = np.argsort(np.abs(z[row]), kind="stable")
        flips = chain.from_iterable(
            combinations(by_doubt, count) for count in range(1, len(by_doubt))
        )
        for flip in flips:
            changed = bits[row].copy()
            changed[list(flip)] ^= True
            code = pack(changed[None]).tobytes()
            if code not in taken:
                break
        bits[row] = changed
        taken.add(code)
    return bits
