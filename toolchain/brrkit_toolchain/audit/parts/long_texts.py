"""Check how many words of long texts return, at an epsilon where none should more than by chance.

The test is that of single words (``unchanged_outputs``), but by the place in the text. It reveals a
buffer's size, or a place where a text is cut. The words are random and independent, so the bound
also holds for mechanisms with histories.
"""

from __future__ import annotations

import math
import random
import time

from brrkit.normal_form import normalize
from brrkit.tokenizer import tokenize
from brrkit_toolchain.audit.inputs import many_unknown
from brrkit_toolchain.audit.instances import QUIET, Instance
from brrkit_toolchain.audit.pairs.bounds import tail_bound
from brrkit_toolchain.audit.pairs.sampling import Draw
from brrkit_toolchain.audit.result import Part

TESTS = 2
"""Number of tests that can raise an alarm: known words, and unknown words."""

LENGTH = 250
"""Words of each text."""

_UNKNOWN = 50  # unknown words among these


def audit_long_texts(draw: Draw, instance: Instance, texts: int, alpha: float) -> Part:
    """Release long texts of random known and unknown words; count those that return in their place.

    Args:
        draw: the audited code on ``instance``, which takes texts.
        instance: the whole vocabulary, quiet.
        texts: number of texts.
        alpha: error probability of each of the ``TESTS``.
    """
    start = time.perf_counter()
    generator = random.SystemRandom()
    ids = {word: i for i, word in enumerate(instance.words)}
    known = [word for word in instance.words if tokenize(word) == [word]]
    unknown = [
        word
        for word in many_unknown(2 * _UNKNOWN * texts, ids.get, generator)
        if len(tokenize(word)) == 1
    ][: _UNKNOWN * texts]
    typed = [
        [*generator.choices(known, k=LENGTH - _UNKNOWN), *unknown[i : i + _UNKNOWN]]
        for i in range(0, len(unknown), _UNKNOWN)
    ]
    for words in typed:
        generator.shuffle(words)
    places: dict[bool, list[bool]] = {True: [], False: []}
    for words, (text,) in zip(typed, draw([" ".join(words)] for words in typed), strict=True):
        for word, output in zip(words, str(text).split(" "), strict=False):
            places[word in ids].append(normalize(word) == normalize(output))
    tests = [
        ("known words", places[True], min(1.0, math.exp(QUIET) / len(known))),
        ("unknown words", places[False], 1 / len(unknown)),
    ]
    return Part(
        name="long texts",
        epsilon=instance.epsilon,
        pairs=(),
        passed=all(
            tail_bound(sum(back), max(len(back), 1), most) > alpha for _, back, most in tests
        ),
        detail=f"{len(typed):,} texts of {LENGTH} words; "
        + "; ".join(
            f"{sum(back):,} of {len(back):,} {name} came back in their place, "
            f"{len(back) * most:.3g} claimed at most"
            for name, back, most in tests
        ),
        seconds=time.perf_counter() - start,
    )
