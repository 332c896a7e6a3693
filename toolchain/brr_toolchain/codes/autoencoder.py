"""Near-lossless binarization: an autoencoder whose hidden layer is the code.

Tissier, Gravier, Habrard, "Near-lossless Binarization of Word Embeddings", AAAI 2019.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from tqdm import trange

from .vectors import centred_directions

if TYPE_CHECKING:
    from . import Settings

BATCH = 256
STEPS = 2000
LEARNING_RATE = 1e-3
REGULARIZATION = 300.0
SCALE = 0.2


def encode(
    vectors: npt.NDArray[np.float32], bits: int, seed: int, progress: bool
) -> tuple[npt.NDArray[np.bool_], Settings]:
    """Return bool[n, bits]."""
    import tensorflow as tf

    tf.config.experimental.enable_op_determinism()
    rng = np.random.default_rng(seed)
    x = centred_directions(vectors)
    x *= SCALE / np.sqrt((x**2).mean())
    n, d = x.shape
    w = tf.Variable((rng.standard_normal((bits, d)) / np.sqrt(max(bits, d))).astype(np.float32))
    c = tf.Variable(np.zeros(d, np.float32))
    optimizer = tf.keras.optimizers.Adam(
        tf.keras.optimizers.schedules.CosineDecay(LEARNING_RATE, STEPS)
    )
    data = tf.constant(x)

    @tf.function
    def step(rows):  # type: ignore[no-untyped-def]
        batch = tf.gather(data, rows)
        code = tf.cast(tf.matmul(batch, w, transpose_b=True) >= 0, tf.float32) - 0.5
        with tf.GradientTape() as tape:
            output = tf.tanh(tf.matmul(code, w) + c)
            loss = tf.reduce_mean((output - batch) ** 2) + REGULARIZATION * tf.reduce_mean(
                (tf.matmul(w, w, transpose_a=True) - tf.eye(d)) ** 2
            )
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, c]), [w, c], strict=True))

    for _ in trange(STEPS, desc="autoencoder", disable=None if progress else True):
        step(tf.constant(rng.integers(n, size=BATCH)))
    settings: Settings = {"steps": STEPS, "batch": BATCH, "learning_rate": LEARNING_RATE}
    return x @ w.numpy().T >= 0, settings
