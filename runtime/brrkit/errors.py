"""The errors that brrkit raises on purpose.

A message names the file, field or parameter, and the remedy. It never contains typed text.
"""

from __future__ import annotations

from typing import ClassVar

from brrkit.messages import one_line


class BrrError(Exception):
    """Base of every error that brrkit raises on purpose.

    The message is one line of at most 400 characters that any terminal or log can show, whatever a
    path or a field contains: unprintable characters are escaped, and a longer message loses its
    middle.

    Attributes:
        kind: name of the error's kind, which an app can react to; the same in Swift and TypeScript.
            ``docs/reference/errors.md`` lists all kinds.
    """

    kind: ClassVar[str] = "other"

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class BundleError(BrrError):
    """A bundle is missing, damaged, or in a format that this version can't read."""

    kind = "bundle"


class ParameterError(BrrError, ValueError):
    """A parameter is outside the range that the guarantee or the bundle allows."""

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
        left: remaining epsilon of this period; 0 if the period counts another bundle.
        renews_in: seconds until the period ends, rounded up.
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
