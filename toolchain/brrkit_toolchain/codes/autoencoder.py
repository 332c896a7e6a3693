"""Near-lossless binarization: an autoencoder whose hidden layer is the code.

The model is that of Tissier, Gravier, Habrard, "Near-lossless Binarization of Word Embeddings",
AAAI 2019: the code b = step(W x) of a vector x is decoded to tanh(Wᵀ b + c) with the same W,
and WᵀW is kept near the identity.

What departs from the paper, and why (NN@10 is the share of a word's 10 nearest neighbours by
cosine that its code keeps):

- Vectors are scaled to unit length, centred and scaled once more, so that cosines count, bits
  are balanced and tanh can reach the values. The decoder takes b - 1/2, so that a bit that
  isn't set says as much as one that is.
- W starts at the randomly rotated principal axes, as iterative quantization does (`itq`);
  where there are more bits than dimensions, at random orthonormal columns.
- A third loss compares words with each other: the distribution over a word's neighbours in the
  batch that its code implies is to be the one that its cosines imply (Hinton, Roweis,
  "Stochastic Neighbor Embedding", NIPS 2002, equations 1 to 4, with cosines for distances).
  Without it, 128 bits keep 0.46 of the neighbours in 300-dimensional GloVe vectors, not 0.57.
- Gradients pass the step, with the slope of a tanh for the step's own (a straight-through
  estimator: Bengio, Léonard, Courville, arXiv:1308.3432); the paper learns W from
  the decoder alone.
- Adam with a decaying rate and a fixed number of steps instead of epochs, so that a small
  vocabulary is learned as well as a large one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from tqdm import trange

from brrkit_toolchain.system.quiet_tensorflow import import_tensorflow

from .vectors import centred_directions

if TYPE_CHECKING:
    from . import Settings

STEPS = 500
BATCH = 1024  # words; large, for neighbours to meet in it
SETTINGS = {
    "learning_rate": 4e-3,  # at the start; falls to 0 along half a cosine
    "scale": 0.35,  # root mean square of the encoder's input
    "slope_width": 0.15,  # of the tanh that lends the step its slope
    "orthogonality": 10.0,  # weight of the mean square of WᵀW - I
    "neighbors": 3.0,  # weight of the neighbour loss
    "temperature": 0.03,  # of the distribution over a word's neighbours
}


def encode(
    vectors: npt.NDArray[np.float32], bits: int, seed: int, progress: bool, effort: float
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Train an autoencoder on ``vectors`` and return their codes.

    Initial weights and batches come from NumPy's generator and TensorFlow's operations are
    made deterministic (for the whole process), so that a seed gives the same codes on one machine.

    Args:
        vectors: float32[n, d], n >= 2.
        bits: length of a code.
        seed: of the initial weights and the batches.
        progress: whether to show a progress bar where standard error is a terminal.
        effort: multiplies the number of training steps.

    Returns:
        bool[n, bits] and the settings used.
    """
    tf = import_tensorflow()
    tf.config.experimental.enable_op_determinism()
    rng = np.random.default_rng(seed)
    inputs = centred_directions(vectors)
    inputs *= SETTINGS["scale"] / max(np.sqrt((inputs**2).mean()), np.float32(1e-12))
    weights = tf.Variable(_initial_weights(inputs, bits, rng))
    words, batch = len(vectors), min(len(vectors), BATCH)
    steps = max(1, round(STEPS * effort))
    step = _training_step(vectors, inputs, weights, steps)
    for _ in trange(steps, desc="autoencoder", disable=None if progress else True):
        step(tf.constant(rng.choice(words, batch, replace=False)))
    return inputs @ weights.numpy().T >= 0, {"steps": steps, "batch": BATCH, **SETTINGS}


def _initial_weights(
    inputs: npt.NDArray[np.float32], bits: int, rng: np.random.Generator
) -> npt.NDArray[np.float32]:
    """Return float32[bits, d] with orthonormal rows or, if bits > d, columns."""
    d = inputs.shape[1]
    if bits > d:
        frame = np.linalg.qr(rng.standard_normal((bits, d)))[0]
    else:
        _, axes = np.linalg.eigh(inputs.T @ inputs)  # ascending eigenvalues
        frame = np.linalg.qr(rng.standard_normal((bits, bits)))[0] @ axes[:, -bits:].T
    return frame.astype(np.float32)


def _training_step(
    vectors: npt.NDArray[np.float32], inputs: npt.NDArray[np.float32], weights: Any, steps: int
) -> Any:
    """Return a function that takes the rows of a batch and improves ``weights`` on them."""
    tf = import_tensorflow()
    bits, d = weights.shape
    all_inputs = tf.constant(inputs)
    all_directions = tf.math.l2_normalize(tf.constant(vectors), axis=1)
    bias = tf.Variable(tf.zeros(d))
    log_gain = tf.Variable(-tf.math.log(SETTINGS["temperature"]))  # of the codes' similarities
    variables = [weights, bias, log_gain]
    optimizer = tf.keras.optimizers.Adam(
        tf.keras.optimizers.schedules.CosineDecay(SETTINGS["learning_rate"], steps)
    )
    width = SETTINGS["slope_width"]

    def losses(x: Any, neighbors: Any, itself: Any) -> Any:
        z = tf.matmul(x, weights, transpose_b=True)
        smooth = width * tf.tanh(z / width)
        code = smooth + tf.stop_gradient(tf.where(z >= 0, 0.5, -0.5) - smooth)
        decoded = tf.tanh(tf.matmul(code, weights) + bias)
        reconstruction = tf.reduce_mean((decoded - x) ** 2) / SETTINGS["scale"] ** 2
        gram = tf.matmul(weights, weights, transpose_a=True)
        orthogonality = tf.reduce_mean((gram - tf.eye(d)) ** 2)
        similarity = tf.matmul(code, code, transpose_b=True) * (4 / bits)  # from -1 to 1
        divergence = tf.reduce_mean(
            tf.nn.softmax_cross_entropy_with_logits(
                neighbors, similarity * tf.exp(log_gain) - itself
            )
        )
        return (
            reconstruction
            + SETTINGS["orthogonality"] * orthogonality
            + SETTINGS["neighbors"] * divergence
        )

    def step(rows: Any) -> None:
        itself = 1e4 * tf.eye(tf.size(rows))  # a word isn't its own neighbour
        directions = tf.gather(all_directions, rows)
        cosines = tf.matmul(directions, directions, transpose_b=True)
        neighbors = tf.nn.softmax(cosines / SETTINGS["temperature"] - itself)
        with tf.GradientTape() as tape:
            loss = losses(tf.gather(all_inputs, rows), neighbors, itself)
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))

    return tf.function(step)
