"""The words of a bundle, front-coded, looked up by binary search."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.packed import PackedNumbers

BLOCK = 16
"""Number of words in a block; all except the first share bytes with the word before."""

MOST_SHARED = 31
"""Largest number of shared bytes; as characters, numbers up to it are control characters, which no
word contains."""

_WORD_BYTES = bytes(range(MOST_SHARED + 1, 256))
_COUNTS_TO_NUL = bytes(MOST_SHARED + 1) + _WORD_BYTES
_ABOVE_COUNTS = bytes([MOST_SHARED, 0xFF])  # no byte of UTF-8 is 0xFF


class Words(Protocol):
    """A vocabulary for a tokenizer."""

    def __len__(self) -> int:
        """Return the number of words."""

    def find(self, word: str, /) -> int | None:
        """Return the id of a normalized word, or None."""

    def word(self, word_id: int, /) -> str:
        """Return the word with this id."""

    def __iter__(self) -> Iterator[str]:
        """Yield the words, by id."""


@dataclass(frozen=True)
class Vocabulary:
    """Words with their ids (ranks), without a hash map.

    In the order of their bytes, each word is stored as one byte, the number of bytes that it
    shares with the word before it, and the rest of its UTF-8 bytes.

    Attributes:
        words: uint8[m]; all words, front-coded.
        offsets: uint32[blocks + 1]; block b is ``words[offsets[b]:offsets[b + 1]]``.
        ids: ids, by position in the order of the words.
        positions: positions, by id; the inverse of ``ids``.
    """

    words: NDArray[np.uint8]
    offsets: memoryview
    ids: PackedNumbers
    positions: PackedNumbers

    def __len__(self) -> int:
        return self.ids.count

    def encoded(self, word_id: int) -> bytes:
        """Return the UTF-8 bytes of a word."""
        block, place = divmod(self.positions[word_id], BLOCK)
        return self._decode(block, place + 1)[place]

    def word(self, word_id: int) -> str:
        """Return the word with this id (its rank).

        Raises:
            ParameterError: the id isn't from 0 to n - 1.
        """
        if not 0 <= word_id < len(self):
            raise ParameterError(f"a word's id must be from 0 to {len(self) - 1}")
        return self.encoded(word_id).decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        """Yield the words, by id, much faster than one by one."""
        blocks = range(len(self.offsets) - 1)
        coded = [word for block in blocks for word in self._decode(block, BLOCK)]
        for position in self.positions.unpack().tolist():
            yield coded[position].decode("utf-8")

    def find(self, word: str) -> int | None:
        """Return the id of a normalized ``word``, or None if it isn't in the vocabulary."""
        # A lone surrogate has no UTF-8 form, so such a string is in no vocabulary.
        target = word.encode("utf-8", "surrogatepass")
        # A block's first word is at most the target if the block is below this limit, because the
        # next word's count, which follows it, is smaller than any byte that could continue it.
        block = bisect_right(self._blocks, target + _ABOVE_COUNTS) - 1
        if block < 0:
            return None
        candidates = self._decode(block, BLOCK)
        if target not in candidates:
            return None
        return self.ids[block * BLOCK + candidates.index(target)]

    @cached_property
    def _blocks(self) -> list[bytes]:
        """The blocks, without the count of 0 before their first words.

        They are copied at the first look-up: a search in the mapped file takes twice as long.
        """
        content, ends = self.words.tobytes(), self.offsets.tolist()
        return [content[start + 1 : end] for start, end in pairwise(ends)]

    def _decode(self, block: int, count: int) -> list[bytes]:
        """Return the first ``count`` words of a block."""
        coded = self._blocks[block]
        shared = b"\0" + coded.translate(None, _WORD_BYTES)
        rests = coded.translate(_COUNTS_TO_NUL).split(b"\0", count)[:count]
        word = b""
        return [word := word[:kept] + rest for kept, rest in zip(shared, rests, strict=False)]

    def damage(self) -> str | None:
        """Return the error in the content, or None, when every word can be read.

        ``brr verify`` checks the order of the words, without which some aren't found.
        """
        return self._damage_of_words() or self._damage_of_ids()

    def _damage_of_words(self) -> str | None:
        words = self.words
        if self.offsets[-1] != len(words):
            return "tensor 'offsets' doesn't end where 'words' does"
        marks = words <= MOST_SHARED
        if np.count_nonzero(marks) != len(self) or not marks[0]:
            return f"tensor 'words' doesn't hold {len(self)} words"
        starts = np.flatnonzero(marks)
        if not np.array_equal(self.offsets, np.append(starts[::BLOCK], len(words))):
            return "tensor 'offsets' doesn't cut 'words' into blocks"
        shared, rests = words[starts], np.append(starts[1:], len(words)) - starts - 1
        if rests.min() < 1 or shared[::BLOCK].any() or (shared[1:] > (shared + rests)[:-1]).any():
            return "tensor 'words' has a word that shares more than there is, or adds nothing"
        if words.max() > 0x7F and not _is_utf8(words, starts):
            return "tensor 'words' isn't UTF-8"
        return None

    def _damage_of_ids(self) -> str | None:
        ids = self.ids.unpack()
        if ids.max() >= len(self):
            return "tensor 'ids' names a missing word"
        if not np.array_equal(self.positions.unpack()[ids], np.arange(len(self))):
            return "tensor 'positions' isn't the inverse of 'ids'"
        return None


def _is_utf8(words: NDArray[np.uint8], starts: NDArray[np.intp]) -> bool:
    """Return whether every rest is UTF-8, and the shared bytes end with a whole character."""
    try:
        str(words.data, "utf-8")
    except UnicodeDecodeError:
        return False
    behind = _bytes_behind_shared(words, starts)
    return not np.any(behind & 0xC0 == 0x80)


def _bytes_behind_shared(words: NDArray[np.uint8], starts: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return the byte after a word's shared bytes, in the word with which it shares them.

    Only words with shared bytes count, in blocks with a character beyond ASCII. A byte 10xxxxxx
    there means that a character was cut.
    """
    shared = words[starts]
    beyond_ascii = np.maximum.reduceat(words, starts[::BLOCK]) > 0x7F
    sharing = np.flatnonzero(shared * np.repeat(beyond_ascii, BLOCK)[: len(starts)])
    # The nearest word before that shares no more bytes contains this byte.
    counts = shared[sharing]
    source = sharing - 1
    left = np.flatnonzero(shared[source] > counts)
    while len(left):
        source[left] -= 1
        left = left[shared[source[left]] > counts[left]]
    behind: NDArray[np.uint8] = words[starts[source] + 1 + counts - shared[source]]
    return behind
