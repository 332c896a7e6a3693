"""Tasks of released text: public labeled texts give words task bits, next to their codes.

``dataset`` and ``corpus`` read labeled texts, ``labeled`` makes tasks of them, ``scores`` computes
words' scores for classes, ``bits`` encodes these as bits, ``held_out`` keeps texts to measure with,
and ``learn`` combines all this. All numbers are integers, except logarithms that are the same
everywhere (``codes.portable``). The same labeled texts and words give the same bytes on every
machine.
"""

TASKS = "tasks.npz"
"""A bundle's file of labeled texts to measure with."""

TASK_BITS = 64
"""Number of bits of a code, for all tasks together."""
