"""Vectors for released words: the posterior mean of the typed word's vector."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from brrkit import ParameterError, WordBundle
from brrkit.masses import LEVELS
from brrkit.resolve import resolve
from brrkit.setting import Setting
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.linear import Linear
from brrkit_toolchain.embeddings.of_bundle import read_vectors
from brrkit_toolchain.io.progress import Progress

_DIMENSIONS_AT_A_TIME = 16  # more aren't faster, and a progress bar would move less often


def posterior_vectors(
    bundle: WordBundle,
    embeddings: str | os.PathLike[str],
    setting: Setting | None = None,
    *,
    progress: bool = False,
) -> NDArray[np.float32]:
    """Return, for each released word, the mean vector of the words typed for it.

    This is E[v(x) | y] = sum of pi(x) K(y|x) v(x) over sum of pi(x) K(y|x). The frequency pi(x) of
    each typed word comes from the bundle's masses, and K(y|x) is the probability that y is released
    for x. A classifier of released texts loses less with these vectors than with the words' own.
    They are post-processing of released words, so they spend no privacy. With the base ``bigram``,
    K is that of a text's first word, because y has one vector, whatever was released before it.
    Unknown words, which have no vector, are left out of both sums.
    Proof: ``docs/explanation/proofs.md``, "Post-processing".

    Args:
        bundle: an opened bundle.
        embeddings: embeddings, as for ``build_bundle``, with each of the bundle's words. They may
            differ from the bundle's own.
        setting: setting of ``exponential`` that releases words. By default, the bundle's
            recommended setting.
        progress: show bars on standard error, if that is a terminal.

    Returns:
        float32[n, d], by the words' ids. The memory needed is linear in n.

    Raises:
        ParameterError: the setting is invalid for the bundle; or the bundle recommends no setting,
            or one of another mechanism.
        EmbeddingsError: the embeddings can't be read, or lack words of the bundle.
    """
    channel = Channel(bundle, resolve(bundle, setting)[0])
    if channel.weighted is None:
        raise ParameterError(
            "only the mechanism 'exponential' has posterior vectors: the channel of the others has "
            "no formula; give the setting of 'exponential' that words are released with"
        )
    typed = read_vectors(bundle, embeddings, progress=progress)
    shares = LEVELS[bundle.masses.words] / bundle.masses.total
    return posterior_means(channel.linear, shares, typed, progress=progress)


def posterior_means(
    channel: Linear,
    shares: NDArray[np.float64],
    vectors: NDArray[np.float32],
    *,
    progress: bool = False,
) -> NDArray[np.float32]:
    """Return E[v(x) | y] float32[n, d] for each word y.

    Args:
        channel: channel of the n words.
        shares: float64[n], frequency of each typed word; all positive.
        vectors: float32[n, d], vector v of each word.
        progress: show a bar on standard error, if that is a terminal.
    """
    n, dimensions = vectors.shape
    released = channel.forward(np.append(shares, 0))
    result = np.empty((n, dimensions), np.float32)
    typed = np.zeros((n + 1, _DIMENSIONS_AT_A_TIME))  # unknown words, the last row, have no vector
    with Progress(total=dimensions, desc="Vectors", unit=" dimensions", progress=progress) as bar:
        for start in range(0, dimensions, _DIMENSIONS_AT_A_TIME):
            part = slice(start, min(start + _DIMENSIONS_AT_A_TIME, dimensions))
            block = typed[:, : part.stop - start]
            block[:n] = shares[:, None] * vectors[:, part]
            result[:, part] = channel.forward(block) / released[:, None]
            bar.update(part.stop - start)
    return result
