"""How a model is trained, and on how much of its sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brrkit.errors import ParameterError

_RANGES: Mapping[str, tuple[float, float]] = {
    "dimensions": (1, 4096),
    "hidden": (1, 4096),
    "embedding": (1, 4096),
    "norm": (1, 2),
    "noise": (0, 1_000),
    "epochs": (1, 10_000),
    "batch": (1, 4096),
    "learning_rate": (1e-9, 1),
    "seed": (0, 2**32 - 1),
}


@dataclass(frozen=True)
class Settings:
    """How a model is trained.

    Attributes:
        dimensions: n, of a sentence's vector.
        hidden: units of each GRU.
        embedding: dimensions of a word's vector.
        norm: 1 or 2, by which latent vectors are clipped to 1.
        noise: length of Gaussian noise that is added to a clipped vector, on average; 0 as in the
            paper. Not for privacy: it teaches the decoder to bear noise.
        epochs: times that every sentence is seen.
        batch: sentences of a step.
        learning_rate: of Adam, at first; falls to 0 along half a cosine.
        seed: of weights, batches and noise.

    Raises:
        ParameterError: one of them is out of its range.
    """

    dimensions: int = 64
    hidden: int = 256
    embedding: int = 128
    norm: int = 2
    noise: float = 0.0
    epochs: int = 15
    batch: int = 64
    learning_rate: float = 3e-3
    seed: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:
                option = name.replace("_", "-")
                raise ParameterError(f"{option} must be from {low:g} to {high:g}, not {value:g}")


@dataclass(frozen=True)
class SentenceLimits:
    """What of its sentences a model has.

    Attributes:
        words: of the vocabulary, at most.
        least_count: how often a word of the vocabulary occurs.
        longest: the most words of a sentence that count, from its first.
    """

    words: int = 8_000
    least_count: int = 2
    longest: int = 40
