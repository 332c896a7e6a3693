"""Factories of mechanisms that break the guarantee, each in a way that is easy to ship.

They are what the audit must catch: ``brr audit BUNDLE --factory brr_toolchain.audit.broken:NAME``
fails for each. They are good for nothing else.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from brr_runtime import Bundle, Privatizer
from brr_runtime.exact import flip_threshold
from brr_runtime.mechanisms.brr import BRR
from brr_runtime.randomizer import Randomizer

Release = Callable[[str], str]

_STOP_WORDS = 4


def wrong_flip_rate(bundle: Bundle, epsilon: float) -> Release:
    """Flips bits 10% too rarely, so that two bits' odds differ by more than e^epsilon.

    At epsilon = 1 the flip probability is 0.242 instead of 0.269: a loss of 1.14 per bit.
    """
    mechanism = BRR(bundle, epsilon)
    threshold = round(0.9 * flip_threshold(epsilon))
    mechanism.randomizer = Randomizer(bundle.graph, bundle.bits, threshold)
    privatizer = Privatizer(bundle, epsilon)
    privatizer.mechanism = mechanism
    return _one_by_one(privatizer)


def vickrey_without_input(bundle: Bundle, epsilon: float) -> Release:
    """Vickrey as printed (Xu et al. 2021, Algorithm 1): the input word isn't a candidate.

    A word never comes out for itself, but does for others: seeing it proves that it wasn't typed.
    """
    noise = BRR(bundle, epsilon).randomizer
    unknown = _one_by_one(Privatizer(bundle, epsilon))

    def release(word: str) -> str:
        word_id = bundle.vocabulary.find(word)
        if word_id is None:
            return unknown(word)
        noised = noise(bundle.codes[word_id : word_id + 1], os.urandom)
        ids, distances = bundle.index.nearest(noised, 3)
        near = [(i, d) for i, d in zip(ids[0], distances[0], strict=True) if i != word_id]
        (first, d1), (second, d2) = near[:2]
        takes_first = random.SystemRandom().random() * (d1 + d2) < d2  # t = 1/2
        return bundle.vocabulary.word(int(first if takes_first else second))

    return release


def rejection_until_different(bundle: Bundle, epsilon: float) -> Release:
    """Draws again until the output isn't the input: it can't be the input then, as above."""
    release = _one_by_one(Privatizer(bundle, epsilon))

    def release_another(word: str) -> str:
        while (output := release(word)) == word:
            pass
        return output

    return release_another


def oov_unchanged(bundle: Bundle, epsilon: float) -> Release:
    """Returns words outside the vocabulary as they are: names, numbers, passwords."""
    release = _one_by_one(Privatizer(bundle, epsilon))
    return lambda word: word if bundle.vocabulary.find(word) is None else release(word)


def stop_words_unchanged(bundle: Bundle, epsilon: float) -> Release:
    """Returns the most frequent words as they are, because "they say nothing".

    Of two near words the one then comes out with certainty, for the other seldom.
    """
    release = _one_by_one(Privatizer(bundle, epsilon))
    stop_words = {bundle.vocabulary.word(i) for i in range(_STOP_WORDS)}
    return lambda word: word if word in stop_words else release(word)


def fixed_seed(bundle: Bundle, epsilon: float) -> Release:
    """Seeds its generator when it is made: all devices draw the same noise.

    The frequencies are right. But whoever knows the program knows the noise.
    """
    return _one_by_one(Privatizer(bundle, epsilon, random=random.Random(0).randbytes))


def seed_at_each_call(bundle: Bundle, epsilon: float) -> Release:
    """Seeds its generator at each call: every word always comes out as the same other."""
    generator = random.Random()
    release = _one_by_one(Privatizer(bundle, epsilon, random=generator.randbytes))

    def release_seeded(word: str) -> str:
        generator.seed(0)
        return release(word)

    return release_seeded


def exponential_without_half(bundle: Bundle, epsilon: float) -> Release:
    """Weights of e^(-epsilon d) where the exponential mechanism needs e^(-epsilon d / 2).

    The other half of epsilon is for the normalizer, which also depends on the input.
    """
    return _one_by_one(Privatizer(bundle, 2 * epsilon, mechanism="exponential"))


def laplace_l2_for_l1(
    words: Sequence[str], vectors: NDArray[np.float32], epsilon: float
) -> Callable[[str], NDArray[np.float64]]:
    """Adds Laplace noise to each coordinate, of a scale for the L2 instead of the L1 distance.

    As ADePT (Krishna et al. 2021) does, after Habernal (2021): vectors are clipped to an L2 norm of
    C, and the noise has the scale 2C / epsilon' for a claim of epsilon' between any two inputs. In
    units of distance epsilon' is 2C epsilon, the scale 1 / epsilon, and the claim epsilon times
    the L2 distance. The loss is epsilon times the L1 distance, up to sqrt(n) times as large.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float64)
    clipping = norms.max()
    clipped = dict(zip(words, vectors * np.minimum(1, clipping / norms), strict=True))
    generator = np.random.default_rng()
    scale = 1 / epsilon
    return lambda word: clipped[word] + generator.laplace(0, scale, vectors.shape[1])


def _one_by_one(privatizer: Privatizer) -> Release:
    return lambda word: privatizer.words([word])[0]
