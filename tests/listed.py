"""Lists for the tests of every runtime."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import written

from brrkit.list_tokenizer import BOTH, KINDS, MOST_UNITS, ListTokenizer
from brrkit_counting import build_list

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

PARTS = (
    *"\u200d\ufe0e\ufe0f\u20e3\U0001f3fb\U0001f3fd\U0001f3ff\U000e0067\U000e007f#*1 a",
    *"\U0001f1e6\U0001f1e9\U0001f1ff\U0001f44d\U0001f469\U0001f680\u2764\u00a9\U0001f9ff",
)
"""Of emoji, and what may stand beside them."""


def random_text(source: random.Random, words: list[str]) -> str:
    """Return emoji, whole and in parts, and some of ``words``."""
    parts: list[str] = []
    for _ in range(source.randrange(14)):
        kind = source.random()
        if kind < 0.35:
            parts.append(source.choice(PARTS))
        elif kind < 0.5:
            parts.append(source.choice(EMOJI))
        elif kind < 0.75:
            word = source.choice(words)
            parts += [source.choice([word, word.upper()]), source.choice([" ", " ", ""])]
        elif kind < 0.85:
            parts.append(source.choice([" ", ", ", "'", "-"]))
        elif kind < 0.95:
            parts += parts[-4:]
        else:
            parts.append(chr(source.choice([*range(0x2000, 0x3400), *range(0x1F000, 0x1FC00)])))
    return "".join(parts)


def random_case(source: random.Random) -> written.Case:
    """Return a text of emoji and words in any language, with a list of some of what is in it."""
    case = written.random_case(source)
    if source.random() < 0.1:  # a unit may have spaces itself
        joiners = dict.fromkeys([*case.writing["joiners"][:15], " "])
        case = replace(case, writing={**case.writing, "joiners": [*joiners]})
    text = source.choice(
        [random_text(source, case.words), random_text(source, case.words), case.text]
    )
    kind = source.choice(KINDS)
    cut = replace(case, text=text, list_of=BOTH).tokenizer()
    assert isinstance(cut, ListTokenizer)
    units = [unit.text for unit in cut.units(text + random_text(source, case.words))]
    found = [text, text[1:], text + "a"] if kind == "strings" else [*case.words, *units]
    for _ in range(source.randrange(8)):
        start = source.randrange(len(units) + 1)
        found.append(" ".join(units[start : start + source.randint(1, MOST_UNITS + 1)]))
    usable = sorted({string for string in found if string and min(string) >= " "} | {"a", "b"})
    words = source.sample(usable, source.randint(2, len(usable)))
    return written.Case(text, words, [source.randrange(1, 256) for _ in words], case.writing, kind)


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
