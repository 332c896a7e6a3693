"""Is the noise new each time? A fixed seed, or a small one, is a violation that no frequency shows.

Whoever knows the seed knows the noise, and a small one can be found by trying. Two new processes
make the audited code, again and again, and draw a sequence of outputs each time. With 2^16 seeds
some of 2,000 sequences are the same, by the birthday bound; so are those of whole texts, with a
seed that is set at each call.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence

from brrkit_toolchain.audit.instances import Instance
from brrkit_toolchain.audit.processes import Processes, Request
from brrkit_toolchain.audit.result import Part
from brrkit_toolchain.audit.subject import Output

LENGTH = 32
"""Outputs of each sequence."""

TESTS = 2
"""What can raise an alarm: code that is made anew, and texts."""


def fresh_noise(
    processes: Processes, number: int, instance: Instance, sequences: int, alpha: float
) -> Part:
    """Compare sequences of code made anew, and of texts if the code takes those.

    This has to be the first that the processes are asked: a seed set on import gives both the same
    stream from its beginning.

    Args:
        processes: both new.
        number: of the instance.
        instance: a quiet one, so that outputs vary.
        sequences: of each kind.
        alpha: error probability of each of the ``TESTS``.
    """
    start = time.perf_counter()
    words = [instance.words[0]] * LENGTH
    made = list(processes.outputs([Request(number, "words", words, anew=True)] * sequences))
    found = [_repeats("noise of code made anew", made, alpha)]
    if "texts" in processes.ask(Request(number, "about", ("texts",))):
        texts = processes.outputs([Request(number, "texts", [" ".join(words)])] * sequences)
        found.append(_repeats("noise of texts", [str(text).split(" ") for (text,) in texts], alpha))
    repeated = [message for message in found if message]
    return Part(
        name="fresh noise",
        epsilon=instance.epsilon,
        pairs=(),
        passed=not repeated,
        detail="; ".join(repeated)
        or f"{sequences:,} sequences of {LENGTH} outputs, from two new processes, differ",
        seconds=time.perf_counter() - start,
    )


def _repeats(what: str, sequences: Sequence[Sequence[Output]], alpha: float) -> str:
    """Say which sequences repeat each other beyond chance, if any do.

    If draws are independent, then all orders of one sequence's outputs are equally likely, and
    two agree with a probability of at most (n_1! n_2! ...) / n!, where n_i of the n outputs are
    equal. So code with one constant output doesn't fail. By the union bound over all pairs of
    sequences, none agrees that is that unlikely.

    Args:
        what: is drawn.
        sequences: of outputs.
        alpha: probability that independent draws are told to repeat, at most.
    """
    pairs = len(sequences) * (len(sequences) - 1) / 2
    counts = Counter(tuple(map(_hashable, sequence)) for sequence in sequences)
    same = sum(
        count * (count - 1) // 2
        for sequence, count in counts.items()
        if _log_probability(sequence) <= math.log(alpha / pairs)
    )
    if not same:
        return ""
    return (
        f"{what}: {same:,} of {pairs:,.0f} pairs of sequences are the same; the seed is fixed or "
        "small"
    )


def _hashable(output: Output) -> object:
    return output if output is None or isinstance(output, str) else output.tobytes()


def _log_probability(outputs: Sequence[object]) -> float:
    ways = sum(math.lgamma(count + 1) for count in Counter(outputs).values())
    return ways - math.lgamma(len(outputs) + 1)
