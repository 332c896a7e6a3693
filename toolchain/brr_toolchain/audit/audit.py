"""``brr audit``: does running code keep the metric-DP inequality? A statistical test of it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from brr_runtime import Bundle, ParameterError
from brr_runtime.exact import as_number
from brr_toolchain import AUDIT_FALSE_ALARM_RATE, AUDIT_SAMPLES
from brr_toolchain.audit.bounds import loss_bound, smallest_violation
from brr_toolchain.audit.fresh import FreshRuns, fresh_runs
from brr_toolchain.audit.instances import (
    WORDS,
    Instance,
    code_instances,
    unknown_words,
    vector_instances,
)
from brr_toolchain.audit.result import Audit, PairTest, Part
from brr_toolchain.audit.sampling import Sampling
from brr_toolchain.audit.subjects import Draw, Subject
from brr_toolchain.audit.vectors import vector_events
from brr_toolchain.audit.words import word_events

_SMALLEST_SAMPLE = 1_000
_RATES = (1e-12, 0.5)


def audit_mechanism(
    bundle: Bundle,
    mechanism: str,
    *,
    samples: int = AUDIT_SAMPLES,
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE,
    progress: bool = True,
    **parameters: Any,
) -> Audit:
    """Audit a mechanism of the runtime, as an app runs it, for the Hamming distance.

    Args:
        bundle: what words are cut from.
        mechanism: a name from ``brr_runtime.mechanisms.MECHANISMS``.
        samples: draws of every input that test the events, at least 1,000; half as many again
            choose them.
        false_alarm_rate: probability that a correct mechanism fails, at most; 1e-12 to 0.5.
        progress: show a bar on stderr if that's a terminal.
        **parameters: of the mechanism: ``t`` and ``k`` for ``vickrey``.

    Raises:
        ParameterError: a parameter is unknown or out of range, or the bundle too small.
    """
    t = parameters.get("t")
    if isinstance(t, Sequence) and len(t) > WORDS:
        raise ParameterError(
            f"an audit runs on {WORDS} words: give at most so many values of t, not {len(t)}"
        )
    subject = Subject(mechanism, parameters)
    return _audit(subject, bundle, None, samples, false_alarm_rate, progress)


def audit_factory(
    bundle: Bundle,
    factory: str,
    *,
    embeddings: str | Path | None = None,
    samples: int = AUDIT_SAMPLES,
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE,
    progress: bool = True,
) -> Audit:
    """Audit what a factory makes.

    Without ``embeddings``, the factory is called with a small opened ``Bundle`` and epsilon, and
    returns a callable that takes a word and returns a word; the metric is the Hamming distance of
    the codes. With them, it is called with words (list of n), their vectors (float32[n, d]) and
    epsilon; its callable returns a word or a vector of any length; the metric is the Euclidean
    distance of the vectors. A word outside what was given may also raise or return None.

    Args:
        bundle: what words are cut from.
        factory: "module:function"; the current directory's modules are found, too.
        embeddings: what the bundle was built from, for the Euclidean metric.
        samples: as for ``audit_mechanism``.
        false_alarm_rate: as for ``audit_mechanism``.
        progress: as for ``audit_mechanism``.

    Raises:
        AuditError: the audited code can't be imported, raises, or returns what is no output.
        EmbeddingsError: the embeddings can't be read.
        ParameterError: a parameter is out of range, the bundle is too small, or the embeddings
            aren't those of its words.
    """
    subject = Subject(factory=factory)
    return _audit(subject, bundle, embeddings, samples, false_alarm_rate, progress)


def _audit(
    subject: Subject,
    bundle: Bundle,
    embeddings: str | Path | None,
    samples: int,
    false_alarm_rate: float,
    progress: bool,
) -> Audit:
    if samples < _SMALLEST_SAMPLE:
        raise ParameterError(f"samples must be at least {_SMALLEST_SAMPLE:,}, not {samples}")
    if not _RATES[0] <= as_number(false_alarm_rate) <= _RATES[1]:
        raise ParameterError(
            f"the false-alarm rate must be from {_RATES[0]:g} to {_RATES[1]:g}, "
            f"not {false_alarm_rate}"
        )
    with tempfile.TemporaryDirectory(prefix="brr-audit-") as name:
        folder = Path(name)
        if embeddings is None:
            own, near = code_instances(bundle, folder)
        else:
            own, near = _read_instances(bundle, embeddings, progress)
        unknown = unknown_words(bundle, own.words)
        # Everything that can raise an alarm gets the same share of the rate.
        tests = 2 * len(list(permutations(own.words, 2))) + len(list(permutations(unknown, 2))) + 1
        alpha = false_alarm_rate / tests
        draw = subject.prepare(near)
        with (
            fresh_runs(subject, near, folder) as runs,
            tqdm(
                desc="Auditing",
                total=(2 * WORDS + len(unknown)) * (samples // 2 + samples),
                unit=" draws",
                unit_scale=True,
                disable=None if progress else True,
            ) as bar,
        ):

            def test(name: str, draw: Draw, instance: Instance, inputs: Sequence[str]) -> Part:
                sampling = Sampling(draw, inputs, samples, alpha, bar.update)
                return inequality(name, sampling, instance)

            parts = (
                test(near.name, draw, near, near.words),
                test("unknown words", draw, near, unknown),
                test(own.name, subject.prepare(own), own, own.words),
                _noise(runs, near, alpha),
            )
    return Audit(
        bundle=bundle.path.resolve().name,
        subject=str(subject),
        metric="hamming" if embeddings is None else "euclidean",
        samples=samples,
        false_alarm_rate=false_alarm_rate,
        smallest_violation=smallest_violation(samples, alpha),
        parts=parts,
    )


def _read_instances(bundle: Bundle, source: str | Path, progress: bool) -> list[Instance]:
    from brr_toolchain.verify.source_checks import read_source

    embeddings = read_source(bundle, source, progress)
    if list(embeddings.words) != [bundle.vocabulary.word(i) for i in range(len(bundle))]:
        raise ParameterError(
            f"{source}: its words aren't the bundle's; give the embeddings it was built from"
        )
    return vector_instances(embeddings.words, embeddings.vectors)


def inequality(name: str, sampling: Sampling, instance: Instance) -> Part:
    """Test all ordered pairs of the inputs.

    Args:
        name: of the part.
        sampling: of words of the instance, or of words outside it, which nothing may tell apart.
        instance: has the epsilon and the distances of the claim.
    """
    start = time.perf_counter()
    kind = sampling.draw(instance.words[0], 1)[0]
    known = sampling.inputs[0] in instance.words
    if isinstance(kind, np.ndarray):
        events = vector_events(sampling, len(kind), instance.vectors if known else None)
    else:
        events = word_events(sampling)
    counts = np.array([event.counts for event in events])
    bounds = loss_bound(counts[:, 0], counts[:, 1], sampling.samples, sampling.alpha)
    ids = {word: i for i, word in enumerate(instance.words)}
    pairs = []
    for (i, j), event, bound in zip(sampling.pairs, events, bounds.tolist(), strict=True):
        first, second = sampling.inputs[i], sampling.inputs[j]
        distance = float(instance.distances[ids[first], ids[second]]) if known else 0.0
        pairs.append(
            PairTest(
                first=first,
                second=second,
                distance=distance,
                claimed=instance.epsilon * distance,
                event=event.description,
                counts=event.counts,
                # An event or its complement has a loss of at least 0.
                loss=max(0.0, bound),
            )
        )
    return Part(
        name=name,
        epsilon=instance.epsilon,
        pairs=tuple(pairs),
        passed=not any(pair.violated for pair in pairs),
        detail=_describe(pairs, sampling.samples),
        seconds=time.perf_counter() - start,
    )


def _describe(pairs: Sequence[PairTest], samples: int) -> str:
    violated = sum(pair.violated for pair in pairs)
    worst = max(pairs, key=lambda pair: pair.loss - pair.claimed)
    if not worst.loss:
        return f"{len(pairs)} pairs; no event has a loss that can be told from 0"
    shares = [f"{count / samples:.3g}" for count in worst.counts]
    found = (
        f"loss >= {worst.loss:.2f}, claimed {worst.claimed:.2f}, between {worst.first!r} and "
        f"{worst.second!r}: {worst.event} in {shares[0]} and {shares[1]} of the draws"
    )
    if violated:
        return f"{violated} of {len(pairs)} pairs violate the inequality; {found}"
    return f"{len(pairs)} pairs; nearest to the bound: {found}"


def _noise(runs: FreshRuns, instance: Instance, alpha: float) -> Part:
    start = time.perf_counter()
    repeats = runs.repeat(alpha)
    return Part(
        name="fresh noise",
        epsilon=instance.epsilon,
        pairs=(),
        passed=not repeats,
        detail=(
            "two new processes gave the same outputs: the seed is fixed"
            if repeats
            else "two new processes gave different outputs"
        ),
        seconds=time.perf_counter() - start,
    )
