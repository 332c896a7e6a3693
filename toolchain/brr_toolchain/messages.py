"""What is printed for people: one line that a terminal shows and doesn't obey."""

from __future__ import annotations

LONGEST = 400  # characters


def printable(text: str) -> str:
    """Return ``text`` with what isn't printable escaped as in Python's literals.

    Control characters, line separators, invisible and bidirectional marks, and bytes of a file's
    name that aren't UTF-8.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def one_line(message: str) -> str:
    """Return ``message`` as a line of at most ``LONGEST`` characters; the middle goes first."""
    line = printable(message)
    half = LONGEST // 2 - 2
    return line if len(line) <= LONGEST else f"{line[:half]}...{line[-half:]}"
