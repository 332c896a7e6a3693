"""Results of frequency oracles' packages on few symbols, compared with computed ones.

``multi-freq-ldpy`` has all oracles but Hadamard response, which ``pure-LDP`` has. Their clients
make the reports one by one; an attacker guesses from each, and their servers estimate.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import exp, sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

from research.oracles.mechanisms import (
    OURS,
    SUBSET,
    Floats,
    Hadamard,
    Oracle,
    even,
    hadamard_response,
    local_hashing,
    randomized_response,
    subset_selection,
    unary_encoding,
)

SYMBOLS = 100
EPSILON = 2.0
REPORTS = 2_000

Support = NDArray[np.bool_]
Release = Callable[[int], tuple[object, Support]]
"""Takes a symbol; returns a report, and which symbols [k] it supports."""
Estimator = Callable[[list[object]], Floats]
Sides = tuple[Release, Estimator, Oracle]
"""A package's client and server, and the oracle as it is computed here."""


@dataclass(frozen=True)
class Agreement:
    """One oracle, by its package and by our own computation.

    Attributes:
        package: its package.
        success: success of the attacker who knows the frequencies, from the package's reports.
        computed_success: the same in closed form.
        error: root of the mean squared error of the package's shares.
        computed_error: the same for drawn counts, with the package's derivation of shares.
    """

    package: str
    success: float
    computed_success: float
    error: float
    computed_error: float


def compare(rounds: int) -> dict[str, Agreement]:
    """Return both sides of each oracle.

    Args:
        rounds: each of ``REPORTS`` reports.
    """
    prior = 1 / (np.arange(SYMBOLS) + 2.7)
    prior /= prior.sum()
    generator = np.random.default_rng(0)
    typed = generator.multinomial(REPORTS, prior)
    words, shares = np.repeat(np.arange(SYMBOLS), typed), typed / REPORTS
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - the packages draw from it
    _seed(0)
    found = {}
    for name, make in _packages().items():
        release, estimate, oracle = make()
        right, errors, computed = 0, [], []
        for _ in range(rounds):
            reports = [release(word) for word in words.tolist()]
            guesses = np.array([_guess(support, prior) for _, support in reports])
            right += int((guesses == words).sum())
            errors.append(((estimate([report for report, _ in reports]) - shares) ** 2).mean())
            drawn = oracle.estimate(typed, generator)
            if not isinstance(oracle, Hadamard):
                drawn = _normalized(drawn)
            computed.append(((drawn - shares) ** 2).mean())
        found[name] = Agreement(
            "pure-LDP" if isinstance(oracle, Hadamard) else "multi-freq-ldpy",
            right / (rounds * REPORTS),
            oracle.success(prior, shares),
            sqrt(float(np.mean(errors))),
            sqrt(float(np.mean(computed))),
        )
    return found


def _guess(support: Support, prior: Floats) -> int:
    """Return the most probable symbol after a report."""
    return int(np.argmax(np.where(support, exp(EPSILON), 1.0) * prior))


def _normalized(shares: Floats) -> Floats:
    """Return the shares that ``multi-freq-ldpy`` derives from unbiased estimates."""
    clipped = shares.clip(0)
    normalized: Floats = clipped / clipped.sum()
    return normalized


def _packages() -> Mapping[str, Callable[[], Sides]]:
    return {
        OURS: _randomized_response,
        "optimized local hashing": _local_hashing,
        "optimized unary encoding": _unary_encoding,
        SUBSET: _subset_selection,
        "Hadamard response": _hadamard_response,
    }


def _supporting(symbols: NDArray[np.intp] | int) -> Support:
    support = np.zeros(SYMBOLS, np.bool_)
    support[symbols] = True
    return support


def _randomized_response() -> Sides:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client

    def release(word: int) -> tuple[object, Support]:
        report = GRR_Client(word, SYMBOLS, EPSILON)
        return report, _supporting(report)

    def estimate(reports: list[object]) -> Floats:
        return np.asarray(GRR_Aggregator_MI(reports, SYMBOLS, EPSILON), np.float64)

    return release, estimate, randomized_response(EPSILON, SYMBOLS)


def _local_hashing() -> Sides:
    import xxhash
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client

    buckets = round(exp(EPSILON)) + 1

    def release(word: int) -> tuple[object, Support]:
        bucket, seed = LH_Client(word, SYMBOLS, EPSILON)
        hashes = [xxhash.xxh32(str(x), seed=seed).intdigest() for x in range(SYMBOLS)]
        return (bucket, seed), np.array(hashes) % buckets == bucket

    def estimate(reports: list[object]) -> Floats:
        return np.asarray(LH_Aggregator_MI(reports, SYMBOLS, EPSILON), np.float64)

    return release, estimate, local_hashing(EPSILON, SYMBOLS)


def _unary_encoding() -> Sides:
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

    def release(word: int) -> tuple[object, Support]:
        bits = UE_Client(word, SYMBOLS, EPSILON)
        return bits, bits == 1

    def estimate(reports: list[object]) -> Floats:
        return np.asarray(UE_Aggregator_MI(reports, EPSILON), np.float64)

    return release, estimate, unary_encoding(EPSILON, SYMBOLS)


def _subset_selection() -> Sides:
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client

    def release(word: int) -> tuple[object, Support]:
        subset = SS_Client(word, SYMBOLS, EPSILON)
        return subset, _supporting(subset)

    def estimate(reports: list[object]) -> Floats:
        return np.asarray(SS_Aggregator_MI(reports, SYMBOLS, EPSILON), np.float64)

    return release, estimate, subset_selection(EPSILON, SYMBOLS)


def _hadamard_response() -> Sides:
    from pure_ldp.frequency_oracles.hadamard_response import (
        HadamardResponseClient,
        HadamardResponseServer,
    )

    server = HadamardResponseServer(EPSILON, SYMBOLS, index_mapper=int)
    client = HadamardResponseClient(EPSILON, SYMBOLS, server.get_hash_funcs(), index_mapper=int)
    # Both with the package's own random places of symbols: they matter to the attacker.
    places = np.asarray(server.get_hash_funcs(), np.intp)
    oracle = replace(hadamard_response(EPSILON, SYMBOLS), places=places)
    block, row = np.divmod(places, oracle.size - 1)

    def release(word: int) -> tuple[object, Support]:
        output = client.privatise(word)
        at, column = divmod(int(output), oracle.size)
        return output, (block == at) & even((row + 1) & column)

    def estimate(reports: list[object]) -> Floats:
        server.reset()
        server.aggregate_all(reports)
        return np.array([server.estimate(x, suppress_warnings=True) for x in range(SYMBOLS)]) / len(
            reports
        )

    return release, estimate, oracle


@njit  # type: ignore[untyped-decorator]
def _seed(number: int) -> None:
    """Seed compiled code's generator, which isn't NumPy's."""
    np.random.seed(number)  # noqa: NPY002
