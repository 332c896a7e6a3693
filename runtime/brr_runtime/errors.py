"""The errors that brrkit raises on purpose.

A message names the file, field or parameter and what to do about it. It never contains
text that somebody typed.
"""

import re

LONGEST_MESSAGE = 400
"""Characters."""

# Controls, line and paragraph separators, marks that turn the direction of text, and what stands
# for the bytes of a path that aren't UTF-8.
_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class BrrError(Exception):
    """Base of every error that brrkit raises on purpose.

    Whatever a path or a field holds, the message is one line of at most 400 characters that any
    terminal or log can show: others are escaped, and what is too long loses its middle.
    """

    def __init__(self, message: str) -> None:
        super().__init__(_one_line(message))


class BundleError(BrrError):
    """A bundle is missing, damaged, or of a format that this version doesn't read."""


class ParameterError(BrrError, ValueError):
    """A parameter is outside what the guarantee or the bundle allows."""


class OutOfVocabularyError(BrrError):
    """A word isn't in the vocabulary and the policy is ``error``. The word isn't named."""


class BudgetError(BrrError):
    """The privacy budget is used up, or its state file can't be trusted. Nothing was released."""


def _one_line(text: str) -> str:
    text = _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    if len(text) <= LONGEST_MESSAGE:
        return text
    half = LONGEST_MESSAGE // 2  # a path comes first, what to do last
    return f"{text[: half - 1]}…{text[-half:]}"
