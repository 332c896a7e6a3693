"""The conformance bundles: small vocabularies in which each rule of the tokenizer decides.

python tests/conformance.py OUTPUT makes them from ``spec/conformance/inputs.json`` by the reference
implementation alone. What is stored in ``spec/conformance`` is what a test makes again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.parity import golden_cases
from brrkit_toolchain.bundle.parity_inputs import CAPS
from brrkit_toolchain.bundle.writer import encode_index, encode_json, encode_manifest, write_bundle
from brrkit_toolchain.codes.graph import read_randomizer
from brrkit_toolchain.language.model import LanguageModel

FOLDER = Path(__file__).parents[1] / "spec" / "conformance"
INPUTS = FOLDER / "inputs.json"

BITS = 64
_FEW = 10  # golden cases of a kind: other bundles have all of them


@dataclass(frozen=True)
class Input:
    """What a conformance bundle is made of.

    Attributes:
        writing: of its manifest.
        list_of: of its manifest, if it is a list.
        words: the vocabulary by rank, with the byte of each mass.
        texts: that are cut, and looked up as they are.
    """

    writing: dict[str, Any]
    list_of: str | None
    words: dict[str, int]
    texts: list[str]


def read_inputs() -> dict[str, Input]:
    """Return what each bundle is made of, by its name."""
    content = json.loads(INPUTS.read_text("utf-8"))
    return {name: Input(**fields) for name, fields in content.items()}


def made(source: Input) -> dict[str, bytes]:
    """Return a bundle's files."""
    words, lists = list(source.words), source.list_of is not None
    none = np.empty(0, np.uint32)
    masses = np.array(list(source.words.values()), np.uint8)
    model = LanguageModel(masses, none, none, np.empty(0, np.uint8))
    digests = [hashlib.sha256(word.encode()).digest()[:8] for word in words]
    codes = np.frombuffer(b"".join(digests), "<u8").astype(np.uint64).reshape(-1, 1)
    index = encode_index(words, codes[:, :0] if lists else codes, model)
    unit = hashlib.sha256(index).hexdigest()
    golden = golden_cases(
        words, codes, model, 0, unit, writing=source.writing, list_of=source.list_of
    )
    few = {
        kind: cases[:_FEW] if isinstance(cases, list) else cases for kind, cases in golden.items()
    }
    lexicon = reference.Lexicon.of(words, masses.tolist(), source.writing, source.list_of)
    few["texts"] = [_read(text, lexicon) for text in source.texts]
    few["counts"] += [_counted(text, lexicon, unit) for text in source.texts]
    files = {INDEX: index, PARITY: encode_json(few)}
    if not lists:
        files[RANDOMIZER] = read_randomizer(BITS)
    fields = {
        "bits": 0 if lists else BITS,
        "writing": source.writing,
        "vocabulary_size": len(words),
        "bigrams": 0,
        **({"list_of": source.list_of} if lists else {}),
    }
    return {MANIFEST: encode_manifest(fields, files), **files}


def _first(cases: Any) -> Any:
    return cases[:_FEW] if isinstance(cases, list) else cases


def _read(text: str, lexicon: reference.Lexicon) -> dict[str, Any]:
    found = reference.read(text, lexicon)
    return {
        "text": text,
        "tokens": [token for token, _ in found],
        "words": [word for _, word in found],
        "finished": len(reference.finished(text, lexicon)),
    }


def _counted(word: str, lexicon: reference.Lexicon, unit: str) -> dict[str, Any]:
    """Return a report of a string that an app gives alone, as it is: the bytes are zeros."""
    case = {"cap": CAPS[-1], "word": word}
    zeros = bytes(16)
    made_of_it = reference.counted(lexicon, unit, case, BytesIO(zeros).read)
    return {**case, "random": zeros.hex(), **made_of_it}


def main(output: str) -> None:
    """Write the bundles."""
    for name, source in read_inputs().items():
        write_bundle(Path(output, name), made(source), force=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
