"""``brr audit``: does running code keep the metric-DP inequality? A statistical test of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from brrkit import ParameterError, WordBundle
from brrkit.exact import as_number, check_cap
from brrkit.mechanisms import create_mechanism
from brrkit.mechanisms.exponential import check_radius
from brrkit.resolve import resolve
from brrkit.setting import Setting
from brrkit_toolchain.audit.audited_code.processes import Processes, Request, start
from brrkit_toolchain.audit.audited_code.subject import Output, Subject
from brrkit_toolchain.audit.instances import (
    WORDS,
    Instance,
    Instances,
    code_instances,
    setting_instance,
    vector_instances,
)
from brrkit_toolchain.audit.pairs.bounds import smallest_violation
from brrkit_toolchain.audit.pairs.comparisons import TEXT_MODES, Comparison, all_comparisons
from brrkit_toolchain.audit.pairs.sampling import Draw
from brrkit_toolchain.audit.parts import (
    long_texts,
    noise_reuse,
    random_source,
    rare_pairs,
    shared_noise,
    unchanged_outputs,
)
from brrkit_toolchain.audit.parts.clipping import LARGEST_DELTA, comparisons_of_any_two
from brrkit_toolchain.audit.result import NO_TEXTS, UNSEEN, Audit, Part
from brrkit_toolchain.defaults import AUDIT_FALSE_ALARM_RATE, AUDIT_SAMPLES
from brrkit_toolchain.io.files import temporary_folder

_SAMPLES = (1_000, 1_000_000_000)
_RATES = (1e-12, 0.5)

RELEASED = 20
"""Times the samples: words that are drawn to see whether they, or others, come out too often."""

SHARED = 3 / 2
"""Times the samples: draws of each process that are compared with one another."""

_AGAIN = 20  # the samples over this: draws of a word that came back
_AGAIN_PAIRS = 10  # the same of a pair that is suspected
_FRESH = 5  # the samples over this: sequences that are looked at for repeats
_LONG = 100  # the samples over this: long texts

_TESTS = sum(
    part.TESTS
    for part in (
        noise_reuse,
        long_texts,
        random_source,
        rare_pairs,
        unchanged_outputs,
        shared_noise,
    )
)


def audit_mechanism(
    bundle: WordBundle,
    mechanism: str,
    *,
    samples: int = AUDIT_SAMPLES,
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE,
    progress: bool = False,
    **parameters: Any,
) -> Audit:
    """Audit a mechanism of the runtime, as an app runs it, for the Hamming distance.

    Args:
        bundle: an opened bundle, which words are cut from.
        mechanism: ``exponential``, ``brr`` or ``vickrey``.
        samples: draws of every input that test the events, at least 1,000; half as many again
            choose them.
        false_alarm_rate: probability that a correct mechanism fails, at most; 1e-12 to 0.5.
        progress: show a bar on standard error, where that is a terminal.
        **parameters: of the mechanism: ``radius``, ``base`` and ``cap`` for ``exponential``, ``t``
            and ``k`` for ``vickrey``.

    Raises:
        ParameterError: a parameter is unknown or out of range, or the bundle too small.
    """
    return _audit_own(
        bundle, Setting(1.0, mechanism, parameters), None, samples, false_alarm_rate, progress
    )


def audit_setting(
    bundle: WordBundle,
    setting: Setting | None = None,
    *,
    samples: int = AUDIT_SAMPLES,
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE,
    progress: bool = False,
) -> Audit:
    """Audit a setting: its mechanism, and what it promises on the bundle.

    Args:
        bundle: an opened bundle.
        setting: by default, the one that the bundle recommends.
        samples: as for ``audit_mechanism``.
        false_alarm_rate: as for ``audit_mechanism``.
        progress: as for ``audit_mechanism``.

    Raises:
        ParameterError: there is none, or as ``audit_mechanism``.
        BundleError: the recommended setting can't be run.
    """
    chosen, _ = resolve(bundle, setting)
    name = "recommended" if setting is None else "setting"
    instance = setting_instance(bundle, name, chosen, progress)
    return _audit_own(bundle, chosen, instance, samples, false_alarm_rate, progress)


def _audit_own(
    bundle: WordBundle,
    setting: Setting,
    instance: Instance | None,
    samples: int,
    false_alarm_rate: float,
    progress: bool,
) -> Audit:
    """Audit a setting's mechanism, at epsilons of the audit's own and on its own ``instance``."""
    parameters = dict(setting.parameters)
    t = parameters.get("t")
    if isinstance(t, Sequence) and len(t) > WORDS:
        raise ParameterError(
            f"an audit runs on {WORDS} words: give at most so many values of t, not {len(t)}"
        )
    made = create_mechanism(bundle, setting)
    if hasattr(made, "base"):  # the bundle's default, also where small ones have bigrams
        parameters["base"] = made.base
    from brrkit_toolchain.channel import default_parameters  # the workers need no compiler

    known = default_parameters(setting.mechanism, bundle.word_bits)
    radius = check_radius({**known, **parameters}.get("radius", 0), bundle.word_bits)
    cap = check_cap(parameters["cap"]) if "cap" in parameters else None
    subject = Subject(setting.mechanism, parameters)
    return _audit(subject, bundle, None, radius, samples, false_alarm_rate, progress, instance, cap)


def audit_factory(
    bundle: WordBundle,
    factory: str,
    *,
    embeddings: str | os.PathLike[str] | None = None,
    radius: int = 0,
    samples: int = AUDIT_SAMPLES,
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE,
    progress: bool = False,
) -> Audit:
    """Audit what a factory makes.

    Without ``embeddings``, the factory is called with an opened ``WordBundle`` and epsilon, and
    returns a callable that takes a word and returns a word; the metric is the Hamming distance of
    the codes. If the callable has a method ``text``, from a text to a text, texts are audited, too.
    With embeddings, it is called with words (list of n), their vectors (float32[n, d]) and
    epsilon; its callable returns a word or a vector of any length; the metric is the Euclidean
    distance of the vectors. A word outside what was given may also raise or return None.

    Args:
        bundle: an opened bundle, which words are cut from.
        factory: "module:function"; the current directory's modules are found, too.
        embeddings: what the bundle was built from, for the Euclidean metric.
        radius: in bits, if what the factory makes has one: words are placed around it.
        samples: as for ``audit_mechanism``.
        false_alarm_rate: as for ``audit_mechanism``.
        progress: as for ``audit_mechanism``.

    Raises:
        AuditError: the audited code can't be imported, raises, returns what is no output, ends its
            process, or hangs.
        EmbeddingsError: the embeddings can't be read.
        ParameterError: a parameter is out of range, the bundle is too small, or the embeddings
            aren't those of its words.
    """
    subject = Subject(factory=factory)
    radius = check_radius(radius, bundle.bits)
    return _audit(subject, bundle, embeddings, radius, samples, false_alarm_rate, progress)


def audit_vectors(
    factory: str,
    *,
    delta: float = 0.0,
    samples: int = AUDIT_SAMPLES,
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE,
    progress: bool = False,
) -> Audit:
    """Audit a mechanism on vectors whose claim is (epsilon, delta) between ANY two vectors.

    The factory is called with names (list of n), vectors (float32[n, d], of any length), epsilon
    and delta; the clip is 1, in the norm of its choice. It returns a callable that takes a name
    and returns the private form of its vector, of any length.

    Args:
        factory: "module:function"; the current directory's modules are found, too.
        delta: of the claim, from 0 to 0.01.
        samples: as for ``audit_mechanism``.
        false_alarm_rate: as for ``audit_mechanism``.
        progress: as for ``audit_mechanism``.

    Raises:
        AuditError: as ``audit_factory``.
        ParameterError: a parameter is out of range.
    """
    _check(samples, false_alarm_rate)
    if not 0 <= as_number(delta) <= LARGEST_DELTA:
        raise ParameterError(f"delta must be from 0 to {LARGEST_DELTA:g}, not {delta}")
    subject = Subject(factory=factory)
    comparisons = comparisons_of_any_two(delta, samples)
    instances = [comparison.instance for comparison in comparisons]
    alpha = false_alarm_rate / (
        sum(comparison.tests for comparison in comparisons) + noise_reuse.TESTS
    )
    with (
        temporary_folder() as folder,
        start(subject, instances, folder) as processes,
        _bar(sum(comparison.draws for comparison in comparisons), progress) as bar,
    ):
        quiet = len(instances) - 1
        noise = noise_reuse.fresh_noise(
            processes, quiet, instances[quiet], samples // _FRESH, alpha
        )
        parts = [
            comparison.test(_draw(processes, number, comparison.mode, bar), alpha)
            for number, comparison in enumerate(comparisons)
        ]
    return Audit(
        bundle="",
        subject=str(subject),
        metric="any",
        samples=samples,
        false_alarm_rate=false_alarm_rate,
        smallest_violation=smallest_violation(samples, alpha),
        parts=(*parts, noise),
    )


# Workers import this module, too: they need neither bars nor embeddings, which take long to import.


def _bar(draws: int, progress: bool) -> Any:
    """Return a bar on stderr, if that's a terminal."""
    from brrkit_toolchain.io.progress import Progress

    return Progress(
        desc="Auditing",
        total=draws,
        unit=" draws",
        unit_scale=True,
        progress=progress,
    )


def _draw(processes: Processes, number: int, mode: str, bar: Any) -> Draw:
    def draw(lists: Iterable[Sequence[str]]) -> Iterator[list[Output]]:
        for outputs in processes.outputs(Request(number, mode, x) for x in lists):
            bar.update(len(outputs))
            yield outputs

    return draw


def _audit(
    subject: Subject,
    bundle: WordBundle,
    embeddings: str | os.PathLike[str] | None,
    radius: int,
    samples: int,
    false_alarm_rate: float,
    progress: bool,
    setting: Instance | None = None,
    cap: float | None = None,
) -> Audit:
    _check(samples, false_alarm_rate)
    # Noise in full size takes long, and returned words are drawn in full size.
    passes = samples if embeddings else RELEASED * samples
    with temporary_folder() as folder:
        instances = _instances(subject, bundle, embeddings, folder, radius, cap, progress, setting)
        comparisons = all_comparisons(instances, samples)
        # Everything that can raise an alarm gets the same share of the rate.
        tests = sum(comparison.tests for comparison in comparisons)
        alpha = false_alarm_rate / (tests + _TESTS)
        draws = sum(comparison.draws for comparison in comparisons) + passes
        with (
            start(subject, list(instances), folder) as processes,
            _bar(draws, progress) as bar,
        ):
            parts = _parts(processes, bar, instances, comparisons, samples, passes, alpha)
    return Audit(
        bundle=bundle.path.resolve().name,
        subject=str(subject),
        metric="hamming" if embeddings is None else "euclidean",
        samples=samples,
        false_alarm_rate=false_alarm_rate,
        smallest_violation=smallest_violation(samples, alpha),
        parts=tuple(parts),
        unseen=UNSEEN if embeddings or _has_texts(parts) else (NO_TEXTS, *UNSEEN),
    )


def _instances(
    subject: Subject,
    bundle: WordBundle,
    embeddings: str | os.PathLike[str] | None,
    folder: Path,
    radius: int,
    cap: float | None,
    progress: bool,
    setting: Instance | None,
) -> Instances:
    """Return what is audited: of codes, or of vectors where the embeddings are given."""
    if embeddings is not None:
        return _read_instances(bundle, embeddings, progress)
    weight = subject.parameters.get("task_weight", 1)
    return replace(code_instances(bundle, folder, radius, cap, weight), setting=setting)


def _parts(
    processes: Processes,
    bar: Any,
    instances: Instances,
    comparisons: Sequence[Comparison],
    samples: int,
    passes: int,
    alpha: float,
) -> list[Part]:
    """Run the parts of an audit that the audited code has, each test at ``alpha``."""
    numbered = list(instances)
    quiet = numbered.index(instances.quiet)

    def drawn(instance: Instance, mode: str) -> Draw:
        return _draw(processes, numbered.index(instance), mode, bar)

    noise = noise_reuse.fresh_noise(processes, quiet, instances.quiet, samples // _FRESH, alpha)
    about = processes.ask(Request(quiet, "about", ("texts",)))
    parts = [
        comparison.test(drawn(comparison.instance, comparison.mode), alpha)
        for comparison in comparisons
        if comparison.mode not in TEXT_MODES or "texts" in about
    ]
    whole, draw = instances.whole, drawn(instances.whole, "words")
    released = unchanged_outputs.released_words(draw, whole, passes)
    parts.append(unchanged_outputs.returned_words(draw, whole, released, samples // _AGAIN, alpha))
    parts.append(rare_pairs.rare_pairs(draw, whole, released, samples // _AGAIN_PAIRS, alpha))
    if "texts" in about:
        texts = drawn(whole, "texts")
        parts.append(long_texts.long_texts(texts, whole, samples // _LONG, alpha))
    draws = round(SHARED * samples)
    flat = numbered.index(instances.flat)
    parts.append(shared_noise.shared_noise(processes, flat, instances.flat, draws, alpha))
    parts.append(noise)
    parts.append(random_source.random_source(processes, quiet, instances.quiet, alpha))
    return parts


def _has_texts(parts: Sequence[Part]) -> bool:
    return any(part.name == "texts" for part in parts)


def _check(samples: int, false_alarm_rate: float) -> None:
    if not _SAMPLES[0] <= samples <= _SAMPLES[1]:
        raise ParameterError(f"samples must be from {_SAMPLES[0]:,} to {_SAMPLES[1]:,}")
    if not _RATES[0] <= as_number(false_alarm_rate) <= _RATES[1]:
        raise ParameterError(
            f"the false-alarm rate must be from {_RATES[0]:g} to {_RATES[1]:g}, "
            f"not {false_alarm_rate}"
        )


def _read_instances(
    bundle: WordBundle, source: str | os.PathLike[str], progress: bool
) -> Instances:
    from brrkit_toolchain.embeddings.of_bundle import read_source

    embeddings = read_source(bundle, source, progress)
    if list(embeddings.words) != list(bundle.vocabulary):
        raise ParameterError(
            f"{source}: its words aren't the bundle's; give the embeddings it was built from"
        )
    return vector_instances(embeddings.words, embeddings.vectors)
