"""Guesses of an attacker who has only a released text and the bundle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, WordBundle
from brrkit.resolve import resolve
from brrkit.setting import Setting
from brrkit_toolchain.attackers.texts.knowledge import bundle_bigrams
from brrkit_toolchain.attackers.texts.readers.batching import ReleasedLanes
from brrkit_toolchain.attackers.texts.readers.sentence_reader import SentenceReader
from brrkit_toolchain.attackers.texts.text_attack import LONGEST, released_before
from brrkit_toolchain.channel import Channel


@dataclass(frozen=True)
class Guess:
    """The guess for one released word.

    Attributes:
        word: the word of the vocabulary that was most probably typed. If an unknown word was typed,
            the guess is wrong: the bundle contains nothing about unknown words.
        probability: its posterior probability, for this attacker.
    """

    word: str
    probability: float


def guess_texts(
    bundle: WordBundle, released: Sequence[str], setting: Setting | None = None
) -> list[list[Guess]]:
    """Guess typed words as an attacker who has the bundle and reads released texts.

    They know the mechanism, and the language only from the bundle's masses and bigrams. They read a
    whole text, at most 256 words at a time, with forward-backward over all words. An attacker who
    knows the language better has a higher attack success: see ``measure_text``.

    Args:
        bundle: an opened bundle.
        released: texts that ``Privatizer`` released with this bundle.
        setting: setting of a device's mechanism. By default, the bundle's recommended setting.

    Returns:
        For each text, a guess for each of its words.

    Raises:
        ParameterError: as for ``measure_words``; or a word isn't one of the bundle's.
        BundleError: the recommended setting can't be run.
    """
    if isinstance(released, str):
        raise ParameterError(
            "released texts must be a list of strings, not one string; give a list"
        )
    setting, _ = resolve(bundle, setting)
    _, evidence = Channel(bundle, setting).release_and_evidence(np.random.default_rng(0))
    reader = SentenceReader(bundle_bigrams(bundle.masses))
    found = []
    for number, text in enumerate(released, 1):
        ids = _ids(bundle, text, number)
        before = released_before(ids, np.zeros(len(ids), np.intp))
        guesses: list[Guess] = []
        for start in range(0, len(ids), LONGEST):
            part = slice(start, start + LONGEST)
            guesses += _read(bundle, reader, evidence.likelihoods(ids[part], before[part]))
        found.append(guesses)
    return found


def _ids(bundle: WordBundle, text: str, number: int) -> NDArray[np.int64]:
    ids = []
    for place, word in enumerate(text.split(), 1):
        word_id = bundle.vocabulary.find(word)
        if word_id is None:
            raise ParameterError(
                f"text {number}, word {place}: not a word of the bundle, so it wasn't released; "
                "give texts that this bundle released, one per line"
            )
        ids.append(word_id)
    return np.array(ids, np.int64)


def _read(
    bundle: WordBundle, reader: SentenceReader, likelihoods: NDArray[np.float32]
) -> list[Guess]:
    belief = reader(ReleasedLanes.of([likelihoods], [[len(likelihoods)]]))[:, 0, :-1]
    best = belief.argmax(axis=1)
    shares = belief.max(axis=1) / belief.sum(axis=1)
    return [
        Guess(bundle.vocabulary.word(int(i)), float(share))
        for i, share in zip(best, shares, strict=True)
    ]
