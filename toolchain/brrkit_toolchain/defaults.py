"""Defaults of commands and functions, available without imports."""

DEFAULT_BITS = 64
DEFAULT_METHOD = "neighborhood"
DEFAULT_EFFORT = "medium"

PASS_PROBABILITY = 0.95
"""Probability that a passing word is released as typed."""

TEXTS = 12_500
"""Largest number of a classifier's training texts in ``brr evaluate``: half of IMDB's (BRR,
section 6)."""

AUDIT_SAMPLES = 10_000
"""Number of draws of every input that test events in ``brr audit``."""

AUDIT_FALSE_ALARM_RATE = 1e-6
"""Largest probability that correct code fails ``brr audit``."""

DAILY_BUDGET = 300.0
"""Default limit of the ε released in a day by the keyboards' libraries."""
