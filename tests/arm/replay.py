"""Answer on this machine what another one has recorded: exchanged cases, bundles that are refused.

    PYTHONPATH=runtime python tests/arm/replay.py FOLDER

``FOLDER`` has ``bundles``, and what ``tests/phones`` makes of them: ``exchange`` and ``hostile``.
Only the runtime and NumPy are needed. Where there is no TFLite interpreter, ``brr`` and ``vickrey``
don't run; it prints how many cases did.
"""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from brrkit import BrrError, BundleError, WordBundle
from brrkit.randomizer import load_interpreter

sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))
import frozen

Case = dict[str, Any]
Source = Callable[[int], bytes]


def read(file: Path) -> Iterator[Case]:
    """Yield the cases of a file, a line each."""
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def released(bundle: WordBundle, case: Case, source: Source) -> object:
    """Return what comes out of what was typed."""
    return frozen.release(frozen.privatizer_of(bundle, case, source), case)


def counted(bundle: WordBundle, case: Case, source: Source) -> object:
    """Return what a word is counted as."""
    return frozen.counts_of(bundle, case, source).word(case["word"])


ANSWERS: dict[str, tuple[str, Callable[[WordBundle, Case, Source], object]]] = {
    "releases": ("released", released),
    "counts": ("output", counted),
    "frames": ("days", frozen.days_of),
}
"""By the kind of a case: the field that has its answer, and what answers it."""


def replay(folder: Path, *, all_run: bool) -> Iterator[str]:
    """Answer exchanged cases; yield how many were, by kind. The first that differs stops this."""
    bundles = {path.name: WordBundle.open(path) for path in (folder / "bundles").iterdir()}
    for kind, (field, answer) in ANSWERS.items():
        cases = list(read(folder / "exchange" / f"python-{kind}.jsonl"))
        run = [case for case in cases if all_run or case.get("mechanism") in (None, "exponential")]
        for case in run:
            random = BytesIO(bytes.fromhex(case["random"]))
            made = answer(bundles[case["bundle"]], case, random.read)
            if made != case[field] or random.read():
                sys.exit(f"differs in {field!r}: {case}\nhere {made!r}")
        yield f"{len(run):,} of {len(cases):,} {kind}"
    cases = list(read(folder / "exchange" / "python-numbers.jsonl"))
    names = ("epsilon", "bits", "total", "t", "distance", "radius", "cap", "symbols")
    for case in cases:
        made = frozen.numbers(**{name: case[name] for name in names})
        if made != case:
            sys.exit(f"differs: {case}\nhere {made!r}")
    yield f"{len(cases):,} sets of numbers"


def hostile(folder: Path) -> int:
    """Open the bundles that another machine opened, which must end as there; return how many."""
    cases = list(read(folder / "hostile" / "cases.jsonl"))
    for case in cases:
        path, error = folder / "hostile" / case["bundle"], None
        try:
            WordBundle.open(path, verify_hashes=case["verify_hashes"])
        except BundleError as raised:
            error = str(raised).replace(str(path), "BUNDLE")
        if said(error) != said(case["error"]):
            sys.exit(f"differs: {case}\nhere {error!r}")
    return len(cases)


def said(error: str | None) -> str:
    """Return an error without what is the system's: why a copy of a device can't be read."""
    return re.sub(r"can't be read \([^)]*\)", "can't be read", error or "")


def main() -> None:
    """Answer everything."""
    folder = Path(sys.argv[1])
    graph = WordBundle.open(folder / "bundles" / "64").graph
    try:
        load_interpreter(graph)
        all_run = True
    except BrrError:
        all_run = False
    answered = ", ".join([*replay(folder, all_run=all_run), f"{hostile(folder):,} bundles"])
    machine = f"{platform.machine()}, {sys.byteorder}-endian, NumPy {np.__version__}"
    print(f"Python {platform.python_version()} ({machine}): {answered}.")


if __name__ == "__main__":
    main()
