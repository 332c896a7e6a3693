"""Make the randomizer as a TFLite graph (BRR, Algorithm 2 on every bit of a code).

``python -m brrkit_toolchain.codes.graph.make`` writes the files next to this one, with the
installed TensorFlow. Other bytes mean another format: the runtimes and ``spec/bundle-format.md``
contain their digests.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from brrkit.bundle import BITS
from brrkit_toolchain.io.quiet_tensorflow import import_tensorflow

TENSORFLOW = "2.21.0"
"""The version with which the files were made."""


def build_randomizer(bits: int) -> bytes:
    """Return the content of ``randomizer.tflite`` for codes of ``bits`` bits.

    Inputs ``code`` int32[n, bits / 32], ``random`` int32[n, bits], ``threshold`` int32; output
    ``noised`` int32[n, bits / 32]. Bit i is flipped if ``random[i] < threshold``. The graph has
    only built-in operators: LESS, CAST, RESHAPE, MUL, SUM, BITWISE_XOR. The same version of
    TensorFlow always makes the same bytes.
    """
    tf = import_tensorflow()
    signature = [
        tf.TensorSpec([None, bits // 32], tf.int32, name="code"),
        tf.TensorSpec([None, bits], tf.int32, name="random"),
        tf.TensorSpec([], tf.int32, name="threshold"),
    ]
    # The top bit's value is -2^31; sums of distinct powers of two never carry.
    bit_values = (np.uint32(1) << np.arange(32, dtype=np.uint32)).view(np.int32)

    @tf.function(input_signature=signature)
    def randomize(code, random, threshold):  # type: ignore[no-untyped-def]
        flips = tf.reshape(tf.cast(random < threshold, tf.int32), [-1, bits // 32, 32])
        packed = tf.reduce_sum(flips * tf.constant(bit_values), axis=2)
        return {"noised": tf.bitwise.bitwise_xor(code, packed)}

    module = tf.Module()
    module.randomize = randomize
    converter = tf.lite.TFLiteConverter.from_concrete_functions(
        [randomize.get_concrete_function()], module
    )
    graph: bytes = converter.convert()
    return graph


def main() -> None:
    """Write the files."""
    for bits in BITS:
        Path(__file__).with_name(f"{bits}.tflite").write_bytes(build_randomizer(bits))


if __name__ == "__main__":
    main()
