"""Check that unknown words are released like words drawn by their masses.

A drawn word replaces an unknown word before the mechanism runs. So two inputs have the same
distribution: an unknown word, and a known word that is drawn by its mass anew for each release. At
an epsilon so large that most words stay, outputs reveal any difference. Code may refuse unknown
words.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from brrkit import WordBundle
from brrkit_toolchain.audit.audited_code.subject import Output
from brrkit_toolchain.audit.inputs import unknown_words
from brrkit_toolchain.audit.instances import Instance
from brrkit_toolchain.audit.pairs.inequality import audit_pairs
from brrkit_toolchain.audit.pairs.sampling import Draw, Sampling
from brrkit_toolchain.audit.result import Part

TESTS = 2
"""Number of tests that can raise an alarm: outputs that are likelier for one input or the other."""

_NAME = "stand-ins"
_BY_MASS = "(a word drawn by the masses)"  # the input that stands for such a word


def audit_stand_ins(draw: Draw, instance: Instance, samples: int, alpha: float) -> Part:
    """Compare an unknown word with words drawn by the masses.

    Args:
        draw: the audited code on ``instance``.
        instance: the loud instance of a bundle.
        samples: number of draws of each input that test an event.
        alpha: error probability of each of the ``TESTS``.
    """
    start = time.perf_counter()
    unknown = unknown_words(instance.words)[0]
    if next(draw([[unknown]])) == [None]:
        seconds = time.perf_counter() - start
        return Part(_NAME, instance.epsilon, (), True, "unknown words are refused", seconds)
    generator = random.SystemRandom()
    assert instance.bundle is not None
    until = WordBundle.open(instance.bundle).masses.cumulative.tolist()

    def typed(words: Sequence[str]) -> Sequence[str]:
        if words[0] != _BY_MASS:
            return words
        return generator.choices(instance.words, cum_weights=until, k=len(words))

    def drawn(lists: Iterable[Sequence[str]]) -> Iterator[list[Output]]:
        return draw(map(typed, lists))

    sampling = Sampling(drawn, [(unknown,), (_BY_MASS,)], samples, alpha)
    return audit_pairs(_NAME, sampling, instance.epsilon, np.zeros((2, 2)))
