"""The errors that brrkit raises on purpose.

A message names the file, field or parameter and what to do about it. It never contains
text that somebody typed.
"""

from __future__ import annotations

from typing import ClassVar

from brrkit.messages import one_line


class BrrError(Exception):
    """Base of every error that brrkit raises on purpose.

    Whatever a path or a field holds, the message is one line of at most 400 characters that any
    terminal or log can show: others are escaped, and what is too long loses its middle.

    Attributes:
        kind: what an app can react to; the same word in Swift and TypeScript. The table is
            ``docs/reference/errors.md``.
    """

    kind: ClassVar[str] = "other"

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class BundleError(BrrError):
    """A bundle is missing, damaged, or of a format that this version doesn't read."""

    kind = "bundle"


class ParameterError(BrrError, ValueError):
    """A parameter is outside what the guarantee or the bundle allows."""

    kind = "parameter"


class NoSettingError(ParameterError):
    """No setting for text is given, and the bundle recommends none."""


class OutOfVocabularyError(BrrError):
    """A word isn't in the vocabulary and the policy is ``error``. The word isn't named."""

    kind = "outOfVocabulary"


class MemoryFileError(BrrError):
    """A memory's key can't be read, trusted or stored. Nothing was released."""

    kind = "memoryFile"


class RandomnessError(BrrError):
    """The system gave no random bytes, or a source gave too few. Nothing was released."""

    kind = "randomness"


class BudgetError(BrrError):
    """The privacy budget doesn't allow a release before its period has ended. Nothing was released.

    Attributes:
        left: epsilon that may still be released in this period; 0 for a bundle other than the
            one that the period counts.
        renews_in: seconds until the period has ended, rounded up.
    """

    kind = "budget"

    def __init__(self, message: str, left: float, renews_in: int) -> None:
        super().__init__(message)
        self.left = left
        self.renews_in = renews_in

    def __reduce__(self) -> tuple[type[BudgetError], tuple[str, float, int]]:
        return type(self), (str(self), self.left, self.renews_in)


class BudgetFileError(BrrError):
    """A budget's state can't be read, trusted or stored. Nothing was released."""

    kind = "budgetFile"
