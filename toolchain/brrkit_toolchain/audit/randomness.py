"""Where a mechanism's random bytes come from, and whether each is used once. Ours only."""

from __future__ import annotations

import math
import time

from brrkit_toolchain.audit.instances import Instance
from brrkit_toolchain.audit.processes import Processes, Request
from brrkit_toolchain.audit.result import Part

TESTS = 1
"""What can raise an alarm by chance: two equal blocks."""

_WORDS = 200
_BLOCK = 8  # bytes


def random_source(processes: Processes, number: int, instance: Instance, alpha: float) -> Part:
    """Record the bytes that a mechanism takes, for single words and for many in a call.

    The source must be the operating system's by default; a call must take as many bytes as its
    words would alone, because words that share bytes share noise; no block of eight bytes may come
    twice.

    Args:
        processes: run the mechanism.
        number: of the instance.
        instance: what it runs on.
        alpha: probability that right code fails, at most.
    """
    start = time.perf_counter()
    words = [instance.words[0]] * _WORDS
    source, *calls = map(str, processes.ask(Request(number, "source", words)))
    taken = [bytes.fromhex(call) for call in calls]
    *alone, together = map(len, taken)
    blocks = [
        content[i : i + _BLOCK]
        for content in taken
        for i in range(0, len(content) - _BLOCK + 1, _BLOCK)
    ]
    # n blocks have n^2 / 2 pairs, and two are equal with probability 2^-64.
    blocks = blocks[: math.isqrt(int(alpha * 2 ** (8 * _BLOCK + 1)))]
    repeated = len(blocks) - len(set(blocks))
    problems = []
    if source != "system":
        problems.append("the default source of random bytes isn't os.urandom")
    if min(alone) == 0:
        problems.append("a word was drawn without random bytes")
    if together < min(alone) * len(words):
        problems.append(
            f"{len(words)} words in a call took {together:,} bytes, alone {min(alone)} each: they "
            "share noise"
        )
    if repeated:
        problems.append(f"{repeated:,} of {len(blocks):,} blocks of {_BLOCK} bytes came again")
    return Part(
        name="random source",
        epsilon=instance.epsilon,
        pairs=(),
        passed=not problems,
        detail="; ".join(problems)
        or f"os.urandom; {min(alone):,} bytes or more a word; {len(blocks):,} blocks all differ",
        seconds=time.perf_counter() - start,
    )
