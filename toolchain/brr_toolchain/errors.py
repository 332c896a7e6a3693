"""Errors of the toolchain; see ``brr_runtime.errors`` for the house rules."""

from brr_runtime.errors import BrrError


class OutputError(BrrError):
    """The output can't be written there."""
