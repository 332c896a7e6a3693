"""Events of code that returns words: sets of words."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from brr_toolchain.audit.bounds import loss_bound
from brr_toolchain.audit.sampling import Event, Sampling

_NAMED = 5  # words of an event that its description names


def word_events(sampling: Sampling) -> list[Event]:
    """Choose an event for each pair on one sample, and count it in another.

    By the lemma of Neyman and Pearson the events with the largest losses are the words with the
    largest likelihood ratios. Of those sets, that with the best bound is taken.
    """
    chosen = _count(sampling, sampling.samples // 2)
    sets = [_choose(chosen[i], chosen[j], sampling) for i, j in sampling.pairs]
    tested = _count(sampling, sampling.samples)
    return [
        Event(
            _describe(outputs),
            (sum(tested[i][o] for o in outputs), sum(tested[j][o] for o in outputs)),
        )
        for (i, j), outputs in zip(sampling.pairs, sets, strict=True)
    ]


def _count(sampling: Sampling, draws: int) -> list[Counter[str]]:
    counts: list[Counter[str]] = [Counter() for _ in sampling.inputs]
    for number, outputs in sampling.outputs(draws):
        counts[number].update("(refused)" if o is None else str(o) for o in outputs)
    return counts


def _choose(first: Counter[str], second: Counter[str], sampling: Sampling) -> list[str]:
    outputs = sorted(first | second)
    one: NDArray[np.int64] = np.array([first[output] for output in outputs])
    other: NDArray[np.int64] = np.array([second[output] for output in outputs])
    order = np.argsort((other + 0.5) / (one + 0.5), kind="stable")
    # As the counts would be in the sample that tests.
    scale = sampling.samples / first.total()
    bounds = loss_bound(
        one[order].cumsum() * scale, other[order].cumsum() * scale, sampling.samples, sampling.alpha
    )
    return [outputs[i] for i in order[: int(bounds.argmax()) + 1]]


def _describe(outputs: list[str]) -> str:
    more = f" and {len(outputs) - _NAMED} others" if len(outputs) > _NAMED else ""
    return ", ".join(map(repr, outputs[:_NAMED])) + more
