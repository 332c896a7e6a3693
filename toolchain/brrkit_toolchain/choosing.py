"""Choosing a setting in Python: what ``brr calibrate`` and ``brr measure`` do, as functions."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from brrkit import ParameterError, Privatizer, WordBundle
from brrkit.mechanisms import DEFAULT_MECHANISM
from brrkit.setting import Setting
from brrkit_toolchain.calibrate.goals import AttackSuccess
from brrkit_toolchain.calibrate.search import calibrate
from brrkit_toolchain.embeddings.of_bundle import read_matching
from brrkit_toolchain.measure.attack import Prior
from brrkit_toolchain.measure.mechanism import Measurement, measure_mechanism
from brrkit_toolchain.measure.sample import DRAWS, SAMPLE, sample_words


def calibrate_bundle(
    bundle: WordBundle,
    *,
    attack_success: float = 0.2,
    worst: float | None = None,
    prior: Prior = "uniform",
    mechanism: str = DEFAULT_MECHANISM,
    progress: bool = False,
) -> Setting:
    """Find the setting of a mechanism that keeps most meaning under a limit on the attacker.

    The best possible attacker knows the bundle, the setting and everything but the typed word.

    Args:
        bundle: an opened bundle.
        attack_success: share of typed words that the attacker names, at most; between 0 and 1.
        worst: how often they name the least protected 1% of the words, at most; between 0 and 1,
            for ``exponential`` only. By default 2.1 times ``attack_success`` (half way from that to
            1, if it is less), where the prior is uniform.
        prior: how often they expect each word: ``uniform``, all alike, or ``text``, as in running
            text.
        mechanism: ``exponential``, ``brr`` or ``vickrey``.
        progress: show bars on standard error, where that is a terminal.

    Returns:
        The setting, with what was measured of it, and for ``exponential`` its certificate for the
        bundle's vocabulary. ``write_recommended`` puts it into the bundle.

    Raises:
        ParameterError: a number is out of range, or the mechanism can't reach the goal.
        BundleError: the manifest has no usable distances.
    """
    goal = AttackSuccess(attack_success, worst, prior)
    return calibrate(bundle, goal, mechanism=mechanism, progress=progress).setting


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
    if epsilon is None:
        if mechanism is not None or parameters:
            raise ParameterError("a mechanism or its parameters need an epsilon; give it, too")
        Privatizer(bundle)  # or the error of what is recommended
        recommended = bundle.recommended
        assert recommended is not None
        mechanism, epsilon = recommended.mechanism, recommended.epsilon
        parameters = dict(recommended.parameters)
    vectors = None
    if embeddings is not None:
        vectors = read_matching(bundle, embeddings, progress=progress).vectors
    return measure_mechanism(
        bundle,
        mechanism or DEFAULT_MECHANISM,
        epsilon,
        sample_words(np.arange(len(bundle)), sample, seed, draws),
        vectors=vectors,
        draws=draws,
        seed=seed,
        progress=progress,
        **parameters,
    )
