"""Check that no two words share noise, however far apart; equal draws reveal it.

One of thousands of equivalent words is released again and again, in separate calls and in long
texts. Draws that share noise are equal; other draws seldom are.
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
"""Number of tests that can raise an alarm: calls, and texts."""

LAGS = 1_000
"""Largest distance of compared draws, in words, within a text or across several texts."""

_STREAMS = 2  # one for each process

Stream = Sequence[Sequence[object]]
"""A process's releases: the words of each text, or the one word of each call."""


def audit_shared_noise(
    processes: Processes, number: int, instance: Instance, draws: int, alpha: float
) -> Part:
    """Compare the draws of each process with its own earlier draws.

    Args:
        processes: processes that run the audited code.
        number: number of the instance.
        instance: the flat instance.
        draws: number of draws of each process in calls, and of as many in texts if the code takes
            texts.
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
    """Return ``times`` answers of each process; the processes take turns."""
    answers = list(processes.outputs([request] * (_STREAMS * times)))
    return [answers[place::_STREAMS] for place in range(_STREAMS)]


def _repeats(what: str, streams: Sequence[Stream], alpha: float) -> str:
    """Return a message with the distance at which draws are equal most beyond chance, if any.

    For independent draws, all orders are equally likely, given the number n_y of each output among
    N. So among m disjoint pairs, the t-th (from 0) is equal with a probability of at most C / ((N -
    2t)(N - 2t - 1)), whatever the pairs before it. C is the sum of n_y (n_y - 1).

    A text's first word has no history, so it is left out.
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
    """Return each output's number, equal for equal outputs; -1 for a text's first of several."""

    def number(output: object) -> int:
        key = output.tobytes() if isinstance(output, np.ndarray) else output
        return ids.setdefault(key, len(ids))

    def numbers(outputs: Sequence[object]) -> Iterator[int]:
        if len(outputs) > 1:
            yield -1
        yield from (number(output) for output in outputs[len(outputs) > 1 :])

    return np.array([found for outputs in stream for found in numbers(outputs)], np.int64)


def _pairs(stream: NDArray[np.int64], lag: int) -> Iterator[tuple[int, int]]:
    """Yield the numbers of equal and of all pairs ``lag`` apart, for two sets of disjoint pairs."""
    first, second = stream[:-lag], stream[lag:]
    valid = (first >= 0) & (second >= 0)
    blocks = np.arange(len(first)) // lag % 2
    for block in range(2):
        chosen = valid & (blocks == block)
        yield int((chosen & (first == second)).sum()), int(chosen.sum())


def _equal_by_chance(counts: NDArray[np.int64], pairs: int) -> float:
    """Return an upper bound on the mean probability that one of disjoint ``pairs`` is equal."""
    left = counts.sum() - 2.0 * np.arange(pairs)
    bounds = float((counts * (counts - 1.0)).sum()) / np.maximum(left * (left - 1), 1)
    return float(np.minimum(bounds, 1).mean())
