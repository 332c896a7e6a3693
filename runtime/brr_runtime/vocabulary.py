"""The words of a bundle, looked up by binary search in the mapped file."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from brr_runtime.tokenizer import normalize


@dataclass(frozen=True)
class Vocabulary:
    """Words in rank order, without a hash map.

    Attributes:
        blob: UTF-8 bytes of all words, one after the other.
        offsets: uint32[n + 1]; word i is ``blob[offsets[i]:offsets[i + 1]]``.
        by_bytes: uint32[n]; the ids, sorted by the bytes of their words.
    """

    blob: memoryview
    offsets: memoryview
    by_bytes: memoryview

    def __len__(self) -> int:
        return len(self.by_bytes)

    def encoded(self, word_id: int) -> bytes:
        """Return the UTF-8 bytes of a word."""
        return bytes(self.blob[self.offsets[word_id] : self.offsets[word_id + 1]])

    def word(self, word_id: int) -> str:
        """Return the word with this id (its rank)."""
        return self.encoded(word_id).decode("utf-8")

    def find(self, word: str) -> int | None:
        """Return the id of ``word`` after normalization, or None if it isn't in the vocabulary."""
        # A lone surrogate has no UTF-8 form: such a string is in no vocabulary.
        target = normalize(word).encode("utf-8", "surrogatepass")
        position = bisect_left(self.by_bytes, target, key=self.encoded)
        if position < len(self) and self.encoded(self.by_bytes[position]) == target:
            return self.by_bytes[position]
        return None
