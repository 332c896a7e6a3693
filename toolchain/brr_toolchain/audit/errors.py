"""Errors of the audit; see ``brr_runtime.errors`` for the house rules."""

from brr_runtime.errors import BrrError


class AuditError(BrrError):
    """The audited code can't be run: it isn't there, raises, ends, or returns what is no output."""
