"""Do words share noise, however far apart they are? Two draws of a flat distribution would show it.

One of thousands of words that are all alike is released again and again, in calls of its own and in
long texts. Draws that share noise are the same; others seldom are.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.audit.audited_code.processes import CHUNK, Processes, Request
from brrkit_toolchain.audit.audited_code.subject import Output
from brrkit_toolchain.audit.instances import Instance
from brrkit_toolchain.audit.pairs.bounds import tail_bound
from brrkit_toolchain.audit.result import Part

TESTS = 2
"""What can raise an alarm: calls, and texts."""

LAGS = 1_000
"""The largest distance, in words, at which draws are compared, in one text or across several."""

_STREAMS = 2  # a process has one

Stream = Sequence[Sequence[object]]
"""What a process released: of each text its words, or of each call one."""


def audit_shared_noise(
    processes: Processes, number: int, instance: Instance, draws: int, alpha: float
) -> Part:
    """Compare the draws of each process with its own a while before.

    Args:
        processes: run the audited code.
        number: of the instance.
        instance: the flat one.
        draws: of each process, in calls, and as many in texts if the code takes those.
        alpha: error probability of each of the ``TESTS``.
    """
    start = time.perf_counter()
    word, times = instance.words[0], -(-draws // CHUNK)
    calls = [
        [[output] for outputs in stream for output in outputs]
        for stream in _streams(processes, Request(number, "calls", [word] * CHUNK), times)
    ]
    found = [_repeats("calls", calls, alpha)]
    if "texts" in processes.ask(Request(number, "about", ("texts",))):
        text = " ".join([word] * CHUNK)
        texts = [
            [str(output).split(" ") for (output,) in stream]
            for stream in _streams(processes, Request(number, "texts", [text]), times)
        ]
        found.append(_repeats(f"texts of {CHUNK} words", texts, alpha))
    repeated = [message for message in found if message]
    kinds = " and in ".join(["calls", f"texts of {CHUNK} words"][: len(found)])
    return Part(
        name="shared noise",
        epsilon=instance.epsilon,
        pairs=(),
        passed=not repeated,
        detail="; ".join(repeated)
        or f"{_STREAMS * times * CHUNK:,} draws of a word in {kinds}: at each distance up to "
        f"{LAGS:,} words, no more are equal than by chance",
        seconds=time.perf_counter() - start,
    )


def _streams(processes: Processes, request: Request, times: int) -> list[list[list[Output]]]:
    """Return what each process answers, ``times`` each: they take turns."""
    answers = list(processes.outputs([request] * (_STREAMS * times)))
    return [answers[place::_STREAMS] for place in range(_STREAMS)]


def _repeats(what: str, streams: Sequence[Stream], alpha: float) -> str:
    """Say at which distance draws are the same more often than by chance, if they are at any.

    For independent draws all orders are equally likely, given how often each output came: n_y times
    of N. Of m disjoint pairs of them the t-th is equal with probability C / ((N - 2t)(N - 2t - 1))
    at most, whatever the pairs before were, C the sum of n_y (n_y - 1).

    A text's first word has no history, and is left out.
    """
    ids: dict[object, int] = {}
    numbered = [_numbered(stream, ids) for stream in streams]
    counts = np.bincount(np.concatenate([stream[stream >= 0] for stream in numbered]))
    share = alpha / (2 * LAGS * len(streams))
    worst, found = 1.0, ""
    for stream in numbered:
        for lag in range(1, min(LAGS, len(stream) - 1) + 1):
            for same, pairs in _pairs(stream, lag):
                bound = tail_bound(same, pairs, _equal_by_chance(counts, pairs)) if same else 1.0
                if bound <= share and bound < worst:
                    worst = bound
                    found = f"{what}: {same:,} of {pairs:,} pairs {lag:,} words apart are the same"
    return found


def _numbered(stream: Stream, ids: dict[object, int]) -> NDArray[np.int64]:
    """Return a number for each different output, -1 for the first of several in a text."""

    def number(output: object) -> int:
        key = output.tobytes() if isinstance(output, np.ndarray) else output
        return ids.setdefault(key, len(ids))

    def numbers(outputs: Sequence[object]) -> Iterator[int]:
        if len(outputs) > 1:
            yield -1
        yield from (number(output) for output in outputs[len(outputs) > 1 :])

    return np.array([found for outputs in stream for found in numbers(outputs)], np.int64)


def _pairs(stream: NDArray[np.int64], lag: int) -> Iterator[tuple[int, int]]:
    """Yield how many pairs ``lag`` apart are equal, and of how many, in two disjoint sets each."""
    first, second = stream[:-lag], stream[lag:]
    valid = (first >= 0) & (second >= 0)
    blocks = np.arange(len(first)) // lag % 2
    for block in range(2):
        chosen = valid & (blocks == block)
        yield int((chosen & (first == second)).sum()), int(chosen.sum())


def _equal_by_chance(counts: NDArray[np.int64], pairs: int) -> float:
    """Return the probability that a pair is equal, at most, on average over disjoint ``pairs``."""
    left = counts.sum() - 2.0 * np.arange(pairs)
    bounds = float((counts * (counts - 1.0)).sum()) / np.maximum(left * (left - 1), 1)
    return float(np.minimum(bounds, 1).mean())
