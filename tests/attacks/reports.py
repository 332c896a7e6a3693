"""Attack the reader of reports with damaged files.

    python tests/attacks/reports.py --cases 20000 [--seed 1]

Every case is one mutant of a good file of reports (text, CSV, JSON, JSON lines, Parquet), which
follows from the seed and its number. It ends well if it is read, with counts that are numbers of
the bundle's words, or refused by one ``ParameterError`` of a printable line of at most 400
characters once it is shown, without the word that a broken client sent as it was typed.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import tempfile
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.messages import one_line
from brrkit_counting.reports.reading import read_reports

SECRET = "typed-as-it-was"  # a word that no bundle has

_TOKENS = [
    b"-1", b"1.5", b"1e9", b"NaN", b"null", b"true", b'"', b"'", b",", b"\n", b"\r", b"\0", b"\xff",
    b"\xef\xbb\xbf", b"{", b"}", b"[", b"]", b"9" * 400, b"\\ud800", b"\x1b[2J", "١".encode(),
    b'"counts":{}', b'"words":[]', b'"setting":{}', b"word,count", SECRET.encode(),
]  # fmt: skip


def good_files(bundle: WordBundle) -> dict[str, bytes]:
    """Return a good file of each format, by name."""
    words = [bundle.vocabulary.word(i) for i in range(20)] + [SECRET]
    counts = [5 * i + 100 for i in range(20)] + [1]
    batch = {
        "format": "brr-reports",
        "format_version": 1,
        "bundle": bundle.manifest["sha256"],
        "setting": {"mechanism": "exponential", "epsilon": 0.5, "parameters": {"radius": 8}},
        "batch": "00112233445566778899aabbccddeeff",
        "period": {"start": "2026-11-16T00:00:00Z", "end": "2026-11-23T00:00:00Z"},
    }
    counted = batch | {"counts": dict(zip(words, counts, strict=True))}
    listed = batch | {"words": words[:20] * 10, "batch": "f" * 32}
    framed = {"format": "brr-frames", "words": words[:8]}
    frames = [batch | framed | {"batch": f"{number:032x}"} for number in range(3)]
    table = io.BytesIO()
    pq.write_table(pa.table({"word": words, "count": counts}), table)
    return {
        "r.txt": " ".join(words[:20] * 10 + [SECRET]).encode(),
        "r.csv": b"word,count\n"
        + b"".join(f"{w},{c}\n".encode() for w, c in zip(words, counts, strict=True)),
        "r.json": json.dumps(counted).encode(),
        "r.jsonl": b"\n".join(json.dumps(b).encode() for b in (counted, listed)),
        "frames.jsonl": b"\n".join(json.dumps(each).encode() for each in frames),
        "r.parquet": table.getvalue(),
    }


def mutate(content: bytes, generator: random.Random) -> bytes:
    """Return ``content`` with 1 to 4 damages."""
    for _ in range(generator.randint(1, 4)):
        at = generator.randrange(len(content) + 1)
        to = min(len(content), at + generator.choice([1, 1, 4, 40]))
        kind = generator.randrange(6)
        if kind == 0:
            content = content[:at] + content[to:]
        elif kind == 1:
            content = content[:at] + generator.choice(_TOKENS) + content[to:]
        elif kind == 2:
            content = content[:at] + generator.choice(_TOKENS) + content[at:]
        elif kind == 3:
            content = content[:at] + bytes([generator.randrange(256)]) + content[at + 1 :]
        elif kind == 4:
            content = content[:to] + content[at:]
        else:
            content = content[:at]
    return content


def end_of(path: Path, bundle: WordBundle) -> str:
    """Read a file; return "read", "refused", or what is bad about how it ended."""
    try:
        found = read_reports([path], bundle)
    except ParameterError as error:
        line = one_line(f"{error}")
        if SECRET in str(error):
            return "bad: it shows a word that isn't of the bundle"
        if path.name not in line or not line.isprintable() or len(line) > 400:
            return f"bad: an odd message: {line}"
        return "refused"
    except Exception as error:
        return f"bad: {type(error).__name__}: {error}"
    counts = found.counts
    if len(counts) != len(bundle) + 1 or (counts < 0).any() or not counts.any():
        return "bad: counts that can't be"
    return "read"


def attack(bundle: WordBundle, cases: int, seed: int, folder: Path) -> Counter[tuple[str, str]]:
    """Return how often a format's mutants ended how."""
    files, ends = good_files(bundle), Counter[tuple[str, str]]()
    for number in range(cases):
        generator = random.Random(f"{seed} {number}")
        name = sorted(files)[number % len(files)]
        (folder / name).write_bytes(mutate(files[name], generator))
        ends[name, end_of(folder / name, bundle)] += 1
    return ends


def main() -> None:
    """Attack a bundle of the sample's words."""
    from brrkit_toolchain.bundle.build import build_bundle
    from brrkit_toolchain.bundle.plan import BuildPlan
    from brrkit_toolchain.embeddings import sample_path

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        build_bundle(
            sample_path(), folder / "b", BuildPlan(bits=64, effort="low", vocabulary_size=200)
        )
        ends = attack(WordBundle.open(folder / "b"), options.cases, options.seed, folder)
    for (name, end), count in sorted(ends.items()):
        print(f"{name:<10} {count:>7,} {end}")
    raise SystemExit(any(end.startswith("bad") for _, end in ends))


if __name__ == "__main__":
    main()
