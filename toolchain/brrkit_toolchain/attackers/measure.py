"""``brr measure --text``: what attackers learn of a text, at one setting of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, WordBundle
from brrkit.mechanisms import create_mechanism
from brrkit_toolchain.attackers.channel import (
    Channel,
    drawn_channel,
    euclidean_levels,
    hamming_levels,
    weighted_channel,
)
from brrkit_toolchain.attackers.text import (
    LEAST_TYPED,
    TOKENS,
    Release,
    TextAttack,
    attack_text,
    check_text,
    learn_language,
    sample_texts,
)
from brrkit_toolchain.codes.pairs import histograms
from brrkit_toolchain.corpus.draws import Weighted, releaser
from brrkit_toolchain.language.texts import TypedText, ids_of
from brrkit_toolchain.simulate import ON_VECTORS, simulate

_DRAWS = 200_000  # that a channel is estimated from


def halves(texts: list[TypedText], seed: int = 0) -> tuple[list[TypedText], list[TypedText]]:
    """Return two random halves of ``texts``."""
    order = np.random.default_rng(seed).permutation(len(texts))
    middle = len(texts) // 2
    return [texts[i] for i in order[:middle]], [texts[i] for i in order[middle:]]


def measure_text(
    bundle: WordBundle,
    mechanism: str,
    epsilon: float,
    typed: Iterable[str],
    *,
    language: Iterable[str] | None = None,
    vectors: NDArray[np.float32] | None = None,
    tokens: int = TOKENS,
    seed: int = 0,
    progress: bool = False,
    **parameters: Any,
) -> TextAttack:
    """Measure how often attackers who know the language are right about a text's words.

    Args:
        bundle: an opened bundle.
        mechanism: its name, of the device or full size.
        epsilon: its parameter.
        typed: texts of the developer's own domain; some are drawn and released.
        language: texts that the attackers know the language from; by default half of ``typed``.
        vectors: float32[n, d] of the bundle's words: for the cosine, and for full-size mechanisms.
        tokens: about how many words are released.
        seed: of the texts that are drawn, and of the releases.
        progress: show a bar on standard error, where that is a terminal.
        **parameters: of the mechanism.

    Raises:
        ParameterError: a text is too short or of another language, or the mechanism or a parameter
            is unknown or out of range.
    """
    release, channel = _release_and_channel(bundle, mechanism, epsilon, vectors, seed, parameters)
    words = ids_of(typed, bundle.vocabulary)
    check_text("typed text", words, len(bundle), LEAST_TYPED)
    if language is None:
        public, words = halves(words, seed)
    else:
        public = ids_of(language, bundle.vocabulary)
    model = learn_language(public, len(bundle))
    chosen = sample_texts(words, tokens, seed)
    return attack_text(
        chosen, model, channel, release, vectors=vectors, seed=seed, progress=progress
    )


def _release_and_channel(
    bundle: WordBundle,
    name: str,
    epsilon: float,
    vectors: NDArray[np.float32] | None,
    seed: int,
    parameters: Mapping[str, Any],
) -> tuple[Release, Channel]:
    generator = np.random.default_rng(seed)
    codes = bundle.codes
    if name not in ON_VECTORS:
        mechanism = create_mechanism(name, bundle, epsilon, parameters)
        draw = releaser(bundle, mechanism)

        def release(ids: NDArray[np.int64]) -> NDArray[np.int64]:
            return draw(ids.astype(np.intp), generator.bytes).astype(np.int64)

        if isinstance(mechanism, Weighted):
            counts = histograms(codes, progress=False)
            return release, weighted_channel(codes, mechanism.weights, counts)
        levels = hamming_levels(codes)
    else:
        if vectors is None:
            raise ParameterError(f"{name} works on vectors; give the embeddings")
        release = simulate(name, epsilon, generator, codes=codes, vectors=vectors, **parameters)
        levels = euclidean_levels(vectors)
    inputs = generator.integers(0, len(bundle), _DRAWS)
    return release, drawn_channel(levels, len(bundle), inputs, release(inputs))
