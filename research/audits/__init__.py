"""The power of audits against code that is known to be broken."""
