"""The frozen cases of ``spec/vectors``, with the reference implementation's answers.

python tests/vectors.py answers every question in these files, and writes the answers beside it. A
new case is written into a file by hand, without its answers; ``random``, if it takes random bytes
and has none, is drawn. What is stored is what a test makes again, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from io import BytesIO
from itertools import pairwise
from typing import Any

import budget_as_specified
import conformance
import numpy as np
import refused_manifests
import tables_as_specified

from brrkit_toolchain.bundle import reference
from brrkit_toolchain.bundle.parity import contents_of, lexicon_of
from brrkit_toolchain.bundle.reference.memory import first_draw
from brrkit_toolchain.bundle.reference.numbers import floor_exp

FOLDER = conformance.FOLDER.parent / "vectors"

_BLOCK, _TYPED = 0x1000, 0x30000  # code points: of a digest, and up to which there are such
_DIGITS = 60

Case = dict[str, Any]


class _Given:
    """The random bytes of a case: all that it has, or else fresh ones."""

    def __init__(self, case: Case) -> None:
        self._rest = BytesIO(bytes.fromhex(case["random"])) if "random" in case else None
        self._taken = b""

    def __call__(self, size: int) -> bytes:
        part = os.urandom(size) if self._rest is None else self._rest.read(size)
        assert len(part) == size, "the case has too few random bytes"
        self._taken += part
        return part

    @property
    def taken(self) -> Case:
        """What a case says of them."""
        assert self._rest is None or not self._rest.read(), "the case has too many random bytes"
        return {"random": self._taken.hex()}


class _Bundle:
    """A conformance bundle, as the reference takes it."""

    def __init__(self, name: str) -> None:
        source = conformance.read_inputs()[name]
        words, codes, model = conformance.parts(source)
        self.contents = contents_of(codes, model, source.task_bits)
        self.lexicon = lexicon_of(words, model, conformance.described_of(source))
        self.unit = hashlib.sha256(conformance.index_of(source)).hexdigest()

    def released(self, case: Case, read: reference.Read) -> Case:
        """Answer ``cases`` of ``parity.json``."""
        made = reference.release(self.contents, self.lexicon, case, read)
        return {**made.details, "output": self.lexicon.words[made.word_id]}

    def remembered(self, case: Case, read: reference.Read) -> Case:
        """Answer ``memory``."""
        first, second = reference.remembered(self.contents, self.lexicon, self.unit, case, read)
        return {"first": first, "output": second}

    def called(self, case: Case, read: reference.Read) -> Case:
        """Answer ``calls``."""
        texts = [reference.tokenize(text, self.lexicon) for text in case.get("texts", ())]
        made = [
            [
                self.lexicon.words[word_id]
                for word_id in reference.called(self.contents, self.lexicon, case, words, read)
            ]
            for words in texts or [case["words"]]
        ]
        return {"outputs": [" ".join(words) for words in made] if texts else made[0]}

    def marked(self, case: Case, read: reference.Read) -> Case:
        """Answer ``marked``."""
        return {"output": reference.marked(self.contents, self.lexicon, case, read)}

    def hidden(self, case: Case, read: reference.Read) -> Case:
        """Answer ``sessions``."""
        texts = list(zip(case["texts"], case["marks"], strict=True))
        made = reference.conversation(self.contents, self.lexicon, texts, case["reply"], read)
        return dict(zip(("outputs", "restored"), made, strict=True))

    def counted(self, case: Case, read: reference.Read) -> Case:
        """Answer ``counts``."""
        return reference.counted(self.lexicon, self.unit, case, read)

    def sampled(self, case: Case, read: reference.Read) -> Case:
        """Answer ``samples``."""
        drawn = [self.counted({**case, "word": word}, read)["output"] for word in case["words"]]
        return {"outputs": reference.counts.sampled(drawn, case["words_a_day"], read)}

    def framed(self, case: Case, read: reference.Read) -> Case:
        """Answer ``frames``."""
        return {"days": reference.framed_days(self.contents, self.lexicon, case, read)}


_KINDS: dict[str, Callable[[_Bundle, Case, reference.Read], Case]] = {
    "cases": _Bundle.released,
    "memory": _Bundle.remembered,
    "calls": _Bundle.called,
    "marked": _Bundle.marked,
    "sessions": _Bundle.hidden,
    "counts": _Bundle.counted,
    "samples": _Bundle.sampled,
    "frames": _Bundle.framed,
}


def _of_bundle(name: str, kinds: Case) -> Case:
    """Answer cases of the forms of ``parity.json``, by kind."""
    bundle = _Bundle(name)

    def answer(kind: str, case: Case) -> Case:
        read = _Given(case)
        made = _KINDS[kind](bundle, case, read)
        return {**case, **read.taken, **made}

    return {kind: [answer(kind, case) for case in cases] for kind, cases in kinds.items()}


def _numbers(case: Case) -> Case:
    """Return the integers that follow from a setting, and its exact losses."""
    epsilon, cap, symbols = Fraction(case["epsilon"]), case["cap"], case["symbols"]
    threshold = reference.flip_threshold(case["epsilon"])
    weights = reference.weight_table(
        epsilon, case["bits"], case["total"], case["radius"], None if cap is None else Fraction(cap)
    )
    counted: Case = {"keep_threshold": None, "counts_loss": None}
    if cap is not None:
        keep = reference.counts.keep_threshold(cap, symbols)
        loss = _log_up(1 + Fraction(symbols * keep, 2**63 - keep))
        counted = {"keep_threshold": keep, "counts_loss": loss}
    steepest = max(Fraction(near, far) for near, far in pairwise(weights))
    return {
        "threshold": threshold,
        **counted,
        "weights": hashlib.sha256(np.array(weights, "<i8").tobytes()).hexdigest(),
        "effective_threshold": _log_up(Fraction(2**32 - threshold, threshold)),
        "effective_weights": 2 * _log_up(steepest),
        "decay": floor_exp(2**32, -Fraction(case["t"]) * case["distance"]),
        "cost": budget_as_specified.cost(case["epsilon"]),
    }


def _log_up(ratio: Fraction) -> float:
    """Return the smallest double that isn't below ln(ratio)."""
    with localcontext() as context:
        context.prec = _DIGITS
        exact = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
        value = float(exact)
        return value if Decimal(value) >= exact else math.nextafter(value, math.inf)


def _texts(group: Case) -> Case:
    """Cut the texts of a vocabulary, and look up what they are cut into."""
    lexicon = reference.Lexicon.of(
        group["vocabulary"], group["masses"], group["writing"], group.get("list_of")
    )
    return {"texts": [conformance.read_text(case["text"], lexicon) for case in group["texts"]]}


def characters() -> Iterator[Case]:
    """Yield, for ranges of code points, the digest of what each of them is by itself."""
    cut = reference.code_points(reference.SEPARATORS)

    def outcome(code: int) -> int:
        made = reference.normalize(chr(code))
        if len(made) != 1:
            return -2 if made else -3
        return -1 if ord(made) in cut else ord(made)

    for first in (*range(0, _TYPED, _BLOCK), _TYPED):
        last = first + _BLOCK - 1 if first < _TYPED else 0x10FFFF
        outcomes = np.array([outcome(code) for code in range(first, last + 1)], "<i4")
        digest = hashlib.sha256(outcomes.tobytes()).hexdigest()
        yield {"first": first, "last": last, "sha256": digest}


def _draw(case: Case) -> Case:
    """Return the first bytes that the key of a file gives a word."""
    stored = json.loads(case["file"])
    numbers = bytes.fromhex(case["numbers"])
    read = first_draw(
        *(bytes.fromhex(stored["key"]), stored["number"], case["unit"], case["mechanism"], numbers),
        case["word"] if case["known"] else None,
    )
    return {"bytes": read(100).hex()}


def answered(name: str, content: Case) -> Case:
    """Return a file's content with the answers to what it asks; of characters as they are."""
    made = dict(content)
    if "bundles" in made:
        bundles = made["bundles"]
        made["bundles"] = {each: _of_bundle(each, kinds) for each, kinds in bundles.items()}
    for kind, answer in {
        "exact": {"cases": _numbers},
        "tokenizer": {"vocabularies": _texts},
        "memory": {"draws": _draw},
        "budget": {
            "leases": budget_as_specified.leases,
            "histories": budget_as_specified.history,
        },
        "tables": {
            "printed": tables_as_specified.tables,
            "weights": tables_as_specified.weights,
            "flips": tables_as_specified.flips,
            "keep": tables_as_specified.keep,
        },
    }.get(name, {}).items():
        made[kind] = [{**case, **answer(case)} for case in made[kind]]
    return made


def encoded(content: Any, indent: str = "") -> str:
    """Return JSON in which each case has a line."""
    if not _is_spread(content):
        return json.dumps(content)
    inner = indent + " "
    if isinstance(content, list):
        lines = [encoded(each, inner) for each in content]
    else:
        lines = [f"{json.dumps(name)}: {encoded(each, inner)}" for name, each in content.items()]
    first, last = "[]" if isinstance(content, list) else "{}"
    return first + ",".join(f"\n{inner}{line}" for line in lines) + f"\n{indent}{last}"


def _is_spread(content: Any) -> bool:
    if isinstance(content, list):  # of objects, or of files
        return any(
            isinstance(each, dict) or (isinstance(each, str) and "\n" in each) for each in content
        )
    return isinstance(content, dict) and any(map(_is_spread, content.values()))


def made() -> Iterator[tuple[str, str]]:
    """Yield each file's name and its content, with the answers."""
    for path in sorted(FOLDER.glob("*.json")):
        if path != refused_manifests.FILE:
            content = answered(path.stem, json.loads(path.read_text("utf-8")))
            yield path.name, encoded(content) + "\n"
    yield refused_manifests.FILE.name, refused_manifests.encoded()


def main() -> None:
    """Write the files."""
    for name, content in made():
        (FOLDER / name).write_text(content, "utf-8")
    file = FOLDER / "tokenizer.json"
    content = json.loads(file.read_text("utf-8"))
    file.write_text(encoded({**content, "characters": [*characters()]}) + "\n", "utf-8")


if __name__ == "__main__":
    main()
