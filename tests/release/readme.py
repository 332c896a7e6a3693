"""Write what the README tells a user to run, as it stands there, and small files that it names.

python tests/release/readme.py FOLDER

Into FOLDER/commands go 1.sh, 2.sh, ..., a block each, and all Python as readme.py; into FOLDER/user
the embeddings, reviews and reports that they read. The commands of make are left out: they are for
whoever has the repository, and continuous integration runs them.
"""

from __future__ import annotations

import csv
import lzma
import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "toolchain" / "brrkit_toolchain" / "embeddings" / "sample" / "sample.vec.xz"
WORDS = 1500
REVIEWS = 400


def blocks(language: str) -> list[str]:
    """Return the README's blocks in a language, without those of make."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    kept = [block for block in found if not re.match(r"make\b", block)]
    if not kept:
        raise SystemExit(f"README.md has no block in {language}: what would be tested?")
    return kept


def write_inputs(folder: Path) -> None:
    """Write embeddings, labelled reviews that a classifier can tell apart, and counts of words."""
    with lzma.open(SAMPLE, "rt", encoding="utf-8") as file:
        next(file)  # word2vec's header, which GloVe hasn't
        lines = [next(file) for _ in range(WORDS)]
    (folder / "glove.6B.300d.txt").write_text("".join(lines), encoding="utf-8")
    words = [line.partition(" ")[0] for line in lines]
    draw = random.Random(0)
    sides = words[100:140], words[200:240]
    texts = [draw.choices(sides[i % 2], k=6) + draw.choices(words, k=6) for i in range(REVIEWS)]
    write_table(
        folder / "reviews.csv",
        ("text", "label"),
        [(" ".join(text), i % 2) for i, text in enumerate(texts)],
    )
    write_table(
        folder / "week.csv", ("word", "count"), [(word, draw.randint(0, 20)) for word in words]
    )


def write_table(path: Path, header: tuple[str, str], rows: list[tuple[str, int]]) -> None:
    """Write two columns."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def main() -> None:
    """Write it all."""
    folder = Path(sys.argv[1])
    commands, user = folder / "commands", folder / "user"
    commands.mkdir()
    user.mkdir()
    write_inputs(user)
    for i, block in enumerate(blocks("sh"), 1):
        (commands / f"{i}.sh").write_text(block, encoding="utf-8")
    (commands / "readme.py").write_text("\n".join(blocks("python")), encoding="utf-8")


if __name__ == "__main__":
    main()
