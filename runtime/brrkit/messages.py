"""Messages to people: one line, without what a terminal would obey."""

from __future__ import annotations

LONGEST = 400
"""Characters of a message."""


def printable(text: str) -> str:
    r"""Return ``text`` with what isn't printable escaped: U+001B becomes \u001b.

    Control characters, line separators, invisible and bidirectional marks, and bytes of a file's
    name that aren't UTF-8.
    """
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def one_line(message: str) -> str:
    """Return ``message`` as one line; one of more than ``LONGEST`` characters loses its middle."""
    line = printable(message)
    if len(line) <= LONGEST:
        return line
    half = LONGEST // 2  # messages begin with a path, and end with what to do
    return f"{line[: half - 1]}…{line[-half:]}"
