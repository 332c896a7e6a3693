"""Everything that the page says, measured."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nextafter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from brrkit import OutOfVocabularyError, Privatizer, WordBundle
from brrkit.bundle import MANIFEST, PARITY
from brrkit.counts import RandomizedResponse
from brrkit.hamming import HammingIndex
from brrkit.mechanisms import MECHANISMS
from brrkit.resolve import resolve
from brrkit.setting import DEFAULT_MECHANISM, CountsSetting, Measured, Setting
from brrkit_toolchain.attack.among import AmongAttack, WordList, attack_among
from brrkit_toolchain.attack.knowledge import Knowledge
from brrkit_toolchain.attack.text import TextAttack, attack_text
from brrkit_toolchain.audit import Audit, audit_mechanism
from brrkit_toolchain.bundle.manifest_info import ManifestInfo, manifest_info
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.estimate.shuffled import Shuffled, shuffled
from brrkit_toolchain.io.machine import describe_machine
from brrkit_toolchain.language.texts import TypedText
from brrkit_toolchain.measure.attack import (
    WORD_ATTACKERS,
    WordAttacker,
    make_prior,
    weighted_success,
)
from brrkit_toolchain.measure.curves import MeasuredSetting, measure_curves
from brrkit_toolchain.measure.distances import PairStatistics, metric_of, stated_distance
from brrkit_toolchain.measure.sample import chosen_words
from brrkit_toolchain.measure.tasks import TaskAccuracy, task_accuracies
from brrkit_toolchain.report.playground import playground_page
from brrkit_toolchain.report.stated_curves import attack_curves, utility_curves
from brrkit_toolchain.tasks import TASKS

_EVERYDAY = (
    "coffee", "london", "doctor", "happy", "money", "football", "diabetes", "lawyer", "monday",
    "pregnant", "guitar", "paris",
)  # fmt: skip
_EXAMPLES = 8
_EXAMPLE_ESTIMATED_LOSSES = (10.0, 20.0, 30.0, 44.0, 80.0)
_NEIGHBOR_SAMPLE = 500
_TIMED_WORDS = 300
_NAMED = 0.2  # attack success of the setting that is shown where none is recommended
_EXPOSED = 12  # words that are named
_ALIKE = 20  # words of a list: an example and those nearest to it
_MOST_PLAYGROUND_BYTES = 4_000_000
_REPORTERS, _DELTA = 100_000, 1e-6  # of the central guarantee that is shown


@dataclass(frozen=True)
class Examples:
    """What words became, once each.

    Attributes:
        mechanism: by name.
        epsilons: per bit, ascending.
        rows: a word, and its release at each epsilon.
    """

    mechanism: str
    epsilons: tuple[float, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Exposed:
    """A word that the attacker names more often than others.

    Attributes:
        word: of the vocabulary.
        success: the probability that they name it, given that it was typed.
        unchanged: that it comes out as itself.
    """

    word: str
    success: float
    unchanged: float


@dataclass(frozen=True)
class CountsLoss:
    """The bundle's setting for counts, and what is proven of it.

    Attributes:
        setting: as the manifest has it.
        loss: between any two words of a report, exact and rounded up.
        shuffled: central guarantee of a reporter with ``setting.words_a_day`` of the reports.
        reporters: so many, with as many reports each, are shuffled together.
    """

    setting: CountsSetting
    loss: float
    shuffled: Shuffled
    reporters: int


@dataclass(frozen=True)
class TextToRead:
    """Texts that attackers read.

    Attributes:
        name: of their file.
        language_name: of the file of public text that the attackers have; None for none.
        typed: what is released.
        knows: what the attackers know of the language.
        vectors: float32[n, d] of the vocabulary, for the cosine; None to leave it out.
    """

    name: str
    language_name: str | None
    typed: Sequence[TypedText]
    knows: Knowledge
    vectors: NDArray[np.float32] | None


@dataclass(frozen=True)
class Content:
    """What the page says.

    Attributes:
        name: of the bundle's directory.
        manifest: of the bundle.
        stated: what that states.
        hamming: distances of the codes, in the metric of the setting: task bits are weighted.
        utility: its field; None where it isn't as a build writes it.
        attack: likewise, at the losses of ``utility``.
        device_bytes: what goes into an app: everything but ``parity.json``.
        row: the setting that the page explains and marks, and what it gives.
        origin: whether that is ``recommended`` by the manifest, ``given``, or an ``example``.
        promise: what a word loses per bit, at most: the certified epsilon if there is one, or else
            the setting's.
        attacker: whose success is plotted, of words typed one at a time.
        measured: what the manifest says was measured of the setting; None if it doesn't.
        exposed: the words that ``attacker`` names most often; empty where it isn't computed.
        counts: the setting for counts; None if the bundle recommends none.
        text: what attackers read; None if no text was given.
        found: what they learned, at the setting; None likewise.
        tasks: what classifiers of released text reach of the bundle's tasks, at the setting.
        among: what attackers learn who know that the word is one of a file's, at the setting.
        alike: the same of an example and the words nearest to it, for each example.
        neighbor_distance: median distance of a word to its nearest other word, as in ``hamming``.
        shared_codes: words whose code a more frequent word has, and that can never come out.
        rows: every mechanism over a range of epsilon.
        examples: by mechanism, the setting's first.
        microseconds: median time of a single word by mechanism, here.
        machine: what that was measured on.
        audits: one for each mechanism; empty if none was asked for.
        playground: a page of its own, on which a reader tries the bundle; None if its
            ``device_bytes`` are more than ``most_playground_bytes``.
        most_playground_bytes: that a page takes.
    """

    name: str
    manifest: Mapping[str, Any]
    stated: ManifestInfo
    hamming: PairStatistics
    utility: Mapping[str, Any] | None
    attack: Mapping[str, Any] | None
    device_bytes: int
    row: MeasuredSetting
    origin: Literal["recommended", "given", "example"]
    promise: float
    attacker: WordAttacker
    measured: Measured | None
    exposed: tuple[Exposed, ...]
    counts: CountsLoss | None
    text: TextToRead | None
    found: TextAttack | None
    tasks: tuple[TaskAccuracy, ...]
    among: tuple[AmongAttack, ...]
    alike: tuple[AmongAttack, ...]
    neighbor_distance: float
    shared_codes: int
    rows: tuple[MeasuredSetting, ...]
    examples: tuple[Examples, ...]
    microseconds: dict[str, float]
    machine: dict[str, Any]
    audits: tuple[Audit, ...]
    playground: str | None
    most_playground_bytes: int


def gather(
    bundle: WordBundle,
    words: Sequence[str] | None,
    text: TextToRead | None,
    lists: Sequence[WordList],
    given: Setting | None,
    *,
    audit: bool,
    seed: int,
    progress: bool,
) -> Content:
    """Measure what the page says about ``bundle``; the others are as in ``write_report_page``.

    Raises:
        BrrError: the manifest has no distances of the codes, or a word isn't in the vocabulary.
    """
    manifest = bundle.manifest
    metric_of(Setting(1.0), bundle)
    examples = _example_words(bundle, words)
    chosen = given or bundle.recommended
    settings: list[Setting] = []
    attacker = WORD_ATTACKERS[0]
    if chosen is not None:
        chosen, _ = resolve(bundle, given)
        settings = [chosen]
        if chosen.measured is not None:
            attacker = next((p for p in WORD_ATTACKERS if p == chosen.measured.attacker), attacker)
    rows = measure_curves(
        bundle, settings=settings, attacker=attacker, seed=seed, progress=progress
    )
    row = _row(rows, chosen)
    setting = row.setting
    names = sorted(MECHANISMS, key=lambda name: name != setting.mechanism)
    listed = attack_among(
        bundle, [*lists, *_alike(bundle, examples)], setting, seed=seed, progress=progress
    )
    device_bytes = (bundle.path / MANIFEST).stat().st_size + sum(
        entry["size"] for name, entry in manifest["files"].items() if name not in (PARITY, TASKS)
    )
    return Content(
        name=bundle.path.absolute().name,
        manifest=manifest,
        stated=manifest_info(manifest),
        hamming=metric_of(setting, bundle),
        utility=utility_curves(manifest.get("utility")),
        attack=attack_curves(manifest.get("attack"), manifest.get("utility")),
        device_bytes=device_bytes,
        row=row,
        origin="given" if given else "recommended" if chosen else "example",
        promise=(chosen and chosen.certified_epsilon) or setting.epsilon,
        attacker=attacker,
        measured=None if chosen is None else chosen.measured,
        exposed=_exposed(bundle, setting, attacker, progress),
        counts=_counts(bundle),
        text=text,
        found=None if text is None else _read(bundle, text, setting, seed, progress),
        tasks=task_accuracies(bundle, setting, seed=seed),
        among=listed[: len(lists)],
        alike=listed[len(lists) :],
        neighbor_distance=_neighbor_distance(Channel(bundle, setting).codes, seed),
        shared_codes=len(bundle) - len(np.unique(bundle.codes, axis=0)),
        rows=tuple(rows),
        examples=tuple(_release(bundle, name, examples) for name in names),
        microseconds={name: _time(bundle, name, setting.epsilon, seed) for name in MECHANISMS},
        machine=describe_machine(("numpy",)),
        audits=tuple(
            audit_mechanism(bundle, name, progress=progress) for name in (names if audit else ())
        ),
        playground=playground_page(bundle) if device_bytes <= _MOST_PLAYGROUND_BYTES else None,
        most_playground_bytes=_MOST_PLAYGROUND_BYTES,
    )


def _exposed(
    bundle: WordBundle, setting: Setting, attacker: WordAttacker, progress: bool
) -> tuple[Exposed, ...]:
    """Return the words that an attacker who sees one names most often; exact."""
    channel = Channel(bundle, setting)
    if channel.weighted is None:
        return ()
    found = weighted_success(channel, make_prior(attacker, len(bundle)), progress=progress)
    unchanged = channel.everything.unchanged(channel.weights)
    return tuple(
        Exposed(bundle.vocabulary.word(i), float(found.words[i]), float(unchanged[i]))
        for i in np.argsort(-found.words, kind="stable")[:_EXPOSED].tolist()
    )


def _counts(bundle: WordBundle) -> CountsLoss | None:
    setting = bundle.counts
    if setting is None:
        return None
    symbols, each = len(bundle) + 1, setting.words_a_day
    response = RandomizedResponse.of(setting.cap, symbols)
    kept = nextafter(float(response.kept), 1)
    central = shuffled(kept, symbols, _REPORTERS * each, each, _DELTA)
    return CountsLoss(setting, response.loss, central, _REPORTERS)


def _read(
    bundle: WordBundle, text: TextToRead, setting: Setting, seed: int, progress: bool
) -> TextAttack:
    """Return what attackers learn of ``text`` at ``setting``."""
    release, evidence = Channel(bundle, setting).release_and_evidence(np.random.default_rng(seed))
    return attack_text(
        text.typed,
        text.knows,
        evidence,
        release,
        vectors=text.vectors,
        seed=seed,
        progress=progress,
    )


def _example_words(bundle: WordBundle, words: Sequence[str] | None) -> list[str]:
    normalize, find = bundle.tokenizer.normalize, bundle.vocabulary.find
    if words is not None:
        for place, word in enumerate(words, start=1):
            if find(normalize(word)) is None:
                raise OutOfVocabularyError(
                    f"example word {place} of {len(words)} isn't in the vocabulary; choose another"
                )
        return list(words)
    known = [word for word in _EVERYDAY if find(word) is not None]
    frequent = (bundle.vocabulary.word(i) for i in range(len(bundle)))
    known += [word for word in frequent if word not in known and word.isalpha()][:_EXAMPLES]
    return known[:_EXAMPLES]


def _release(bundle: WordBundle, mechanism: str, words: Sequence[str]) -> Examples:
    average = stated_distance(bundle, "hamming", "average")
    epsilons = tuple(estimated_loss / average for estimated_loss in _EXAMPLE_ESTIMATED_LOSSES)
    columns = [Privatizer(bundle, Setting(e, mechanism)).words(list(words)) for e in epsilons]
    rows = zip(words, zip(*columns, strict=True), strict=True)
    return Examples(mechanism, epsilons, tuple(rows))


def _alike(bundle: WordBundle, words: Sequence[str]) -> list[WordList]:
    """Return a list of each of ``words`` and those nearest to it by code."""
    size = min(_ALIKE, len(bundle))
    if size < 2:
        return []
    ids = chosen_words(bundle, words).tokens
    nearest, _ = bundle.index.nearest(bundle.codes[ids], size)
    lists = []
    for word, own, near in zip(words, ids, nearest, strict=True):
        # Of words that share a code it need not be among the nearest to itself.
        others = near[near != own][: size - 1]
        name = f"{word} and the {size - 1} words nearest to it"
        lists.append(WordList(name, np.sort(np.append(others, own)), 0))
    return lists


def _neighbor_distance(codes: NDArray[np.uint64], seed: int) -> float:
    generator = np.random.default_rng(seed)
    ids = generator.choice(len(codes), min(_NEIGHBOR_SAMPLE, len(codes)), replace=False)
    _, distances = HammingIndex(codes).nearest(codes[ids], 2)
    return float(np.median(distances[:, 1]))


def _time(bundle: WordBundle, mechanism: str, epsilon: float, seed: int) -> float:
    privatizer = Privatizer(bundle, Setting(epsilon, mechanism))
    ids = np.random.default_rng(seed).integers(len(bundle), size=_TIMED_WORDS)
    seconds = []
    for word in [bundle.vocabulary.word(i) for i in ids]:
        start = time.perf_counter()
        privatizer.word(word)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds)) * 1e6


def _row(rows: Sequence[MeasuredSetting], chosen: Setting | None) -> MeasuredSetting:
    """Return the chosen setting's row, or the default's nearest to an attack success of 0.2.

    What the bundle says was measured of its setting is taken from there.
    """
    if chosen is None:
        candidates = [row for row in rows if row.setting.mechanism == DEFAULT_MECHANISM]
        return min(candidates, key=lambda row: abs(row.attack_success.value - _NAMED))
    row = next(row for row in rows if row.setting.as_run == chosen.as_run)
    measured = chosen.measured
    if measured is None:
        return row
    return replace(
        row,
        unchanged=measured.unchanged,
        attack_success=measured.attack_success,
        worst=None if measured.worst is None else measured.worst.value,
    )
