"""Errors of the audit; see ``brrkit.errors`` for the house rules."""

from brrkit.errors import BrrError


class AuditError(BrrError):
    """The audited code can't be run: it isn't there, raises, ends, or returns what is no output."""

    kind = "audit"
