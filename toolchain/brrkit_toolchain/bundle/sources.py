"""What a bundle is said to be made from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brrkit_toolchain.tasks.labeled import Task


@dataclass(frozen=True)
class BundleSources:
    """The sources that a bundle claims to be built from, as far as they are available.

    Attributes:
        embeddings: for the checks against them.
        text: the public text that its masses and bigrams are of, to count it again.
        column: of ``text``, that holds the texts; not for a text file.
        tasks: the labeled texts that its task bits are of, all of them in their order, to learn the
            bits again.
        secret: the files of the lists of secret words that it was built with.
        strings: of a list to count: what it was made from, to make it again.
    """

    embeddings: str | os.PathLike[str] | None = None
    text: str | os.PathLike[str] | None = None
    column: str | None = None
    tasks: Sequence[Task] = ()
    secret: Sequence[str | os.PathLike[str]] = ()
    strings: str | os.PathLike[str] | None = None
