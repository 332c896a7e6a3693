"""Messages to people: one line, without a terminal's control characters."""

from __future__ import annotations

LONGEST = 400
"""Largest number of characters in a message."""


def printable(text: str) -> str:
    r"""Return ``text`` with unprintable characters escaped: U+001B becomes \u001b.

    These are control characters, line separators, invisible and bidirectional marks, and bytes of a
    file's name that aren't UTF-8.
    """
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def one_line(message: str) -> str:
    """Return ``message`` as one line, without its middle if it exceeds ``LONGEST`` characters."""
    line = printable(message)
    if len(line) <= LONGEST:
        return line
    half = LONGEST // 2  # messages begin with a path, and end with the remedy
    return f"{line[: half - 1]}…{line[-half:]}"
