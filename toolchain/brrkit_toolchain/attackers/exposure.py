"""Attackers who see one released word, typed by itself: attack success, and largest posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from brrkit import WordBundle
from brrkit.setting import Setting
from brrkit_toolchain.attackers.one_word import (
    WORD_ATTACKERS,
    WordAttacker,
    WordSuccess,
    make_prior,
    max_posteriors,
    weighted_success,
)
from brrkit_toolchain.channel import Channel

_WORDS_SHOWN = 12


@dataclass(frozen=True)
class ExposedWord:
    """A word with a larger attack success than others; passing words are left out.

    Attributes:
        word: a word of the vocabulary.
        success: attack success, given that it was typed.
        unchanged: probability that it is released unchanged.
    """

    word: str
    success: float
    unchanged: float


@dataclass(frozen=True)
class Exposure:
    """Exact results for an attacker who sees one released word.

    Attributes:
        attacker: name of the attacker.
        success: attack success over all words.
        worst: attack success on the least protected 1% of the words, without passing words.
        max_posterior: largest posterior probability, after the most revealing released word,
            without passing words' coins.
        exposed: the words with the largest attack success.
    """

    attacker: WordAttacker
    success: float
    worst: float
    max_posterior: float
    exposed: tuple[ExposedWord, ...]


def measure_exposure(
    bundle: WordBundle, setting: Setting, *, progress: bool = False
) -> tuple[Exposure, ...]:
    """Return the exposure to each attacker; empty if the output probabilities have no formula.

    Args:
        bundle: an opened bundle.
        setting: a valid setting for it.
        progress: show bars on standard error, if that is a terminal.
    """
    channel = Channel(bundle, setting, progress=progress)
    if channel.weighted is None:
        return ()
    unchanged = channel.everything.unchanged(channel.weights)

    def exposed(found: WordSuccess) -> Sequence[ExposedWord]:
        secret = np.where(found.passing, -1.0, found.words)
        most = np.argsort(-secret, kind="stable")[:_WORDS_SHOWN].tolist()
        return [
            ExposedWord(bundle.vocabulary.word(i), float(found.words[i]), float(unchanged[i]))
            for i in most
        ]

    every = [
        weighted_success(channel, make_prior(attacker, len(bundle)), progress=progress)
        for attacker in WORD_ATTACKERS
    ]
    return tuple(
        Exposure(attacker, found.mean, found.worst, sure, tuple(exposed(found)))
        for attacker, found, sure in zip(
            WORD_ATTACKERS, every, max_posteriors(channel, every), strict=True
        )
    )
