"""The playground: a page that releases typed text, word by word, and loads nothing.

Its source, in TypeScript, is in ``web_demo/playground``. This module inserts a bundle into the
built page.
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
    """Return the playground of a bundle as self-contained HTML.

    Its script draws words and measures settings in the browser. The page's policy forbids every
    connection. It contains the bundle's files in Base64, so it is about a third larger than these.

    Args:
        bundle: an opened bundle.
        note: information for visitors about this bundle's words: a sentence in plain text.
        home: target of a link to the documentation; no link without it.
    """
    files = {
        name: b64encode(read_input(bundle.path / name)).decode()
        for name in (MANIFEST, INDEX, RANDOMIZER)
    }
    data = {"name": bundle.path.absolute().name, "note": note, "home": home, "files": files}
    # No string of JSON may end the script element that contains it.
    text = json.dumps(data, ensure_ascii=True).replace("<", "\\u003c")
    return TEMPLATE.read_text(encoding="utf-8").replace(_DATA, text)
