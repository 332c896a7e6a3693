"""Attackers who see one released word, typed by itself: how often they are right, and how sure."""

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
    max_posterior,
    weighted_success,
)
from brrkit_toolchain.channel import Channel

_WORDS_SHOWN = 12


@dataclass(frozen=True)
class ExposedWord:
    """A word, none that passes, that the attacker names more often than others.

    Attributes:
        word: of the vocabulary.
        success: the probability that they name it, given that it was typed.
        unchanged: that it comes out as itself.
    """

    word: str
    success: float
    unchanged: float


@dataclass(frozen=True)
class Exposure:
    """What an attacker learns who sees one released word; all of it exact.

    Attributes:
        attacker: who.
        success: how often they name the typed word.
        worst: the same for the least protected 1% of the words, passing ones left out.
        max_posterior: how sure they are after the most telling released word, whatever coins say.
        exposed: the words that they name most often.
    """

    attacker: WordAttacker
    success: float
    worst: float
    max_posterior: float
    exposed: tuple[ExposedWord, ...]


def measure_exposure(
    bundle: WordBundle, setting: Setting, *, progress: bool = False
) -> tuple[Exposure, ...]:
    """Return what each attacker learns; empty for a mechanism whose probabilities have no formula.

    Args:
        bundle: an opened bundle.
        setting: that can be run on it.
        progress: show bars on standard error, where that is a terminal.
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

    exposures = []
    for attacker in WORD_ATTACKERS:
        found = weighted_success(channel, make_prior(attacker, len(bundle)), progress=progress)
        sure = max_posterior(channel, found)
        exposures.append(Exposure(attacker, found.mean, found.worst, sure, tuple(exposed(found))))
    return tuple(exposures)
