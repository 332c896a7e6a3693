"""Open a bundle: the directory that the toolchain builds and a device ships.

The format is specified in ``docs/bundle-format.md``.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from brr_runtime.errors import BundleError, OutOfVocabularyError, ParameterError
from brr_runtime.exact import EPSILON_MAX, EPSILON_MIN
from brr_runtime.hamming import HammingIndex
from brr_runtime.packed import PackedNumbers, packed_size, width_of
from brr_runtime.vocabulary import BLOCK, Vocabulary

FORMAT = "brr-bundle"
FORMAT_VERSION = 1

MANIFEST = "manifest.json"
INDEX = "index.safetensors"
RANDOMIZER = "randomizer.tflite"
PARITY = "parity.json"
"""Golden cases: for implementers and CI, never read at run time, and not shipped to devices."""

BITS = range(64, 513, 64)

_MANIFEST_LIMIT = 1 << 20  # bytes; a hostile manifest isn't worth parsing
_VOCABULARY_LIMIT = 1 << 24

_DTYPES = {"U64": "<u8", "U32": "<u4", "U8": "|u1"}  # safetensors' names to NumPy's


@dataclass(frozen=True)
class Bundle:
    """An opened bundle. Immutable, and safe to share between threads and across fork.

    Attributes:
        path: the directory.
        manifest: the parsed ``manifest.json``.
        codes: uint64[n, bits / 64] in rank order, mapped from the file.
        vocabulary: the words, mapped from the file.
        index: the codes, ready to be searched.
        graph: content of ``randomizer.tflite``.
    """

    path: Path
    manifest: Mapping[str, Any]
    codes: NDArray[np.uint64]
    vocabulary: Vocabulary
    index: HammingIndex
    graph: bytes

    @classmethod
    def open(cls, path: str | Path, *, verify_hashes: bool = True) -> Bundle:
        """Map the bundle in the directory ``path``.

        Args:
            path: a directory made by ``brr build``.
            verify_hashes: compare the SHA-256 of the manifest, the index and the graph with the
                manifest. Skip it only for files that something else protects, such as an app's
                signed package.

        Raises:
            BundleError: a file is missing, damaged, or of an unknown format version.
        """
        if sys.byteorder != "little":
            raise BundleError("a bundle can only be mapped on a little-endian machine")
        folder = Path(path)
        if not folder.is_dir():
            raise BundleError(f"{folder}: not a bundle directory; make one with 'brr build'")
        manifest = read_manifest(folder, verify_hash=verify_hashes)
        index = _map_file(folder / INDEX, manifest, verify_hashes)
        graph = bytes(_map_file(folder / RANDOMIZER, manifest, verify_hashes))
        codes, vocabulary = _read_index(folder / INDEX, index, manifest)
        return cls(folder, manifest, codes, vocabulary, HammingIndex(codes), graph)

    @property
    def bits(self) -> int:
        """Length of a code."""
        return int(self.manifest["bits"])

    @property
    def unit(self) -> str:
        """What epsilon is per: the SHA-256 of the index, as the manifest has it."""
        return str(self.manifest["files"][INDEX]["sha256"])

    def __len__(self) -> int:
        return len(self.vocabulary)

    def neighbors(self, word: str, k: int = 10) -> list[tuple[str, int]]:
        """Return the k other words nearest to ``word``, with their Hamming distances.

        For looking at a bundle: nothing here is privatized.

        Raises:
            OutOfVocabularyError: the word isn't in the vocabulary.
            ParameterError: k isn't from 1 to n - 1.
        """
        if not 1 <= k < len(self):
            raise ParameterError(f"k must be from 1 to {len(self) - 1}, not {k!r}")
        word_id = self.vocabulary.find(word)
        if word_id is None:
            raise OutOfVocabularyError("the word is out of vocabulary; its neighbours are unknown")
        ids, distances = self.index.nearest(self.codes[word_id : word_id + 1], k + 1)
        pairs = zip(ids[0].tolist(), distances[0].tolist(), strict=True)
        # A word with the same code and a lower rank may come first; the word itself goes.
        others = [(self.vocabulary.word(i), d) for i, d in pairs if i != word_id]
        return others[:k]


def manifest_digest(text: bytes, digest: str) -> str:
    """Return the SHA-256 of a manifest's bytes with its own ``digest`` replaced by zeros."""
    return hashlib.sha256(text.replace(digest.encode(), b"0" * len(digest))).hexdigest()


def read_manifest(folder: Path, *, verify_hash: bool = True) -> dict[str, Any]:
    """Parse and check ``manifest.json`` in ``folder``.

    Raises:
        BundleError: it is missing, damaged, or of an unknown format version.
    """
    path = folder / MANIFEST
    try:
        with path.open("rb") as file:
            text = file.read(_MANIFEST_LIMIT + 1)
    except OSError as error:
        raise BundleError(f"{path}: can't be read ({error.strerror}); rebuild the bundle") from None
    try:
        manifest = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        manifest = None
    if len(text) > _MANIFEST_LIMIT or not isinstance(manifest, dict):
        raise BundleError(f"{path}: not a manifest (JSON object, at most 1 MB); rebuild the bundle")

    def check(valid: bool, field: str) -> None:
        if not valid:
            raise BundleError(f"{path}: field '{field}' is missing or wrong; rebuild the bundle")

    check(manifest.get("format") == FORMAT, "format")
    version = manifest.get("format_version")
    check(type(version) is int, "format_version")
    if version != FORMAT_VERSION:
        raise BundleError(
            f"{path}: format version {version} is unknown (this brrkit reads {FORMAT_VERSION}); "
            "update brrkit or rebuild the bundle"
        )
    digest = str(manifest.get("sha256"))
    check(_is_digest(digest), "sha256")
    if verify_hash and manifest_digest(text, digest) != digest:
        raise BundleError(f"{path}: changed since it was built (SHA-256); rebuild the bundle")
    bits, size = manifest.get("bits"), manifest.get("vocabulary_size")
    check(type(bits) is int and bits in BITS, "bits")
    check(type(size) is int and 2 <= size <= _VOCABULARY_LIMIT, "vocabulary_size")
    files = manifest.get("files")
    for name in (INDEX, RANDOMIZER, PARITY):
        entry = files.get(name) if isinstance(files, dict) else None
        check(
            isinstance(entry, dict)
            and type(entry.get("size")) is int
            and entry["size"] >= 0
            and _is_digest(entry.get("sha256")),
            f"files.{name}",
        )
    if "recommended" in manifest:
        check(_is_setting(manifest["recommended"]), "recommended")
    return manifest


def _is_setting(value: object) -> bool:
    """Tell whether a recommended setting has its fields; ``Privatizer`` checks their values."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("mechanism"), str)
        and type(value.get("epsilon")) in (int, float)
        and EPSILON_MIN <= value["epsilon"] <= EPSILON_MAX
        and isinstance(value.get("parameters"), dict)
        and isinstance(value.get("goal"), str)
    )


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def check_content(
    path: Path,
    content: bytes | mmap.mmap,
    manifest: Mapping[str, Any],
    *,
    verify_hash: bool = True,
) -> None:
    """Check the content of the bundle's file ``path`` against the manifest.

    Raises:
        BundleError: it has another size or SHA-256.
    """
    expected = manifest["files"][path.name]
    if len(content) != expected["size"]:
        raise BundleError(
            f"{path}: {len(content)} bytes, the manifest says {expected['size']}; "
            "rebuild the bundle"
        )
    if verify_hash and hashlib.sha256(content).hexdigest() != expected["sha256"]:
        raise BundleError(f"{path}: changed since it was built (SHA-256); rebuild the bundle")


def _map_file(path: Path, manifest: Mapping[str, Any], verify_hash: bool) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:  # ValueError: an empty file can't be mapped
        reason = getattr(error, "strerror", None) or "empty file"
        raise BundleError(f"{path}: can't be read ({reason}); rebuild the bundle") from None
    check_content(path, mapped, manifest, verify_hash=verify_hash)
    return mapped


def _read_index(
    path: Path, mapped: mmap.mmap, manifest: Mapping[str, Any]
) -> tuple[NDArray[np.uint64], Vocabulary]:
    size, bits = manifest["vocabulary_size"], manifest["bits"]
    header = _tensor_header(path)
    words_shape = header.get("words", ("", [0]))[1]
    expected = {
        "codes": ("U64", [size, bits // 64]),
        "offsets": ("U32", [-(-size // BLOCK) + 1]),
        "ids": ("U8", [packed_size(size)]),
        "positions": ("U8", [packed_size(size)]),
        "words": ("U8", words_shape[:1]),
    }
    if list(header.items()) != list(expected.items()):
        raise BundleError(
            f"{path}: not the tensors {', '.join(expected)} of {size} words x {bits} bits, in "
            "this order; rebuild the bundle"
        )
    # safetensors has checked that they fill the file's data section in this order, without gaps.
    arrays: dict[str, NDArray[Any]] = {}
    end = len(mapped)
    for name, (dtype, shape) in reversed(header.items()):
        count = math.prod(shape)
        end -= count * np.dtype(_DTYPES[dtype]).itemsize
        arrays[name] = np.frombuffer(mapped, _DTYPES[dtype], count, end)
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


def _tensor_header(path: Path) -> dict[str, tuple[str, list[int]]]:
    """Return (dtype, shape) of each tensor, by its name, in the order of the file."""
    try:
        with safe_open(path, framework="numpy") as tensors:
            slices = {name: tensors.get_slice(name) for name in tensors.offset_keys()}
            return {name: (s.get_dtype(), s.get_shape()) for name, s in slices.items()}
    except (SafetensorError, OSError):
        raise BundleError(f"{path}: not a valid safetensors file; rebuild the bundle") from None
