"""Where a mechanism's random bytes come from, and whether each is used once.

Bytes that are used again may leave no trace in the output, or show in it once in a million words.
So this looks at the bytes: those that brrkit's runtime takes, in our mechanisms and where a factory
calls it.
"""

from __future__ import annotations

import math
import time

from brrkit_toolchain.audit.audited_code.processes import Processes, Request
from brrkit_toolchain.audit.instances import Instance
from brrkit_toolchain.audit.result import Part

TESTS = 1
"""What can raise an alarm by chance: two equal blocks."""

_WORDS = 1_200
_BLOCK = 8  # bytes


def audit_random_source(
    processes: Processes, number: int, instance: Instance, alpha: float
) -> Part:
    """Record the bytes that a mechanism takes, for single words and for many in a call.

    No block of eight bytes may come twice. Of our mechanisms besides: the source must be the
    operating system's; a call must take as many bytes as its words would alone, because words that
    share bytes share noise.

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
    ours = source != "unknown"
    if source == "other":
        problems.append("random bytes don't come from os.urandom")
    if ours and min(alone) == 0:
        problems.append("a word was drawn without random bytes")
    if ours and together < min(alone) * len(words):
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
        or (f"os.urandom; {min(alone):,} bytes or more a word; " if ours else "")
        + (
            f"{len(blocks):,} blocks all differ"
            if blocks
            else "takes no random bytes by brrkit's runtime: they weren't tested"
        ),
        seconds=time.perf_counter() - start,
    )
