"""The exponential mechanism compared with the optimal one, on vocabularies of a few words.

The optimal mechanism for an epsilon has the smallest expected Hamming distance from input to output
among all with Pr[M(x) = y] <= e^(epsilon d(x, x')) Pr[M(x') = y]. A linear program in the n^2
probabilities gives it (Bordenabe, Chatzikokolakis and Palamidessi 2014). It has n^3 inequalities,
so n is 20 here. Inequalities that follow from two shorter steps are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.certify import channel_of, largest_epsilon
from benchmarks.report import Claim, Finding
from brrkit.exact import weight_table
from brrkit.hamming import HammingIndex

WORDS = 20
EPSILONS = (0.2, 0.3, 0.4, 0.6)


def run(bench: Bench) -> Finding:
    """Compare expected distances, on random words and on a word with its nearest words."""
    codes = bench.bundle.codes
    few = bench.sample(WORDS)
    vocabularies = {
        f"{WORDS} random words": codes[few],
        f"a word and its {WORDS - 1} nearest": codes[
            np.argsort(bench.bundle.index.distances(codes[few[0]]), kind="stable")[:WORDS]
        ],
    }
    rows, claims = [], []
    for name, chosen in vocabularies.items():
        index = HammingIndex(chosen)
        distances = np.stack([index.distances(code) for code in chosen]).astype(np.float64)
        for epsilon in EPSILONS[: 1 if bench.quick else None]:
            progress(f"optimum: {name}, epsilon {epsilon:g}")
            best = least_distance(distances, epsilon)
            largest = largest_epsilon(channel_of(chosen, epsilon, 0), epsilon)
            certified, plain = (
                _distance(distances, e, bench.bundle.bits) for e in (largest, epsilon)
            )
            rows.append(
                (
                    f"{name}, certified {epsilon:g}",
                    f"{best:.3f}",
                    f"{certified:.3f}",
                    f"{plain:.3f}",
                    f"{largest / epsilon:.2f}",
                )
            )
            claims.append(Claim(f"certified / best, {name}, epsilon {epsilon:g}", certified / best))
    return Finding(
        title="optimum: expected distance from input to output, in bits, radius 0",
        columns=("", "best there is", "certified", "any vocabulary", "epsilon / certified"),
        rows=rows,
        claims=claims,
        notes=(
            "all words typed equally often; certified: exponential with the largest epsilon that "
            "loses no more on these words",
        ),
    )


def least_distance(distances: NDArray[np.float64], epsilon: float) -> float:
    """Return the expected distance of the optimal mechanism on words at ``distances`` [n, n]."""
    from scipy import optimize
    from scipy.sparse import coo_matrix

    n = len(distances)
    between = distances[:, :, None] + distances[None]  # [x, m, x'], by way of m
    nodes = np.arange(n)
    between[nodes, nodes] = between[:, nodes, nodes] = np.inf
    pairs = np.argwhere((between.min(axis=1) > distances) & ~np.eye(n, dtype=bool))
    x, other = np.repeat(pairs, n, axis=0).T
    y = np.tile(nodes, len(pairs))
    half = np.exp(epsilon * distances[x, other] / 2)  # on both sides, for numbers of similar size
    rows = np.arange(len(x))
    inequalities = coo_matrix(
        (np.r_[1 / half, -half], (np.r_[rows, rows], np.r_[x * n + y, other * n + y])),
        shape=(len(x), n * n),
    )
    sums = coo_matrix((np.ones(n * n), (np.repeat(nodes, n), np.arange(n * n))), shape=(n, n * n))
    linprog: Any = optimize.linprog  # its many forms are too narrowly typed for sparse matrices
    solved = linprog(
        distances.ravel() / n,
        A_ub=inequalities.tocsr(),
        b_ub=np.zeros(len(x)),
        A_eq=sums.tocsr(),
        b_eq=np.ones(n),
        bounds=(0, 1),
        method="highs-ipm",
    )
    if solved.status != 0:
        raise RuntimeError(f"the linear program wasn't solved: {solved.message}")
    return float(solved.fun)


def _distance(distances: NDArray[np.float64], epsilon: float, bits: int) -> float:
    """Return the expected distance of the exponential mechanism."""
    table = weight_table(epsilon, bits, len(distances))
    weights = np.array(table, np.float64)[distances.astype(np.intp)]
    return float((weights * distances).sum(axis=1) @ (1 / weights.sum(axis=1)) / len(distances))
