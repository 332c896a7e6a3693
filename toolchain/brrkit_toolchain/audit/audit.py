"""``brr audit``: a statistical test of the metric-DP inequality in running code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from brrkit import Memory, ParameterError, WordBundle
from brrkit.exact import as_number, check_cap
from brrkit.mechanisms import create_mechanism
from brrkit.mechanisms.exponential import check_radius
from brrkit.policy import NO_POLICY
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
    coins,
    list_members,
    long_texts,
    noise_reuse,
    random_source,
    rare_pairs,
    shared_noise,
    stand_ins,
    unchanged_outputs,
)
from brrkit_toolchain.audit.parts.clipping import LARGEST_DELTA, clipping_comparisons
from brrkit_toolchain.audit.parts.replays import Replayed
from brrkit_toolchain.audit.result import NO_POLICY_PARTS, NO_TEXTS, UNSEEN, Audit, Part
from brrkit_toolchain.defaults import AUDIT_FALSE_ALARM_RATE, AUDIT_SAMPLES
from brrkit_toolchain.io.files import temporary_folder

if TYPE_CHECKING:
    from brrkit_toolchain.io.progress import Progress

_SAMPLES_RANGE = (1_000, 1_000_000_000)
_FALSE_ALARM_RANGE = (1e-12, 0.5)

VOCABULARY_DRAWS_PER_SAMPLE = 20
"""Number of draws of the whole vocabulary, which show whether some word is released too often."""

SHARED_NOISE_DRAWS_PER_SAMPLE = 3 / 2
"""Number of draws of each process that are compared with one another."""

_SAMPLES_PER_DRAW_OF_A_SUSPECT = 20
_SAMPLES_PER_DRAW_OF_A_RARE_PAIR = 10
_SAMPLES_PER_SEQUENCE = 5
_SAMPLES_PER_LONG_TEXT = 100

_PERIOD = 86_400.0  # seconds; length of a period of the memory in a policy's audit

_TESTS = sum(
    part.TESTS
    for part in (
        noise_reuse,
        long_texts,
        random_source,
        rare_pairs,
        unchanged_outputs,
        shared_noise,
        stand_ins,
    )
)


@dataclass(frozen=True)
class _Extent:
    """The extent of an audit; the fields are arguments of ``audit_mechanism``."""

    samples: int
    false_alarm_rate: float
    progress: bool

    def check(self) -> None:
        """Raise ParameterError if a number is out of range."""
        if not _SAMPLES_RANGE[0] <= self.samples <= _SAMPLES_RANGE[1]:
            raise ParameterError(
                f"samples must be from {_SAMPLES_RANGE[0]:,} to {_SAMPLES_RANGE[1]:,}"
            )
        if not _FALSE_ALARM_RANGE[0] <= as_number(self.false_alarm_rate) <= _FALSE_ALARM_RANGE[1]:
            raise ParameterError(
                f"the false-alarm rate must be from {_FALSE_ALARM_RANGE[0]:g} to "
                f"{_FALSE_ALARM_RANGE[1]:g}, not {self.false_alarm_rate}"
            )


def audit_mechanism(
    bundle: WordBundle,
    mechanism: str,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    *,
    samples: int = AUDIT_SAMPLES,
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE,
    progress: bool = False,
) -> Audit:
    """Audit a mechanism of the runtime for the Hamming distance, in the way that an app runs it.

    Args:
        bundle: an opened bundle, whose words are used.
        mechanism: ``exponential``, ``brr`` or ``vickrey``.
        parameters: parameters of the mechanism: ``radius``, ``base`` and ``cap`` for
            ``exponential``, ``t`` and ``k`` for ``vickrey``.
        samples: number of draws of every input that test the events, at least 1,000. Half as many
            further draws choose the events.
        false_alarm_rate: largest probability that a correct mechanism fails; 1e-12 to 0.5.
        progress: show a bar on standard error, if that is a terminal.

    Raises:
        ParameterError: a parameter is unknown or out of range, or the bundle too small.
    """
    setting = Setting(1.0, mechanism, parameters)
    return _audit_own(bundle, setting, None, _Extent(samples, false_alarm_rate, progress))


def audit_setting(
    bundle: WordBundle,
    setting: Setting | None = None,
    *,
    samples: int = AUDIT_SAMPLES,
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE,
    progress: bool = False,
) -> Audit:
    """Audit a setting: its mechanism, and its guarantee on the bundle.

    Args:
        bundle: an opened bundle.
        setting: a setting; by default, the bundle's recommended setting.
        samples: as for ``audit_mechanism``.
        false_alarm_rate: as for ``audit_mechanism``.
        progress: as for ``audit_mechanism``.

    Raises:
        ParameterError: there is no setting; or as for ``audit_mechanism``.
        BundleError: the recommended setting can't be run.
    """
    chosen, _ = resolve(bundle, setting)
    name = "recommended" if setting is None else "setting"
    instance = setting_instance(bundle, name, chosen, progress)
    return _audit_own(bundle, chosen, instance, _Extent(samples, false_alarm_rate, progress))


def _audit_own(
    bundle: WordBundle, setting: Setting, instance: Instance | None, extent: _Extent
) -> Audit:
    """Audit a setting's mechanism, at the audit's epsilons, and the setting on its ``instance``."""
    parameters = dict(setting.parameters)
    t = parameters.get("t")
    if isinstance(t, Sequence) and len(t) > WORDS:
        raise ParameterError(
            f"an audit runs on {WORDS} words: give at most that many values of t, not {len(t)}"
        )
    created = create_mechanism(bundle, setting)
    if hasattr(created, "base"):  # the bundle's default, also where small ones have bigrams
        parameters["base"] = created.base
    from brrkit_toolchain.channel import default_parameters  # not on top: workers need no compiler

    known = default_parameters(setting.mechanism, bundle.word_bits)
    radius = check_radius({**known, **parameters}.get("radius", 0), bundle.word_bits)
    cap = check_cap(parameters["cap"]) if "cap" in parameters else None
    weight = parameters.get("task_weight", 1)

    def make_instances(folder: Path) -> Instances:
        return replace(code_instances(bundle, folder, radius, cap, weight), setting=instance)

    result = _audit(Subject(setting.mechanism, parameters), bundle, make_instances, extent)
    return replace(result, parts=(*result.parts, *_policy_parts(bundle, setting)))


def _policy_parts(bundle: WordBundle, setting: Setting) -> list[Part]:
    """Audit the guarantees of a bundle's policy, if it has one."""
    if bundle.policy == NO_POLICY:
        return []
    with temporary_folder() as folder:
        replayed = Replayed.of(bundle, setting)
        remembering = Replayed.of(bundle, setting, Memory(_PERIOD, Path(folder) / "key"))
        parts = [
            list_members.audit_list_members(replayed),
            list_members.audit_memory_by_member(remembering),
        ]
        if bundle.policy.passing is not None:
            parts.append(coins.audit_coins(replayed, remembering, bundle.policy.passing))
    return parts


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
    """Audit the callable that a factory returns.

    Without ``embeddings``, the factory is called with an opened ``WordBundle`` and epsilon, and
    returns a callable that takes a word and returns a word. The metric is the Hamming distance
    between codes. If the callable has a method ``text``, which takes and returns a text, texts are
    audited, too. With ``embeddings``, the factory is called with words (list of n), their vectors
    (float32[n, d]) and epsilon. Its callable returns a word or a vector of any length, and the
    metric is the Euclidean distance between the vectors. For words other than these, the callable
    may also raise an error or return None.

    Args:
        bundle: an opened bundle, whose words are used.
        factory: "module:function"; modules in the current directory are found, too.
        embeddings: the embeddings of the bundle, for the Euclidean metric.
        radius: radius of the audited mechanism in bits, if it has one: words are placed around it.
        samples: as for ``audit_mechanism``.
        false_alarm_rate: as for ``audit_mechanism``.
        progress: as for ``audit_mechanism``.

    Raises:
        AuditError: the audited code can't be imported, raises an error, returns an invalid output,
            ends its process, or hangs.
        EmbeddingsError: the embeddings can't be read.
        ParameterError: a parameter is out of range, the bundle is too small, or the embeddings
            don't fit its words.
    """
    radius = check_radius(radius, bundle.bits)

    def make_instances(folder: Path) -> Instances:
        if embeddings is not None:
            return _read_instances(bundle, embeddings, progress)
        return code_instances(bundle, folder, radius)

    return _audit(
        Subject(factory=factory),
        bundle,
        make_instances,
        _Extent(samples, false_alarm_rate, progress),
        metric="hamming" if embeddings is None else "euclidean",
    )


def audit_vectors(
    factory: str,
    *,
    delta: float = 0.0,
    samples: int = AUDIT_SAMPLES,
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE,
    progress: bool = False,
) -> Audit:
    """Audit a mechanism on vectors that claims (epsilon, delta) between ANY two vectors.

    The factory is called with names (list of n), vectors (float32[n, d], of any length), epsilon
    and delta. It clips vectors to 1, in a norm of its choice. It returns a callable that takes a
    name and returns the private form of its vector, of any length.

    Args:
        factory: "module:function"; modules in the current directory are found, too.
        delta: delta of the claim, from 0 to 0.01.
        samples: as for ``audit_mechanism``.
        false_alarm_rate: as for ``audit_mechanism``.
        progress: as for ``audit_mechanism``.

    Raises:
        AuditError: as for ``audit_factory``.
        ParameterError: a parameter is out of range.
    """
    _Extent(samples, false_alarm_rate, progress).check()
    if not 0 <= as_number(delta) <= LARGEST_DELTA:
        raise ParameterError(f"delta must be from 0 to {LARGEST_DELTA:g}, not {delta}")
    subject = Subject(factory=factory)
    comparisons = clipping_comparisons(delta, samples)
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
        noise = noise_reuse.audit_noise_reuse(
            processes, quiet, instances[quiet], samples // _SAMPLES_PER_SEQUENCE, alpha
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


# Imported only here: workers import this module, too, and bars and embeddings take long to import.


def _bar(draws: int, progress: bool) -> Progress:
    """Return a progress bar on stderr, if that is a terminal."""
    from brrkit_toolchain.io.progress import Progress

    return Progress(
        desc="Auditing",
        total=draws,
        unit=" draws",
        unit_scale=True,
        progress=progress,
    )


def _draw(processes: Processes, number: int, mode: str, bar: Progress) -> Draw:
    def draw(lists: Iterable[Sequence[str]]) -> Iterator[list[Output]]:
        for outputs in processes.outputs(Request(number, mode, x) for x in lists):
            bar.update(len(outputs))
            yield outputs

    return draw


def _audit(
    subject: Subject,
    bundle: WordBundle,
    make_instances: Callable[[Path], Instances],
    extent: _Extent,
    metric: Literal["hamming", "euclidean"] = "hamming",
) -> Audit:
    """Audit ``subject`` on the instances from ``make_instances``, in a temporary folder."""
    extent.check()
    samples = extent.samples
    # Full-size noise is slow, so there are fewer passes through the vocabulary with it.
    passes = samples if metric == "euclidean" else VOCABULARY_DRAWS_PER_SAMPLE * samples
    with temporary_folder() as folder:
        instances = make_instances(folder)
        comparisons = all_comparisons(instances, samples)
        # Each test that can raise an alarm gets the same share of the rate.
        tests = sum(comparison.tests for comparison in comparisons)
        alpha = extent.false_alarm_rate / (tests + _TESTS)
        draws = sum(comparison.draws for comparison in comparisons) + passes
        with (
            start(subject, list(instances), folder) as processes,
            _bar(draws, extent.progress) as bar,
        ):
            parts = _parts(processes, bar, instances, comparisons, samples, passes, alpha)
    unseen = []
    if metric == "hamming" and not any(part.name == "texts" for part in parts):
        unseen.append(NO_TEXTS)
    if subject.factory and metric == "hamming" and bundle.policy != NO_POLICY:
        unseen.append(NO_POLICY_PARTS)
    return Audit(
        bundle=bundle.path.resolve().name,
        subject=str(subject),
        metric=metric,
        samples=samples,
        false_alarm_rate=extent.false_alarm_rate,
        smallest_violation=smallest_violation(samples, alpha),
        parts=tuple(parts),
        unseen=(*unseen, *UNSEEN),
    )


def _parts(
    processes: Processes,
    bar: Progress,
    instances: Instances,
    comparisons: Sequence[Comparison],
    samples: int,
    passes: int,
    alpha: float,
) -> list[Part]:
    """Run the parts of an audit that apply to the audited code, each test at ``alpha``."""
    numbered = list(instances)
    quiet = numbered.index(instances.quiet)

    def drawn(instance: Instance, mode: str) -> Draw:
        return _draw(processes, numbered.index(instance), mode, bar)

    noise = noise_reuse.audit_noise_reuse(
        processes, quiet, instances.quiet, samples // _SAMPLES_PER_SEQUENCE, alpha
    )
    about = processes.ask(Request(quiet, "about", ("texts",)))
    parts = [
        comparison.test(drawn(comparison.instance, comparison.mode), alpha)
        for comparison in comparisons
        if comparison.mode not in TEXT_MODES or "texts" in about
    ]
    if instances.loud.bundle is not None:
        loud = drawn(instances.loud, "words")
        parts.append(stand_ins.audit_stand_ins(loud, instances.loud, samples, alpha))
    whole, draw = instances.whole, drawn(instances.whole, "words")
    released = unchanged_outputs.release_vocabulary(draw, whole, passes)
    parts.append(
        unchanged_outputs.audit_unchanged_outputs(
            draw, whole, released, samples // _SAMPLES_PER_DRAW_OF_A_SUSPECT, alpha
        )
    )
    parts.append(
        rare_pairs.audit_rare_pairs(
            draw, whole, released, samples // _SAMPLES_PER_DRAW_OF_A_RARE_PAIR, alpha
        )
    )
    if "texts" in about:
        texts = drawn(whole, "texts")
        parts.append(
            long_texts.audit_long_texts(texts, whole, samples // _SAMPLES_PER_LONG_TEXT, alpha)
        )
    draws = round(SHARED_NOISE_DRAWS_PER_SAMPLE * samples)
    flat = numbered.index(instances.flat)
    parts.append(shared_noise.audit_shared_noise(processes, flat, instances.flat, draws, alpha))
    parts.append(noise)
    parts.append(random_source.audit_random_source(processes, quiet, instances.quiet, alpha))
    return parts


def _read_instances(
    bundle: WordBundle, source: str | os.PathLike[str], progress: bool
) -> Instances:
    from brrkit_toolchain.embeddings.of_bundle import read_source

    embeddings = read_source(bundle, source, progress)
    if list(embeddings.words) != list(bundle.vocabulary):
        raise ParameterError(
            f"{source}: its words aren't the bundle's; give the bundle's own embeddings"
        )
    return vector_instances(embeddings.words, embeddings.vectors)
