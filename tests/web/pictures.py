"""Take the documentation's pictures of the playground: python tests/web/pictures.py.

docs/figures/playground.png and playground-360.png, in few colors. Needs Node.js, Chromium and what
web_demo installs.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from brrkit import WordBundle
from brrkit_toolchain.report.playground import playground_page

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures"
COLORS = 64


def main() -> None:
    """Take them."""
    with TemporaryDirectory() as folder:
        page = Path(folder) / "playground.html"
        page.write_text(playground_page(WordBundle.sample(), home="index.html"), encoding="utf-8")
        script = ROOT / "tests" / "web" / "pictures.mjs"
        subprocess.run([ROOT / "web_demo" / "node.sh", "node", script, page, folder], check=True)
        for picture in sorted(Path(folder).glob("*.png")):
            few = Image.open(picture).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
            few.save(FIGURES / picture.name, optimize=True)


if __name__ == "__main__":
    main()
