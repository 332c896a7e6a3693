"""Give a bundle task bits: those of another bundle's codes, so that they mean nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from brrkit import WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit_toolchain.bundle.parity import golden_cases
from brrkit_toolchain.bundle.writer import (
    encode_index,
    encode_json,
    encode_manifest,
    model_of,
    write_bundle,
)
from brrkit_toolchain.codes.graph import read_randomizer

TASK_BITS = 64


def main(bundle: str, other: str, output: str) -> None:
    """Write it: its words and masses stay, and 64 bits of the other, of the same words, follow."""
    own = WordBundle.open(bundle)
    codes = np.hstack([own.codes, WordBundle.open(other).codes[:, : TASK_BITS // 64]])
    words, language = list(own.vocabulary), model_of(own)
    index = encode_index(words, codes, language)
    bits = 64 * codes.shape[1]
    files = {INDEX: index, RANDOMIZER: read_randomizer(bits)}
    fields = {
        name: value
        for name, value in own.manifest.items()
        if name not in ("format", "format_version", "files", "sha256")
    }
    fields |= {"bits": bits, "task_bits": TASK_BITS}
    unit = hashlib.sha256(index).hexdigest()
    files[PARITY] = encode_json(
        golden_cases(words, codes, language, 0, unit, {"task_bits": TASK_BITS})
    )
    write_bundle(Path(output), {MANIFEST: encode_manifest(fields, files), **files}, force=False)
