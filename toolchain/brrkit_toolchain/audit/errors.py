"""Errors of the audit; see ``brrkit.errors`` for the house rules."""

from brrkit.errors import BrrError


class AuditError(BrrError):
    """The audited code can't be run: it is missing, raises, ends, or returns an invalid output."""

    kind = "audit"
