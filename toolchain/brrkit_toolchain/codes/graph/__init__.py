"""The randomizer's graphs, one file for each number of bits, made by ``make.py``.

They are stored instead of made at every build, because a converter's bytes change with TensorFlow's
version, and readers of bundles accept only bytes with known digests (``brrkit.bundle.GRAPHS``).
"""

from importlib.resources import files


def read_randomizer(bits: int) -> bytes:
    """Return the content of ``randomizer.tflite`` for codes of ``bits`` bits, one of ``BITS``."""
    return (files(__name__) / f"{bits}.tflite").read_bytes()
