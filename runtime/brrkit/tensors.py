"""The file ``index.safetensors``: its header, and the codes, words and masses mapped from it."""

from __future__ import annotations

import json
import math
import mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import BundleError
from brrkit.masses import Masses
from brrkit.packed import PackedNumbers, packed_size, width_of
from brrkit.vocabulary import BLOCK, Vocabulary

_LENGTH_BYTES = 8  # size of the number before the header, the header's length
_NUMPY_DTYPES = {"U64": "<u8", "U32": "<u4", "U8": "|u1"}  # by safetensors' names


def encode_header(size: int, bits: int, bigrams: int, words: int) -> bytes:
    """Return the beginning of an index: the length of the header, and the header.

    Args:
        size: vocabulary size.
        bits: length of a code.
        bigrams: number of bigrams.
        words: size of the tensor ``words`` in bytes.
    """
    header, start = {}, 0
    for name, (dtype, shape) in _layout(size, bits, bigrams, words).items():
        end = start + _bytes_of(dtype, shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}
        start = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the codes are 8-byte aligned
    return len(text).to_bytes(_LENGTH_BYTES, "little") + text


def read_index(
    path: Path, index: mmap.mmap | bytes, size: int, bits: int, bigrams: int
) -> tuple[NDArray[np.uint64], Vocabulary, Masses]:
    """Return the codes uint64[size, bits / 64], the words and their masses, without a copy.

    The header follows from ``size``, ``bits``, ``bigrams`` and the size of the file, so it is
    compared instead of parsed.

    Raises:
        BundleError: the file ``path`` isn't an index of ``size`` words and ``bits`` bits.
    """
    start = _LENGTH_BYTES + int.from_bytes(index[:_LENGTH_BYTES], "little")
    layout = _layout(size, bits, bigrams, 0)
    words = len(index) - start - sum(_bytes_of(*tensor) for tensor in layout.values())
    header = encode_header(size, bits, bigrams, max(words, 0))
    if start != len(header) or index[:start] != header:
        raise BundleError(
            f"{path}: not the tensors {', '.join(layout)} of {size} words x {bits} bits and "
            f"{bigrams} bigrams; rebuild the bundle"
        )
    arrays: dict[str, NDArray[Any]] = {}
    for name, (dtype, shape) in _layout(size, bits, bigrams, words).items():
        arrays[name] = np.frombuffer(index, _NUMPY_DTYPES[dtype], math.prod(shape), start)
        start += arrays[name].nbytes
    width = width_of(size)
    vocabulary = Vocabulary(
        words=arrays["words"],
        offsets=arrays["offsets"].data,
        ids=PackedNumbers(arrays["ids"].data, size, width),
        positions=PackedNumbers(arrays["positions"].data, size, width),
    )
    masses = Masses(
        words=arrays["masses"],
        before=PackedNumbers(arrays["before"].data, bigrams, width),
        after=PackedNumbers(arrays["after"].data, bigrams, width),
        gains=arrays["gains"],
    )
    if damage := vocabulary.damage() or masses.damage():
        raise BundleError(f"{path}: {damage}; rebuild the bundle")
    return arrays["codes"].reshape(size, bits // 64), vocabulary, masses


def _layout(size: int, bits: int, bigrams: int, words: int) -> dict[str, tuple[str, list[int]]]:
    """Return (dtype, shape) of each tensor, in the order of the file."""
    width = width_of(size)
    return {
        "codes": ("U64", [size, bits // 64]),
        "offsets": ("U32", [-(-size // BLOCK) + 1]),
        "ids": ("U8", [packed_size(size, width)]),
        "positions": ("U8", [packed_size(size, width)]),
        "masses": ("U8", [size]),
        "before": ("U8", [packed_size(bigrams, width)]),
        "after": ("U8", [packed_size(bigrams, width)]),
        "gains": ("U8", [bigrams]),
        "words": ("U8", [words]),
    }


def _bytes_of(dtype: str, shape: list[int]) -> int:
    return math.prod(shape) * np.dtype(_NUMPY_DTYPES[dtype]).itemsize
