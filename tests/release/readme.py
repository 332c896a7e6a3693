"""Write what the README tells a user to run, as it stands there, and small files that it names.

python tests/release/readme.py FOLDER

Into FOLDER/commands go 1.sh, 2.sh, ..., a block each, and all Python as readme.py; into FOLDER/user
the embeddings and the text that they read. The commands of make are left out: they are for
whoever has the repository, and continuous integration runs them.
"""

from __future__ import annotations

import lzma
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "data" / "encyclopedia.vec.xz"
WORDS = 1500


def blocks(language: str) -> list[str]:
    """Return the README's blocks in a language, without those of make."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    kept = [block for block in found if not re.match(r"make\b", block)]
    if not kept:
        raise SystemExit(f"README.md has no block in {language}: what would be tested?")
    return kept


def write_embeddings(folder: Path) -> None:
    """Write the first words of an encyclopedia as GloVe does, without word2vec's header."""
    with lzma.open(VECTORS, "rt", encoding="utf-8") as file:
        next(file)
        lines = [next(file) for _ in range(WORDS)]
    (folder / "glove.6B.300d.txt").write_text("".join(lines), encoding="utf-8")


def write_typed(folder: Path) -> None:
    """Write texts, a line each: the paragraphs of the documentation's explanations."""
    pages = sorted((ROOT / "docs" / "explanation").glob("*.md"))
    paragraphs = "\n\n".join(page.read_text(encoding="utf-8") for page in pages).split("\n\n")
    lines = [" ".join(paragraph.split()) for paragraph in paragraphs]
    (folder / "typed.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Write it all."""
    folder = Path(sys.argv[1])
    commands, user = folder / "commands", folder / "user"
    commands.mkdir()
    user.mkdir()
    write_embeddings(user)
    write_typed(user)
    for i, block in enumerate(blocks("sh"), 1):
        # Where the README has a clone, this has the wheel that is to be tried.
        installed = re.sub(r"pip install ('?)\.", r"pip install \1brrkit", block)
        (commands / f"{i}.sh").write_text(installed, encoding="utf-8")
    (commands / "readme.py").write_text("\n".join(blocks("python")), encoding="utf-8")


if __name__ == "__main__":
    main()
