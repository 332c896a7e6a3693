"""The conformance bundles: small vocabularies in which each rule of the tokenizer decides.

python tests/conformance.py OUTPUT makes them from ``spec/conformance/inputs.json`` by the reference
implementation alone. What is stored in ``spec/conformance`` is what a test makes again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.parity import golden_cases, lexicon_of
from brrkit_toolchain.bundle.parity_inputs import CAPS
from brrkit_toolchain.bundle.writer import encode_index, encode_json, encode_manifest, write_bundle
from brrkit_toolchain.codes.graph import read_randomizer
from brrkit_toolchain.language.model import LanguageModel

FOLDER = Path(__file__).parents[1] / "spec" / "conformance"
INPUTS = FOLDER / "inputs.json"

_FEW = 10  # golden cases of a kind: other bundles have all of them


@dataclass(frozen=True)
class Input:
    """What a conformance bundle is made of.

    Attributes:
        writing: of its manifest.
        list_of: of its manifest, if it is a list.
        words: the vocabulary by rank, with the byte of each mass.
        texts: that are cut, and looked up as they are.
        bits: of a code; 0 of a list.
        task_bits: of the manifest.
        bigrams: two words, and the byte of what the second gains behind the first.
        policy: of its manifest, with words in the place of ids; members have their head's code.
    """

    writing: dict[str, Any]
    list_of: str | None
    words: dict[str, int]
    texts: list[str]
    bits: int = 64
    task_bits: int = 0
    bigrams: list[tuple[str, str, int]] = field(default_factory=list)
    policy: dict[str, Any] | None = None


def read_inputs() -> dict[str, Input]:
    """Return what each bundle is made of, by its name."""
    content = json.loads(INPUTS.read_text("utf-8"))
    return {name: Input(**fields) for name, fields in content.items()}


def parts(source: Input) -> tuple[list[str], NDArray[np.uint64], LanguageModel]:
    """Return the words, their codes uint64[n, bits / 64] and the language model of a bundle."""
    words = list(source.words)
    size = max(source.bits, 64) // 8  # those of a list are only what golden cases are drawn by
    digests = [hashlib.sha256(word.encode()).digest()[:size] for word in words]
    codes = np.frombuffer(b"".join(digests), "<u8").astype(np.uint64).reshape(len(words), -1)
    ids = {word: word_id for word_id, word in enumerate(words)}
    for each in source.policy["lists"] if source.policy else ():
        members = [words.index(word) for word in each["members"]]
        codes[members] = codes[members[0]]
    bigrams = sorted((ids[before], ids[after], gain) for before, after, gain in source.bigrams)
    before, after, gains = np.array(bigrams, np.uint32).reshape(-1, 3).T
    masses = np.array(list(source.words.values()), np.uint8)
    return words, codes, LanguageModel(masses, before, after, gains.astype(np.uint8))


def policy_of(source: Input) -> dict[str, Any] | None:
    """Return the policy as a manifest has it."""
    if source.policy is None:
        return None
    place, passing = list(source.words).index, source.policy["passing"]
    return {
        "lists": [
            {**each, "members": list(map(place, each["members"]))}
            for each in source.policy["lists"]
        ],
        "passing": {**passing, "words": list(map(place, passing["words"]))},
    }


def described_of(source: Input) -> dict[str, Any]:
    """Return what a manifest says of how texts are read and words drawn."""
    optional = {
        "list_of": source.list_of,
        "task_bits": source.task_bits,
        "policy": policy_of(source),
    }
    return {"writing": source.writing} | {k: v for k, v in optional.items() if v}


def index_of(source: Input) -> bytes:
    """Return a bundle's index."""
    words, codes, model = parts(source)
    return encode_index(words, codes[:, : source.bits // 64], model)


def made(source: Input) -> dict[str, bytes]:
    """Return a bundle's files."""
    words, codes, model = parts(source)
    index = index_of(source)
    unit = hashlib.sha256(index).hexdigest()
    described = described_of(source)
    golden = golden_cases(words, codes, model, 0, unit, described)
    few = {
        kind: cases[:_FEW] if isinstance(cases, list) else cases for kind, cases in golden.items()
    }
    few["marked"] = golden["marked"]
    lexicon = lexicon_of(words, model, described)
    few["texts"] = [read_text(text, lexicon) for text in source.texts]
    few["counts"] += [_counted(text, lexicon, unit) for text in source.texts]
    files = {INDEX: index, PARITY: encode_json(few)}
    if source.bits:
        files[RANDOMIZER] = read_randomizer(source.bits)
    fields = {
        "bits": source.bits,
        "writing": source.writing,
        "vocabulary_size": len(words),
        "bigrams": len(source.bigrams),
        **described,
    }
    return {MANIFEST: encode_manifest(fields, files), **files}


def read_text(text: str, lexicon: reference.Lexicon) -> dict[str, Any]:
    """Return what a text is cut into."""
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
