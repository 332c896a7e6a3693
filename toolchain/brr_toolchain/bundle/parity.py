"""Golden cases: what any implementation of a bundle must reproduce byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brr_runtime.exact import EPSILON_MAX, EPSILON_MIN
from brr_toolchain.bundle import reference

FORMAT = "brr-parity"
FORMAT_VERSION = 1

EPSILONS = (EPSILON_MIN, 0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, EPSILON_MAX)

BOUNDARY_EPSILONS = (
    0.07511519226502505,
    0.2158262422013328,
    0.4436632934568753,
    0.6627468722323889,
    0.9217476330502254,
    1.2773911719984077,
    1.8554451521993853,
    2.5533444055025787,
    3.762468547513262,
    5.341975591010475,
    8.88267406710577,
    11.862030783049486,
)
"""The last doubles before a threshold falls by one; computed in doubles, it has fallen already.

The flip probability would be too small, and the privacy less than what is asked for.
"""

CERTIFIED = (
    (EPSILON_MIN, 6.180339887498949e-10),
    (0.42, 0.25),
    (0.55, 0.4),
    (1.0, 0.5),
    (2.0, 1.6487212707001282),
    (EPSILON_MAX, EPSILON_MAX),
)
"""Epsilons, and slopes as a certificate may have them: from epsilon / 2 to epsilon."""

UNKNOWN_WORD = "qzxv'jkwq"
"""In no vocabulary: it stands for any word outside."""

TEXTS = (
    "The quick brown fox jumps over the lazy dog.",
    "Don’t PANIC: it's 3.14 o'clock — e-mail me@example.com!",
    "naïve café, Straße, İstanbul, ΟΔΟΣ, ДОМ",
    "tabs\tnew\nlines\u00a0and\u2003spaces 👍🏽 snake_case 'quoted' rock'n'roll",
    "",
    " . , ! ",
    "' '' ’ʼ＇'",
    "I CAN’T, he won't and they shan't; can't've won't's shan't'd",
    "O'Brien's ''tis'' dogs' n't 's ''s n't's 'd've y'all'd've it''s xn't'",
    "Kelvin \u212a, Ⱡ, Ꙁ, 𐐀 and ｆｕｌｌ Ｗｉｄｔｈ; no combining c\u0327",  # lower case: only some
)

_WORDS = 8


def golden_cases(
    words: Sequence[str], codes: NDArray[np.uint64], seed: int, unit: str
) -> dict[str, Any]:
    """Return the content of ``parity.json``, made by ``reference`` alone.

    Args:
        words: the vocabulary in rank order.
        codes: uint64[n, bits / 64].
        seed: of the words and the random bytes.
        unit: SHA-256 of the index, in hexadecimal digits.
    """
    generator = np.random.default_rng(seed)
    chosen = generator.choice(len(words), min(_WORDS, len(words)), replace=False).tolist()
    some = [words[i] for i in sorted({0, len(words) - 1, *chosen})]
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "thresholds": [
            {"epsilon": epsilon, "threshold": reference.flip_threshold(epsilon)}
            for epsilon in (*EPSILONS, *BOUNDARY_EPSILONS)
        ],
        "texts": list(golden_texts(words, some)),
        "cases": list(_golden_releases(words, some, codes, generator)),
        "memory": list(_golden_memory(words, some, codes, unit, generator)),
    }


def golden_texts(words: Sequence[str], some: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Make the texts with their tokens, and what these are looked up as.

    Args:
        words: the vocabulary.
        some: of its words; they are put into texts.
    """
    known = frozenset(words)
    for text in (*TEXTS, *_characters(), *_forms(some)):
        tokens = reference.tokenize(text)
        found = [reference.look_up(token, known) for token in tokens]
        yield {"text": text, "tokens": tokens, "words": found}


def _characters() -> Iterator[str]:
    """Make texts of the characters at which a tokenizer's tables could be wrong."""
    near = set()
    for entry in reference.SEPARATORS.split():
        first, last = (int(bound, 16) for bound in (entry.split("-") * 2)[:2])
        near |= {first - 1, first, last, last + 1}
    usable = sorted(c for c in near if 0 <= c < 0x110000 and not 0xD800 <= c < 0xE000)
    yield " ".join(f"a{chr(code_point)}b" for code_point in usable)
    for entry in reference.LOWERCASED.split():
        first, last = (int(bound, 16) for bound in entry.split("-"))
        yield "".join(map(chr, range(first - 1, last + 2)))


def _forms(words: Sequence[str]) -> Iterator[str]:
    """Make texts of words with apostrophes and clitics."""
    for word in words:
        ends = ["n't", "'S", "’re", "'ve", "'ll", "'d", "'m", "'d've", "n't've", "'", "''"]
        ends += ["'t", "''s", "'brien"]  # not clitics
        yield " ".join([f"'{word}'", f"o'{word}", f"'{word}'s'", *(word + end for end in ends)])


def _golden_releases(
    words: Sequence[str],
    some: Sequence[str],
    codes: NDArray[np.uint64],
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    ids = {word: word_id for word_id, word in enumerate(words)}

    def record(
        mechanism: str,
        word: str,
        epsilon: float,
        source: reference.Read = generator.bytes,
        slope: float | None = None,
        **parameters: Any,
    ) -> dict[str, Any]:
        consumed = bytearray()

        def read(size: int) -> bytes:
            consumed.extend(part := source(size))
            return part

        case = {"mechanism": mechanism, "word": word, "epsilon": epsilon}
        if slope is not None:
            case["slope"] = slope
        if parameters:
            case["parameters"] = parameters
        result = release(codes, ids, case, read)
        output = words[result.word_id]
        return {**case, "random": consumed.hex(), **result.details, "output": output}

    inputs = [*some, f"{words[0].upper()}’s", "hello, world", UNKNOWN_WORD, UNKNOWN_WORD]
    to_all = reference.distances(codes, codes[0].tobytes()).tolist()
    for mechanism, parameters in _variants(len(words), to_all, codes.shape[1] * 64):
        for number, word in enumerate(inputs):
            yield record(mechanism, word, EPSILONS[number % len(EPSILONS)], **parameters)

    epsilon = BOUNDARY_EPSILONS[4]
    threshold = reference.flip_threshold(epsilon)
    for number in (threshold, threshold - 1):  # no bit flips; every bit flips
        numbers = np.full(codes.shape[1] * 64, number - 2**31, "<i4")
        yield record("brr", words[0], epsilon, BytesIO(numbers.tobytes()).read)

    # The uniform integers at which the choice changes, and one that must be drawn again.
    noise, distances = b"", [0]
    while min(distances) == 0:  # else the nearest word would be certain
        noise = generator.bytes(codes.shape[1] * 256)
        noised = reference.flip(codes[0].tobytes(), noise, reference.flip_threshold(1.0))
        distances = reference.distances(codes, noised).tolist()
    for mechanism, parameters in _variants(len(words), to_all, codes.shape[1] * 64):
        weights, first = [], b""
        if mechanism == "vickrey":
            t = parameters["t"]
            nearest = sorted(distances)[: len(t) if isinstance(t, list) else 2]
            weights, first = reference.vickrey_weights(nearest, t), noise
        elif mechanism == "exponential":
            weights = reference.exponential_weights(
                to_all, Fraction(1, 2), codes.shape[1] * 64, parameters.get("radius")
            )
        for integers in _boundaries(weights) if weights else ():
            yield record(mechanism, words[0], 1.0, BytesIO(first + integers).read, **parameters)

    for epsilon, slope in CERTIFIED:
        for radius in (0, codes.shape[1] * 8):
            weights = reference.exponential_weights(
                to_all, Fraction(slope), codes.shape[1] * 64, radius
            )
            sources: list[reference.Read] = [generator.bytes]
            sources += (BytesIO(each).read for each in _boundaries(weights))
            for source in sources:
                yield record("exponential", words[0], epsilon, source, slope, radius=radius)


def _golden_memory(
    words: Sequence[str],
    some: Sequence[str],
    codes: NDArray[np.uint64],
    unit: str,
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    ids = {word: word_id for word_id, word in enumerate(words)}
    inputs = [some[0], some[-1], f"{words[0].upper()}’s", UNKNOWN_WORD, "Hello, wörld 👍"]
    to_all = reference.distances(codes, codes[0].tobytes()).tolist()
    variants = _variants(len(words), to_all, codes.shape[1] * 64)
    for number, (mechanism, parameters) in enumerate(variants, start=1):
        for place, word in enumerate(inputs):
            case: dict[str, Any] = {"mechanism": mechanism, "word": word}
            case |= {"epsilon": EPSILONS[place + 3], "second_epsilon": EPSILONS[place + 4]}
            if parameters:
                case["parameters"] = parameters
            case |= {"number": number ** (place + 1), "key": generator.bytes(32).hex()}
            consumed = bytearray()

            def read(size: int, consumed: bytearray = consumed) -> bytes:
                consumed.extend(part := generator.bytes(size))
                return part

            first, second = remembered(words, codes, ids, unit, case, read)
            yield {**case, "first": first, "random": consumed.hex(), "output": second}


def remembered(
    words: Sequence[str],
    codes: NDArray[np.uint64],
    ids: Mapping[str, int],
    unit: str,
    case: Mapping[str, Any],
    read: reference.Read,
) -> tuple[str, str]:
    """Return the first and the second draw of a case's word, by the reference.

    Args:
        words: the vocabulary.
        codes: uint64[n, bits / 64].
        ids: by word.
        unit: SHA-256 of the index.
        case: with ``mechanism``, ``word``, ``epsilon``, ``second_epsilon``, ``number``, ``key``
            and, if the mechanism has any, ``parameters``.
        read: source of random bytes for the second draw.
    """
    name, parameters = case["mechanism"], case.get("parameters", {})
    bits = codes.shape[1] * 64
    numbers = reference.setting(name, case["epsilon"], parameters, bits, len(words))
    word = reference.look_up(case["word"], ids)
    source = reference.first_draw(
        bytes.fromhex(case["key"]),
        case["number"],
        unit,
        name,
        numbers,
        reference.normalize(case["word"]) if word is None else word,
        known=word is not None,
    )
    first = words[release(codes, ids, case, source).word_id]
    again = {**case, "word": first, "epsilon": case["second_epsilon"]}
    return first, words[release(codes, ids, again, read).word_id]


def _boundaries(weights: Sequence[int]) -> list[bytes]:
    """Return random bytes for the numbers at both sides of the sum of the first, and of all."""
    ends = {next(filter(None, weights)), sum(weights)}
    numbers = [number for end in sorted(ends) for number in (end - 1, end)]
    return [number.to_bytes(8, "little") + bytes(16) for number in numbers]


def _variants(
    vocabulary_size: int, distances: Sequence[int], bits: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every mechanism with its parameters.

    Args:
        vocabulary_size: n.
        distances: from a word to all, for radii that its nearest neighbour is just in and just
            beyond.
        bits: length of a code.
    """
    yield "brr", {}
    for t in (0.5, 0.0, 1.0, 0.1):
        yield "vickrey", {"t": t}
    if vocabulary_size >= 3:
        yield "vickrey", {"t": [0.0, 0.05, 0.3]}
    yield "exponential", {}
    nearest = min((distance for distance in distances if distance), default=1)
    for radius in sorted({0, nearest - 1, nearest, bits // 8, bits}):
        yield "exponential", {"radius": radius}


def release(
    codes: NDArray[np.uint64],
    ids: Mapping[str, int],
    case: Mapping[str, Any],
    read: reference.Read,
) -> reference.GoldenRelease:
    """Run the reference on a case's word; for an unknown one it draws another.

    Args:
        codes: uint64[n, bits / 64].
        ids: by word.
        case: with ``mechanism``, ``word``, ``epsilon`` and, if the mechanism has any,
            ``parameters`` and a certificate's ``slope``.
        read: source of random bytes.
    """
    word = reference.look_up(case["word"], ids)
    word_id = reference.uniform_below(len(codes), read) if word is None else ids[word]
    mechanism = reference.MECHANISMS[case["mechanism"]]
    code = codes[word_id].tobytes()
    parameters = dict(case.get("parameters", {}))
    if "slope" in case:
        parameters["slope"] = case["slope"]
    return mechanism(codes, code, case["epsilon"], read, **parameters)
