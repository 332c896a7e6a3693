"""Golden cases: what any implementation of a bundle must reproduce byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brr_runtime.exact import EPSILON_MAX, EPSILON_MIN
from brr_runtime.tokenizer import words_of
from brr_toolchain import reference

FORMAT = "brr-parity"
FORMAT_VERSION = 1

EPSILONS = (EPSILON_MIN, 0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, EPSILON_MAX)

UNKNOWN_WORD = "qzxv'jkwq"
"""In no vocabulary: it stands for any word outside."""

TEXTS = (
    "The quick brown fox jumps over the lazy dog.",
    "Don’t PANIC: it's 3.14 o'clock — e-mail me@example.com!",
    "naïve café, Straße, İstanbul, ΟΔΟΣ, ДОМ",
    "tabs\tnew\nlines\u00a0and\u2003spaces 👍🏽 snake_case 'quoted' rock'n'roll",
    "",
    " . , ! ",
)

_WORDS = 8


def golden_cases(words: Sequence[str], codes: NDArray[np.uint64], seed: int) -> dict[str, Any]:
    """Return the content of ``parity.json``, made by ``reference`` alone.

    Args:
        words: the vocabulary in rank order.
        codes: uint64[n, bits / 64].
        seed: of the words and the random bytes.
    """
    generator = np.random.default_rng(seed)
    ids = {word: word_id for word_id, word in enumerate(words)}
    chosen = generator.choice(len(words), min(_WORDS, len(words)), replace=False).tolist()
    inputs = [words[i] for i in sorted({0, len(words) - 1, *chosen})] + [UNKNOWN_WORD] * 2

    def record(
        mechanism: str,
        word: str,
        epsilon: float,
        source: reference.Read = generator.bytes,
        **parameters: Any,
    ) -> dict[str, Any]:
        consumed = bytearray()

        def read(size: int) -> bytes:
            consumed.extend(part := source(size))
            return part

        case = {"mechanism": mechanism, "word": word, "epsilon": epsilon}
        if parameters:
            case["parameters"] = parameters
        result = release(codes, ids.get(word), case, read)
        output = words[result.word_id]
        return {**case, "random": consumed.hex(), **result.details, "output": output}

    cases = [
        record(mechanism, word, EPSILONS[number % len(EPSILONS)], **parameters)
        for mechanism, parameters in _variants(len(words))
        for number, word in enumerate(inputs)
    ]
    threshold = reference.flip_threshold(1.0)
    for number in (threshold, threshold - 1):  # no bit flips; every bit flips
        numbers = np.full(codes.shape[1] * 64, number - 2**31, "<i4")
        cases.append(record("brr", words[0], 1.0, BytesIO(numbers.tobytes()).read))
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "thresholds": [
            {"epsilon": epsilon, "threshold": reference.flip_threshold(epsilon)}
            for epsilon in EPSILONS
        ],
        "texts": [{"text": text, "words": words_of(text, ids.__contains__)} for text in TEXTS],
        "cases": cases,
    }


def _variants(vocabulary_size: int) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "brr", {}
    for t in (0.5, 0.0, 1.0, 0.1):
        yield "vickrey", {"t": t}
    if vocabulary_size >= 3:
        yield "vickrey", {"t": [0.0, 0.05, 0.3]}
    yield "exponential", {}


def release(
    codes: NDArray[np.uint64], word_id: int | None, case: Mapping[str, Any], read: reference.Read
) -> reference.Release:
    """Run the reference on a case's word: a word out of vocabulary first draws its code.

    Args:
        codes: uint64[n, bits / 64].
        word_id: of the case's word, or None if it is out of vocabulary.
        case: with ``mechanism``, ``epsilon`` and, if the mechanism has any, ``parameters``.
        read: source of random bytes.
    """
    code = read(codes.shape[1] * 8) if word_id is None else codes[word_id].tobytes()
    mechanism = reference.MECHANISMS[case["mechanism"]]
    return mechanism(codes, code, case["epsilon"], read, **case.get("parameters", {}))
