"""Errors of the toolchain; see ``brrkit.errors`` for the house rules."""

from brrkit.errors import BrrError


class OutputError(BrrError):
    """The output can't be written to the given path."""

    kind = "output"
