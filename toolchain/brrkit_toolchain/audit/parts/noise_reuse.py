"""Check that noise is new each time: no frequency reveals a fixed seed, or a small one.

Attackers who know the seed know the noise, and they can find a small seed by trying all of them.
Two new processes create the audited code again and again, and draw a sequence of outputs each time.
With 2^16 seeds, some of 2,000 sequences are equal, by the birthday bound. So are some sequences of
whole texts, if code sets a seed at each call.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from brrkit.normal_form import normalize
from brrkit_toolchain.audit.audited_code.processes import Processes, Request
from brrkit_toolchain.audit.audited_code.subject import Output
from brrkit_toolchain.audit.instances import QUIET, Instance
from brrkit_toolchain.audit.pairs.bounds import privacy_loss_bound
from brrkit_toolchain.audit.result import Part

LENGTH = 32
"""Number of outputs in each sequence of words."""

TEXT_LENGTH = 64
"""Number of words in each text: more, since dependent words have fewer equally likely orders."""

TESTS = 3
"""Number of tests that can raise an alarm: code created anew, its first output, and texts."""

_FIRST = 100  # number of first outputs for each of two words


def audit_noise_reuse(
    processes: Processes, number: int, instance: Instance, sequences: int, alpha: float
) -> Part:
    """Compare sequences from code created anew, and sequences of texts if the code takes texts.

    This must be the processes' first request: a seed set on import gives both the same stream from
    its beginning.

    Args:
        processes: two new processes.
        number: number of the instance.
        instance: a quiet instance, on which outputs vary.
        sequences: number of sequences of each kind.
        alpha: error probability of each of the ``TESTS``.
    """
    start = time.perf_counter()
    words = [instance.words[0]] * LENGTH
    made = list(processes.outputs([Request(number, "words", words, anew=True)] * sequences))
    found = [_repeats("noise of code made anew", made, alpha, _log_probability)]
    found.append(_first_outputs(processes, number, instance, alpha))
    if "texts" in processes.ask(Request(number, "about", ("texts",))):
        text = " ".join(words[:1] * TEXT_LENGTH)
        texts = processes.outputs([Request(number, "texts", [text])] * sequences)
        released = [str(text).split(" ") for (text,) in texts]
        found.append(_repeats("noise of texts", released, alpha, log_probability_of_chain))
    repeated = [message for message in found if message]
    return Part(
        name="fresh noise",
        epsilon=instance.epsilon,
        pairs=(),
        passed=not repeated,
        detail="; ".join(repeated)
        or f"{sequences:,} sequences of outputs, from two new processes, differ",
        seconds=time.perf_counter() - start,
    )


def _first_outputs(processes: Processes, number: int, instance: Instance, alpha: float) -> str:
    """Return a message if the first output depends on the input, such as before a cache is filled.

    A word is as likely for itself as for another word, up to a loss of ``QUIET``.
    """
    word, other = instance.words[:2]
    firsts = (
        list(processes.outputs([Request(number, "calls", [typed], anew=True)] * _FIRST))
        for typed in (word, other)
    )
    own, others = (
        sum(isinstance(first, str) and normalize(first) == word for (first,) in outputs)
        for outputs in firsts
    )
    loss = privacy_loss_bound(np.array([own]), np.array([others]), _FIRST, alpha)
    if loss[0] <= QUIET:
        return ""
    return (
        f"first output of code made anew: {word!r} in {own} of {_FIRST} draws for itself, in "
        f"{others} for {other!r}"
    )


def _repeats(
    what: str,
    sequences: Sequence[Sequence[Output]],
    alpha: float,
    log_probability: Callable[[Sequence[object]], float],
) -> str:
    """Return a message if sequences are equal more often than by chance.

    It counts only sequences so unlikely that none should repeat, by the union bound over all pairs
    of sequences. So code with one constant output doesn't fail.

    Args:
        what: name of the drawn outputs, for the message.
        sequences: sequences of outputs.
        alpha: largest probability that correct code fails.
        log_probability: returns an upper bound on the log probability of a sequence's order, given
            its outputs without their order.
    """
    pairs = len(sequences) * (len(sequences) - 1) / 2
    counts = Counter(tuple(map(_hashable, sequence)) for sequence in sequences)
    same = sum(
        count * (count - 1) // 2
        for sequence, count in counts.items()
        if log_probability(sequence) <= math.log(alpha / pairs)
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
    """Return the log probability of the order of independent draws.

    All orders are equally likely, so the probability is (n_1! n_2! ...) / n!, where n_i of the n
    outputs are equal.
    """
    ways = sum(math.lgamma(count + 1) for count in Counter(outputs).values())
    return ways - math.lgamma(len(outputs) + 1)


def log_probability_of_chain(outputs: Sequence[object]) -> float:
    """Return the log probability of the order of draws that may depend on the output before.

    All sequences with the same first output and the same numbers n_ij of steps from i to j are
    equally likely. Their number is (prod n_i! / prod n_ij!) C. Here n_i is the sum of the n_ij over
    j, and C the cofactor of (last, first) in the identity matrix minus n_ij / n_i (Whittle 1955).
    """
    ids = {output: place for place, output in enumerate(dict.fromkeys(outputs))}
    steps = np.zeros((len(ids), len(ids)))
    for one, other in pairwise(outputs):
        steps[ids[one], ids[other]] += 1
    left = steps.sum(axis=1)
    matrix = np.eye(len(ids)) - steps / np.maximum(left, 1)[:, None]
    minor = np.delete(np.delete(matrix, ids[outputs[-1]], axis=0), ids[outputs[0]], axis=1)
    ways = sum(math.lgamma(count + 1) for count in left)
    ways -= sum(math.lgamma(count + 1) for count in steps.flat)
    return float(-ways - np.linalg.slogdet(minor)[1])
