"""``brr audit``: does running code keep the metric-DP inequality? A statistical test of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from brr_runtime import Bundle, ParameterError
from brr_runtime.exact import as_number
from brr_toolchain import AUDIT_FALSE_ALARM_RATE, AUDIT_SAMPLES
from brr_toolchain.audit import fresh, inputs, randomness, returned
from brr_toolchain.audit.bounds import smallest_violation
from brr_toolchain.audit.instances import (
    WORDS,
    Instance,
    Instances,
    code_instances,
    vector_instances,
)
from brr_toolchain.audit.pairs import inequality
from brr_toolchain.audit.processes import Request, start
from brr_toolchain.audit.result import Audit
from brr_toolchain.audit.sampling import Draw, Input, Sampling
from brr_toolchain.audit.subject import Output, Subject

_SMALLEST_SAMPLE = 1_000
_RATES = (1e-12, 0.5)

_RETURNED = 5  # times the samples: words that are drawn to see whether they come back
_AGAIN = 5  # the samples over this: draws of a word that came back
_FRESH = 5  # the samples over this: sequences that are looked at for repeats
_TITLES = 4  # known words that are written with a capital


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
            instances = code_instances(bundle, folder)
        else:
            instances = _read_instances(bundle, embeddings, progress)
        comparisons = _comparisons(instances, subject.mechanism is not None, samples)
        # Everything that can raise an alarm gets the same share of the rate.
        tests = sum(comparison.tests for comparison in comparisons)
        alpha = false_alarm_rate / (tests + fresh.TESTS + returned.TESTS + randomness.TESTS)
        numbered = list(instances)
        quiet = numbered.index(instances.quiet)
        # Noise in full size takes long, and returned words are drawn in full size.
        passes = samples if embeddings else _RETURNED * samples
        with (
            start(subject, numbered, folder) as processes,
            tqdm(
                desc="Auditing",
                total=sum(comparison.draws for comparison in comparisons) + passes * 3 // 2,
                unit=" draws",
                unit_scale=True,
                disable=None if progress else True,
            ) as bar,
        ):

            def drawn(instance: Instance, mode: str) -> Draw:
                number = numbered.index(instance)

                def draw(lists: Iterable[Sequence[str]]) -> Iterator[list[Output]]:
                    for outputs in processes.outputs(Request(number, mode, x) for x in lists):
                        bar.update(len(outputs))
                        yield outputs

                return draw

            noise = fresh.fresh_noise(processes, quiet, instances.quiet, samples // _FRESH, alpha)
            about = processes.ask(Request(quiet, "about", ("texts", "source")))
            parts = [
                inequality(
                    comparison.name,
                    Sampling(
                        drawn(comparison.instance, comparison.mode),
                        comparison.inputs,
                        comparison.samples,
                        alpha,
                        texts=comparison.mode == "texts",
                    ),
                    comparison.instance.epsilon,
                    comparison.distances,
                    comparison.places,
                )
                for comparison in comparisons
                if comparison.mode != "texts" or "texts" in about
            ]
            whole = drawn(instances.whole, "words")
            again = samples // _AGAIN
            parts.append(returned.returned_words(whole, instances.whole, passes, again, alpha))
            parts.append(noise)
            if "source" in about:
                parts.append(randomness.random_source(processes, quiet, instances.quiet, alpha))
    return Audit(
        bundle=bundle.path.resolve().name,
        subject=str(subject),
        metric="hamming" if embeddings is None else "euclidean",
        samples=samples,
        false_alarm_rate=false_alarm_rate,
        smallest_violation=smallest_violation(samples, alpha),
        parts=tuple(parts),
    )


def _read_instances(bundle: Bundle, source: str | Path, progress: bool) -> Instances:
    from brr_toolchain.verify.source_checks import read_source

    embeddings = read_source(bundle, source, progress)
    if list(embeddings.words) != [bundle.vocabulary.word(i) for i in range(len(bundle))]:
        raise ParameterError(
            f"{source}: its words aren't the bundle's; give the embeddings it was built from"
        )
    return vector_instances(embeddings.words, embeddings.vectors)


@dataclass(frozen=True, eq=False)
class _Comparison:
    """Inputs whose ordered pairs are tested.

    Attributes:
        name: of the part.
        instance: what the audited code is made on.
        mode: how it is called.
        inputs: what goes in.
        distances: float64[n, n] between the inputs, at most.
        samples: draws of each input.
        places: float32[n, d], the inputs' vectors, if they have one each.
    """

    name: str
    instance: Instance
    mode: str
    inputs: Sequence[Input]
    distances: NDArray[np.float64]
    samples: int
    places: NDArray[np.float32] | None = None

    @property
    def tests(self) -> int:
        """Number of ordered pairs."""
        return len(self.inputs) * (len(self.inputs) - 1)

    @property
    def draws(self) -> int:
        """Number of draws of all inputs."""
        return sum(map(len, self.inputs)) * (self.samples // 2 + self.samples)


def _comparisons(instances: Instances, ours: bool, samples: int) -> list[_Comparison]:
    """Return what is compared.

    Args:
        instances: what the audit runs on.
        ours: a mechanism of the runtime, which claims that an unknown word is as any word.
        samples: the number of draws that was asked for.
    """
    quiet = instances.quiet

    def words(instance: Instance, count: int) -> _Comparison:
        return _Comparison(
            instance.name,
            instance,
            "words",
            [(word,) for word in instance.words],
            instance.distances,
            count,
            instance.vectors,
        )

    def among(
        name: str, mode: str, chosen: Sequence[Input], apart: float, count: int
    ) -> _Comparison:
        return _Comparison(
            name, quiet, mode, chosen, np.full((len(chosen), len(chosen)), apart), count
        )

    unknown: list[Input] = [(word,) for word in inputs.unknown_words(quiet.words)]
    titles = [(word.title(),) for word in quiet.words if word.title() != word][:_TITLES]
    if ours:
        unknown += [(word,) for word in quiet.words[:2]]
    several = inputs.TOKENS * quiet.diameter
    result = [words(instances.near, samples), words(instances.own, samples // 2)]
    if instances.far and instances.crowd:
        crowd = instances.crowd
        result += [
            words(instances.far, samples // 2),
            _Comparison(
                crowd.name,
                crowd,
                "words",
                [(word,) for word in crowd.words[:2]],
                crowd.distances[:2, :2],
                2 * samples,
            ),
        ]
    result.append(
        among("unknown words", "words", unknown, quiet.diameter if ours else 0, samples // 4)
    )
    if len(titles) > 1:
        result.append(among("capitals", "words", titles, quiet.diameter, samples // 4))
    if instances.far:
        texts: list[Input] = [(text,) for text in inputs.texts(quiet.words)]
        result.append(among("texts", "texts", texts, several, samples // 5))
    sequences = inputs.sequences(quiet.words)
    return [*result, among("successive calls", "calls", sequences, several, samples // 4)]
