"""Lines of a file, read in blocks of about a megabyte, most of which aren't split into lines."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from brrkit import ParameterError
from brrkit_toolchain.io.files import DAMAGED, decompressed, numbered_lines
from brrkit_toolchain.io.tables.parts import PART

LONGEST_LINE = 1 << 24
"""Largest number of bytes in a line of text, a JSON line, or a field of CSV."""


@dataclass(frozen=True)
class Block:
    """Whole lines of a file, one after the other; the last line is cut if it is too long.

    Attributes:
        content: the lines.
        before: number of lines before these.
        path: path of the file, for messages.
        remedy: remedy for bytes that aren't UTF-8.
    """

    content: bytes
    before: int
    path: Path
    remedy: str

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield the lines with their numbers; raise an error for a too long or non-UTF-8 line."""
        return numbered_lines(
            io.BytesIO(self.content),
            str(self.path),
            LONGEST_LINE,
            remedy=self.remedy,
            before=self.before,
        )


class Lines:
    """The lines of an opened UTF-8 file, which may be compressed, with their numbers."""

    def __init__(self, path: Path, file: BinaryIO, remedy: str = "convert the text first") -> None:
        self._path, self._remedy = path, remedy
        self._content = decompressed(file)
        self._number = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for block in self.blocks():
            yield from block

    def blocks(self) -> Iterator[Block]:
        """Yield the remaining lines, about ``PART`` bytes at a time."""
        while (block := self.block(PART)).content:
            yield block

    def block(self, size: int = 1) -> Block:
        """Return the next ``size`` bytes, or fewer at the end, and the rest of their last line."""
        before = self._number
        try:
            content = self._content.read(size)
            if not content.endswith(b"\n"):
                content += self._content.readline(LONGEST_LINE + 1)
        except DAMAGED:
            raise ParameterError(
                f"{self._path}: damaged (it is compressed, and can be read up to line {before}); "
                "get it again"
            ) from None
        self._number += content.count(b"\n")
        return Block(content, before, self._path, self._remedy)
