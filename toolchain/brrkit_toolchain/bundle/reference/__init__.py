"""A second implementation of ``spec/bundle-format.md``, as plain as its text.

It shares no code and no table with the runtime. It makes the golden cases, and ``brr verify``
compares the runtime with them. It processes one word at a time, without attention to speed.
"""

from brrkit_toolchain.bundle.reference import counts
from brrkit_toolchain.bundle.reference.cases import (
    called,
    counted,
    marked,
    release,
    remembered,
)
from brrkit_toolchain.bundle.reference.frames import framed_days
from brrkit_toolchain.bundle.reference.lists import PICTOGRAPHS, finished, look_up, read, tokenize
from brrkit_toolchain.bundle.reference.mechanisms import MECHANISMS
from brrkit_toolchain.bundle.reference.mechanisms.mechanism import (
    Contents,
    Edge,
    GoldenRelease,
    Shown,
    Specified,
)
from brrkit_toolchain.bundle.reference.numbers import (
    Read,
    distances,
    flip,
    flip_threshold,
    uniform_below,
    weight_table,
)
from brrkit_toolchain.bundle.reference.policy import pass_threshold
from brrkit_toolchain.bundle.reference.sessions import conversation
from brrkit_toolchain.bundle.reference.tokenizer import (
    INVISIBLE,
    LOOKALIKES,
    LOWERCASED,
    SEPARATORS,
    STYLED,
    Lexicon,
    code_points,
    normalize,
)

__all__ = [
    "INVISIBLE",
    "LOOKALIKES",
    "LOWERCASED",
    "MECHANISMS",
    "PICTOGRAPHS",
    "SEPARATORS",
    "STYLED",
    "Contents",
    "Edge",
    "GoldenRelease",
    "Lexicon",
    "Read",
    "Shown",
    "Specified",
    "called",
    "code_points",
    "conversation",
    "counted",
    "counts",
    "distances",
    "finished",
    "flip",
    "flip_threshold",
    "framed_days",
    "look_up",
    "marked",
    "normalize",
    "pass_threshold",
    "read",
    "release",
    "remembered",
    "tokenize",
    "uniform_below",
    "weight_table",
]
