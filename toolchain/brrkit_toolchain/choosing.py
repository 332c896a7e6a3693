"""Choosing a setting in Python: what ``brr calibrate`` and ``brr measure`` do, as functions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.mechanisms import DEFAULT_MECHANISM
from brrkit.mechanisms.exponential import UNIFORM, check_base
from brrkit.setting import Setting
from brrkit_toolchain.attackers.among import AmongAttack, attack_among, read_list
from brrkit_toolchain.attackers.guesses import Attacker
from brrkit_toolchain.attackers.measure import measure_attackers
from brrkit_toolchain.attackers.text import TOKENS, TextAttack
from brrkit_toolchain.calibrate.goals import AttackSuccess, Over, TextAttackSuccess, word_attacker
from brrkit_toolchain.calibrate.search import calibrate
from brrkit_toolchain.calibrate.texts import calibrate_to_text, check_for_text
from brrkit_toolchain.embeddings.of_bundle import read_matching
from brrkit_toolchain.measure.mechanism import Measurement, measure_mechanism
from brrkit_toolchain.measure.sample import DRAWS, SAMPLE, sample_words


def calibrate_bundle(
    bundle: WordBundle,
    *,
    attack_success: float = 0.2,
    worst: float | None = None,
    text: str | os.PathLike[str] | None = None,
    language: str | os.PathLike[str] | None = None,
    column: str | None = None,
    attacker: Attacker | None = None,
    over: Over = "content",
    mechanism: str = DEFAULT_MECHANISM,
    base: str | None = None,
    cap: float | None = None,
    progress: bool = False,
) -> Setting:
    """Find the setting of a mechanism that keeps most meaning under a limit on an attacker.

    With a text, it is what an attacker learns of that; running text is more exposed than single
    words are. Without, it is of words typed one at a time.

    Args:
        bundle: an opened bundle.
        attack_success: share of typed words that the attacker names, at most; between 0 and 1.
        worst: how often they name the least protected 1% of the words, at most; between 0 and 1,
            for ``exponential`` and without a text only. By default 2.1 times ``attack_success``
            (half way from that to 1, if it is less), where the attacker is ``isolated``.
        text: file of texts like those that users type.
        language: with a text: file of public texts that attackers have, besides the bundle and the
            rest of ``text``.
        column: with a text: what holds the texts, where the files are tables.
        attacker: ``isolated``, who sees one word and holds all to be as likely (the default without
            a text where the base is ``uniform``), or ``frequencies``, who knows how often words are
            typed (the default for another base). Of a text also
            ``sentence``, who knows the language and sees all that was released (the default), or
            ``informed``, who knows all other words as typed.
        over: with a text: which words count: ``content``, those beyond the 150 most frequent, or
            ``all``.
        mechanism: ``exponential``, ``brr`` or ``vickrey``; with a text the first only.
        base: of ``exponential``: ``uniform``, ``words`` or ``language``; by default the last that
            the bundle has.
        cap: of ``exponential``: what the loss between any two words never exceeds. By default the
            smallest that costs at most 2% of what is kept.
        progress: show bars on standard error, where that is a terminal.

    Returns:
        The setting, with what was measured of it, and for ``exponential`` its certificate for the
        bundle's vocabulary. ``write_recommended`` puts it into the bundle.

    Raises:
        ParameterError: a number is out of range, a file can't be read, is too short or of another
            language, or the mechanism can't reach the goal.
        BundleError: the manifest has no usable distances.
    """
    if text is None:
        if language is not None or column is not None:
            raise ParameterError("language and column are of a text; give that, too")
        of = check_base(base, bundle.masses) if mechanism == DEFAULT_MECHANISM else UNIFORM
        word_goal = AttackSuccess(attack_success, worst, word_attacker(attacker, of))
        return calibrate(
            bundle, word_goal, mechanism=mechanism, base=base, cap=cap, progress=progress
        ).setting
    check_for_text(mechanism, worst)
    goal = TextAttackSuccess(Path(text).name, attack_success, attacker or "sentence", over)
    return calibrate_to_text(
        bundle, goal, text, language=language, column=column, base=base, cap=cap, progress=progress
    ).setting


def measure_bundle(
    bundle: WordBundle,
    epsilon: float | None = None,
    *,
    mechanism: str | None = None,
    embeddings: str | os.PathLike[str] | None = None,
    sample: int = SAMPLE,
    draws: int = DRAWS,
    seed: int = 0,
    progress: bool = False,
    **parameters: Any,
) -> Measurement:
    """Measure how private a mechanism is at one setting, and what it costs.

    Args:
        bundle: an opened bundle.
        epsilon: per unit of the mechanism's own distance; for those on codes, per bit. None for the
            setting that the bundle recommends, all of it.
        mechanism: with ``epsilon``: ``exponential`` (by default), ``brr`` or ``vickrey``; with
            ``embeddings`` also the full-size ``laplace``, ``mahalanobis`` and ``laplace-vickrey``.
        embeddings: what the bundle was built from, for the full-size mechanisms.
        sample: number of words that are drawn, by Zipf's law on the ranks; at least 2.
        draws: releases of each, at least 2.
        seed: of the sample and the draws.
        progress: show bars on standard error, where that is a terminal.
        **parameters: of the mechanism.

    Raises:
        ParameterError: the mechanism or a parameter is unknown or out of range, the bundle
            recommends nothing, or it was built from other embeddings.
        BundleError: the manifest has no usable distances, or doesn't say what it was built from.
        EmbeddingsError: the embeddings can't be read.
    """
    mechanism, epsilon, parameters = _setting(bundle, mechanism, epsilon, parameters)
    vectors = _vectors(bundle, embeddings, progress)
    return measure_mechanism(
        bundle,
        mechanism,
        epsilon,
        sample_words(np.arange(len(bundle)), sample, seed, draws),
        vectors=vectors,
        draws=draws,
        seed=seed,
        progress=progress,
        **parameters,
    )


def measure_text(
    bundle: WordBundle,
    text: str | os.PathLike[str],
    epsilon: float | None = None,
    *,
    mechanism: str | None = None,
    language: str | os.PathLike[str] | None = None,
    column: str | None = None,
    embeddings: str | os.PathLike[str] | None = None,
    tokens: int = TOKENS,
    seed: int = 0,
    progress: bool = False,
    **parameters: Any,
) -> TextAttack:
    """Measure how often attackers are right about the words of a text, at one setting.

    Args:
        bundle: an opened bundle.
        text: file of texts like those that users type; some are drawn and released.
        epsilon: as in ``measure_bundle``.
        mechanism: as in ``measure_bundle``.
        language: file of public texts that attackers have, besides the bundle and the rest of
            ``text``.
        column: what holds the texts, where the files are tables.
        embeddings: what the bundle was built from, for the cosine and the full-size mechanisms.
        tokens: about how many words are released.
        seed: of the texts that are drawn, and of the releases.
        progress: show bars on standard error, where that is a terminal.
        **parameters: of the mechanism.

    Raises:
        ParameterError: as ``measure_bundle``; or a file can't be read, is too short or of another
            language.
        BundleError: the manifest doesn't say what the bundle was built from.
        EmbeddingsError: the embeddings can't be read.
    """
    mechanism, epsilon, parameters = _setting(bundle, mechanism, epsilon, parameters)
    vectors = _vectors(bundle, embeddings, progress)
    return measure_attackers(
        bundle,
        text,
        mechanism,
        epsilon,
        language=language,
        column=column,
        vectors=vectors,
        tokens=tokens,
        seed=seed,
        progress=progress,
        **parameters,
    )


def measure_among(
    bundle: WordBundle,
    among: str | os.PathLike[str],
    epsilon: float | None = None,
    *,
    mechanism: str | None = None,
    embeddings: str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: bool = False,
    **parameters: Any,
) -> AmongAttack:
    """Measure how often attackers are right who know that the typed word is one of a list.

    They hold the words of the list to be as likely, and see independent releases of the word, each
    typed by itself and without a memory.

    Args:
        bundle: an opened bundle.
        among: file of the words, one a line; those that the bundle hasn't are only counted.
        epsilon: as in ``measure_bundle``.
        mechanism: as in ``measure_bundle``.
        embeddings: what the bundle was built from, for the full-size mechanisms.
        seed: of the words that are typed, and of the releases.
        progress: show bars on standard error, where that is a terminal.
        **parameters: of the mechanism.

    Raises:
        ParameterError: as ``measure_bundle``; or the file can't be read, or has too few or too many
            words of the vocabulary.
        BundleError: the manifest doesn't say what the bundle was built from.
        EmbeddingsError: the embeddings can't be read.
    """
    mechanism, epsilon, parameters = _setting(bundle, mechanism, epsilon, parameters)
    lists = [read_list(among, bundle)]
    vectors = _vectors(bundle, embeddings, progress)
    (found,) = attack_among(
        bundle,
        lists,
        mechanism,
        epsilon,
        vectors=vectors,
        seed=seed,
        progress=progress,
        **parameters,
    )
    return found


def _setting(
    bundle: WordBundle, mechanism: str | None, epsilon: float | None, parameters: dict[str, Any]
) -> tuple[str, float, dict[str, Any]]:
    """Return the given setting, or what ``bundle`` recommends."""
    if epsilon is not None:
        return mechanism or DEFAULT_MECHANISM, epsilon, parameters
    if mechanism is not None or parameters:
        raise ParameterError("a mechanism or its parameters need an epsilon; give it, too")
    Privatizer(bundle)  # or the error of what is recommended
    recommended = bundle.recommended
    assert recommended is not None
    return recommended.mechanism, recommended.epsilon, dict(recommended.parameters)


def _vectors(
    bundle: WordBundle, embeddings: str | os.PathLike[str] | None, progress: bool
) -> NDArray[np.float32] | None:
    """Return those that ``bundle`` was built from, if they are given."""
    if embeddings is None:
        return None
    return read_matching(bundle, embeddings, progress=progress).vectors
