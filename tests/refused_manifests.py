"""Manifests that every reader refuses, one wrong entry each: ``refused-manifests.json``.

python tests/refused_manifests.py writes the file, from the manifest of the conformance bundle
``spaced``, whose index and graph stand beside each of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

SPEC = Path(__file__).parents[1] / "spec"
BUNDLE = "spaced"
FILE = SPEC / "vectors" / "refused-manifests.json"

_HALF = "\ud800"
_SHARE = {"value": 0.2, "low": 0.1, "high": 0.3}
_MEASURED = {
    "attacker": "sentence",
    "over": "content",
    "text": None,
    "unchanged": _SHARE,
    "attack_success": _SHARE,
    "worst": None,
}
_RECOMMENDED = {"mechanism": "exponential", "epsilon": 1.0, "parameters": {}, "goal": "g"}
_COUNTS = {"cap": 4.0, "words_a_day": 5, "goal": "g", "measured": {"frequency": 0.2}}
_FRAMES = {"words": 64, "a_day": 128}  # as many words as can be
_LIST = {"name": "n-1_a", "members": [12, 15, 30], "forms": ["zoltan", "zoltán"]}
_POLICY = {
    "lists": [_LIST, {"name": "other", "members": [13], "forms": []}],
    "passing": {"words": [0, 1, 96], "probability": 0.95},
}
_NAMES = {f"k{i}": "x" for i in range(300)}

MOST_SPELLINGS = 4096
MOST_LISTS = 16
MOST_FORMS = 16_384


def _spellings(number: int) -> dict[str, str]:
    return {str(i): "x" for i in range(number)}


def _lists(number: int) -> list[dict[str, Any]]:
    return [{"name": f"k{i}", "members": [i], "forms": []} for i in range(number)]


def _forms(number: int) -> list[str]:
    return [f"f{i}" for i in range(number)]


_NO_IDS = [
    *(..., None, {}, [], ["12"], [12.0], [True], [None], [-1], [97], [1 << 24], [1 << 64]),
    *([20, 20], [21, 20]),
]


WRONG: dict[str, list[Any]] = {
    "format": [..., None, "brr", "brr-parity", 3],
    "format_version": [..., None, "3", 2, 4, 3.0, True],
    "bits": [..., None, "64", 0, 1, 63, 65, 128, 576, -64, 64.0, True],
    "task_bits": [None, "64", 0, 32, 64, 128, 64.0],
    "vocabulary_size": [..., None, "97", 0, 1, 96, 98, 1 << 25, 97.0, True],
    "bigrams": [..., None, "0", 1, -1, (1 << 24) + 1, 0.0, False],
    "list_of": ["both", "words", "emoji", "strings", "phrases", None, 3],
    "files": [..., None, [], {}, "x"],
    "files/index.safetensors": [..., None, [], {}],
    "files/index.safetensors/size": [..., None, "1", 0, -1, 1.0, 1 << 31, True],
    "files/index.safetensors/sha256": [..., None, 3, "", "0" * 63, "0" * 65, "g" * 64, "A" * 64],
    "files/randomizer.tflite": [..., None, {}],
    "sha256": [..., None, 3, "", "A" * 64],
    "writing": [None, [], "en", {}],
    "writing/language": [..., None, 3, "", "é", "a\n", "x" * 65],
    "writing/replaced": [..., None, [], {"": "a"}, {"ab": "c"}, {"a": "bcdef"}, {"a": 1}, _NAMES],
    "writing/joiners": [
        *(..., None, {}, ["a"], ["--"], [""], ["-", "-"], [1], ["'"], [_HALF]),
        [chr(0x2000 + i) for i in range(17)],
    ],
    "writing/before": [..., None, {}, [""], ["a", "a"], [1], ["x" * 65], list(_NAMES)],
    "writing/endings": [..., None, {}, [""], ["a", "a"], [None], ["x" * 65], list(_NAMES)],
    "writing/shortest_stem": [..., None, "1", 0, 65, 1.0, True],
    "writing/spellings": [
        *(..., None, [], {"": "a"}, {"a": ""}, {"a": "x" * 65}, {"x" * 65: "a"}, {"a": 1}),
        *({"a": None}, {"a": ["b"]}, [["a", "b"]], _spellings(MOST_SPELLINGS + 1)),
    ],
    "writing/rewritten": [
        *(..., None, {}, ["ab"], [["a"]], [["a", "a"]], [["", "a"]], [["a", 1]], [["a", "b", "c"]]),
        *([["a", "b"], ["a", "b"]], [["a", "x" * 65]], [[name, ""] for name in _NAMES]),
    ],
    "writing/longest_run": [..., None, "2", -1, 65, 2.0, True],
    "writing/irregular": [{}],
    "writing/unspaced": [
        *(..., None, {}, [[1]], [[1, 2, 3]], [[2, 1]], [[1, 3], [3, 4]], [[3, 4], [1, 2]]),
        *([[1.0, 2]], [["a", "b"]], [[-1, 2]], [[1, 0x110000]], [[0xD800, 0xDFFF]], [[1, 0xDC00]]),
        *([[0x20, 0x2F]], [[True, 2]]),
    ],
    "writing/links": [..., None, {}, ["abcde"], ["s", "s"], [1], list("abcdefghi")],
    "writing/shortest_part": [..., None, "1", 0, 65, 4.0, False],
    "writing/more": [1],
    "frames": [
        *(None, [], "8 x 8", {}, [64, 128], {"words": 64}, {"a_day": 128}, {**_FRAMES, "more": 1}),
        *({"words": 64, "a_day": 129}, {"words": 9, "a_day": 911}),
    ],
    "frames/words": [..., None, "8", 0, -8, 65, 8.0, True],
    "frames/a_day": [..., None, "8", 0, -8, 1001, 1 << 64, 8.0, True],
    "policy": [
        *(None, [], "x", {}, {"passing": _POLICY["passing"]}, {"lists": [], "more": 1}),
        {"lists": [], "passing": None},
    ],
    "policy/lists": [
        *(..., None, {}, [None], [[]], [{}], [{**_LIST, "head": 12}], _lists(MOST_LISTS + 1)),
        [_LIST, {**_LIST, "members": [13], "forms": []}],  # one name
        [_LIST, {"name": "b", "members": [3, 15], "forms": []}],  # one id
        [_LIST, {"name": "b", "members": [3], "forms": ["zoltán"]}],  # one form
        [_LIST, {"name": "b", "members": [96], "forms": []}],  # an id that passes
        [
            {"name": name, "members": [place], "forms": [name + form for form in _forms(number)]}
            for place, name, number in ((1, "a", MOST_FORMS // 2), (2, "b", MOST_FORMS // 2 + 1))
        ],
    ],
    "policy/lists/0/name": [..., None, 3, "", "Names", "é", "a b", "a\n", "x" * 65],
    "policy/lists/0/members": [*_NO_IDS, [12, 13]],
    "policy/lists/0/forms": [
        *(..., None, {}, [""], [3], [None], ["x" * 65], ["a b", "a b"], ["zz", "the"]),
    ],
    "policy/passing": [None, [], {}, {"words": [1]}, {"probability": 0.5}],
    "policy/passing/words": [*_NO_IDS, [0, 15], [13, 14]],
    "policy/passing/probability": [
        *(..., None, "0.5", 0, 1, 0.0, 1.0, 0.9995, 0.0009, -0.5, 0.9990000000000001, True, [0.5]),
    ],
    "policy/passing/more": [1],
    "recommended": [None, [], "x", {}],
    "counts": [None, [], "x", {}],
    **{
        f"recommended/{name}": values
        for name, values in {
            "mechanism": [..., None, 3],
            "epsilon": [..., None, "1", 0, 0.0, 1e-10, 22.19, True],
            "parameters": [..., None, [], {"radius": "1"}, {"radius": 65}, {"radius": -1}],
            "goal": [..., None, 3],
            "certificate": [None, {}, {"certified_epsilon": 0.9}, {"index": "0" * 64}],
            "measured": [None, {}, []],
        }.items()
    },
    **{
        f"recommended/measured/{name}": values
        for name, values in {
            "attacker": [..., None, 3],
            "over": [..., None, 3],
            "text": [..., 3],
            "unchanged": [..., None, 0.2, {}, {**_SHARE, "value": 1.1}, {**_SHARE, "low": "0"}],
            "attack_success": [..., None, {**_SHARE, "high": -0.1}, {"value": 0.2}],
            "worst": [..., 0.2, {}],
            "all_words": [3, {}, {"unchanged": _SHARE}],
            "unknown_recognized": [0.2, {}],
        }.items()
    },
    **{
        f"counts/{name}": values
        for name, values in {
            "cap": [..., None, "4", 0, 88.1, True],
            "words_a_day": [..., None, "5", 0, 1001, 5.0, True],
            "goal": [..., None, 3],
            "measured": [..., None, [], {"a": "x"}, {"a": 1.1}, {"a": -0.1}],
        }.items()
    },
}
"""By the path of an entry, what it is instead; ``...`` takes it out."""

TEXTS: dict[str, tuple[str, str]] = {
    "a byte-order mark": ("{", "\ufeff{"),
    "NaN": ('"bigrams": 0', '"bigrams": 0, "x": NaN'),
    "Infinity": ('"bigrams": 0', '"bigrams": 0, "x": -Infinity'),
    "a number that a double rounds to infinity": ('"bigrams": 0', '"bigrams": 0, "x": 1e999'),
    "minus zero": ('"bigrams": 0', '"bigrams": -0'),
    "an integer with an exponent": ('"bigrams": 0', '"bigrams": 0e0'),
    "a number with a leading zero": ('"bigrams": 0', '"bigrams": 00'),
    "a number of 41 characters": ('"bigrams": 0', f'"bigrams": 0, "x": {"1" * 41}'),
    "a key twice": ('"bigrams": 0', '"bigrams": 0, "bigrams": 0'),
    "a key twice, once escaped": ('"bigrams": 0', '"bigrams": 0, "\\u0062igrams": 0'),
    "half of a surrogate pair": ('"bigrams": 0', '"bigrams": 0, "x": "\\ud800"'),
    "a surrogate pair in the wrong order": ('"bigrams": 0', '"bigrams": 0, "x": "\\udc00\\ud800"'),
    "a comma too many": ('"bigrams": 0', '"bigrams": 0,'),
    "a comment": ('"bigrams": 0', '"bigrams": 0 /* none */'),
    "single quotes": ('"bigrams": 0', "'bigrams': 0"),
    "a control character in a string": ('"bigrams": 0', '"bigrams": 0, "x": "\t"'),
    "objects nested 33 deep": ('"bigrams": 0', f'"bigrams": 0, "x": {"[" * 32}{"]" * 32}'),
    "a full-width digit in an escape": ('"bigrams": 0', '"bigrams": 0, "x": "\\u００61"'),
    "something behind the object": ("}\n", "} {}\n"),
}
"""By what is wrong, a change of the text."""


def refused() -> Iterator[dict[str, str]]:
    """Yield each manifest, with what is wrong in it."""
    whole = _right()
    brief = {name: value for name, value in whole.items() if name != "writing"}
    for path, values in WRONG.items():
        for value in values:
            manifest = deepcopy(whole if path.startswith("writing/") else brief)
            if path.startswith("policy/"):
                manifest["policy"] = deepcopy(_POLICY)
            *places, last = path.split("/")
            holder: Any = manifest
            for place in places:
                holder = holder[int(place) if isinstance(holder, list) else place]
            if value is ...:
                del holder[last]
                what = f"{path} is missing"
            else:
                holder[last] = value
                shown = json.dumps(value)
                what = f"{path} is {shown if len(shown) < 60 else 'too long'}"
            text = _text(manifest)
            yield {"wrong": what, "manifest": sealed(text)}
    text = _text(brief)
    for what, (old, new) in TEXTS.items():
        changed = text.replace(old, new, 1) if old != "}\n" else text.removesuffix(old) + new
        yield {"wrong": what, "manifest": sealed(changed)}
    yield {
        "wrong": "the digest is another's",
        "manifest": text.replace('"goal": "g"', '"goal": "h"'),
    }


def accepted() -> str:
    """Return a manifest that every reader opens, with as many spellings and lists as can be."""
    manifest = _right()
    manifest["writing"]["spellings"] = _spellings(MOST_SPELLINGS)
    lists = [*_lists(MOST_LISTS - 1), {**_LIST, "members": [*range(15, 90)]}]
    lists[0]["forms"] = _forms(MOST_FORMS - 2)
    passing = {"words": [90, 91, 96], "probability": 0.999}
    return sealed(_text({**manifest, "policy": {"lists": lists, "passing": passing}}))


def _right() -> dict[str, Any]:
    manifest = json.loads((SPEC / "conformance" / BUNDLE / "manifest.json").read_text("utf-8"))
    recommended = {**_RECOMMENDED, "measured": _MEASURED}
    return {**manifest, "recommended": recommended, "counts": _COUNTS, "frames": _FRAMES}


def _text(manifest: dict[str, Any]) -> str:
    return json.dumps(manifest) + "\n"


def sealed(text: str) -> str:
    """Return a manifest's text with its own digest in the place of the bundle's."""
    zeros = text.replace(_right()["sha256"], "0" * 64)
    digest = hashlib.sha256(zeros.encode("utf-8", "surrogatepass")).hexdigest()
    return zeros.replace("0" * 64, digest)


def encoded() -> str:
    """Return the file's content."""
    content = {"bundle": BUNDLE, "accepted": accepted(), "refused": list(refused())}
    return json.dumps(content, indent=0) + "\n"


if __name__ == "__main__":
    FILE.write_text(encoded(), "utf-8")
