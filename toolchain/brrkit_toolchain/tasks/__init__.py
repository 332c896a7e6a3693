"""What the text is for: public labeled texts give words task bits, beside their codes.

``dataset`` and ``corpus`` read labeled texts, ``labeled`` says what of them a task is, ``scores``
weighs what words say of a class, ``bits`` writes that as bits, ``held_out`` keeps texts to measure
with, and ``learn`` does it all. Everything is integers, but logarithms that are the same everywhere
(``codes.portable``): the same labeled texts and words give the same bytes on every machine.
"""

TASKS = "tasks.npz"
"""A bundle's file of labeled texts to measure with."""

TASK_BITS = 64
"""Of a code, for all tasks together."""
