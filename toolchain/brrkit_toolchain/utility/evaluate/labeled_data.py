"""Where the labeled texts are that an evaluation reads."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class LabeledData:
    """A table of labeled texts.

    Attributes:
        data: its file.
        text_column: holds the texts.
        label_column: holds their classes.
        split_column: says ``train`` or ``test``; by default they are split at random.
    """

    data: str | os.PathLike[str]
    text_column: str = "text"
    label_column: str = "label"
    split_column: str | None = None
