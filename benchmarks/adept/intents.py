"""ATIS and SNIPS as ``brr adept`` reads them: their parts' ``label`` and ``seq.in`` as one table.

``python -m benchmarks.adept.intents FOLDER OUTPUT.tsv`` takes train, valid and test, in this order;
``--part train`` only that one. The folders are those of Goo et al. (2018) and of most code since.
"""

from __future__ import annotations

import argparse
from pathlib import Path

PARTS = ("train", "valid", "test")


def table(folder: Path, parts: tuple[str, ...] | list[str]) -> str:
    """Return the labels and sentences of ``parts`` as a .tsv file."""
    lines = ["label\ttext"]
    for part in parts:
        labels = (folder / part / "label").read_text(encoding="utf-8").splitlines()
        sentences = (folder / part / "seq.in").read_text(encoding="utf-8").splitlines()
        pairs = zip(labels, sentences, strict=True)
        lines += [f"{label.strip()}\t{text.strip()}" for label, text in pairs if text.strip()]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--part", choices=PARTS, action="append")
    arguments = parser.parse_args()
    text = table(arguments.folder, arguments.part or PARTS)
    arguments.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
