"""What is shown to people: one line that a terminal shows and doesn't obey."""

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
    """Return ``message`` as a line of at most ``LONGEST`` characters; the middle goes first."""
    line = printable(message)
    if len(line) <= LONGEST:
        return line
    half = LONGEST // 2  # a path comes first, what to do last
    return f"{line[: half - 1]}…{line[-half:]}"
