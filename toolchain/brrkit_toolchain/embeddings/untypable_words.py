"""How words look of a file that isn't one of plain words: named where most rows go for that."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from brrkit.messages import printable

from .errors import EmbeddingsError

_ROWS_BEFORE_GIVING_UP = 10_000  # nobody waits for millions more of the same

_ABOUT_PIECES = "these are a model's pieces of words; take a file of whole words"

_PATTERNS: tuple[tuple[str, str, str], ...] = (
    (r"(/c/[a-z]+/)", "begin with {}", "keep one language: sed -n 's|^{}||p' FILE > NEW"),
    ("(ENTITY/)", "begin with {}", "these are titles; leave them out: grep -v '^{}' FILE > NEW"),
    (
        """["'“”„«].*["'“”»]$""",
        "are quoted",
        'take the quotes off: sed "s/[\\"\'“”„«»]//g" FILE > NEW',
    ),
    ("(##)", "begin with {}", _ABOUT_PIECES),
    ("([▁Ġ])", "begin with {}", _ABOUT_PIECES),
    (".*(</w>|@@)$", "end with {}", _ABOUT_PIECES),
    (
        r".+([_|/][A-Z]+)$",
        "end with {}",
        "take the tags off: sed 's/^\\([^ ]*\\)[_|/][A-Z]* /\\1 /' FILE > NEW",
    ),
    (
        r".+(\.[a-z]\.\d\d)$",
        "end with {}",
        "these are a thesaurus's senses; take a file of plain words",
    ),
    (
        ".*(_)",
        "contain {}",
        "these are phrases; read the first rows (--vocabulary-size) or name words (--word-list)",
    ),
    ("", "have signs that texts are cut at", "take a file of plain words"),
)
"""Of a word's beginning, what it says of most, and what to do. The first that fits is taken."""

_COMPILED_PATTERNS = [re.compile(pattern) for pattern, _, _ in _PATTERNS]


@dataclass
class UntypableWords:
    """Counts the rows of an embedding file, and those that no text can contain, by how they look.

    Attributes:
        rows: that were read.
        found: the number of a pattern, and the part that it is named by, of so many rows.
    """

    rows: int = 0
    found: Counter[tuple[int, str]] = field(default_factory=Counter)

    def add(self, raw: bytes) -> None:
        """Count a word as the file has it."""
        word = raw.decode("utf-8", "replace")
        number, match = next(
            (number, match)
            for number, pattern in enumerate(_COMPILED_PATTERNS)
            if (match := pattern.match(word))
        )
        self.found[number, match[1] if match.groups() else ""] += 1

    def refuse(self, label: str, *, early: bool = False) -> None:
        """Raise if most rows are such.

        Args:
            label: what messages call the file.
            early: there are further rows; wait until there are enough.

        Raises:
            EmbeddingsError: most of the rows can't be typed; it names the most frequent pattern.
        """
        total = self.found.total()
        if 2 * total <= self.rows or (early and self.rows < _ROWS_BEFORE_GIVING_UP):
            return
        by_number: Counter[int] = Counter()
        for (number, _), count in self.found.items():
            by_number[number] += count
        ((number, count),) = by_number.most_common(1)
        if 2 * count <= total:
            number, count = len(_PATTERNS) - 1, total
        parts = {part: count for (each, part), count in self.found.items() if each == number}
        part = printable(max(parts, key=parts.__getitem__, default=""))
        _, says, remedy = _PATTERNS[number]
        share = "all" if count == total else f"{count:,}"
        others = " and the like" if len(parts) > 1 else ""
        raise EmbeddingsError(
            f"{label}: {total:,} of {self.rows:,} rows have no word that a text can contain: "
            f"{share} {says.format(part)}{others}; {remedy.format(part)}"
        )


def looks_untypable(word: str) -> bool:
    """Tell whether a word that can be typed looks like none: 'the' with its quotes, or Ġthe."""
    return word.startswith("ġ") or (len(word) > 2 and word[0] == word[-1] == "'")
