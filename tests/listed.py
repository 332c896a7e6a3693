"""Lists for the tests of every runtime: ``python tests/listed.py FOLDER`` writes them."""

from __future__ import annotations

import sys
from pathlib import Path

from brrkit_toolchain import build_list

EMOJI = [
    *("\U0001f602", "\u2764\ufe0f", "\U0001f923", "\U0001f44d", "\U0001f62d", "\U0001f64f"),
    *(
        "\U0001f618",
        "\U0001f970",
        "\U0001f389",
        "\u263a\ufe0f",
        "\U0001f914",
        "\U0001f44d\U0001f3fd",
    ),
    *("\U0001f469\u200d\U0001f680", "\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f1e9\U0001f1ea"),
    *("\U0001f1eb\U0001f1f7", "1\ufe0f\u20e3", "#\ufe0f\u20e3", "\u00a9"),
    "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
]

PHRASES = (
    *("good morning", "good", "lol", "how are you", "how are you doing my dear old friend"),
    *(
        "thank you",
        "thank you so much",
        "happy birthday \U0001f382",
        "\U0001f382",
        "Na\u00efve caf\u00e9",
    ),
    *("I can't", "o'brien", "you are", "\U0001f602\U0001f602", "are you ok", "see you"),
)

FRENCH = (
    "bonjour",
    "l'avion",
    "s'il vous pla\u00eet",
    "\u00e0 bient\u00f4t",
    "l' h\u00f4tel",
    "merci",
)

STRINGS = (
    "settings/open",
    "Settings/Open",
    "checkout",
    " spaced ",
    "e\u0301",
    "\u00e9",
    "\U0001f602",
)


def main(output: str) -> None:
    """Write the bundles."""
    lists = {
        "emoji": ([f"{each},{1000 // (rank + 1)}" for rank, each in enumerate(EMOJI)], {}),
        "phrases": (PHRASES, {}),
        "french": (FRENCH, {"written_in": "fr"}),
        "strings": (STRINGS, {"as_is": True}),
    }
    for name, (lines, options) in lists.items():
        table = name == "emoji"
        source = Path(output, f"list-{name}.{'csv' if table else 'txt'}")
        source.write_text("\n".join(["word,count", *lines] if table else lines) + "\n", "utf-8")
        build_list(source, Path(output, f"list-{name}"), force=True, **options)
        source.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
