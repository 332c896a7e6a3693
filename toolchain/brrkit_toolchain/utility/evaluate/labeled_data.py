"""The labeled texts of an evaluation."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class LabeledData:
    """A table of labeled texts.

    Attributes:
        data: file of the table.
        text_column: column of the texts.
        label_column: column of their classes.
        split_column: column with ``train`` or ``test``; by default, the texts are split at random.
    """

    data: str | os.PathLike[str]
    text_column: str = "text"
    label_column: str = "label"
    split_column: str | None = None
