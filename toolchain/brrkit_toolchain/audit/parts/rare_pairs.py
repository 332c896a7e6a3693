"""Check that no word is often released as one particular other word.

Each word of a vocabulary is drawn a few times. Two equal outputs are suspicious if the output is
rare. The most suspicious pairs are drawn again. A few draws can miss a leak; the result states the
probability of finding one.
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
"""Number of suspects; each can raise an alarm."""

SHARE = 0.3
"""Share of a word's draws in the leak for which the result states the probability of finding it."""

_SURE = 3  # equal outputs of a word that make it a suspect


def audit_rare_pairs(
    draw: Draw, instance: Instance, released: Released, again: int, alpha: float
) -> Part:
    """Look for words that are often released as one particular other word.

    Args:
        draw: the audited code on ``instance``.
        instance: the whole vocabulary, quiet.
        released: its words, with their outputs.
        again: number of draws of each suspect, and of other words.
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
        times: number of draws of each word.
        share: share of the leaking word's draws that return the other word.
    """
    from scipy.stats import binom

    return float(binom.sf(_SURE - 1, times, share))


def _suspects(released: Released, size: int) -> list[tuple[str, Output]]:
    """Return the pairs of a word and an output that would be least probable by chance."""
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
    """Return a key that is the same for equal outputs."""
    return output if isinstance(output, str) else "" if output is None else output.tobytes().hex()
