"""Make, change and describe bundles for the tests of the toolchain."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from brrkit import BrrError
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.mechanisms.exponential import Exponential
from brrkit_toolchain.bundle.writer import encode_index, encode_json, encode_manifest
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.language.model import model_of_ranks

FILES = (MANIFEST, INDEX, RANDOMIZER, PARITY)

# 25,000 words of an encyclopedia by frequency, and their vectors. Tests know its words and numbers.
ENCYCLOPEDIA = Path(__file__).parents[1] / "data" / "encyclopedia.vec.xz"

DATA = Path(os.environ.get("BRR_DATA") or Path(__file__).parents[3] / "shared" / "data")


def data_path(name: str) -> Path:
    """Return a file or folder of the real data, or skip the test where there is none."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"real data isn't there (BRR_DATA): {name}")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of every file of a bundle, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def leftovers(folder: Path) -> list[str]:
    """Return what is in a folder, hidden files too."""
    return sorted(path.name for path in folder.iterdir())


def error_of(call: object, *arguments: object) -> str:
    """Return the one line of the error that a call with these arguments raises."""
    assert callable(call)
    with pytest.raises(BrrError) as caught:
        call(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def rewrite(
    bundle: Path,
    changes: Mapping[str, bytes] | None = None,
    edit: Callable[[dict[str, Any]], Any] = lambda fields: None,
) -> Path:
    """Change files and manifest fields of a bundle, and make every size and digest fit again.

    Args:
        bundle: a bundle that may be spoilt.
        changes: new content, by name.
        edit: changes the manifest's fields in place, without those that the writer adds.

    """
    for name, content in (changes or {}).items():
        (bundle / name).write_bytes(content)
    fields = json.loads((bundle / MANIFEST).read_bytes())
    for name in ("format", "format_version", "files", "sha256"):
        del fields[name]
    edit(fields)
    files = {name: (bundle / name).read_bytes() for name in (INDEX, RANDOMIZER, PARITY)}
    (bundle / MANIFEST).write_bytes(encode_manifest(fields, files))
    return bundle


def edit_cases(bundle: Path, edit: Callable[[dict[str, Any]], Any]) -> Path:
    """Change a bundle's golden cases in place, and make its digests fit again."""
    cases = json.loads((bundle / PARITY).read_bytes())
    edit(cases)
    return rewrite(bundle, {PARITY: encode_json(cases)})


def index_of(words: Sequence[str], codes: NDArray[np.uint64]) -> bytes:
    """Return an index of words in the order of their frequency, without bigrams."""
    return encode_index(words, codes, model_of_ranks(len(words)))


def text_embeddings(words: list[str], vectors: NDArray[np.floating[Any]]) -> bytes:
    """Return words and vectors in GloVe's text format."""
    rows = (
        f"{word} {' '.join(map(str, row))}\n"
        for word, row in zip(words, vectors.tolist(), strict=True)
    )
    return "".join(rows).encode()


def toy_embeddings(count: int, dimensions: int = 16, seed: int = 0) -> bytes:
    """Return embeddings of made-up words, in GloVe's text format."""
    vectors = np.random.default_rng(seed).standard_normal((count, dimensions)).round(4)
    return text_embeddings([f"w{i}" for i in range(count)], vectors)


def brute_force_distances(codes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the Hamming distances of all ordered pairs, bit by bit."""
    bits = np.unpackbits(np.ascontiguousarray(codes).view(np.uint8), axis=1)
    ones, zeros = bits.astype(np.float32), 1 - bits.astype(np.float32)
    return (ones @ zeros.T + zeros @ ones.T).astype(np.int64)  # sums of ones: exact


def exponential(
    codes: NDArray[np.uint64], epsilon: float, radius: int | None = None
) -> Exponential:
    """Return the runtime's mechanism on codes alone."""
    return Exponential(bundle_of(codes), epsilon, radius)


def distributions(mechanism: Exponential, codes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return Pr[M(x) = y] for each of ``codes`` x, from the runtime's fractions."""
    return np.array([[float(p) for p in mechanism.distribution(code)] for code in codes])
