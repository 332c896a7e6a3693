"""The measured content of the page."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from brrkit import OutOfVocabularyError, Privatizer, WordBundle
from brrkit.bundle import MANIFEST, PARITY
from brrkit.mechanisms import MECHANISMS
from brrkit.resolve import resolve
from brrkit.setting import DEFAULT_MECHANISM, Measured, Setting
from brrkit_toolchain.attackers.closed_list import AmongAttack, WordList, attack_among
from brrkit_toolchain.attackers.exposure import ExposedWord, measure_exposure
from brrkit_toolchain.attackers.one_word import WORD_ATTACKERS, WordAttacker
from brrkit_toolchain.attackers.texts.knowledge import Knowledge
from brrkit_toolchain.attackers.texts.text_attack import attack_text
from brrkit_toolchain.attackers.writers.labeled_texts import WritersTexts
from brrkit_toolchain.attackers.writers.named import WriterAttack, attack_writers
from brrkit_toolchain.audit import audit_mechanism
from brrkit_toolchain.bundle.verify import verify_bundle
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.manifest_info import ManifestInfo, manifest_info
from brrkit_toolchain.channel.privacy_loss.distances import metric_of, stated_distance
from brrkit_toolchain.io.machine import describe_machine
from brrkit_toolchain.language.cut_words import cut_words
from brrkit_toolchain.language.lexicon import with_ranked_words
from brrkit_toolchain.language.texts import TypedText
from brrkit_toolchain.language.word_sample import chosen_words
from brrkit_toolchain.report.playground import playground_page
from brrkit_toolchain.report.stated_curves import attack_curves, utility_curves
from brrkit_toolchain.report.statements.facts import (
    Facts,
    Tests,
    TextResult,
    VocabularyResult,
    summarize_measured,
    summarize_result,
)
from brrkit_toolchain.report.statements.guarantee import guarantee_of
from brrkit_toolchain.tasks import TASKS
from brrkit_toolchain.utility.curves import MeasuredSetting, measure_curves
from brrkit_toolchain.utility.task_accuracy import measure_tasks

_EVERYDAY = (
    "coffee", "london", "doctor", "happy", "money", "football", "diabetes", "lawyer", "monday",
    "pregnant", "guitar", "paris",
)  # fmt: skip
_EXAMPLES = 8
_EXAMPLE_ESTIMATED_LOSSES = (10.0, 20.0, 30.0, 44.0, 80.0)
_TIMED_WORDS = 300
_EXAMPLE_ATTACK_SUCCESS = 0.2
_WORDS_OF_NEAREST_LIST = 20
_MOST_PLAYGROUND_BYTES = 4_000_000


@dataclass(frozen=True)
class Examples:
    """Examples of releases, one of each word.

    Attributes:
        mechanism: name of the mechanism.
        epsilons: epsilons per bit, ascending.
        rows: a word, and its release at each epsilon.
    """

    mechanism: str
    epsilons: tuple[float, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class TextToRead:
    """Texts that attackers read.

    Attributes:
        name: name of their file.
        language_name: name of the attackers' file of public text; None without one.
        typed: the texts to release.
        knows: the attackers' knowledge of the language.
        vectors: float32[n, d] of the vocabulary, for the cosine; None to leave it out.
        writers: the texts by their writers, for each column with writers.
    """

    name: str
    language_name: str | None
    typed: Sequence[TypedText]
    knows: Knowledge
    vectors: NDArray[np.float32] | None
    writers: Mapping[str, WritersTexts]


@dataclass(frozen=True)
class Content:
    """The content of the page.

    Attributes:
        name: name of the bundle's directory.
        manifest: the bundle's manifest.
        stated: the manifest's statements.
        facts: guarantee, measured results and tests of the setting.
        utility: the manifest's field ``utility``; None if it isn't in the form of a build.
        attack: the manifest's field ``attack``, at the losses of ``utility``; None likewise.
        device_bytes: size of the files in an app: all but ``parity.json``.
        setting: the setting that the page explains and marks.
        origin: whether the setting is ``recommended`` by the manifest, ``given``, or an
            ``example``.
        attacker: the attacker whose success is plotted, for words typed one at a time.
        exposed: the words with the largest attack success; empty if it wasn't computed.
        language_name: name of the file of public text of attackers who read a text; None without
            one.
        among: attack success of attackers who know that the word is in a file, at the setting.
        typed: number of words that can be typed: all words of a bundle that passes verification.
        shared_codes: number of words that share a more frequent word's code; ``brr`` never releases
            them.
        rows: every mechanism over a range of epsilon.
        examples: examples by mechanism, the setting's first.
        microseconds: median time for a single word by mechanism, on this machine.
        machine: description of this machine.
        playground: a separate page, on which a reader can try the bundle; None if its
            ``device_bytes`` exceed ``most_playground_bytes``.
        most_playground_bytes: largest size of a bundle in a page.
    """

    name: str
    manifest: Mapping[str, Any]
    stated: ManifestInfo
    facts: Facts
    utility: Mapping[str, Any] | None
    attack: Mapping[str, Any] | None
    device_bytes: int
    setting: Setting
    origin: Literal["recommended", "given", "example"]
    attacker: WordAttacker
    exposed: Sequence[ExposedWord]
    language_name: str | None
    among: Sequence[AmongAttack]
    typed: int
    shared_codes: int
    rows: tuple[MeasuredSetting, ...]
    examples: tuple[Examples, ...]
    microseconds: dict[str, float]
    machine: dict[str, Any]
    playground: str | None
    most_playground_bytes: int


def measure_content(
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
    """Measure the content of the page; arguments are those of ``write_report_page``.

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
    row = _marked_row(rows, chosen)
    setting = row.setting
    names = sorted(MECHANISMS, key=lambda name: name != setting.mechanism)
    listed = attack_among(
        bundle, [*lists, *_nearest_lists(bundle, examples)], setting, seed=seed, progress=progress
    )
    measured = None if chosen is None else chosen.measured
    exposures = measure_exposure(bundle, setting, progress=progress)
    alone = measured is not None and measured.text is None
    read = None if text is None else _attack(bundle, text, setting, seed, progress)
    facts = Facts(
        guarantee=guarantee_of(bundle, chosen or setting, seed=seed),
        unchanged=measured.unchanged if measured is not None and alone else row.unchanged,
        exposures=exposures,
        vocabulary_result=None if exposures else _vocabulary_result(row, measured, attacker),
        text_result=read,
        text_summary=summarize_measured(measured) if read is None else summarize_result(read),
        alike=listed[len(lists) :],
        tasks=measure_tasks(bundle, setting, seed=seed),
        tests=_run_tests(bundle, setting.mechanism, audit, progress),
        writers=() if text is None else _name(bundle, text, setting, seed, progress),
    )
    device_bytes = (bundle.path / MANIFEST).stat().st_size + sum(
        entry["size"] for name, entry in manifest["files"].items() if name not in (PARITY, TASKS)
    )
    return Content(
        name=bundle.path.absolute().name,
        manifest=manifest,
        stated=manifest_info(manifest),
        facts=facts,
        utility=utility_curves(manifest.get("utility")),
        attack=attack_curves(manifest.get("attack"), manifest.get("utility")),
        device_bytes=device_bytes,
        setting=setting,
        origin="given" if given else "recommended" if chosen else "example",
        attacker=attacker,
        exposed=next((each.exposed for each in exposures if each.attacker == attacker), ()),
        language_name=None if text is None else text.language_name,
        among=listed[: len(lists)],
        typed=len(bundle) - len(cut_words(with_ranked_words(bundle.tokenizer))),
        shared_codes=len(bundle) - len(np.unique(bundle.codes, axis=0)),
        rows=tuple(rows),
        examples=tuple(_release(bundle, name, examples) for name in names),
        microseconds={name: _time(bundle, name, setting.epsilon, seed) for name in MECHANISMS},
        machine=describe_machine(("numpy",)),
        playground=playground_page(bundle) if device_bytes <= _MOST_PLAYGROUND_BYTES else None,
        most_playground_bytes=_MOST_PLAYGROUND_BYTES,
    )


def _vocabulary_result(
    row: MeasuredSetting, measured: Measured | None, attacker: WordAttacker
) -> VocabularyResult:
    """Return the result of draws when the setting was chosen, or else of new draws."""
    if measured is None or measured.text is not None or measured.attacker != attacker:
        return VocabularyResult(attacker, row.attack_success)
    return VocabularyResult(attacker, measured.attack_success)


def _run_tests(bundle: WordBundle, mechanism: str, audit: bool, progress: bool) -> Tests:
    """Verify the bundle and audit the mechanism, or with ``audit=False`` run nothing."""
    today = datetime.now(timezone.utc).date()
    if not audit:
        return Tests(today, mechanism, None, None)
    verification = verify_bundle(bundle.path, progress=progress)
    audited = audit_mechanism(bundle, mechanism, progress=progress)
    return Tests(today, mechanism, verification, audited)


def _attack(
    bundle: WordBundle, text: TextToRead, setting: Setting, seed: int, progress: bool
) -> TextResult:
    """Return the attack success on ``text`` at ``setting``."""
    release, evidence = Channel(bundle, setting).release_and_evidence(np.random.default_rng(seed))
    found = attack_text(
        text.typed,
        text.knows,
        evidence,
        release,
        vectors=text.vectors,
        seed=seed,
        progress=progress,
    )
    return TextResult(text.name, found)


def _name(
    bundle: WordBundle, text: TextToRead, setting: Setting, seed: int, progress: bool
) -> list[WriterAttack]:
    """Return the success of attackers who name the writers of ``text``, in frames if any."""
    channel = Channel(bundle, setting)
    words = None if bundle.frames is None else bundle.frames.words
    return [
        attack_writers(channel, texts, name, frame_words=words, seed=seed, progress=progress)
        for name, texts in text.writers.items()
    ]


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
    known += [word for word in bundle.vocabulary if word not in known and word.isalpha()]
    return known[:_EXAMPLES]


def _release(bundle: WordBundle, mechanism: str, words: Sequence[str]) -> Examples:
    average = stated_distance(bundle, "hamming", "average")
    epsilons = tuple(estimated_loss / average for estimated_loss in _EXAMPLE_ESTIMATED_LOSSES)
    columns = [Privatizer(bundle, Setting(e, mechanism)).words(list(words)) for e in epsilons]
    rows = zip(words, zip(*columns, strict=True), strict=True)
    return Examples(mechanism, epsilons, tuple(rows))


def _nearest_lists(bundle: WordBundle, words: Sequence[str]) -> list[WordList]:
    """Return a list for each of ``words``, with the word and those nearest to it by code."""
    size = min(_WORDS_OF_NEAREST_LIST, len(bundle))
    if size < 2:
        return []
    ids = chosen_words(bundle, words).tokens
    nearest, _ = bundle.index.nearest(bundle.codes[ids], size)
    lists = []
    for word, own, near in zip(words, ids, nearest, strict=True):
        # A word that shares its code with others may not be among its own nearest words.
        others = near[near != own][: size - 1]
        name = f"{word} and the {size - 1} words nearest to it"
        lists.append(WordList(name, np.sort(np.append(others, own)), 0))
    return lists


def _time(bundle: WordBundle, mechanism: str, epsilon: float, seed: int) -> float:
    privatizer = Privatizer(bundle, Setting(epsilon, mechanism))
    ids = np.random.default_rng(seed).integers(len(bundle), size=_TIMED_WORDS)
    seconds = []
    for word in [bundle.vocabulary.word(i) for i in ids]:
        start = time.perf_counter()
        privatizer.word(word)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds)) * 1e6


def _marked_row(rows: Sequence[MeasuredSetting], chosen: Setting | None) -> MeasuredSetting:
    """Return the chosen setting's row, or the default's nearest to an attack success of 0.2."""
    if chosen is not None:
        return next(row for row in rows if row.setting.as_run == chosen.as_run)
    candidates = [row for row in rows if row.setting.mechanism == DEFAULT_MECHANISM]
    return min(candidates, key=lambda row: abs(row.attack_success.value - _EXAMPLE_ATTACK_SUCCESS))
