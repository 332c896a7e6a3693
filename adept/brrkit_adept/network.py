"""The autoencoder where it runs: two GRUs in NumPy, so that rewriting doesn't load TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit_adept.sentence_vocabulary import PADDING

Array = NDArray[np.float32]

_SENTENCES_AT_ONCE = 256


@dataclass(frozen=True)
class Sizes:
    """Of a network.

    Attributes:
        tokens: of the vocabulary.
        embedding: dimensions of a word's vector.
        hidden: units of each GRU.
        latent: n, dimensions of a sentence's vector.
    """

    tokens: int
    embedding: int
    hidden: int
    latent: int

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every weight, by name."""
        v, e, h, n = self.tokens, self.embedding, self.hidden, self.latent
        return {
            "embedding": (v, e),
            "encoder_kernel": (e, 3 * h),
            "encoder_recurrent": (h, 3 * h),
            "encoder_bias": (2, 3 * h),
            "latent_kernel": (h, n),
            "latent_bias": (n,),
            "state_kernel": (n, h),
            "state_bias": (h,),
            "decoder_kernel": (e + n, 3 * h),
            "decoder_recurrent": (h, 3 * h),
            "decoder_bias": (2, 3 * h),
            "output_kernel": (h, e),
            "output_bias": (v,),
        }


class Network:
    """Encoder and decoder; the weights are those that Keras has trained."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        """Take the weights of ``Sizes.shapes``, float32."""
        self.weights = dict(weights)
        self.latent = len(weights["latent_bias"])

    def encode(self, sentences: Sequence[Sequence[int]]) -> Array:
        """Return the latent vectors float32[m, n] of sentences of tokens, not clipped."""
        parts = [self._encode(batch) for batch in batches(sentences, _SENTENCES_AT_ONCE)]
        return np.concatenate(parts) if parts else np.empty((0, self.latent), np.float32)

    def _encode(self, sentences: Sequence[Sequence[int]]) -> Array:
        w = self.weights
        lengths = np.array([len(sentence) for sentence in sentences])
        tokens = padded(sentences)
        state = np.zeros((len(sentences), w["encoder_recurrent"].shape[0]), np.float32)
        for t in range(tokens.shape[1]):
            following = gru(w, "encoder", w["embedding"][tokens[:, t]], state)
            state = np.where((t < lengths)[:, None], following, state)
        return state @ w["latent_kernel"] + w["latent_bias"]

    def start(self, latents: Array) -> Array:
        """Return the decoder's first state float32[m, h] for latent vectors of norm 1, about."""
        scaled = latents * np.float32(np.sqrt(self.latent))
        state: Array = np.tanh(scaled @ self.weights["state_kernel"] + self.weights["state_bias"])
        return state

    def step(self, tokens: NDArray[np.intp], latents: Array, state: Array) -> tuple[Array, Array]:
        """Return the logits float32[m, v] of what follows ``tokens`` [m], and the next state."""
        w = self.weights
        scaled = latents * np.float32(np.sqrt(self.latent))
        inputs = np.concatenate([w["embedding"][tokens], scaled], axis=1)
        state = gru(w, "decoder", inputs, state)
        logits: Array = (state @ w["output_kernel"]) @ w["embedding"].T + w["output_bias"]
        return logits, state


def gru(weights: Mapping[str, Array], name: str, inputs: Array, state: Array) -> Array:
    """Return the next state of Keras's GRU (``reset_after``); gates: update, reset, candidate."""
    bias = weights[f"{name}_bias"]
    units = state.shape[1]
    outer = inputs @ weights[f"{name}_kernel"] + bias[0]
    inner = state @ weights[f"{name}_recurrent"] + bias[1]
    gates = _sigmoid(outer[:, : 2 * units] + inner[:, : 2 * units])
    update, reset = gates[:, :units], gates[:, units:]
    candidate = np.tanh(outer[:, 2 * units :] + reset * inner[:, 2 * units :])
    following: Array = candidate + update * (state - candidate)
    return following


def _sigmoid(x: Array) -> Array:
    result: Array = np.float32(0.5) + np.float32(0.5) * np.tanh(np.float32(0.5) * x)
    return result


def padded(sentences: Sequence[Sequence[int]]) -> NDArray[np.intp]:
    """Return sentences of tokens as one array [m, longest]."""
    longest = max(map(len, sentences), default=0)
    result = np.full((len(sentences), longest), PADDING, np.intp)
    for row, sentence in zip(result, sentences, strict=True):
        row[: len(sentence)] = sentence
    return result


def batches(items: Any, size: int) -> Iterator[Any]:
    """Yield slices of ``items`` of ``size`` at most."""
    return (items[start : start + size] for start in range(0, len(items), size))
