"""The random bytes that brrkit's runtime takes from any source. Runs in a worker."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from brrkit import randomness
from brrkit.randomness import RandomSource


def record_random_bytes(
    calls: Sequence[Callable[[], object]],
) -> tuple[list[RandomSource], list[str]]:
    """Return the source of every request in ``calls``, and each call's bytes in hexadecimal."""
    with _recording() as requests:
        places = [0]
        for call in calls:
            call()
            places.append(len(requests))
    taken = [
        b"".join(content for _, content in requests[start:end]).hex()
        for start, end in pairwise(places)
    ]
    return [source for source, _ in requests], taken


@contextmanager
def _recording() -> Iterator[list[tuple[RandomSource, bytes]]]:
    """Collect the source and the returned bytes of each request for random bytes."""
    draw = randomness.draw
    requests: list[tuple[RandomSource, bytes]] = []

    def record(size: int, random: RandomSource) -> bytes:
        content = draw(size, random)
        requests.append((random, content))
        return content

    users = [
        module
        for name, module in sys.modules.items()
        if name.startswith("brrkit.") and vars(module).get("draw") is draw
    ]
    for module in users:
        module.__dict__["draw"] = record
    try:
        yield requests
    finally:
        for module in users:
            module.__dict__["draw"] = draw
