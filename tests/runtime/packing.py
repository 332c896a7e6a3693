"""Numbers packed as an index has them."""

from __future__ import annotations

from collections.abc import Sequence

from brrkit.packed import PackedNumbers


def pack(numbers: Sequence[int], width: int | None = None) -> PackedNumbers:
    """Pack numbers of ``width`` bits; by default of as many as a permutation's need."""
    if width is None:
        width = (len(numbers) - 1).bit_length()
    total = sum(number << i * width for i, number in enumerate(numbers))
    content = total.to_bytes(-(-len(numbers) * width // 8) + 3, "little")
    return PackedNumbers(memoryview(content), len(numbers), width)
