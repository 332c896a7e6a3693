"""The inequality between pairs of inputs: events chosen on some draws, tested on others."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit_toolchain.audit.pairs.bounds import privacy_loss_bound
from brrkit_toolchain.audit.pairs.sampling import Sampling
from brrkit_toolchain.audit.pairs.vector_events import vector_events
from brrkit_toolchain.audit.pairs.word_events import word_events
from brrkit_toolchain.audit.result import PairTest, Part


def audit_pairs(
    name: str,
    sampling: Sampling,
    epsilon: float,
    distances: NDArray[np.float64],
    places: NDArray[np.float32] | None = None,
    cap: float = math.inf,
) -> Part:
    """Test all ordered pairs of the inputs.

    Args:
        name: name of the part.
        sampling: sampling of the inputs.
        epsilon: epsilon per unit of distance.
        distances: float64[n, n], largest distances between the inputs.
        places: float32[n, d], the inputs' vectors, if each has one.
        cap: largest privacy loss between two inputs.
    """
    start = time.perf_counter()
    kinds = sampling.draw([list(inputs) for inputs in sampling.inputs])
    vectors = [output for kind in kinds for output in kind if isinstance(output, np.ndarray)]
    if vectors:
        dimensions = len(vectors[0]) * len(sampling.inputs[0])
        events = vector_events(sampling, dimensions, places)
    else:
        events = word_events(sampling)
    counts = np.array([event.counts for event in events])
    bounds = privacy_loss_bound(
        counts[:, 0], counts[:, 1], sampling.samples, sampling.alpha, sampling.delta
    )
    pairs = []
    for (i, j), event, bound in zip(sampling.pairs, events, bounds.tolist(), strict=True):
        distance = float(distances[i, j])
        pairs.append(
            PairTest(
                first=" ".join(sampling.inputs[i]),
                second=" ".join(sampling.inputs[j]),
                distance=distance,
                claimed=min(epsilon * distance, cap),
                event=event.description,
                counts=event.counts,
                # Of an event and its complement, one has a loss of at least 0.
                privacy_loss=max(0.0, bound),
            )
        )
    return Part(
        name=name,
        epsilon=epsilon,
        pairs=tuple(pairs),
        passed=not any(pair.violated for pair in pairs),
        detail=_describe(pairs, sampling.samples),
        seconds=time.perf_counter() - start,
    )


def _describe(pairs: Sequence[PairTest], samples: int) -> str:
    violated = sum(pair.violated for pair in pairs)
    worst = max(pairs, key=lambda pair: pair.privacy_loss - pair.claimed)
    if not worst.privacy_loss:
        return f"{len(pairs)} pairs; no event has a privacy loss distinguishable from 0"
    shares = [f"{count / samples:.3g}" for count in worst.counts]
    found = (
        f"privacy loss >= {worst.privacy_loss:.2f}, claimed {worst.claimed:.2f}, between "
        f"{_short(worst.first)} and {_short(worst.second)}: {worst.event} in "
        f"{shares[0]} and {shares[1]} of the draws"
    )
    if violated:
        return f"{violated} of {len(pairs)} pairs violate the inequality; {found}"
    return f"{len(pairs)} pairs; nearest to the bound: {found}"


def _short(word: str) -> str:
    return repr(word if len(word) <= 40 else f"{word[:40]}...")
