"""Binary codes for word vectors: nearby words get codes at a small Hamming distance.

A method is a function ``(vectors, bits, seed, progress, effort) -> (bool[n, bits], settings)``;
`METHODS` names them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import numpy.typing as npt

from brrkit.bundle import BITS
from brrkit.errors import ParameterError
from brrkit_toolchain.defaults import DEFAULT_EFFORT, DEFAULT_METHOD

from .packing import pack

Settings = dict[str, int | float | str]
Method = Callable[
    [npt.NDArray[np.float32], int, int, bool, float], tuple[npt.NDArray[np.bool_], Settings]
]

_LARGEST_NUMBER = 1e15  # squares of larger numbers could overflow float32 sums


def _method(module: str) -> Method:
    """Return a module's ``encode``, imported at its first call: some modules load compilers."""

    def encode(
        vectors: npt.NDArray[np.float32], bits: int, seed: int, progress: bool, effort: float
    ) -> tuple[npt.NDArray[np.bool_], Settings]:
        method: Method = import_module(f"{__name__}.{module}").encode
        return method(vectors, bits, seed, progress, effort)

    return encode


METHODS = {name: _method(name) for name in ("neighborhood", "autoencoder")}

PORTABLE = ("neighborhood",)
"""Methods with the same codes on every machine; those of the others depend on its rounding."""

EFFORTS = {"low": 0.08, "medium": 1.0, "high": 3.0}
"""Factors for the number of a method's training steps."""


@dataclass(frozen=True)
class Codes:
    """The codes of a vocabulary, with their method and its settings.

    Attributes:
        packed: uint64[n, bits // 64]; bit j of a code is bit j % 64 of word j // 64.
        method: name of the method, a key of `METHODS`.
        effort: a key of `EFFORTS`.
        settings: settings of the method, such as its learning rate, for the manifest.
    """

    packed: npt.NDArray[np.uint64]
    method: str
    effort: str
    settings: Settings


def check_method(method: str, bits: int, effort: str) -> None:
    """Check the method, the length and the effort, which are independent of the vectors.

    Raises:
        ParameterError: the method or effort is unknown, or a bundle's codes can't have this number
            of bits.
    """
    if method not in METHODS:
        raise ParameterError(f"there is no such method; choose one of: {', '.join(METHODS)}")
    if effort not in EFFORTS:
        raise ParameterError(f"there is no such effort; choose one of: {', '.join(EFFORTS)}")
    if bits not in BITS:
        raise ParameterError(f"bits: {bits} is not a multiple of 64 from 64 to 512")


def make_codes(
    vectors: npt.NDArray[np.float32],
    *,
    bits: int,
    method: str = DEFAULT_METHOD,
    effort: str = DEFAULT_EFFORT,
    seed: int = 0,
    progress: bool = False,
) -> Codes:
    """Give each word vector a binary code.

    Args:
        vectors: float32[n, d], one row per word; n >= 2.
        bits: length of a code, a multiple of 64 from 64 to 512.
        method: a key of `METHODS`.
        effort: a key of `EFFORTS`, for the number of training steps.
        seed: seed of all random choices. The same seed gives the same codes on every machine for a
            method in `PORTABLE`, otherwise on the same machine.
        progress: show a progress bar on standard error, if that is a terminal.

    Raises:
        ParameterError: a parameter is out of the method's range.
    """
    check_method(method, bits, effort)
    if vectors.ndim != 2 or len(vectors) < 2:
        raise ParameterError(f"vectors: at least 2 rows are needed, not shape {vectors.shape}")
    if not np.isfinite(vectors).all():
        raise ParameterError("vectors: not all numbers are finite")
    largest = float(np.abs(vectors).max())
    if largest > _LARGEST_NUMBER:
        raise ParameterError(
            f"vectors: {largest:g} is too large; scale them to at most {_LARGEST_NUMBER:g}"
        )
    code_bits, settings = METHODS[method](vectors, bits, seed, progress, EFFORTS[effort])
    if (code_bits == code_bits[0]).all():
        raise ParameterError(
            "vectors: all words get the same code; use vectors whose directions differ"
        )
    return Codes(pack(code_bits), method, effort, settings)
