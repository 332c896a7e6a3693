"""The comparisons of an audit: inputs, and the distances between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brrkit.tokenizer import tokenize
from brrkit_toolchain.audit import inputs
from brrkit_toolchain.audit.instances import (
    FORMS,
    MEMBERS,
    PASSING,
    PASSING_PROBABILITY,
    Instance,
    Instances,
)
from brrkit_toolchain.audit.pairs.inequality import audit_pairs
from brrkit_toolchain.audit.pairs.sampling import Draw, Input, Sampling
from brrkit_toolchain.audit.result import Part

TEXT_MODES = ("texts", "streams")
"""Ways to call code that takes texts."""

_NO_BOUND = 1e6  # a loss that no test exceeds


@dataclass(frozen=True, eq=False)
class Comparison:
    """Inputs whose ordered pairs are tested.

    Attributes:
        name: name of the part.
        instance: instance on which the audited code is made.
        mode: way to call it.
        inputs: the n inputs.
        distances: float64[n, n], largest distances between the inputs.
        samples: number of draws of each input.
        places: float32[n, d], the inputs' vectors, if each has one.
        delta: delta of the claim.
        cap: cap of the claim between two inputs.
    """

    name: str
    instance: Instance
    mode: str
    inputs: Sequence[Input]
    distances: NDArray[np.float64]
    samples: int
    places: NDArray[np.float32] | None = None
    delta: float = 0.0
    cap: float = math.inf

    @property
    def tests(self) -> int:
        """Number of ordered pairs."""
        return len(self.inputs) * (len(self.inputs) - 1)

    @property
    def draws(self) -> int:
        """Number of draws of all inputs."""
        return sum(map(len, self.inputs)) * (self.samples // 2 + self.samples)

    def test(self, draw: Draw, alpha: float) -> Part:
        """Test all pairs on draws from ``draw``, each with an error of at most ``alpha``."""
        texts = self.mode in TEXT_MODES
        sampling = Sampling(draw, self.inputs, self.samples, alpha, texts=texts, delta=self.delta)
        return audit_pairs(
            self.name, sampling, self.instance.epsilon, self.distances, self.places, self.cap
        )


def all_comparisons(instances: Instances, samples: int) -> list[Comparison]:
    """Return all comparisons.

    Args:
        instances: the instances of the audit.
        samples: the requested number of draws.
    """
    quiet = instances.quiet

    def words(instance: Instance, count: int) -> Comparison:
        return Comparison(
            instance.name,
            instance,
            "words",
            [(word,) for word in instance.words],
            instance.distances,
            count,
            instance.vectors,
            cap=instance.cap,
        )

    def among(
        instance: Instance, name: str, mode: str, chosen: Sequence[Input], apart: float, share: int
    ) -> Comparison:
        distances = np.full((len(chosen), len(chosen)), apart)
        cap = inputs.TOKENS * instance.cap
        return Comparison(name, instance, mode, chosen, distances, samples // share, cap=cap)

    result = [words(instances.near, samples), words(instances.own, samples // 2)]
    if instances.far:
        result.append(words(instances.far, samples // 2))
    result += [
        Comparison(
            crowd.name,
            crowd,
            "words",
            [(word,) for word in crowd.words[:2]],
            crowd.distances[:2, :2],
            2 * samples,
            cap=crowd.cap,
        )
        for crowd in (instances.crowd, instances.capped)
        if crowd
    ]
    if instances.setting:
        result.append(words(instances.setting, samples))
    loud = instances.loud
    unknown = [(word,) for word in inputs.unknown_words(loud.words)]
    result.append(among(loud, "unknown words", "words", unknown, 0, 4))
    if instances.listed:
        members = [instances.listed.words[place] for place in MEMBERS[::2]]
        alike = [(word,) for word in (*members, *FORMS)]
        result.append(among(instances.listed, "listed words", "words", alike, 0, 2))
    if instances.passing:
        result.append(_passing(instances.passing, samples // 2))
    capitals = [(word,) for word in inputs.capitals(quiet.words)]
    if len(capitals) > 1:
        result.append(among(quiet, "capitals", "words", capitals, quiet.diameter, 4))
    several = inputs.TOKENS * quiet.diameter
    if instances.far:
        texts = [(text,) for text in inputs.texts(quiet.words)]
        result.append(among(quiet, "texts", "texts", texts, several, 5))
        result.append(_histories(instances.near, samples // 2))
    if instances.beside:
        result.append(_unknown_neighbors(instances.beside, samples // 5))
    sequences = inputs.sequences(quiet.words)
    return [*result, among(quiet, "successive calls", "calls", sequences, several, 4)]


def _histories(instance: Instance, samples: int) -> Comparison:
    """Texts of two words that differ in the second word, whose history is the first output."""
    first, *_ = (token for token in instance.words if tokenize(token) == [token])
    chosen = [i for i, word in enumerate(instance.words) if tokenize(word) == [word]]
    return Comparison(
        "histories",
        instance,
        "streams",
        [(f"{first} {instance.words[i]}",) for i in chosen],
        instance.distances[np.ix_(chosen, chosen)],
        samples,
        cap=instance.cap,
    )


def _unknown_neighbors(instance: Instance, samples: int) -> Comparison:
    """Texts that differ in one known word next to unknown words, which add nothing to its loss."""
    apart = instance.distances[:2, :2]
    beyond = np.full((2, 2), 2 * instance.diameter)  # the bound for two words that change places
    return Comparison(
        "unknown neighbors",
        instance,
        "texts",
        [(text,) for text in inputs.beside_unknown(instance.words)],
        np.block([[apart, beyond], [beyond, apart]]),
        samples,
        cap=2 * instance.cap,
    )


def _passing(instance: Instance, samples: int) -> Comparison:
    """A passing word, and two other words.

    The others lose -ln(1-p) more against the passing word. In the other direction there is no
    bound.
    """
    chosen = [PASSING[0], PASSING[-1] + 1, PASSING[-1] + 2]
    losses = np.minimum(instance.epsilon * instance.distances[np.ix_(chosen, chosen)], instance.cap)
    losses[:, 0] -= math.log(1 - PASSING_PROBABILITY)
    losses[0] = _NO_BOUND
    typed = [(instance.words[place],) for place in chosen]
    return Comparison(instance.name, instance, "words", typed, losses / instance.epsilon, samples)
