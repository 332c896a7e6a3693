"""Check the source of a mechanism's random bytes, and that it uses each byte once.

Reused bytes may leave no trace in the output, or appear in it once in a million words. So this part
checks the bytes themselves: those that brrkit's runtime draws, in its own mechanisms and where a
factory calls it.
"""

from __future__ import annotations

import math
import time

from brrkit_toolchain.audit.audited_code.processes import Processes, Request
from brrkit_toolchain.audit.instances import Instance
from brrkit_toolchain.audit.result import Part

TESTS = 1
"""Number of tests that can raise an alarm by chance: equal blocks."""

_WORDS = 1_200
_BLOCK = 8  # bytes


def audit_random_source(
    processes: Processes, number: int, instance: Instance, alpha: float
) -> Part:
    """Record the random bytes of a mechanism, for single words and for many words in a call.

    No block of eight bytes may occur twice. The runtime's own mechanisms must also take their bytes
    from the operating system. Their call must take as many bytes as its words take alone, because
    words that share bytes share noise.

    Args:
        processes: processes that run the mechanism.
        number: number of the instance.
        instance: the instance.
        alpha: largest probability that correct code fails.
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
