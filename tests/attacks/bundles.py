"""Attack the runtime with damaged bundles whose digests fit: anyone can recompute them.

    python tests/attacks/bundles.py --cases 120640 [--seed 1] [--save failed]
    python tests/attacks/bundles.py --exchange mutants.jsonl --cases 12500

Every case is one mutant of a small bundle, which follows from the seed and its number. It ends well
if it is refused by one ``BundleError`` of a printable line of at most 400 characters, or if it
opens and then works: every word is read and found, and all mechanisms release words with the noise
that they should. Any other end is bad: another exception, a crash, a hang, an odd message. The
cases run in processes of their own, so that a crash is seen.

The second form writes mutants with this runtime's verdicts for another runtime's tests. Real files
that once ended badly are kept in ``failed/bundles``.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import mmap
import os
import random
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from brrkit import BundleError, Counts, CountsSetting, ParameterError, Privatizer, WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.list_tokenizer import KINDS
from brrkit.mechanisms import MECHANISMS
from brrkit.randomizer import Randomizer
from brrkit.setting import Setting
from brrkit_toolchain.bundle.writer import encode_index
from brrkit_toolchain.codes.graph import read_randomizer
from brrkit_toolchain.language.model import LanguageModel, model_of_ranks

FAILED = Path(__file__).parent / "failed" / "bundles"

_HANG = 600  # seconds for one case, and for a worker's imports: on a busy machine, too
_LONGEST_MESSAGE = 400
_ZEROS = b"0" * 64

# --- the bundles that are damaged

_SIZES = {0: 40, 64: 40, 128: 33}
_SETTING = {
    "mechanism": "vickrey",
    "epsilon": 0.5,
    "parameters": {"t": 0.5},
    "goal": "unchanged 0.5",
}
_WRITING = {
    "language": "xx",
    "replaced": {"é": "e", "I": "y"},
    "joiners": ["-", "·"],
    "before": ["l'", "qu'"],
    "endings": ["n't", "'s"],
    "shortest_stem": 1,
    "spellings": {"can't": "can"},
    "rewritten": [["ss", "ß"], ["ae", ""]],
    "longest_run": 2,
    "unspaced": [[0x0E01, 0x0E4E], [0x3400, 0x9FFF]],
    "links": ["", "s"],
    "shortest_part": 4,
}
_POLICY = {
    "lists": [
        {"name": "names", "members": [3, 7, 32], "forms": ["zoltan", "zoltán"]},
        {"name": "illness_2", "members": [4], "forms": []},
    ],
    "passing": {"words": [0, 1, 2], "probability": 0.95},
}
_COUNTS = {"cap": 9.5, "words_a_day": 20, "goal": "isolated 0.2", "measured": {"isolated": 0.2}}
_WORDS = [
    "the", "of", "and", "to", "in", "a", "is", "was", "it", "for", "on", "as", "he", "with",
    "by", "at", "his", "from", "they", "them", "their", "there", "naïf", "naïve", "nave",
    "naval", "été", "étés", "мир", "миру", "мира", "日本", "日本語", "o'clock", "don't", "x", "xy",
    "xyz", "𐍈", "𐍈𐍉", "ж", "zoo", "zoos", "zoom", "straße", "strasse",
]  # fmt: skip
# Words that come before, those that come after, and what these gain.
_BIGRAMS = (
    np.array([0, 0, 0, 1, 7, 7, 30, 32, 32], np.uint32),
    np.array([1, 2, 31, 1, 0, 32, 8, 0, 32], np.uint32),
    np.array([9, 40, 1, 77, 15, 16, 255, 3, 30], np.uint8),
)


@cache
def base(bits: int) -> dict[str, Any]:
    """Return the parts of a good bundle: ``manifest`` (an object), and the files' content.

    One without bits is a list.
    """
    words = _WORDS[: _SIZES[bits]]
    codes = np.random.default_rng(bits).integers(0, 2**64, (len(words), bits // 64), np.uint64)
    masses = model_of_ranks(len(words))
    language = LanguageModel(masses.masses, *_BIGRAMS) if bits else masses
    manifest = {
        "format": "brr-bundle",
        "format_version": 3,
        "bits": bits,
        "vocabulary_size": len(words),
        "bigrams": len(language.gains),
        "source": {"name": "sample", "dimensions": 128, "word_list": False},
        "distances": {"hamming": {"average": 31.9, "maximum": 54.0, "exact": True}},
        "recommended": _SETTING,
        "counts": _COUNTS,
        "frames": {"words": 8, "a_day": 1_000},
    }
    if bits > 64:
        manifest |= {"task_bits": 64, "writing": _WRITING, "policy": _POLICY}
    files = {INDEX: encode_index(words, codes, language), PARITY: b"{}\n"}
    if bits:
        files[RANDOMIZER] = read_randomizer(bits)
    else:
        del manifest["recommended"], manifest["frames"]
        manifest["list_of"] = "both"
    return {"manifest": manifest, **files}


# --- mutants


@dataclass
class Mutant:
    """A bundle to be opened.

    Attributes:
        kind: which mutator made it, for counting.
        files: content by name; a missing file has no entry.
        special: what stands in place of a file that isn't one, by name.
        verify_hashes: as it is opened.
    """

    kind: str
    files: dict[str, bytes]
    special: dict[str, str] = field(default_factory=dict)
    verify_hashes: bool = True


class Raw(str):
    """JSON that no encoder writes."""

    __slots__ = ()


def to_json(value: Any) -> str:
    """Return JSON, in which a ``Raw`` stands as it is; a list of pairs is an object."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{to_json(k)}: {to_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{to_json(k)}: {to_json(v)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(to_json, value)) + "]"
    return _encoded(value)


_encoded = json.JSONEncoder(ensure_ascii=False).encode


class Pairs(list[tuple[Any, Any]]):
    """An object that may have a key twice."""


def nested(depth: int) -> Raw:
    """Return lists in one another."""
    return Raw("[" * depth + "]" * depth)


_NUMBERS: list[Any] = [
    *(0, 1, 2, -1, 3, 64, 65, 128, 256, 512, 576, 2**24, 2**24 + 1, 2**31 - 1, 2**31, 2**53, 2**63),
    *(2**64, 10**39, 10**40, -(10**39), 0.5, 1.5, 22.18, 22.19, 1e-9, 9e-10, 5e-324, 1.7e308),
    *map(Raw, ("-0", "-0.0", "-0e5", "1.0", "64.0", "6.4e1", "1E400", "-1e400", "1e-400", "01")),
    *map(Raw, ("1.", ".5", "+1", "0x1", "1_0", "1e", "1e+", "--1", "٣", "１", "NaN", "Infinity")),
    *map(Raw, ("-Infinity", "0." + "1" * 37, "0." + "1" * 38, "0." + "1" * 39, "1" + "0" * 39)),
    *map(Raw, ("0.1" + "0" * 36 + "1", "1" * 4299, "1" * 5000, "2.4703282292062327e-324")),
]
_STRINGS: list[Any] = [
    *("", "1", "true", "brr", "vickrey", "exponential", "brr-bundle", "0" * 64, "é", "\x7f", "👍"),
    *map(Raw, (r'"\ud800"', r'"\udc00"', r'"\udc00\ud800"', r'"\ud83d\udc4d"', r'"\ud83dx"')),
    *map(
        Raw, (r'"\u００４１"', r'"\uFF11"', r'"\u0"', r'"\u00g1"', r'"\x41"', r'"\/"', r'"\u0000"')
    ),
    *map(Raw, ('"\x01"', '"\n"', '"\t"', "'x'", '"', '"\\', r'"\u+041"', r'"\u 041"', r'"\U0041"')),
    *map(
        Raw,
        ('"' + "a" * 70_000 + '"', r'"\uD83D\uDC4D"', '"\ufeff"', '"\u2028"', r'"\ud83d\u0041"'),
    ),
]
_OTHERS: list[Any] = [
    *(
        None,
        True,
        False,
        [],
        {},
        [1],
        {"a": 1},
        [True],
        ["1"],
        [0.5] * 64,
        [0.5] * 65,
        [[1]],
        [1, 2],
    ),
    *map(nested, (28, 29, 30, 31, 32, 33, 100, 2000)),
    *map(
        Raw, ("nul", "True", "[1,]", "{1: 2}", '{"a" 1}', '{"a": 1,}', '{"a": 1, "a": 1}', "// x")
    ),
    *map(Raw, ("", " ", "/* */1", "[1 2]", "undefined", r'{"a": 1, "\u0061": 2}', "[", "}", "{}}")),
    *map(Raw, ("\u00a0 1", "\f1", "\v1", "\r\n1", '{"a": {"b": 1, "b": 2}}', r'{"\ud800": 1}')),
]


def odd_value(source: random.Random) -> Any:
    """Return a value that readers might not agree about."""
    return source.choice(source.choice([_NUMBERS, _NUMBERS, _STRINGS, _OTHERS]))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Go through the containers of a JSON value, and the keys in them."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        yield value, key
        if isinstance(item, dict | list):
            yield from places(item)


def change_manifest(manifest: dict[str, Any], source: random.Random) -> str:
    """Put something odd at a place of the manifest; return its text."""
    container, key = source.choice(list(places(manifest)))
    action = source.choice(["replace"] * 6 + ["remove", "rename", "twice", "wrap", "add"])
    if action == "replace":
        container[key] = odd_value(source)
    elif action == "remove":
        del container[key]
    elif action == "wrap":
        container[key] = source.choice([[container[key]], {"value": container[key]}])
    elif isinstance(container, dict):
        new = odd_value(source) if action == "add" else container[key]
        name = source.choice(
            [Raw(f'"\\u{ord(key[0]):04x}{key[1:]}"'), key.upper(), f" {key}", "__"]
        )
        if action == "rename":
            del container[key]
            container[name] = new
        elif action == "twice":
            pairs = Pairs(container.items())
            name = key if source.random() < 0.7 else name
            pairs.insert(source.randrange(len(pairs) + 1), (name, new))
            return to_json(replaced(manifest, container, pairs))
        else:
            container[source.choice(["later", "", "__proto__", "é"])] = new
    return to_json(manifest)


def replaced(value: Any, container: Any, by: Any) -> Any:
    """Return a JSON value with one of its containers exchanged."""
    if value is container:
        return by
    if isinstance(value, dict):
        return {key: replaced(item, container, by) for key, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, container, by) for item in value]
    return value


_PARAMETERS: dict[str, list[Any]] = {
    "radius": [0, 1, 63, 64, 65, 128, 2**32 + 8, -1, 8.0, True],
    "task_weight": [0, 1, 2, 16, 17, -1, 1.0, True],
    "base": ["uniform", "unigram", "bigram", "Unigram", ""],
    "cap": [9, 8.5, 1e-9, 9e-10, 88, 88.1, 0, -1, 10**30, True],
}


def change_setting(manifest: dict[str, Any], source: random.Random) -> str:
    """Give the recommended setting other parameters."""
    parameters: dict[str, Any] = {}
    for name in source.sample(
        ["t", "k", "radius", "base", "cap", "task_weight", "other"], source.randint(0, 2)
    ):
        several = [odd_value(source) for _ in range(source.choice([0, 1, 2, 3, 63, 64, 65]))]
        numbers = [source.choice([0, 0.5, 1, 2.5]) for _ in several]
        parameters[name] = source.choice([odd_value(source), several, numbers, 0.5, 1, 2])
    for name, values in _PARAMETERS.items():
        if name in parameters and source.random() < 0.7:
            parameters[name] = source.choice(values)
    mechanism = source.choice(["brr", *["vickrey"] * 3, *["exponential"] * 2, "new"])
    epsilon = source.choice([0.5, 0.5, 0.5, 1, odd_value(source)])
    setting = {**_SETTING, "mechanism": mechanism, "epsilon": epsilon, "parameters": parameters}
    if source.random() < 0.3:
        lost = source.choice([0.25, 0.3, 0.5, 0.249, 0.501, 1, 10**30, odd_value(source)])
        own = manifest["files"][INDEX]["sha256"]
        index = source.choice([own, own, own, "0" * 64, odd_value(source)])
        certificate = {"certified_epsilon": lost, "index": index}
        setting["certificate"] = source.choice([*[certificate] * 9, odd_value(source)])
    if source.random() < 0.3:
        setting["measured"] = source.choice([*[_measured(source)] * 9, odd_value(source)])
    if source.random() < 0.1:
        setting[source.choice([*setting, "more"])] = odd_value(source)
    manifest["recommended"] = setting
    return to_json(manifest)


def _measured(source: random.Random) -> dict[str, Any]:
    """Return what may have been measured of a setting; sometimes it is damaged."""
    measured = {
        "attacker": source.choice(["isolated", "sentence", "isolated", odd_value(source)]),
        "over": source.choice(["all", "content", "all", odd_value(source)]),
        "text": source.choice([None, "typed.txt", None, odd_value(source)]),
        **_shares(source),
    }
    if source.random() < 0.4:
        every = _shares(source)
        if source.random() < 0.2:
            every[source.choice(list(every))] = odd_value(source)
        if source.random() < 0.1:
            del every[source.choice(list(every))]
        measured["all_words"] = source.choice([*[every] * 9, odd_value(source)])
    if source.random() < 0.3:
        recognized = _shares(source)["unchanged"]
        measured["unknown_recognized"] = source.choice([recognized, None, odd_value(source)])
    if source.random() < 0.2:
        measured[source.choice(list(measured))] = odd_value(source)
    if source.random() < 0.1:
        del measured[source.choice(list(measured))]
    return measured


def _shares(source: random.Random) -> dict[str, Any]:
    shares: dict[str, Any] = {}
    for name in ("unchanged", "attack_success", "worst"):
        ends = [source.choice([0, 0.5, 1, 0.25, 0.75]) for _ in range(3)]
        if source.random() < 0.1:
            ends[source.randrange(3)] = source.choice([-0.01, 1.01, 2, 10**30, "0.5", None])
        shares[name] = dict(zip(("value", "low", "high"), ends, strict=True))
    if source.random() < 0.3:
        shares["worst"] = None
    return shares


def change_counts(manifest: dict[str, Any], source: random.Random) -> str:
    """Give the setting for counts other values."""
    measured = {
        name: source.choice([0, 0.25, 1, 0.2, 1, -0.01, 1.01, odd_value(source)])
        for name in source.sample(["isolated", "frequencies", "sentence", "later"], 2)
    }
    setting = {
        "cap": source.choice([9, 8.5, 1e-9, 88, 9e-10, 88.1, 10**30, True]),
        "words_a_day": source.choice([1, 20, 1000, 0, 1001, -1, 20.0, 2**32 + 1, 2**64 + 1, True]),
        "goal": "",
        "measured": source.choice([{}, measured, measured]),
    }
    setting |= {name: good for name, good in _COUNTS.items() if source.random() < 0.5}
    if source.random() < 0.2:
        setting[source.choice([*setting, "more"])] = odd_value(source)
    if source.random() < 0.1:
        del setting[source.choice(list(setting))]
    manifest["counts"] = setting
    return to_json(manifest)


def change_text(text: bytes, source: random.Random) -> bytes:  # noqa: PLR0911
    """Change bytes of a JSON text."""
    at = source.randrange(len(text))
    action = source.randrange(8)
    if action == 0:
        return text[:at] + bytes([text[at] ^ 1 << source.randrange(8)]) + text[at + 1 :]
    if action == 1:
        return text[:at] + source.randbytes(source.choice([1, 1, 2, 4])) + text[at:]
    if action == 2:
        return text[:at] + text[at + source.randint(1, 8) :]
    if action == 3:
        token = source.choice([b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"-", b"0", b"."])
        return text[:at] + token + text[at:]
    if action == 4:
        space = source.choice([b" ", b"\n", b"\t", b"\r", b"\f", b"\0", "\u00a0".encode(), b"\xff"])
        place = text.find(source.choice([b":", b",", b"{", b"}"]))
        return text[:place] + space + text[place:]
    if action == 5:
        return source.choice([b"\xef\xbb\xbf" + text, text + text, text + b"\n", text + b"\0", b""])
    if action == 6:
        encoding = source.choice(["utf-16", "utf-16-le", "utf-32", "utf-7", "cp500"])
        return text.decode().encode(encoding)
    sequences = (b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc3", b"\xe2\x82", b"\x80")
    place = text.find(b'"', at) + 1
    return text[:place] + source.choice(sequences) + text[place:]


def split_index(content: bytes) -> tuple[dict[str, Any], bytes]:
    """Return an index's header and its data."""
    end = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:end]), content[end:]


def join_index(header: str | bytes, data: bytes, *, pad: int = 8) -> bytes:
    """Return the index with a header, padded by spaces to a multiple of ``pad`` bytes."""
    text = header.encode("utf-8", "surrogatepass") if isinstance(header, str) else header
    text += b" " * (-len(text) % pad)
    return len(text).to_bytes(8, "little") + text + data


def change_header(content: bytes, source: random.Random) -> bytes:  # noqa: PLR0911
    """Change the header of an index."""
    header, data = split_index(content)
    compact = json.dumps(header, separators=(",", ":"))
    action = source.randrange(9)
    if action == 0:
        lengths = [0, 1, 7, 8, 9, len(content), len(content) - 8, 2**20, 2**31, 2**32, 2**63]
        length = source.choice([*lengths, 2**64 - 1, 2**64 - 8, source.getrandbits(64)])
        return length.to_bytes(8, "little") + content[8:]
    if action == 1:
        return join_index(compact + " " * source.randint(1, 16), data, pad=1)
    if action == 2:
        metadata = source.choice([{}, {"a": "b"}, {"a": 1}, [], None, "x", odd_value(source)])
        header = {"__metadata__": metadata, **header}
        if source.random() < 0.5:
            header["__metadata__"] = header.pop("__metadata__")
        return join_index(to_json(header), data)
    if action == 3:
        return join_index(
            compact + " " * source.choice([8, 8, 1 << 10, (1 << 16) - len(compact), 1 << 16]), data
        )
    if action == 4:
        return join_index(change_text(compact.encode(), source), data, pad=source.choice([1, 8]))
    if action == 5:
        spaced = json.dumps(header, indent=source.choice([None, 1]))
        return join_index(source.choice([spaced, " " + compact, "\ufeff" + compact]), data)
    if action == 6:
        names = list(header)
        source.shuffle(names)
        return join_index(to_json({name: header[name] for name in names}), data)
    if action == 7:
        entry = header[source.choice(list(header))]
        numbers = [*_NUMBERS, 2**60, 2**62, -8, 8, len(data), len(data) + 1]
        which = source.choice(["shape", "data_offsets"])
        entry[which][source.randrange(len(entry[which]))] = source.choice(numbers)
        if source.random() < 0.3:
            dtypes = ["U8", "U32", "U64", "I64", "F64", "BOOL", "F8_E8M0", "F4", "u8", "", None]
            entry["dtype"] = source.choice(dtypes)
        return join_index(to_json(header), data)
    return join_index(change_manifest(header, source), data)


def change_tensors(content: bytes, source: random.Random) -> bytes:
    """Change the data of an index, and the header so that it fits."""
    header, data = split_index(content)
    parts = {name: bytearray(data[slice(*header[name]["data_offsets"])]) for name in header}
    name = source.choice([*(each for each in header if parts[each]), "words", "words"])
    part = parts[name]
    action = source.randrange(8)
    if action == 0:
        part[source.randrange(len(part))] ^= 1 << source.randrange(8)
    elif action == 1:
        for _ in range(source.randint(1, 8)):
            odd = [0, 1, 31, 32, 0x61, 0x7F, 0x80, 0xBF, 0xC3, 0xE2, 0xF0, 0xFF]
            part[source.randrange(len(part))] = source.choice(odd)
    elif action == 2:
        part[:] = source.choice([bytes, lambda n: b"\xff" * n, source.randbytes])(len(part))
    elif action == 3 and name == "offsets":
        at = 4 * source.randrange(len(part) // 4)
        value = source.choice([0, 1, 2**31, 2**32 - 1, len(parts["words"]), source.getrandbits(32)])
        part[at : at + 4] = struct.pack("<I", value)
    elif action == 3:
        a, b = source.randrange(len(part)), source.randrange(len(part))
        part[a], part[b] = part[b], part[a]
    elif action == 4:
        del part[source.randrange(len(part)) :][: source.randint(1, 9)]
        part = parts[name] = part[: len(part) - source.choice([1, 4, 8, len(part)])]
    elif action == 5:
        part += source.randbytes(source.choice([1, 3, 4, 8]))
    elif action == 6:
        words = bytes(parts["words"])
        starts = [i for i, byte in enumerate(words) if byte < 32]
        at = source.choice(starts)
        parts["words"][at] = source.choice(
            [0, 1, 2, 3, 30, 31, words[at] + 1, max(words[at] - 1, 0)]
        )
    else:
        words = bytes(parts["words"])
        at = source.randrange(len(words))
        parts["words"] = bytearray(words[:at] + words[at + 1 :] + source.choice([b"", b"a", b"\0"]))
    header["words"]["shape"] = [len(parts["words"])]
    start = 0
    for key, entry in header.items():
        entry["data_offsets"] = [start, start + len(parts[key])]
        start += len(parts[key])
        if entry["dtype"] == "U8" and source.random() < 0.9:
            entry["shape"] = [len(parts[key])]
    return join_index(json.dumps(header, separators=(",", ":")), b"".join(parts.values()))


def change_graph(graph: bytes, source: random.Random) -> bytes:
    """Change a TFLite graph."""
    changed = bytearray(graph)
    action = source.randrange(7)
    if action in (0, 1):
        for _ in range(1 if action == 0 else source.randint(2, 6)):
            changed[source.randrange(len(graph))] ^= 1 << source.randrange(8)
    elif action == 2:
        at = 4 * source.randrange(len(graph) // 4)
        (number,) = struct.unpack_from("<i", graph, at)
        odd = (
            0,
            -1,
            1,
            2**31 - 1,
            -(2**31),
            number + 1,
            number - 4,
            number ^ 1 << source.randrange(31),
        )
        struct.pack_into("<i", changed, at, (source.choice(odd) + 2**31) % 2**32 - 2**31)
    elif action == 3:
        del changed[source.randrange(len(graph)) :]
    elif action == 4:
        at, size = source.randrange(len(graph)), source.choice([4, 16, 256])
        changed[at : at + size] = source.choice([bytes(size), source.randbytes(size)])
    elif action == 5:
        return read_randomizer(source.choice([64, 128, 192, 256, 512]))
    else:
        changed += source.randbytes(source.choice([1, 4, 64]))
    return bytes(changed)


SPECIAL = ("pipe", "folder", "socket", "device", "loop", "missing", "empty", "sparse")


def mutant(seed: int, number: int, *, special: bool = True) -> Mutant:
    """Return a case, the same every time."""
    source = random.Random(f"{seed}/{number}")
    bits = source.choice([64, 64, 128, 0])
    good = base(bits)
    manifest = json.loads(json.dumps(good["manifest"]))
    for name in ("recommended", "counts", "frames"):
        if source.random() < 0.3:
            manifest.pop(name, None)
    if not bits:
        manifest["list_of"] = source.choice(KINDS)
    files = {name: content for name, content in good.items() if name != "manifest"}
    kinds = ["header"] * 5 + ["tensors"] * 5 + ["graph"] * 3 + ["json"] * 5 + ["setting"] * 3
    kinds += ["counts"] * 2
    kind = source.choice([*kinds, "text", "text", "swap", *(["special"] * special)])
    if kind == "graph" and not bits:
        kind = "header"  # a list has no graph
    made = Mutant(kind, files, verify_hashes=source.random() < 0.6)
    if kind == "header":
        files[INDEX] = change_header(files[INDEX], source)
    elif kind == "tensors":
        files[INDEX] = change_tensors(files[INDEX], source)
    elif kind == "graph":
        files[RANDOMIZER] = change_graph(files[RANDOMIZER], source)
    elif kind == "swap":
        other = base(source.choice([each for each in _SIZES if each != bits]))
        for name in source.sample([INDEX, RANDOMIZER], source.randint(1, 2)):
            files[name] = other.get(name, b"")
    text = sealed(manifest, files, source, kind)
    files[MANIFEST] = text
    if kind == "special":
        name = source.choice([each for each in files if each != PARITY])
        made.special[name] = source.choice(SPECIAL)
        files.pop(name, None)
    return made


def sealed(
    manifest: dict[str, Any], files: dict[str, bytes], source: random.Random, kind: str
) -> bytes:
    """Return the text of a manifest that fits the files, itself damaged if the kind says so."""
    manifest["files"] = {
        name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in files.items()
    }
    manifest["sha256"] = _ZEROS.decode()
    changes = {"json": change_manifest, "setting": change_setting, "counts": change_counts}
    changed = changes[kind](manifest, source) if kind in changes else to_json(manifest)
    text = changed.encode("utf-8", "surrogatepass")
    if kind == "text":
        text = change_text(text, source)
    return text.replace(_ZEROS, hashlib.sha256(text).hexdigest().encode())


# --- one case


def write(made: Mutant, folder: Path) -> None:
    """Put the files of a mutant into an empty folder."""
    for name, content in made.files.items():
        if name != PARITY:  # never read
            (folder / name).write_bytes(content)
    for name, what in made.special.items():
        path = folder / name
        if what == "pipe":
            os.mkfifo(path)
        elif what == "folder":
            path.mkdir()
        elif what == "socket":
            os.mknod(path, stat.S_IFSOCK | 0o600)
        elif what == "device":
            path.symlink_to("/dev/zero")
        elif what == "loop":
            path.symlink_to(name)
        elif what in ("empty", "sparse"):
            path.touch()
            os.truncate(path, 0 if what == "empty" else 1 << 40)


def verdict(path: Path, *, verify_hashes: bool) -> str:
    """Open a bundle, and use it if it opens: return what a reader makes of it.

    Raises:
        AssertionError: it works, but not as it should; or the message is odd.
    """
    try:
        bundle = WordBundle.open(path, verify_hashes=verify_hashes)
    except BundleError as error:
        check_message(error)
        return "refused"
    words = list(bundle.vocabulary)
    for word in words:
        found = bundle.vocabulary.find(word)
        # In a vocabulary out of order some aren't found: that is left to ``brr verify``.
        assert found is None or words[found] == word, "another word is found"
    few = [words[0], "qqqq", words[-1]]
    if bundle.list_of is not None:
        bundle.tokenize(" ".join(words))
        counted = Counts(bundle, bundle.counts or CountsSetting(1.0)).words(few)
        assert len(counted) == 3, "not a string for a string"
        assert set(counted) <= {*words, ""}, "a string from nowhere"
    else:
        check_mechanisms(bundle, words, few)
    try:
        Privatizer(bundle)
        setting = "recommended"
    except BundleError as error:
        check_message(error)
        setting = "recommended, unknown"
    except ParameterError as error:
        check_message(error)
        setting = "none recommended"
    digest = hashlib.sha256("".join(f"{word}\n" for word in words).encode())
    return f"opened: {bundle.bits} bits, {setting}, {digest.hexdigest()}"


def check_mechanisms(bundle: WordBundle, words: list[str], few: list[str]) -> None:
    """Refuse a bundle with codes whose words aren't released as they should."""
    if bundle.vocabulary.find(bundle.tokenizer.normalize(words[0])) is not None:
        assert len(bundle.neighbors(words[0], 1)) == 1, "no neighbor"
    for name in MECHANISMS:
        released = Privatizer(bundle, Setting(1.0, name)).words(few)
        assert len(released) == 3, "not a word for a word"
        assert set(released) <= set(words), "a word from nowhere"
    check_noise(bundle)


def check_message(error: Exception) -> None:
    """Refuse a message that isn't one short line."""
    message = str(error)
    assert len(message) <= _LONGEST_MESSAGE, "a long message"
    assert message.isprintable(), "an unprintable message"
    assert error.__cause__ is None, "a cause"


def check_noise(bundle: WordBundle) -> None:
    """Refuse a randomizer that flips other bits than the specification's."""
    generator = np.random.default_rng(1)
    codes = generator.integers(0, 2**64, (3, bundle.bits // 64), np.uint64)
    for threshold in (1, 2**30, 2**31):
        numbers = generator.integers(-(2**31), 2**31, (3, bundle.bits), np.int32)
        noised = Randomizer(bundle.graph, bundle.bits, threshold)(
            codes, BytesIO(numbers.astype("<i4").tobytes()).read
        )
        below = numbers.astype(np.int64) < threshold - 2**31
        flips = np.packbits(below, axis=1, bitorder="little").view("<u8")
        assert np.array_equal(noised, codes ^ flips), "wrong bits flip"


def end_of(made: Mutant, folder: Path) -> str:
    """Return how a case ends: ``refused``, ``opened`` or what is bad about it."""
    write(made, folder)
    try:
        return verdict(folder, verify_hashes=made.verify_hashes).split(":")[0]
    except Exception as error:  # that is what this looks for
        return f"bad: {type(error).__name__}: {error}"[:200]
    finally:
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()


# --- many cases


def work(seed: int, start: int, stop: int, progress: Path, ends: Path) -> None:
    """Run cases; write down the number of each before it begins, and how each ends."""
    with (
        scratch() as name,
        progress.open("r+b") as file,
        mmap.mmap(file.fileno(), 8) as place,
        ends.open("a", encoding="utf-8") as log,
    ):
        for number in range(start, stop):
            place[:] = number.to_bytes(8, "little")
            made = mutant(seed, number)
            end = end_of(made, Path(name))
            log.write(json.dumps([number, made.kind, end]) + "\n")
            log.flush()
        place[:] = stop.to_bytes(8, "little")


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a new folder, in memory where there is such a place."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None)


class Worker:
    """A process for a range of cases, started anew behind a case that ends it."""

    def __init__(self, seed: int, start: int, stop: int, folder: Path) -> None:
        self.seed, self.next, self.stop = seed, start, stop
        self.progress = folder / f"{start}.progress"
        self.ends = folder / f"{start}.ends"
        self.bad: list[tuple[int, str]] = []
        self._start()

    def _start(self) -> None:
        self.progress.write_bytes(self.next.to_bytes(8, "little"))
        numbers = map(str, (self.seed, self.next, self.stop))
        command = [sys.executable, __file__, "--work", *numbers, str(self.progress), str(self.ends)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        self._seen, self._since = -1, time.monotonic()

    def is_done(self) -> bool:
        """Look after the process; tell whether there is nothing left to do."""
        code = self._process.poll()
        number = int.from_bytes(self.progress.read_bytes(), "little")
        if code == 0 and number == self.stop:
            return True
        if number != self._seen:
            self._seen, self._since = number, time.monotonic()
        elif code is None and time.monotonic() - self._since > _HANG:
            self._process.kill()
            self._process.wait()
            code = "hang"
        if code is not None:
            self.bad.append((number, "hang" if code == "hang" else f"crash: exit {code}"))
            self.next = number + 1
            if self.next >= self.stop:
                return True
            self._start()
        return False

    def results(self) -> list[tuple[int, str, str]]:
        """Return number, kind and end of every case."""
        lines = self.ends.read_text("utf-8").splitlines() if self.ends.exists() else []
        ended = [tuple(json.loads(line)) for line in lines]
        crashed = [(n, mutant(self.seed, n).kind, f"bad: {what}") for n, what in self.bad]
        return sorted([*ended, *crashed])


def attack(cases: int, seed: int, processes: int) -> list[tuple[int, str, str]]:
    """Run cases 0 to ``cases``; return number, kind and end of each."""
    with tempfile.TemporaryDirectory() as name:
        cuts = [cases * i // processes for i in range(processes + 1)]
        workers = [Worker(seed, start, stop, Path(name)) for start, stop in pairwise(cuts)]
        waiting = list(workers)
        while waiting := [worker for worker in waiting if not worker.is_done()]:
            time.sleep(0.05)
        results = [result for worker in workers for result in worker.results()]
    assert len(results) == cases, "cases got lost"
    return results


def exchange(output: Path, cases: int, seed: int) -> None:
    """Write mutants with this runtime's verdicts: a line with the base, and a line for each."""

    def encoded(files: dict[str, bytes | None]) -> dict[str, str | None]:
        return {
            name: None if content is None else base64.b64encode(content).decode()
            for name, content in files.items()
        }

    kept = [path for path in sorted(FAILED.glob("*")) if path.is_dir()]
    shared = {name: base(64)[name] for name in (INDEX, RANDOMIZER)}
    with scratch() as name, output.open("w", encoding="ascii") as file:
        file.write(json.dumps({"base": encoded(shared)}) + "\n")

        def put(made: Mutant) -> None:
            write(made, Path(name))
            found = verdict(Path(name), verify_hashes=made.verify_hashes)
            for path in Path(name).iterdir():
                path.unlink()
            files = {n: made.files.get(n) for n in (MANIFEST, INDEX, RANDOMIZER)}
            case = {
                "files": encoded({n: c for n, c in files.items() if c != shared.get(n, 0)}),
                "verify_hashes": made.verify_hashes,
                "verdict": found,
                "kind": made.kind,
            }
            file.write(json.dumps(case) + "\n")

        for path in kept:
            for verify_hashes in (True, False):
                files = {p.name: p.read_bytes() for p in path.iterdir()}
                put(Mutant(path.name, files, verify_hashes=verify_hashes))
        for number in range(cases):
            put(mutant(seed, number, special=False))
    print(f"Wrote {cases:,} mutants, and {2 * len(kept)} that once ended badly.")


def save(folder: Path, results: list[tuple[int, str, str]], seed: int) -> None:
    """Keep the files of one case of each kind and bad end."""
    saved = set()
    for number, kind, end in results:
        if not end.startswith("bad") or (kind, end[:40]) in saved:
            continue
        saved.add((kind, end[:40]))
        made = mutant(seed, number)
        if not made.special:
            target = folder / f"{kind}-{seed}-{number}"
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            del made.files[PARITY]
            write(made, target)


def main() -> int:
    """Run the command; exit with 1 if a case ended badly."""
    if sys.argv[1:2] == ["--work"]:
        seed, start, stop = map(int, sys.argv[2:5])
        work(seed, start, stop, *map(Path, sys.argv[5:]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--save", type=Path, default=FAILED, help="folder for what ended badly")
    parser.add_argument("--exchange", type=Path, help="write mutants for another runtime")
    options = parser.parse_args()
    if options.exchange:
        exchange(options.exchange, options.cases, options.seed)
        return 0
    results = attack(options.cases, options.seed, options.processes)
    save(options.save, results, options.seed)
    bad = [result for result in results if result[2].startswith("bad")]
    for number, kind, end in bad[:20]:
        print(f"case {number} ({kind}) {end}")
    for (kind, end), count in sorted(Counter((k, e[:60]) for _, k, e in results).items()):
        print(f"{count:7,} {kind:8} {end}")
    print(f"{len(results):,} cases, {len(bad)} bad ends")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
