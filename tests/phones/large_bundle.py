"""Write a bundle of made-up words, random codes and bigrams, as large as a phone's: 50,000 words.

    python tests/phones/large_bundle.py graph-of output

``graph-of`` is a bundle of which the graph and the number of bits are taken.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np

from brrkit import WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit_toolchain.bundle.writer import encode_index, encode_manifest
from brrkit_toolchain.language.model import LanguageModel, model_of_ranks

SIZE = 50_000
BIGRAMS = 30_000


def main() -> None:
    """Write it."""
    graph_of, output = map(Path, sys.argv[1:])
    bits = WordBundle.open(graph_of).bits
    source = random.Random(1)
    made_up: dict[str, None] = {}  # in order
    while len(made_up) < SIZE:
        made_up["".join(source.choices("aeiouéнlmnrst日", k=source.randint(3, 12)))] = None
    generator = np.random.default_rng(1)
    codes = generator.integers(0, 2**64, (SIZE, bits // 64), np.uint64)
    pairs = np.array(sorted(source.sample(range(SIZE**2), BIGRAMS)))
    language = LanguageModel(
        model_of_ranks(SIZE).masses,
        (pairs // SIZE).astype(np.uint32),
        (pairs % SIZE).astype(np.uint32),
        generator.integers(1, 100, BIGRAMS).astype(np.uint8),
    )
    files = {
        INDEX: encode_index(list(made_up), codes, language),
        RANDOMIZER: (graph_of / RANDOMIZER).read_bytes(),
        PARITY: b"{}",
    }
    output.mkdir(parents=True)
    for name, content in files.items():
        (output / name).write_bytes(content)
    fields = {"bits": bits, "vocabulary_size": SIZE, "bigrams": BIGRAMS}
    manifest = encode_manifest(fields, files)
    (output / MANIFEST).write_bytes(manifest)


if __name__ == "__main__":
    main()
