"""What commands and functions take where nothing else is said: known without an import."""

DEFAULT_BITS = 64
DEFAULT_METHOD = "neighborhood"
DEFAULT_EFFORT = "medium"

PASS_PROBABILITY = 0.95
"""With which a passing word is released as typed."""

TEXTS = 12_500
"""That a classifier learns from in ``brr evaluate``, at most: half of IMDB's (BRR, section 6)."""

AUDIT_SAMPLES = 10_000
"""Draws of every input that test events in ``brr audit``."""

AUDIT_FALSE_ALARM_RATE = 1e-6
"""Probability that correct code fails ``brr audit``, at most."""

DAILY_BUDGET = 300.0
"""Limit of the ε released in a day by the keyboards' libraries, where an app sets no other."""
