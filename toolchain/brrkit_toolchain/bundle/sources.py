"""The claimed sources of a bundle."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brrkit_toolchain.tasks.labeled import Task


@dataclass(frozen=True)
class BundleSources:
    """The claimed sources of a bundle, as far as they are available.

    Attributes:
        embeddings: the embeddings, for the checks against them.
        text: the public text of its masses and bigrams, to count it again.
        column: column of the texts in ``text``, if this isn't a text file.
        tasks: all labeled texts of its task bits, in their order, to learn the bits again.
        secret: the files of its lists of secret words.
        strings: for a list to count: the file of its strings, to make it again.
    """

    embeddings: str | os.PathLike[str] | None = None
    text: str | os.PathLike[str] | None = None
    column: str | None = None
    tasks: Sequence[Task] = ()
    secret: Sequence[str | os.PathLike[str]] = ()
    strings: str | os.PathLike[str] | None = None
