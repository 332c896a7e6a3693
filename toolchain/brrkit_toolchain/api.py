"""What ``brr calibrate`` and ``brr measure`` do, as functions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, WordBundle
from brrkit.mechanisms.exponential import UNIFORM, check_base
from brrkit.resolve import resolve
from brrkit.setting import DEFAULT_MECHANISM, Setting
from brrkit_toolchain.attackers.closed_list import AmongAttack, attack_among, read_list
from brrkit_toolchain.attackers.texts.attackers_by_name import Attacker
from brrkit_toolchain.attackers.texts.from_files import TextFiles, measure_attackers
from brrkit_toolchain.attackers.texts.guess_words import Guess, guess_words
from brrkit_toolchain.attackers.texts.text_attack import TOKENS, TextAttack
from brrkit_toolchain.calibrate.goals import (
    AttackSuccess,
    Over,
    TextAttackSuccess,
    Unchanged,
    word_attacker,
)
from brrkit_toolchain.calibrate.search import Calibration, calibrate
from brrkit_toolchain.calibrate.tasks import TASK_SHARE
from brrkit_toolchain.calibrate.texts import TextCalibration, calibrate_to_text
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import read_matching
from brrkit_toolchain.language.word_sample import DRAWS, SAMPLE, chosen_words, sample_words
from brrkit_toolchain.utility.mechanism import Measurement, measure_mechanism
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy, task_accuracies

SUCCESS = 0.2
"""An attacker's success where no goal is given: a place to start from."""


def calibrate_words(
    bundle: WordBundle,
    *,
    attack_success: float | None = None,
    worst: float | None = None,
    unchanged: float | None = None,
    attacker: str | None = None,
    mechanism: str = DEFAULT_MECHANISM,
    base: str | None = None,
    cap: float | None = None,
    task_weight: int | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    progress: bool = False,
) -> Calibration:
    """Find a mechanism's setting that keeps most meaning, for words that are typed one at a time.

    Running text is more exposed: see ``calibrate_text``.

    Args:
        bundle: an opened bundle.
        attack_success: share of typed words that the attacker names, at most; between 0 and 1. By
            default 0.2, if there is no other goal.
        worst: how often they name the least protected 1% of the words, at most; between 0 and 1,
            for ``exponential`` only. By default 2.1 times ``attack_success`` (half way from that to
            1, if it is less), where the attacker is ``isolated``.
        unchanged: instead: share of typed words that come out as themselves, at most.
        attacker: ``isolated``, who holds all words to be as likely (the default where the base is
            ``uniform``), or ``frequencies``, who knows how often words are typed (the default for
            another base).
        mechanism: ``exponential``, ``brr`` or ``vickrey``.
        base: of ``exponential``: ``uniform``, ``unigram`` or ``bigram``; by default the last that
            the bundle has.
        cap: of ``exponential``: what the loss between any two words never exceeds. By default the
            smallest that costs at most 2% of what is kept.
        task_weight: of ``exponential``: how many times a differing task bit counts, from 0 to 16;
            by default 1. ``calibrate_text`` chooses it.
        sample: number of words that are measured.
        seed: of the sample and the draws.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: a number is out of range, or the mechanism can't reach the goal.
        BundleError: the manifest has no usable distances.
    """
    of = check_base(base, bundle.masses) if mechanism == DEFAULT_MECHANISM else UNIFORM
    who = word_attacker(attacker, of)
    goal: AttackSuccess | Unchanged
    if unchanged is None:
        goal = AttackSuccess(SUCCESS if attack_success is None else attack_success, worst, who)
    elif attack_success is not None or worst is not None:
        raise ParameterError("attack_success, with worst, and unchanged are two goals; give one")
    else:
        goal = Unchanged(unchanged, who)
    return calibrate(
        bundle,
        goal,
        mechanism=mechanism,
        base=base,
        cap=cap,
        task_weight=task_weight,
        sample=sample,
        seed=seed,
        progress=progress,
    )


def calibrate_text(
    bundle: WordBundle,
    text: str | os.PathLike[str],
    *,
    attack_success: float = SUCCESS,
    attacker: Attacker = "sentence",
    over: Over = "content",
    public_text: str | os.PathLike[str] | None = None,
    column: str | None = None,
    base: str | None = None,
    cap: float | None = None,
    task_weight: int | None = None,
    task_share: float = TASK_SHARE,
    seed: int = 0,
    progress: bool = False,
) -> TextCalibration:
    """Find the setting of ``exponential`` that keeps most of a text, under a limit on an attacker.

    Args:
        bundle: an opened bundle.
        text: file of texts like those that users type.
        attack_success: share of typed words that the attacker names, at most; between 0 and 1.
        attacker: ``isolated``, ``frequencies``, ``sentence``, who knows the language and sees all
            that was released, or ``informed``, who knows all other words as typed.
        over: which words count: ``content``, those beyond the 150 most frequent, or ``all``.
        public_text: file of public texts that attackers have, besides the bundle and the rest of
            ``text``.
        column: what holds the texts, where the files are tables.
        base: as for ``calibrate_words``.
        cap: as for ``calibrate_words``.
        task_weight: how many times a differing task bit counts, from 0 to 16. By default, where the
            bundle has texts to measure its tasks with, the one that keeps most of the words' other
            meaning and ``task_share`` of what the tasks can have at this attack success; else 1.
        task_share: above 0, up to 1.
        seed: of the texts that are drawn, and of the draws.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: a number is out of range, a file can't be read, is too short or of another
            language, or the goal can't be reached.
        BundleError: the manifest has no usable distances.
    """
    goal = TextAttackSuccess(Path(text).name, attack_success, attacker, over)
    return calibrate_to_text(
        bundle,
        goal,
        text,
        public_text=public_text,
        column=column,
        base=base,
        cap=cap,
        task_weight=task_weight,
        task_share=task_share,
        seed=seed,
        progress=progress,
    )


def measure_words(
    bundle: WordBundle,
    setting: Setting | None = None,
    *,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    words: Sequence[str] | None = None,
    sample: int = SAMPLE,
    draws: int = DRAWS,
    seed: int = 0,
    progress: bool = False,
) -> Measurement:
    """Measure how private a mechanism is at one setting, and what it costs.

    Args:
        bundle: an opened bundle.
        setting: of ``exponential``, ``brr`` or ``vickrey``; with ``embeddings`` also of the
            full-size ``laplace``, ``mahalanobis`` and ``laplace-vickrey``, whose epsilon is per
            unit of their own distance. None for the one that the bundle recommends.
        embeddings: what the bundle was built from, for the full-size mechanisms: a file, or what
            ``embeddings.of_bundle.read_matching`` returned.
        words: these words are measured, each by itself, too. By default, a sample.
        sample: number of words that are drawn, by Zipf's law on the ranks; at least 2.
        draws: releases of each, at least 2.
        seed: of the sample and the draws.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: the mechanism or a parameter is unknown or out of range, the bundle
            recommends nothing, or it was built from other embeddings.
        OutOfVocabularyError: one of ``words`` isn't in the vocabulary.
        BundleError: the manifest has no usable distances, or doesn't say what it was built from.
        EmbeddingsError: the embeddings can't be read.
    """
    setting = in_force(bundle, setting)
    if words is None:
        typed = sample_words(np.arange(len(bundle)), sample, seed, draws)
    else:
        typed = chosen_words(bundle, words, draws)
    return measure_mechanism(
        bundle,
        setting,
        typed,
        vectors=_vectors(bundle, embeddings, progress),
        draws=draws,
        seed=seed,
        each_word=words is not None,
        progress=progress,
    )


def measure_text(
    bundle: WordBundle,
    text: str | os.PathLike[str] | TextFiles,
    setting: Setting | None = None,
    *,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    tokens: int = TOKENS,
    seed: int = 0,
    progress: bool = False,
) -> TextAttack:
    """Measure how often attackers are right about the words of a text, at one setting.

    Args:
        bundle: an opened bundle.
        text: file of texts like those that users type; some are drawn and released. A ``TextFiles``
            where it is a table, or attackers have public texts besides.
        setting: as in ``measure_words``.
        embeddings: as in ``measure_words``, and for the cosine.
        tokens: about how many words are released.
        seed: of the texts that are drawn, and of the releases.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        ParameterError: as ``measure_words``; or a file can't be read, is too short or of another
            language.
        BundleError: the manifest doesn't say what the bundle was built from.
        EmbeddingsError: the embeddings can't be read.
    """
    setting = in_force(bundle, setting)
    return measure_attackers(
        bundle,
        TextFiles.of(text),
        setting,
        vectors=_vectors(bundle, embeddings, progress),
        tokens=tokens,
        seed=seed,
        progress=progress,
    )


def measure_tasks(
    bundle: WordBundle,
    setting: Setting | None = None,
    *,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    seed: int = 0,
    progress: bool = False,
) -> tuple[TaskAccuracy, ...]:
    """Measure what classifiers of released text reach of the bundle's tasks, at one setting.

    An attacker learns a text's class as well as they do.

    Args:
        bundle: an opened bundle.
        setting: as in ``measure_words``.
        embeddings: as in ``measure_words``.
        seed: of the releases.
        progress: show bars on standard error, where that is a terminal.

    Returns:
        What was found of each task; nothing where the bundle has no tasks, or no longer the texts
        to measure them with.

    Raises:
        ParameterError: as ``measure_words``.
        BundleError: the texts are damaged, or the manifest doesn't say what the bundle was built
            from.
        EmbeddingsError: the embeddings can't be read.
    """
    setting = in_force(bundle, setting)
    vectors = _vectors(bundle, embeddings, progress)
    return task_accuracies(bundle, setting, vectors, seed=seed)


def measure_among(
    bundle: WordBundle,
    lists: Sequence[str | os.PathLike[str]],
    setting: Setting | None = None,
    *,
    embeddings: str | os.PathLike[str] | Embeddings | None = None,
    seed: int = 0,
    progress: bool = False,
) -> tuple[AmongAttack, ...]:
    """Measure how often attackers are right who know that the typed word is one of a list.

    They hold the words of the list to be as likely, and see independent releases of the word, each
    typed by itself and without a memory.

    Args:
        bundle: an opened bundle.
        lists: files of words, one a line, each for attackers of its own; words that the bundle
            hasn't are only counted.
        setting: as in ``measure_words``.
        embeddings: what the bundle was built from, for the full-size mechanisms: a file, or what
            ``embeddings.of_bundle.read_matching`` returned.
        seed: of the words that are typed, and of the releases.
        progress: show bars on standard error, where that is a terminal.

    Returns:
        What was found of each list.

    Raises:
        ParameterError: as ``measure_words``; or a file can't be read, or has too few or too many
            words of the vocabulary.
        BundleError: the manifest doesn't say what the bundle was built from.
        EmbeddingsError: the embeddings can't be read.
    """
    if isinstance(lists, str | os.PathLike):
        raise ParameterError("lists are several paths, not one; give a list of them")
    setting = in_force(bundle, setting)
    read = [read_list(path, bundle) for path in lists]
    vectors = _vectors(bundle, embeddings, progress)
    return attack_among(bundle, read, setting, vectors=vectors, seed=seed, progress=progress)


def guess_texts(
    bundle: WordBundle, released: Sequence[str], setting: Setting | None = None
) -> list[list[Guess]]:
    """Guess what was typed, as an attacker does who reads released texts and has the bundle.

    They know the mechanism, and of the language the bundle's masses and bigrams. One who knows more
    of the language is right more often: see ``measure_text``.

    Args:
        bundle: an opened bundle.
        released: texts that ``Privatizer`` released with it.
        setting: of a mechanism of the device. By default the one that the bundle recommends.

    Returns:
        For each text, a guess for each of its words.

    Raises:
        ParameterError: as ``measure_words``; or a word isn't one of the bundle's.
        BundleError: the recommended setting can't be run.
    """
    if isinstance(released, str):
        raise ParameterError("released texts are a list of strings, not one; give a list")
    return guess_words(bundle, released, resolve(bundle, setting)[0])


def in_force(bundle: WordBundle, setting: Setting | None) -> Setting:
    """Return the given setting, which may be a full-size mechanism's, or the recommended one.

    Raises:
        ParameterError: none is given, and ``bundle`` recommends none; or its certificate is of
            another setting or bundle.
        BundleError: the recommended one can't be run.
    """
    if setting is not None and setting.certificate is None:
        return setting  # whose values are checked where its mechanism is made
    return resolve(bundle, setting)[0]


def _vectors(
    bundle: WordBundle, embeddings: str | os.PathLike[str] | Embeddings | None, progress: bool
) -> NDArray[np.float32] | None:
    """Return those that ``bundle`` was built from, if they are given."""
    if embeddings is None:
        return None
    if isinstance(embeddings, Embeddings):
        return embeddings.vectors
    return read_matching(bundle, embeddings, progress=progress).vectors
