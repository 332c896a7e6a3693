"""Near-lossless binarization: an autoencoder whose hidden layer is the code.

The model is that of Tissier, Gravier, Habrard, "Near-lossless Binarization of Word Embeddings",
AAAI 2019: the code b = step(W x) of a vector x is decoded to tanh(Wᵀ b + c) with the same W, and a
loss keeps WᵀW near the identity.

Differences from the paper, with reasons:

- Vectors are scaled to unit length, centered, and scaled again, so that cosines count, bits are
  balanced, and tanh can reach the values. The decoder takes b - 1/2, so that an unset bit counts as
  much as a set one.
- W starts at the randomly rotated principal axes, as in iterative quantization (Gong, Lazebnik,
  CVPR 2011); with more bits than dimensions, at random orthonormal columns.
- A third loss compares words with each other. For each word, codes should imply the same
  distribution over its neighbors in the batch as cosines (Hinton, Roweis, "Stochastic Neighbor
  Embedding", NIPS 2002, equations 1 to 4, with cosines instead of distances). Without this loss,
  128 bits keep 46% of a word's 10 nearest neighbors by cosine in 300-dimensional GloVe vectors;
  with it, 57%.
- Gradients pass the step function, with the slope of a tanh instead of its own (a straight-through
  estimator: Bengio, Léonard, Courville, arXiv:1308.3432); the paper learns W from the decoder
  alone.
- Adam has a decaying rate and a fixed number of steps instead of epochs, to learn a small
  vocabulary as well as a large one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, log, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from brrkit_toolchain.io.progress import Progress

from .vectors import centered_directions

if TYPE_CHECKING:
    from . import Settings

Floats = npt.NDArray[np.float32]

STEPS = 500
BATCH = 1024  # words; large, so that batches contain neighbors
SETTINGS = {
    "learning_rate": 4e-3,  # at the start; falls to 0 along half a cosine
    "scale": 0.35,  # root mean square of the encoder's input
    "slope_width": 0.15,  # width of the tanh whose slope replaces the step's
    "orthogonality": 10.0,  # weight of the mean square of WᵀW - I
    "neighbors": 3.0,  # weight of the neighbor loss
    "temperature": 0.03,  # temperature of the distribution over a word's neighbors
}
_ADAM_DECAYS = 0.9, 0.999


@dataclass(frozen=True)
class Parameters:
    """The learned parameters, or their gradients.

    Attributes:
        weights: W, float32[bits, d].
        bias: c, float32[d].
        log_gain: float32[], logarithm of the gain of the codes' similarities.
    """

    weights: Floats
    bias: Floats
    log_gain: Floats

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """The parameters, in this order."""
        return self.weights, self.bias, self.log_gain


def encode(
    vectors: Floats, bits: int, seed: int, progress: bool, effort: float
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Train an autoencoder on ``vectors`` and return their codes.

    Args:
        vectors: float32[n, d], n >= 2.
        bits: length of a code.
        seed: seed of the initial weights and the batches.
        progress: show a progress bar on standard error, if that is a terminal.
        effort: factor for the number of training steps.

    Returns:
        bool[n, bits] and the settings used.
    """
    rng = np.random.default_rng(seed)
    inputs = centered_directions(vectors)
    inputs *= SETTINGS["scale"] / max(np.sqrt((inputs**2).mean()), np.float32(1e-12))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions = vectors / np.maximum(lengths, np.float32(1e-6))
    learned = Parameters(
        _initial_weights(inputs, bits, rng),
        np.zeros(inputs.shape[1], np.float32),
        np.array(-log(SETTINGS["temperature"]), np.float32),
    )
    optimizers = [_Adam(array) for array in learned.arrays]
    words, batch = len(vectors), min(len(vectors), BATCH)
    steps = max(1, round(STEPS * effort))
    for step in Progress(range(steps), desc="autoencoder", progress=progress):
        rows = rng.choice(words, batch, replace=False)
        found = gradients(learned, inputs[rows], _neighbors(directions[rows]))
        rate = SETTINGS["learning_rate"] * (1 + cos(pi * step / steps)) / 2
        for optimizer, gradient in zip(optimizers, found.arrays, strict=True):
            optimizer.step(gradient, rate)
    bits_set = inputs @ learned.weights.T >= 0
    return bits_set, {"steps": steps, "batch": BATCH, **SETTINGS}


def _initial_weights(inputs: Floats, bits: int, rng: np.random.Generator) -> Floats:
    """Return float32[bits, d] with orthonormal rows or, if bits > d, columns."""
    d = inputs.shape[1]
    if bits > d:
        frame = np.linalg.qr(rng.standard_normal((bits, d)))[0]
    else:
        _, axes = np.linalg.eigh(inputs.T @ inputs)  # ascending eigenvalues
        frame = np.linalg.qr(rng.standard_normal((bits, bits)))[0] @ axes[:, -bits:].T
    return frame.astype(np.float32)


def _neighbors(directions: Floats) -> Floats:
    """Return the distribution float32[m, m] over the neighbors of each word of a batch."""
    return _softmax(directions @ directions.T / np.float32(SETTINGS["temperature"]))


def _softmax(scores: Floats) -> Floats:
    """Return the softmax of each row, with 0 for the word itself."""
    np.fill_diagonal(scores, -np.inf)
    powers: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
    powers /= powers.sum(axis=1, keepdims=True)
    return powers


def gradients(learned: Parameters, x: Floats, neighbors: Floats) -> Parameters:
    """Return the gradients of the three losses' weighted sum, with a replaced slope of the step.

    Args:
        learned: the parameters.
        x: the batch's inputs, float32[m, d].
        neighbors: result of ``_neighbors`` for the batch.
    """
    m, d = x.shape
    weights, bits = learned.weights, len(learned.weights)
    z = x @ weights.T
    code = np.where(z >= 0, np.float32(0.5), np.float32(-0.5))
    # Reconstruction: the mean of (tanh(code W + c) - x)^2, in units of the inputs' mean square.
    decoded = np.tanh(code @ weights + learned.bias)
    error = (decoded - x) * (1 - decoded**2) * np.float32(2 / (m * d * SETTINGS["scale"] ** 2))
    # Orthogonality: the mean of (WᵀW - I)^2.
    excess = weights.T @ weights - np.eye(d, dtype=np.float32)
    # Neighbors: the mean cross-entropy; similarities are from -1 to 1.
    gain = np.exp(learned.log_gain)
    similarity = code @ code.T * np.float32(4 / bits)
    slope = (_softmax(similarity * gain) - neighbors) * np.float32(SETTINGS["neighbors"] / m)
    by_log_gain = np.float32(np.vdot(slope, similarity)) * gain

    by_code = error @ weights.T + (slope + slope.T) @ code * (gain * np.float32(4 / bits))
    by_z = by_code * (1 - np.tanh(z / np.float32(SETTINGS["slope_width"])) ** 2)
    by_weights = (
        code.T @ error
        + by_z.T @ x
        + weights @ excess * np.float32(4 * SETTINGS["orthogonality"] / d**2)
    )
    return Parameters(by_weights, error.sum(axis=0), by_log_gain)


class _Adam:
    """Adam: Kingma, Ba, arXiv:1412.6980, algorithm 1, in the form at the end of section 2."""

    def __init__(self, learned: Floats) -> None:
        """Start at zero moments; each step changes the array ``learned`` in place."""
        self._learned = learned
        self._mean, self._square = np.zeros_like(learned), np.zeros_like(learned)
        self._steps = 0

    def step(self, gradient: Floats, rate: float) -> None:
        """Take a step against the gradient."""
        self._steps += 1
        first, second = _ADAM_DECAYS
        rate *= sqrt(1 - second**self._steps) / (1 - first**self._steps)
        self._mean += (gradient - self._mean) * np.float32(1 - first)
        self._square += (gradient**2 - self._square) * np.float32(1 - second)
        self._learned -= np.float32(rate) * self._mean / (np.sqrt(self._square) + np.float32(1e-7))
