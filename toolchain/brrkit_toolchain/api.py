"""What ``brr calibrate`` and ``brr measure`` do, as functions."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, WordBundle
from brrkit.resolve import resolve
from brrkit.setting import Setting
from brrkit_toolchain.attackers.closed_list import AmongAttack, attack_among, read_list
from brrkit_toolchain.attackers.texts.from_files import TextFiles, measure_attackers
from brrkit_toolchain.attackers.texts.guess_words import Guess, guess_words
from brrkit_toolchain.attackers.texts.text_attack import TOKENS, TextAttack
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import read_matching
from brrkit_toolchain.language.word_sample import DRAWS, SAMPLE, chosen_words, sample_words
from brrkit_toolchain.utility.mechanism import Measurement, measure_mechanism
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy, task_accuracies


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
