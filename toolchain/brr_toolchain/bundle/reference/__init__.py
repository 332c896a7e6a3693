"""What ``docs/bundle-format.md`` says, written a second time, as plainly as it says it.

Shares no code and no table with the runtime: golden cases are made here, and ``brr verify`` holds
the runtime against them. One word at a time, no attention to speed.
"""

from brr_toolchain.bundle.reference.mechanisms import (
    MECHANISMS,
    GoldenRelease,
    Read,
    distances,
    exponential_weights,
    flip,
    flip_threshold,
    uniform_below,
    vickrey_weights,
    weight_table,
)
from brr_toolchain.bundle.reference.memory import first_draw, setting
from brr_toolchain.bundle.reference.tokenizer import (
    LOWERCASED,
    SEPARATORS,
    look_up,
    normalize,
    tokenize,
)

__all__ = [
    "LOWERCASED",
    "MECHANISMS",
    "SEPARATORS",
    "GoldenRelease",
    "Read",
    "distances",
    "exponential_weights",
    "first_draw",
    "flip",
    "flip_threshold",
    "look_up",
    "normalize",
    "setting",
    "tokenize",
    "uniform_below",
    "vickrey_weights",
    "weight_table",
]
