"""Sentence codes: a latent vector as a few symbols, each released by randomized response.

A symbol comes out as it is, or as any other one, which are all equally likely: the exponential
mechanism with the score 0 or 1, whose normalizer is the same for every input, so that it costs
nothing. It needs nothing of the code but that it is one. Proof:
``docs/explanation/proofs.md``, "Sentence codes".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.exact import exp_bounds, log_up
from brrkit.randomness import RandomSource, draw
from brrkit_adept.clip import vectors_clipped
from brrkit_adept.network import Array
from brrkit_adept.quantizer import Quantizer

_UNIFORM_BITS = 64

_EXP_BITS = 128
"""Of e^epsilon."""

_MOST_EPSILON = 20
"""Of a stage: then another symbol comes once in 10^6 draws."""

_LARGEST_PART = Fraction(1, 4)  # epsilon is divided in parts of this size at most,
_FEWEST_PARTS = 64  # and in so many at least


@dataclass(frozen=True)
class Response:
    """Randomized response on K symbols, with weights over 2^64.

    Attributes:
        size: K.
        other: T, of every symbol but the true one.
    """

    size: int
    other: int

    @property
    def same(self) -> int:
        """S = 2^64 - (K - 1) T, of the true symbol."""
        return (1 << _UNIFORM_BITS) - (self.size - 1) * self.other


def response(size: int, epsilon: Fraction) -> Response:
    """Return the weights with S / T <= e^epsilon: T is 2^64 / (e^epsilon + K - 1), rounded up.

    Proof: ``docs/explanation/proofs.md``, "Sentence codes".
    """
    low, _ = exp_bounds(epsilon, _EXP_BITS)
    total = low + (size - 1 << _EXP_BITS)
    return Response(size, -(-(1 << _UNIFORM_BITS + _EXP_BITS) // total))


def respond(
    symbols: NDArray[np.int64], responses: Sequence[Response], random: RandomSource
) -> NDArray[np.int64]:
    """Return symbols [rows, j] as they are released: each is moved on by 0 to K - 1 places.

    What is drawn, and how much, doesn't depend on the symbols: 8 bytes each.
    """
    bits = draw(symbols.size * _UNIFORM_BITS // 8, random)
    uniform = np.frombuffer(bits, "<u8").reshape(symbols.shape)
    other = np.array([each.other for each in responses], np.uint64)
    others = np.array([(each.size - 1) * each.other for each in responses], np.uint64)
    sizes = np.array([each.size for each in responses], np.int64)
    # The first K - 1 intervals of T are a move by 1, 2, ..., what is left is none.
    moves = np.where(uniform < others, (uniform // other).astype(np.int64) + 1, 0)
    result: NDArray[np.int64] = (symbols + moves) % sizes
    return result


@dataclass(frozen=True, eq=False)
class CodeRelease:
    """Sentence codes at an epsilon.

    Attributes:
        epsilon: what was asked for.
        norm: 1 or 2, that vectors are clipped by, as in training.
        quantizer: whose first stages are released.
        responses: of these stages.
    """

    epsilon: float
    norm: int
    quantizer: Quantizer
    responses: tuple[Response, ...]

    @property
    def effective_epsilon(self) -> Fraction:
        """An upper bound on the epsilon that is kept, at most what was asked for."""
        losses = (Fraction(log_up(each.same, each.other)) for each in self.responses)
        return min(sum(losses, Fraction()), Fraction(self.epsilon))

    def __call__(self, latents: Array, random: RandomSource) -> Array:
        """Return the private form float32[m, n] of latent vectors [m, n], as ``Release`` has it."""
        if latents.shape[1] != len(self.quantizer.mean):
            raise ParameterError(
                f"vectors of {latents.shape[1]} dimensions, where the release is for "
                f"{len(self.quantizer.mean)}; make another one"
            )
        vectors = vectors_clipped(latents, self.norm).astype(np.float32)
        symbols = self.quantizer.symbols(vectors, len(self.responses))
        released = respond(symbols, self.responses, random)
        ratios = [each.same / each.other for each in self.responses]
        return self.quantizer.expected(released, ratios)


def make_code_release(epsilon: float, norm: int, quantizers: Sequence[Quantizer]) -> CodeRelease:
    """Choose a quantizer, its stages and their epsilons: what has the least expected error.

    A function of epsilon and of what is public.

    Args:
        epsilon: positive.
        norm: that the quantizers' vectors were clipped by.
        quantizers: of a model.
    """
    parts = [_divide(Fraction(epsilon), each) for each in quantizers]
    number = max(range(len(quantizers)), key=lambda i: parts[i][0])
    quantizer = quantizers[number]
    size = quantizer.words.shape[1]
    responses = tuple(response(size, share) for share in parts[number][1])
    return CodeRelease(epsilon, norm, quantizer, responses)


def _divide(epsilon: Fraction, quantizer: Quantizer) -> tuple[float, tuple[Fraction, ...]]:
    """Return by how much the squared error falls, and the epsilons of the first stages.

    The best division into whole parts of one size, by dynamic programming. Floating point decides
    how epsilon is divided, but not how much there is of it: the parts are counted.
    """
    stages = len(quantizer.words)
    epsilon = min(epsilon, Fraction(stages * _MOST_EPSILON))
    count = max(_FEWEST_PARTS, math.ceil(epsilon / _LARGEST_PART))
    part = epsilon / count
    most = min(count, math.floor(_MOST_EPSILON / part))
    best = np.zeros(count + 1)  # by the number of parts that are spent, at most
    choices: list[NDArray[np.int64]] = []
    ratios = [math.exp(parts * part) for parts in range(most + 1)]
    for stage in range(stages):
        gains = [quantizer.gain(stage, ratio) for ratio in ratios]
        following = np.full(count + 1, -np.inf)
        chosen = np.zeros(count + 1, np.int64)
        for parts in range(1, most + 1):
            totals = best[: count + 1 - parts] + gains[parts]
            better = totals > following[parts:]
            following[parts:][better] = totals[better]
            chosen[parts:][better] = parts
        if following[count] <= best[count]:
            break
        best = following
        choices.append(chosen)
    left, division = count, []
    for chosen in reversed(choices):
        division.append(int(chosen[left]))
        left -= division[-1]
    return float(best[count]), tuple(parts * part for parts in reversed(division))
