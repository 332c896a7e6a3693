"""Golden cases, which any implementation of a bundle must reproduce byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import cycle, groupby, islice, product
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.parity_inputs import (
    BOUNDARY_EPSILONS,
    CAPS,
    EPSILONS,
    UNKNOWN_WORD,
    golden_texts,
)
from brrkit_toolchain.language.model import LanguageModel

FORMAT = "brr-parity"
FORMAT_VERSION = 5
"""Version of the golden cases; a change of a runtime's draws raises it."""

KINDS_OF_LISTS = ("counts", "samples", "texts")
KINDS = ("cases", "memory", "streams", "calls", "marked", "thresholds", *KINDS_OF_LISTS)
"""Kinds of cases; a list's bundle has only those without codes."""

_SOME_WORDS = 8
_NUMBERS = 2**53  # bound of periods' numbers, exact in every language's JSON
_MOST_BYTES = 4096  # more than a mechanism draws for a word
_SMALL_EPSILON = 0.3
"""An epsilon so small that the word before decides the output."""


def golden_cases(
    words: Sequence[str],
    codes: NDArray[np.uint64],
    language: LanguageModel,
    seed: int,
    unit: str,
    manifest: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the content of ``parity.json``, made by ``reference`` alone.

    A list has no cases with codes.

    Args:
        words: the vocabulary in rank order.
        codes: uint64[n, bits / 64].
        language: the masses and bigrams.
        seed: seed of the words and the random bytes.
        unit: SHA-256 of the index, in hexadecimal digits.
        manifest: the manifest; may have ``task_bits``, ``writing``, ``list_of`` and ``policy``.
    """
    generator = np.random.default_rng(seed)
    chosen = generator.choice(len(words), min(_SOME_WORDS, len(words)), replace=False).tolist()
    contents = contents_of(codes, language, manifest.get("task_bits", 0))
    lexicon = lexicon_of(words, language, manifest)
    some = [words[i] for i in sorted({0, len(words) - 1, *chosen})] + _of_policy(lexicon)
    made: dict[str, Iterable[Any]] = {
        "thresholds": (
            {"epsilon": epsilon, "threshold": reference.flip_threshold(epsilon)}
            for epsilon in (*EPSILONS, *BOUNDARY_EPSILONS)
        ),
        "texts": golden_texts(lexicon, some),
        "cases": _golden_releases(lexicon, some, contents, generator),
        "memory": _golden_memory(lexicon, some, contents, unit, generator),
        "streams": _golden_streams(lexicon, some, contents, generator),
        "counts": _golden_counts(lexicon, some, unit, generator),
        "calls": _golden_calls(lexicon, contents, generator),
        "samples": _golden_samples(lexicon, some, unit, generator),
        "marked": _golden_marked(lexicon, contents, generator),
    }
    kinds = KINDS_OF_LISTS if "list_of" in manifest else KINDS
    cases = {kind: list(entries) if kind in kinds else [] for kind, entries in made.items()}
    return {"format": FORMAT, "format_version": FORMAT_VERSION, **cases}


class _Recorded:
    """Random bytes from a source, with a record of them."""

    def __init__(self, source: reference.Read) -> None:
        self._source = source
        self._given = bytearray()

    def __call__(self, size: int) -> bytes:
        part = self._source(size)
        self._given += part
        return part

    def hex(self) -> str:
        return self._given.hex()


def lexicon_of(
    words: Sequence[str], language: LanguageModel, manifest: Mapping[str, Any]
) -> reference.Lexicon:
    """Return the reference's lexicon, which cuts texts and looks up tokens."""
    given = map(manifest.get, ("writing", "list_of", "policy"))
    return reference.Lexicon.of(words, language.masses.tolist(), *given)


def contents_of(
    codes: NDArray[np.uint64], language: LanguageModel, task_bits: int = 0
) -> reference.Contents:
    """Return the contents from which the reference draws."""
    bigrams = zip(
        language.before.tolist(), language.after.tolist(), language.gains.tolist(), strict=True
    )
    return reference.Contents.of(codes, language.masses.tolist(), list(bigrams), task_bits)


def _golden_releases(
    lexicon: reference.Lexicon,
    some: Sequence[str],
    contents: reference.Contents,
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    words = lexicon.words
    histories = _histories(contents)
    passing = "passing" in lexicon.policy

    def record(mechanism: str, word: str, edge: reference.Edge) -> dict[str, Any]:
        read = _Recorded(edge.read)

        case = {"mechanism": mechanism, "word": word, "epsilon": edge.epsilon}
        if edge.parameters:
            case["parameters"] = edge.parameters
        if edge.before is not None:
            case["before"] = words[edge.before]
        result = reference.release(contents, lexicon, case, read)
        output = words[result.word_id]
        return {**case, "random": read.hex(), **result.details, "output": output}

    for (mechanism, parameters), edge, word in (
        product(_few_variants(contents), _coins(lexicon), [*_of_policy(lexicon), UNKNOWN_WORD])
        if passing
        else ()
    ):
        drawn = BytesIO(edge + generator.bytes(_MOST_BYTES))
        yield record(mechanism, word, reference.Edge(EPSILONS[5], drawn.read, parameters))
    inputs = [*some, f"{words[0].upper()}’s", "hello, world", UNKNOWN_WORD, UNKNOWN_WORD]
    for mechanism, parameters in _variants(contents):
        for number, word in enumerate(inputs):
            epsilon = EPSILONS[number % len(EPSILONS)]
            before = histories[number % len(histories)]
            edge = reference.Edge(epsilon, generator.bytes, parameters, before)
            yield record(mechanism, word, edge)
    shown = reference.Shown.of(contents, generator.bytes)
    for mechanism, specified in reference.MECHANISMS.items():
        for edge in specified.edges(shown):
            read = _after(_coins(lexicon)[-1], edge.read) if passing else edge.read
            yield record(mechanism, words[0], replace(edge, read=read))


def _golden_memory(
    lexicon: reference.Lexicon,
    some: Sequence[str],
    contents: reference.Contents,
    unit: str,
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    words = lexicon.words
    inputs = [some[0], some[-1], f"{words[0].upper()}’s", UNKNOWN_WORD, "Hello, wörld 👍"]
    inputs += _of_policy(lexicon)
    histories = _histories(contents)
    for number, (mechanism, parameters) in enumerate(_variants(contents), start=1):
        for place, word in enumerate(inputs):
            case: dict[str, Any] = {"mechanism": mechanism, "word": word}
            first_epsilon, second_epsilon = (EPSILONS[(place + i) % len(EPSILONS)] for i in (3, 4))
            case |= {"epsilon": first_epsilon, "second_epsilon": second_epsilon}
            if parameters:
                case["parameters"] = parameters
            if (before := histories[place % len(histories)]) is not None:
                case["before"] = words[before]
            case |= {"number": number ** (place + 1) % _NUMBERS, "key": generator.bytes(32).hex()}
            read = _Recorded(generator.bytes)

            first, second = reference.remembered(contents, lexicon, unit, case, read)
            yield {**case, "first": first, "random": read.hex(), "output": second}


def _golden_streams(
    lexicon: reference.Lexicon,
    some: Sequence[str],
    contents: reference.Contents,
    generator: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    words = lexicon.words
    random = ("random", 1.0, [*some, UNKNOWN_WORD, *words[:4]])
    drop = (
        "drop",
        _SMALL_EPSILON,
        [words[0], *[UNKNOWN_WORD, words[-1]] * 2, UNKNOWN_WORD, words[1]],
    )
    streams = [*product(_variants(contents), [random]), *product(_few_variants(contents), [drop])]
    for (mechanism, parameters), (oov, epsilon, typed) in streams:
        read = _Recorded(generator.bytes)

        stream: dict[str, Any] = {
            "mechanism": mechanism,
            "epsilon": epsilon,
            "parameters": parameters,
        }
        outputs: list[str | None] = []
        before: str | None = None
        for word in typed:
            if oov == "drop" and reference.look_up(word, lexicon) is None:
                outputs.append(None)
                continue
            case = {**stream, "word": word}
            if before is not None:
                case["before"] = before
            before = words[reference.release(contents, lexicon, case, read).word_id]
            outputs.append(before)
        given = {"oov": oov, "words": typed}
        yield {**stream, **given, "random": read.hex(), "outputs": outputs}


def _golden_counts(
    lexicon: reference.Lexicon, some: Sequence[str], unit: str, generator: np.random.Generator
) -> Iterator[dict[str, Any]]:
    words = lexicon.words
    symbols = len(words) + 1
    inputs = [*some, f"{words[0].upper()}’s", "Hello, wörld", UNKNOWN_WORD]

    def record(case: dict[str, Any], source: reference.Read) -> dict[str, Any]:
        read = _Recorded(source)

        made = reference.counted(lexicon, unit, case, read)
        return {**case, "random": read.hex(), **made}

    for cap in CAPS:
        threshold = reference.counts.keep_threshold(cap, symbols)
        numbers = [0, threshold - 1, threshold, 2**63 - 1, 2**63, 2**64 - 1]
        ends = [symbols - 2, symbols - 1, symbols]  # without the kept one; draws again at the last
        for number, end in product(numbers, ends):
            drawn = b"".join(each.to_bytes(8, "little") for each in (number, end)) + bytes(8)
            yield record({"cap": cap, "word": words[0]}, BytesIO(drawn).read)
        for place, word in enumerate(inputs):
            yield record({"cap": cap, "word": word}, generator.bytes)
            case = {"cap": cap, "word": word, "second_cap": CAPS[-1 - place % len(CAPS)]}
            case |= {"number": place + 1, "key": generator.bytes(32).hex()}
            yield record(case, generator.bytes)


def _golden_calls(
    lexicon: reference.Lexicon, contents: reference.Contents, generator: np.random.Generator
) -> Iterator[dict[str, Any]]:
    words = lexicon.words
    first, second, last, unknown = words[0], words[1], words[-1], UNKNOWN_WORD
    given: list[dict[str, Any]] = [
        {"words": [unknown, first, unknown, last, second, unknown, last]},
        {"texts": [f"{unknown} {first}", "", f"{second}, {unknown} {last}; {unknown} {last}!"]},
    ]
    for (mechanism, parameters), oov, what in product(
        _few_variants(contents), ("random", "drop"), given
    ):
        read = _Recorded(generator.bytes)

        call = {
            "mechanism": mechanism,
            "epsilon": _SMALL_EPSILON,
            "parameters": parameters,
            "oov": oov,
        }
        texts = [reference.tokenize(text, lexicon) for text in what.get("texts", [])]
        made = [
            reference.called(contents, lexicon, call, each, read)
            for each in texts or [what["words"]]
        ]
        spelled = [[words[word_id] for word_id in each] for each in made]
        outputs = [" ".join(each) for each in spelled] if texts else spelled[0]
        yield {**call, **what, "random": read.hex(), "outputs": outputs}


def _golden_marked(
    lexicon: reference.Lexicon, contents: reference.Contents, generator: np.random.Generator
) -> Iterator[dict[str, Any]]:
    words = [lexicon.words[i % len(lexicon.words)] for i in range(4)]
    text = f"{words[0]} 👍{words[1].upper()}, {UNKNOWN_WORD} {words[2]}’s-{words[3]} {words[0]}"
    names = [[each["name"]] for each in lexicon.policy["lists"]]
    one, other = islice(cycle([*names, []]), 2)
    first, second = len(words[0]), text.index(words[1].upper())
    unknown = text.index(UNKNOWN_WORD)
    marks: list[list[list[Any]]] = [
        [],
        [[second, second + 1, *one]],
        [[unknown + 2, len(text), *one], [second, unknown + 1, *other], [0, 1]],
        [[first, first + 1], [0, first, *other]],
    ]
    kinds: list[dict[str, Any]] = [
        {"oov": oov, **rest} for oov in ("random", "drop") for rest in ({}, {"rest": "pass"})
    ]
    for number, (mechanism, parameters) in enumerate(_few_variants(contents)):
        for place, some in enumerate(marks):
            kind = kinds[(number + place) % len(kinds)]
            read = _Recorded(generator.bytes)
            case = {"mechanism": mechanism, "epsilon": _SMALL_EPSILON, "parameters": parameters}
            case |= {**kind, "text": text, "marks": some}
            output = reference.marked(contents, lexicon, case, read)
            yield {**case, "random": read.hex(), "output": output}


def _golden_samples(
    lexicon: reference.Lexicon, some: Sequence[str], unit: str, generator: np.random.Generator
) -> Iterator[dict[str, Any]]:
    typed = [*some, UNKNOWN_WORD, lexicon.words[0]]
    for cap, most in product((1.0, 9.3125), (1, 3, len(typed) - 1, len(typed))):
        read = _Recorded(generator.bytes)

        drawn = [
            reference.counted(lexicon, unit, {"cap": cap, "word": word}, read) for word in typed
        ]
        kept = reference.counts.sampled([each["output"] for each in drawn], most, read)
        case = {"cap": cap, "words_a_day": most, "words": typed}
        yield {**case, "random": read.hex(), "outputs": kept}


def _of_policy(lexicon: reference.Lexicon) -> list[str]:
    """Return the first and last member of each list, its first form, and a passing word."""
    lists = lexicon.policy["lists"]
    ids = [word_id for each in lists for word_id in (each["members"][0], each["members"][-1])]
    ids += lexicon.policy.get("passing", {}).get("words", [])[:1]
    forms = [form for each in lists for form in each["forms"][:1]]
    return [*(lexicon.words[word_id] for word_id in ids), *forms]


def _coins(lexicon: reference.Lexicon) -> list[bytes]:
    """Return the last coin at which a word passes, and the first at which no word does."""
    threshold = reference.pass_threshold(lexicon.policy)
    return [number.to_bytes(8, "little") for number in (threshold - 1, threshold)]


def _after(coin: bytes, read: reference.Read) -> reference.Read:
    """Return a source that gives ``coin``, and then the bytes from ``read``."""
    coins = BytesIO(coin)
    return lambda size: coins.read(size) or read(size)


def _variants(contents: reference.Contents) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every mechanism with its parameters for the first word's cases."""
    codes = contents.codes
    to_all = reference.distances(codes, codes[0].tobytes())
    for mechanism, specified in reference.MECHANISMS.items():
        for parameters in specified.variants(contents, to_all):
            yield mechanism, parameters


def _few_variants(contents: reference.Contents) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the first and the last variant of every mechanism."""
    for _, variants in groupby(_variants(contents), itemgetter(0)):
        first, *others = variants
        yield from (first, *others[-1:])


def _histories(contents: reference.Contents) -> list[int | None]:
    """Return None, and if there are bigrams, words with and without them."""
    if not contents.gains:
        return [None]
    size = len(contents.codes)
    without = [word_id for word_id in range(size) if word_id not in contents.gains]
    return [None, next(iter(contents.gains)), *without[-1:], max(contents.gains)]
