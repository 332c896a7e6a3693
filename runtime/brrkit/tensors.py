"""The file ``index.safetensors``: its header, and the codes and words mapped from it."""

from __future__ import annotations

import json
import math
import mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import BundleError
from brrkit.packed import PackedNumbers, packed_size, width_of
from brrkit.vocabulary import BLOCK, Vocabulary

_LENGTH = 8  # bytes; of the header's length
_DTYPES = {"U64": "<u8", "U32": "<u4", "U8": "|u1"}  # safetensors' names to NumPy's


def encode_header(size: int, bits: int, words: int) -> bytes:
    """Return what an index begins with: the length of the header, and the header.

    Args:
        size: vocabulary size.
        bits: length of a code.
        words: bytes of the tensor ``words``.
    """
    header, start = {}, 0
    for name, (dtype, shape) in _layout(size, bits, words).items():
        end = start + _bytes_of(dtype, shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}
        start = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the codes are 8-byte aligned
    return len(text).to_bytes(_LENGTH, "little") + text


def read_index(
    path: Path, index: mmap.mmap | bytes, size: int, bits: int
) -> tuple[NDArray[np.uint64], Vocabulary]:
    """Return the codes uint64[size, bits / 64] and the words, without a copy.

    The header follows from ``size``, ``bits`` and the size of the file: it is compared, not parsed.

    Raises:
        BundleError: the file ``path`` isn't an index of ``size`` words and ``bits`` bits.
    """
    start = _LENGTH + int.from_bytes(index[:_LENGTH], "little")
    layout = _layout(size, bits, 0)
    words = len(index) - start - sum(_bytes_of(*tensor) for tensor in layout.values())
    header = encode_header(size, bits, max(words, 0))
    if start != len(header) or index[:start] != header:
        raise BundleError(
            f"{path}: not the tensors {', '.join(layout)} of {size} words x {bits} bits; "
            "rebuild the bundle"
        )
    arrays: dict[str, NDArray[Any]] = {}
    for name, (dtype, shape) in _layout(size, bits, words).items():
        arrays[name] = np.frombuffer(index, _DTYPES[dtype], math.prod(shape), start)
        start += arrays[name].nbytes
    width = width_of(size)
    vocabulary = Vocabulary(
        words=arrays["words"].data,
        offsets=arrays["offsets"].data,
        ids=PackedNumbers(arrays["ids"].data, size, width),
        positions=PackedNumbers(arrays["positions"].data, size, width),
    )
    if damage := vocabulary.damage():
        raise BundleError(f"{path}: {damage}; rebuild the bundle")
    return arrays["codes"].reshape(size, bits // 64), vocabulary


def _layout(size: int, bits: int, words: int) -> dict[str, tuple[str, list[int]]]:
    """Return (dtype, shape) of each tensor, in the order of the file."""
    return {
        "codes": ("U64", [size, bits // 64]),
        "offsets": ("U32", [-(-size // BLOCK) + 1]),
        "ids": ("U8", [packed_size(size)]),
        "positions": ("U8", [packed_size(size)]),
        "words": ("U8", [words]),
    }


def _bytes_of(dtype: str, shape: list[int]) -> int:
    return math.prod(shape) * np.dtype(_DTYPES[dtype]).itemsize
