"""Write words and their vectors in a common format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.io.files import replaced
from brrkit_toolchain.io.progress import Progress


def write_word2vec(
    path: Path, words: Sequence[str], vectors: NDArray[np.float32], *, progress: bool = False
) -> None:
    """Write word2vec's text format: a line "n d", then a line for each word; numbers of six digits.

    Args:
        path: path of the file, which always has either its old or its new content.
        words: n words without whitespace.
        vectors: float32[n, d].
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        OutputError: the system refuses, or the path isn't a regular file.
    """
    numbers = " ".join(["%.6g"] * vectors.shape[1])
    with (
        replaced(path) as file,
        Progress(
            total=len(words),
            desc=f"Writing {path.name}",
            unit=" words",
            progress=progress,
        ) as bar,
    ):
        file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for word, vector in zip(words, vectors, strict=True):
            file.write(f"{word} {numbers % tuple(vector.tolist())}\n".encode())
            bar.update()
