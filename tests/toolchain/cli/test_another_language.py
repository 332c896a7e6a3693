"""The how-to on another language: its commands run, on a small part of real French files."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import shlex
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from brrkit import Privatizer, WordBundle
from brrkit_toolchain.calibrate import texts
from brrkit_toolchain.codes import EFFORTS

if TYPE_CHECKING:
    from conftest import Brr

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "another-language.md"
DATA = Path(os.environ.get("BRR_DATA", "../shared/data")) / "languages"
VECTORS, TEXT = DATA.resolve() / "fr.spacy.300d.vec.xz", DATA.resolve() / "fr.eltec.txt.xz"
WORDS = 1_000


@pytest.mark.nightly("TestBuild and TestCommandsThatReadTexts in test_writing_rules.py")
@pytest.mark.skipif(not VECTORS.exists(), reason=f"{VECTORS} isn't there")
def test_the_how_to_s_commands(brr: Brr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each runs as it stands, and a bundle comes out that cuts French."""
    monkeypatch.setitem(EFFORTS, "medium", EFFORTS["low"])
    monkeypatch.setattr(texts, "RADII", (8,))
    monkeypatch.chdir(tmp_path)
    with lzma.open(VECTORS, "rb") as whole, gzip.open("cc.fr.300.vec.gz", "wb") as part:
        _, dimensions = whole.readline().split()
        part.write(b"%d %s\n" % (WORDS, dimensions))
        part.writelines(islice(whole, WORDS))
    with lzma.open(TEXT, "rt", encoding="utf-8") as lines:
        Path("typed.txt").write_text("".join(islice(lines, 2_000)), "utf-8")

    page = HOW_TO.read_text("utf-8")
    said = []
    for block in re.findall(r"```sh\n(.*?)```", page, re.S):
        for command in block.replace("\\\n", "").splitlines():
            program, *arguments = shlex.split(command, comments=True)
            assert program == "brr"
            outcome = brr(*arguments)
            assert outcome.code == 0, outcome.err
            said.append(outcome.out)
    assert len(said) == 4
    shown = re.search(r"```text\n +(written in .*?)…\n", page)
    assert shown is not None
    assert shown[1].split("; ")[0] in said[0]

    opened = WordBundle.open("bundle")
    assert opened.writing.language == "fr"
    assert opened.tokenize("L’homme d'AUJOURD'HUI") == ["l'", "homme", "d'", "aujourd'hui"]
    assert len(Privatizer(opened).text("l'homme").split()) == 2
