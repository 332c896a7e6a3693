"""ATIS and SNIPS as ``brr adept`` reads them: their parts' ``label`` and ``seq.in`` as one table.

``python -m benchmarks.intents FOLDER OUTPUT.tsv`` takes train, valid and test, in this order;
``--part train`` only that one; ``--least 10`` leaves out labels of fewer sentences. The folders are
those of Goo et al. (2018) and of most code since.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

PARTS = ("train", "valid", "test")


def table(folder: Path, parts: tuple[str, ...] | list[str], least: int = 1) -> str:
    """Return the labels and sentences of ``parts`` as a .tsv file, without rare labels."""
    rows: list[tuple[str, str]] = []
    for part in parts:
        labels = (folder / part / "label").read_text(encoding="utf-8").splitlines()
        sentences = (folder / part / "seq.in").read_text(encoding="utf-8").splitlines()
        pairs = zip(labels, sentences, strict=True)
        rows += [(label.strip(), text.strip()) for label, text in pairs if text.strip()]
    counts = Counter(label for label, _ in rows)
    kept = [f"{label}\t{text}" for label, text in rows if counts[label] >= least]
    return "\n".join(["label\ttext", *kept]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--least", type=int, default=1)
    arguments = parser.parse_args()
    text = table(arguments.folder, arguments.part or PARTS, arguments.least)
    arguments.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
