"""Patterns of words that can't be typed, named in an error if most rows match them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from brrkit.messages import printable

from .errors import EmbeddingsError

_ROWS_BEFORE_GIVING_UP = 10_000  # enough to give up without reading millions more

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
"""Patterns of a word's beginning, with their meanings and remedies. The first match counts."""

_COMPILED_PATTERNS = [re.compile(pattern) for pattern, _, _ in _PATTERNS]


@dataclass
class UntypableWords:
    """Counts the rows of an embedding file, and those that no text can contain, by pattern.

    Attributes:
        rows: number of read rows.
        found: number of rows, by a pattern's number and the matching part.
    """

    rows: int = 0
    found: Counter[tuple[int, str]] = field(default_factory=Counter)

    def add(self, raw: bytes) -> None:
        """Count a word in the file's form."""
        word = raw.decode("utf-8", "replace")
        number, match = next(
            (number, match)
            for number, pattern in enumerate(_COMPILED_PATTERNS)
            if (match := pattern.match(word))
        )
        self.found[number, match[1] if match.groups() else ""] += 1

    def refuse(self, label: str, *, early: bool = False) -> None:
        """Raise an error if most rows can't be typed.

        Args:
            label: name of the file in messages.
            early: whether there are further rows; then wait until there are enough.

        Raises:
            EmbeddingsError: most rows can't be typed; the message names the most frequent pattern.
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
    """Return whether a word that can be typed looks wrong, such as 'the' with quotes, or Ġthe."""
    return word.startswith("ġ") or (len(word) > 2 and word[0] == word[-1] == "'")
