"""Exchange random cases with another runtime, through files.

    python tests/phones/exchange.py write bundles folder 10000
    python tests/phones/exchange.py check bundles folder kotlin
    python tests/phones/exchange.py compare bundles folder kotlin swift

``write`` makes so many releases, other cases in proportion, and what this runtime makes of them:
``folder/python-*.jsonl``. The other runtime checks them, and writes as many in the same form,
``folder/kotlin-*.jsonl`` (or ``swift-*.jsonl``), for ``check``.

* ``releases``: a bundle, a setting, what was typed (a list of words, or a text), the random bytes
  that were consumed, what was released. Some of Python's have a memory's key, too. A text may have
  ``marks`` (lists of start, end and, for some, a list's name; code points), and then ``rest``
  (``pass``; absent: it is released).
* ``texts``: a text, a vocabulary with the bytes of its masses, in some a ``writing``, in those of
  a list its ``list_of``, the tokens, and the ids of the tokens' words (null: unknown).
* ``counts``: a bundle, a cap, what was typed (a word), the random bytes that were consumed, and
  what was released (the empty string for an unknown word). Some of Python's have a memory's key and
  a second cap, and the bytes are those of the second draw.
* ``frames``: a bundle, a setting, and all else as ``spec/vectors/frames.json`` has it.
* ``numbers``: the integers that decide: thresholds, weights, decays, costs; and effective epsilons.
  Where there is a cap, also the keep threshold of counts over so many symbols, and the exact loss.

``both.jsonl`` has releases like those, but not what is released: a phone writes that to
``kotlin-both.jsonl``, with how many random bytes it left, and ``compare`` holds two phones' files
against each other.

This runs each night: what it finds is found in each run by the frozen cases of ``spec``.
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from brrkit import WordBundle
from brrkit.exact import (
    CAP_MAX,
    CAP_MIN,
    EPSILON_MAX,
    EPSILON_MIN,
)
from brrkit.masses import MOST
from brrkit.mechanisms.exponential import BASES
from brrkit.setting import MOST_TASK_WEIGHT
from brrkit.tokenizer import tokenize
from brrkit.writing import ENGLISH

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))
import frozen
import listed
import written

CLITICS, SPELLINGS = ENGLISH.endings, ENGLISH.word_of

_A_SETTING = 4  # releases
_WITH_MEMORY = 0.2
_FIRST_PLANE = [*range(0xD800), 0xE000]

Case = dict[str, Any]


def bundles_in(folder: Path) -> dict[str, WordBundle]:
    """Open the bundles of a folder, by their names."""
    return {path.name: WordBundle.open(path) for path in sorted(folder.iterdir())}


def random_between(source: random.Random, low: float, high: float) -> float:
    """Return a number that stands in the exponent."""
    return min(max(math.exp(source.uniform(math.log(low), math.log(high))), low), high)


def random_cap(source: random.Random) -> float:
    """Return a cap."""
    return random_between(source, CAP_MIN, CAP_MAX)


def random_setting(source: random.Random, bundle: WordBundle) -> Case:
    """Return a mechanism with an epsilon."""
    mechanism = source.choice(["brr", "vickrey", "vickrey", "exponential", "exponential"])
    epsilon = random_between(source, EPSILON_MIN, EPSILON_MAX)
    case: Case = {"mechanism": mechanism, "epsilon": epsilon}
    if mechanism == "vickrey":
        several = [source.choice([0.0, source.random(), 20 * source.random()]) for _ in range(5)]
        t = source.choice([0.0, 0.5, 1.0, source.random(), several[: source.randint(1, 5)]])
        case["parameters"] = {"t": t}
    if mechanism == "exponential":
        given = {
            "radius": source.choice([0, source.randrange(17), 64]),
            "base": source.choice(BASES if bundle.masses.bigrams else BASES[:-1]),
            "cap": random_cap(source),
        }
        if bundle.task_bits:
            given["task_weight"] = source.choice([0, 1, 2, source.randint(0, MOST_TASK_WEIGHT)])
        case["parameters"] = {name: given[name] for name in given if source.random() < 0.7}
    case["oov"] = source.choice(["random", "drop"])
    if source.random() < _WITH_MEMORY:
        case |= {"number": source.randint(1, 10**15 - 1), "key": source.randbytes(32).hex()}
        case["second_epsilon"] = random_between(source, EPSILON_MIN, EPSILON_MAX)
    return case


def random_word(source: random.Random, bundle: WordBundle) -> str:
    """Return a word, mostly of the vocabulary, as somebody might type it."""
    word = bundle.vocabulary.word(source.randrange(len(bundle)))
    if bundle.policy.lists and source.random() < 0.2:
        word = source.choice([form for each in bundle.policy.lists for form in each.forms])
    style = source.random()
    if style < 0.1:
        return word.upper()
    if style < 0.2:
        return word.replace("'", "’").title()
    if style < 0.3:
        return word + source.choice(CLITICS)
    if style < 0.4:
        return random_text(source) if bundle.bits else listed.random_text(source, [word, "a"])
    return word


def random_text(source: random.Random) -> str:
    """Return characters that matter to the tokenizer, and any others."""
    letters = [*"aBéÉİΣςßǅДʼ＇'’", "\u0301", "ԲԱ", "it", "do", *CLITICS, *SPELLINGS]
    others = [*"!_-. \t👍\u200d"]
    some = source.choices([*letters, *others], k=source.randrange(12))
    some += [chr(source.choice(_FIRST_PLANE)) for _ in range(source.randrange(2))]
    some += [chr(source.randrange(0xE000, 0x110000)) for _ in range(source.randrange(2))]
    source.shuffle(some)
    return "".join(some)


def random_marks(source: random.Random, bundle: WordBundle, text: str) -> Case:
    """Return marks of a text anywhere, and what becomes of the rest; or nothing."""
    if not text or source.random() < 0.5:
        return {}
    names = [[each.name] for each in bundle.policy.lists]
    marks = []
    for _ in range(source.randrange(4)):
        start = source.randrange(len(text))
        end = min(start + source.randint(1, 6), len(text))
        marks.append([start, end, *source.choice([[], *names])])
    return {"marks": marks, **source.choice([{}, {"rest": "pass"}])}


def releases(bundles: dict[str, WordBundle], source: random.Random) -> Iterator[Case]:
    """Make cases without end, of the bundles that aren't lists."""
    while True:
        name = source.choice([name for name in bundles if bundles[name].bits])
        bundle = bundles[name]
        setting = random_setting(source, bundle)
        drawn = bytearray()
        privatizer = frozen.privatizer_of(bundle, setting, recording(drawn))
        for _ in range(_A_SETTING):
            words = [random_word(source, bundle) for _ in range(source.choice([0, 1, 1, 1, 1, 3]))]
            typed = source.choice([words, words, random_text(source) + " ".join(words)])
            case = {"bundle": name, **setting, "typed": typed}
            if isinstance(typed, str):
                case |= random_marks(source, bundle, typed)
            drawn.clear()
            released = frozen.release(privatizer, case)
            yield {**case, "random": drawn.hex(), "released": released}


def recording(drawn: bytearray) -> Callable[[int], bytes]:
    """Return the system's source of random bytes, noting what it gave."""

    def read(size: int) -> bytes:
        drawn.extend(part := os.urandom(size))
        return part

    return read


def counts(bundles: dict[str, WordBundle], source: random.Random) -> Iterator[Case]:
    """Make cases without end."""
    while True:
        name = source.choice(list(bundles))
        bundle = bundles[name]
        some = source.choice([random_cap(source), source.uniform(5, 15)])
        case: Case = {"bundle": name, "cap": some, "word": random_word(source, bundle)}
        if source.random() < _WITH_MEMORY:
            case |= {"number": source.randint(1, 10**15 - 1), "key": source.randbytes(32).hex()}
            case["second_cap"] = random_between(source, 5, CAP_MAX)
        drawn = bytearray()
        output = frozen.counts_of(bundle, case, recording(drawn)).word(case["word"])
        yield {**case, "random": drawn.hex(), "output": output}


def frames(bundles: dict[str, WordBundle], source: random.Random) -> Iterator[Case]:
    """Make cases without end, of one day or two."""
    while True:
        name = source.choice([name for name in bundles if bundles[name].bits])
        bundle = bundles[name]
        setting = random_setting(source, bundle)
        steps = [step for _ in range(source.randint(1, 2)) for step in a_day(source, bundle)]
        case: Case = {
            "bundle": name,
            **{key: setting[key] for key in ("mechanism", "epsilon")},
            "parameters": setting.get("parameters", {}),
            "frames": {"words": source.randint(1, 4), "a_day": source.randint(1, 3)},
            "steps": steps,
        }
        drawn = bytearray()
        days = frozen.days_of(bundle, case, recording(drawn))
        yield {**case, "random": drawn.hex(), "days": days}


def a_day(source: random.Random, bundle: WordBundle) -> Iterator[Case]:
    """Return what is typed in a day, and its end."""
    for _ in range(source.randrange(6)):
        word = random_word(source, bundle)
        text = " ".join([word, random_text(source), random_word(source, bundle)])
        marks = random_marks(source, bundle, text)
        marks.pop("rest", None)
        yield source.choice([{"word": word}, {"word": word}, {"end": True}, {"add": text, **marks}])
    yield {"batches": True}


def texts(source: random.Random) -> Iterator[Case]:
    """Make cases without end, each with a vocabulary: of English, of any language, of a list."""
    while True:
        made_by = source.choice([None, written.random_case, listed.random_case])
        if made_by is not None:
            given = made_by(source)
            yield text_case(given.text, given.words, given.masses, given.writing, given.list_of)
            continue
        text = random_text(source)
        parts = {"can", "will", "shall"}
        for token in tokenize(text + " " + random_text(source)):
            bare = token.strip("'")
            parts |= {token, bare, token.partition("'")[0], bare.rpartition("'")[0], bare[:-3]}
        words = sorted(parts - {""})
        some = source.sample(words, source.randint(1, len(words)))
        yield text_case(text, some, [source.randrange(1, 256) for _ in some], None)


def text_case(
    text: str,
    vocabulary: list[str],
    masses: list[int],
    writing: Case | None,
    list_of: str | None = None,
) -> Case:
    """Return the tokens of a text, and what they are looked up as."""
    case: Case = {"text": text, "vocabulary": vocabulary, "masses": masses}
    if writing is not None:
        case["writing"] = writing
    if list_of is not None:
        case["list_of"] = list_of
    english = ENGLISH.to_json()
    tokenizer = written.Case(text, vocabulary, masses, writing or english, list_of).tokenizer()
    tokens = tokenizer.read(text)
    return {
        **case,
        "tokens": [token.text for token in tokens],
        "ids": [token.word_id for token in tokens],
        "finished": len(tokenizer.finished(text)),
    }


def numbers(source: random.Random) -> Iterator[Case]:
    """Make cases without end."""
    while True:
        epsilon = random_between(source, EPSILON_MIN, EPSILON_MAX)
        epsilon = round(epsilon, 9) or epsilon if source.random() < 0.3 else epsilon
        yield frozen.numbers(
            epsilon,
            bits=source.choice([64, 256, 512]),
            total=source.randrange(2, source.choice([1 << 24, MOST])),
            t=source.choice([source.random(), 25 * source.random()]),
            distance=source.randrange(513),
            radius=source.choice([0, source.randrange(17), source.randrange(65)]),
            cap=source.choice([None, random_cap(source)]),
            symbols=source.randrange(3, source.choice([100, 1 << 24])),
        )


def write(bundles: dict[str, WordBundle], folder: Path, number: str) -> None:
    """Write this runtime's cases: as many releases, and others in proportion."""
    tenth = int(number) // 10
    source = random.Random()  # fresh ones every time; the files tell what they were
    folder.mkdir(parents=True, exist_ok=True)
    made = {
        "releases": islice(releases(bundles, source), 10 * tenth),
        "texts": islice(texts(source), 5 * tenth),
        "counts": islice(counts(bundles, source), 3 * tenth),
        "frames": islice(frames(bundles, source), tenth),
        "numbers": islice(numbers(source), 2 * tenth),
    }
    for name, cases in made.items():
        lines = "".join(json.dumps(case) + "\n" for case in cases)
        (folder / f"python-{name}.jsonl").write_text(lines, "utf-8")
    unanswered = islice(releases(bundles, source), 2 * tenth)
    lines = "".join(
        json.dumps({name: value for name, value in case.items() if name != "released"}) + "\n"
        for case in unanswered
    )
    (folder / "both.jsonl").write_text(lines, "utf-8")


def check(bundles: dict[str, WordBundle], folder: Path, language: str) -> None:
    """Check the other runtime's cases. The first that differs stops this."""
    agreed = []
    for case in (cases := read(folder, language, "releases")):
        replayed = BytesIO(bytes.fromhex(case["random"]))
        privatizer = frozen.privatizer_of(bundles[case["bundle"]], case, replayed.read)
        expect(case, "released", frozen.release(privatizer, case))
        expect({"random": b""}, "random", replayed.read())
        if isinstance(case["typed"], str) and case["oov"] == "random" and "marks" not in case:
            counts = {"words": len(case["released"].split())}
            bundle = bundles[case["bundle"]]
            expect({**case, **counts}, "words", len(bundle.tokenize(case["typed"])))
    agreed.append(f"{len(cases):,} releases")
    for case in (cases := read(folder, language, "counts")):
        replayed = BytesIO(bytes.fromhex(case["random"]))
        released = frozen.counts_of(bundles[case["bundle"]], case, replayed.read).word(case["word"])
        expect(case, "output", released)
        expect({"random": b""}, "random", replayed.read())
    agreed.append(f"{len(cases):,} counted words")
    for case in (cases := read(folder, language, "frames")):
        replayed = BytesIO(bytes.fromhex(case["random"]))
        expect(case, "days", frozen.days_of(bundles[case["bundle"]], case, replayed.read))
        expect({"random": b""}, "random", replayed.read())
    agreed.append(f"{len(cases):,} series of frames")
    for case in (cases := read(folder, language, "texts")):
        given = (case["text"], case["vocabulary"], case["masses"])
        for name, value in text_case(*given, case.get("writing"), case.get("list_of")).items():
            expect(case, name, value)
    agreed.append(f"{len(cases):,} texts")
    for case in (cases := read(folder, language, "numbers")):
        names = ("epsilon", "bits", "total", "t", "distance", "radius", "cap", "symbols")
        expected = frozen.numbers(**{name: case[name] for name in names})
        for name, value in expected.items():
            expect(case, name, value)
    agreed.append(f"{len(cases):,} sets of numbers")
    print(f"The reference runtime agrees with {language}'s {', '.join(agreed)}.")


def compare(_: dict[str, WordBundle], folder: Path, *languages: str) -> None:
    """Compare what phones made of the same random bytes. The first that differs stops this."""
    cases = (folder / "both.jsonl").read_text("utf-8").splitlines()
    first, second = (
        (folder / f"{language}-both.jsonl").read_bytes().split(b"\n")[:-1] for language in languages
    )
    if not 0 < len(cases) == len(first) == len(second):
        sys.exit(f"{len(cases)} cases, but {len(first)} and {len(second)} answers")
    for case, one, other in zip(cases, first, second, strict=True):
        if one != other:
            sys.exit(f"{languages[0]} and {languages[1]} differ: {case}\n{one!r}\n{other!r}")
    given = sum(len(json.loads(case)["random"]) // 2 for case in cases)
    print(
        f"{' and '.join(languages)} agree, byte for byte, on {len(cases):,} releases "
        f"from {given:,} random bytes."
    )


def read(folder: Path, language: str, name: str) -> list[Case]:
    """Read the other runtime's cases of a kind: as many as this one's."""
    own, lines = (
        (folder / f"{writer}-{name}.jsonl").read_text("utf-8").split("\n")[:-1]
        for writer in ("python", language)
    )
    if not 0 < len(own) == len(lines):
        sys.exit(f"{language}-{name}.jsonl has {len(lines)} cases, expected {len(own)}")
    return [json.loads(line) for line in lines]


def expect(case: Case, field: str, value: object) -> None:
    """Stop at a difference."""
    if case[field] != value:
        sys.exit(f"differs in {field!r}: {case}\nexpected {value!r}")


if __name__ == "__main__":
    command, opened, exchanged, *others = sys.argv[1:]
    commands = {"write": write, "check": check, "compare": compare}
    commands[command](bundles_in(Path(opened)), Path(exchanged), *others)
