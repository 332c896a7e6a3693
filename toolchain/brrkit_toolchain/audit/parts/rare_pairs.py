"""Is there a word that often comes out as a certain other one? A leak of one pair of many.

In some passes through a vocabulary each word is drawn a few times. Twice the same output, where
that is rare, is suspicious; the most suspicious pairs are drawn again. Of a few draws one may miss
a leak: the result says how probably.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from functools import partial

from brrkit_toolchain.audit.audited_code.subject import Output
from brrkit_toolchain.audit.instances import Instance
from brrkit_toolchain.audit.pairs.sampling import Draw
from brrkit_toolchain.audit.parts.unchanged_outputs import Released, Suspect, retest_suspects
from brrkit_toolchain.audit.result import Part

TESTS = 8
"""Suspects, each of which can raise an alarm."""

SHARE = 0.3
"""Of a word's draws: the leak whose probability of being found is stated."""

_SURE = 3  # draws of one output by which a leak is among the suspects


def audit_rare_pairs(
    draw: Draw, instance: Instance, released: Released, again: int, alpha: float
) -> Part:
    """Look for the words that often come out as a certain other one.

    Args:
        draw: the audited code on ``instance``.
        instance: the whole vocabulary, quiet.
        released: words of it.
        again: draws of each suspect, and of other words.
        alpha: error probability of each of the ``TESTS``.
    """
    start = time.perf_counter()
    known = [word for word, _ in released]
    suspects = [
        Suspect(
            word, repr(output if isinstance(output, str) else "(a vector)"), partial(_same, output)
        )
        for word, output in _suspects(released, len(instance.words))
    ]
    pairs = retest_suspects(draw, suspects, known, again, alpha)
    leaking = [f"{pair.first!r} as {pair.event}" for pair in pairs if pair.violated]
    times = len(known) // len(instance.words)
    found = (
        f"words released too often as one particular other word: {', '.join(leaking)}"
        if leaking
        else f"{len(instance.words):,} words, {times:,} draws of each; a word released as one "
        f"particular other word in {SHARE:.0%} of its draws would be found with probability "
        f"{found_probability(times):.2f}"
    )
    return Part(
        name="rare pairs",
        epsilon=instance.epsilon,
        pairs=tuple(pairs),
        passed=not leaking,
        detail=found,
        seconds=time.perf_counter() - start,
    )


def found_probability(times: int, share: float = SHARE) -> float:
    """Return the probability that a leak is among the suspects.

    Args:
        times: how often each word was drawn.
        share: of the draws of a word that are a certain other one.
    """
    from scipy.stats import binom

    return float(binom.sf(_SURE - 1, times, share))


def _suspects(released: Released, size: int) -> list[tuple[str, Output]]:
    """Return the words and outputs that came together least probably, if they were independent."""
    outputs = {_key(output): output for _, output in released}
    often = Counter(_key(output) for _, output in released)
    times = -(-len(released) // size)
    together = Counter((word, _key(output)) for word, output in released)

    def surprise(key: str, count: int) -> float:
        ways = math.log(math.comb(max(times, count), count))
        return ways + count * math.log(often[key] / len(released))

    ordered = sorted(
        (surprise(key, count), word, key)
        for (word, key), count in together.items()
        if count > 1 and key != word
    )
    return [(word, outputs[key]) for _, word, key in ordered[:TESTS]]


def _same(output: Output, other: Output) -> bool:
    return _key(output) == _key(other)


def _key(output: Output) -> str:
    """Return what equal outputs have in common."""
    return output if isinstance(output, str) else "" if output is None else output.tobytes().hex()
