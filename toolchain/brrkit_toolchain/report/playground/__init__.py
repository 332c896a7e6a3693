"""The playground: a page that releases what is typed into it, word by word, and loads nothing.

``web_demo/playground`` has its source, in TypeScript; here a bundle is put into the built page.
"""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

from brrkit import WordBundle
from brrkit.bundle import INDEX, MANIFEST, RANDOMIZER
from brrkit_toolchain.io.files import read_input

TEMPLATE = Path(__file__).with_name("playground.html")

_DATA = "{{data}}"


def playground_page(bundle: WordBundle, *, note: str = "", home: str = "") -> str:
    """Return the playground of a bundle as HTML that needs nothing else.

    Its script draws words and measures settings in the browser. The page's policy forbids every
    connection. It has the bundle's files in Base64, so it is about a third longer than they are.

    Args:
        bundle: an opened bundle.
        note: what a visitor should know of this bundle's words; a sentence, in plain text.
        home: where a link to the documentation leads; without one there is none.
    """
    files = {
        name: b64encode(read_input(bundle.path / name)).decode()
        for name in (MANIFEST, INDEX, RANDOMIZER)
    }
    data = {"name": bundle.path.absolute().name, "note": note, "home": home, "files": files}
    # Nothing in a string of JSON ends the script element that holds it.
    text = json.dumps(data, ensure_ascii=True).replace("<", "\\u003c")
    return TEMPLATE.read_text(encoding="utf-8").replace(_DATA, text)
