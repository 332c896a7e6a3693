"""The reports needed by each mechanism, by the length of the list, at equal loss and attack.

    python -m research.oracles.list_sizes [--output research/results/stored/list-sizes.json]

takes minutes, prints its tables, and writes what it found with ``--output``.

Symbols are typed by Zipf's law. The attacker ``frequencies`` knows this, and ``isolated`` assumes
that all symbols are equally likely. Both see one report, and guess optimally.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import exp, expm1
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import progress
from benchmarks.commands import results_parser
from benchmarks.report import aligned
from benchmarks.store import write_alone
from brrkit_toolchain.language.word_sample import zipf
from research.oracles.mechanisms import (
    HADAMARD,
    OURS,
    SUBSET,
    UNARY,
    Floats,
    Hadamard,
    Oracle,
    Pure,
    even,
    hadamard_response,
    largest_epsilon,
    randomized_response,
    reports_needed,
    subset_selection,
    symmetric_encoding,
    unary_encoding,
)

SYMBOLS = (8, 100, 3_000, 50_000)
CAPS = (1, 2, 3, 4, 5, 6, 7, 8)
SHARES = (0.1, 0.01, 0.001)
"""Shares of typed symbols for which the number of reports needed is stated."""

SIZED = "subset selection, size chosen"
OTHERS: Mapping[str, Callable[[float, int], Oracle]] = {
    SUBSET: subset_selection,
    UNARY: unary_encoding,
    "symmetric unary encoding": symmetric_encoding,
    HADAMARD: hadamard_response,
    "Hadamard response, one block": partial(hadamard_response, blocks=1),
}
EQUAL = ("cap", "isolated", "both")
"""Equal quantities: only the loss, also the success of one attacker, or also that of both."""

SIMULATED_CAPS = (1.0, 4.0)
ROUNDS = {8: 4_000, 100: 1_000, 3_000: 40, 50_000: 10}
"""Number of draws of ``REPORTS`` reports for a simulation, by the number of symbols."""
REPORTS = 500

_SIZES = tuple(round(2 ** (i / 2)) for i in range(2, 30))  # of subsets, that are tried
_ROUNDING = 1e-9  # of a success
_COLUMNS = (
    *("symbols", "cap", "success without a report"),
    *("success, `frequencies`", "success, `isolated`"),
)
_MIDDLE = 1  # place in SHARES of the share whose reports are stated as ratios


@dataclass(frozen=True)
class Row:
    """One oracle compared with k-ary randomized response at a cap.

    Attributes:
        equal: one of ``EQUAL``.
        symbols: k.
        cap: cap of k-ary randomized response, and upper bound on the oracle's loss.
        oracle: its name.
        epsilon: its loss.
        success: success of ``frequencies`` and of ``isolated``.
        unaided: success of ``frequencies`` without a report.
        needed: number of reports needed, by ``SHARES``.
        size: size of a subset, if it is chosen.
    """

    equal: str
    symbols: int
    cap: float
    oracle: str
    epsilon: float
    success: tuple[float, float]
    unaided: float
    needed: tuple[float, ...]
    size: int | None = None


@dataclass(frozen=True)
class Simulated:
    """Closed forms compared with drawn reports.

    Attributes:
        symbols: k.
        cap: the loss.
        oracle: its name.
        error: mean over symbols of the squared error, relative to the computed variance; 1 if this
            is right.
        guessed: share of typed symbols that ``frequencies`` named.
        success: the same, computed.
        reports: number of drawn reports.
    """

    symbols: int
    cap: float
    oracle: str
    error: float
    guessed: float
    success: float
    reports: int


def compared(k: int, cap: float) -> Iterator[Row]:
    """Yield k-ary randomized response and all others, at all that can be equal."""
    known = zipf(np.arange(k)), np.full(k, 1 / k)

    def success(oracle: Oracle) -> tuple[float, float]:
        return oracle.success(known[0], known[0]), oracle.success(known[1], known[1])

    def row(equal: str, name: str, oracle: Oracle, size: int | None = None) -> Row:
        needed = tuple(reports_needed(oracle, share) for share in SHARES)
        return Row(equal, k, cap, name, oracle.epsilon, success(oracle), unaided, needed, size)

    unaided = float(known[0].max())
    ours = randomized_response(cap, k)
    goals = success(ours)

    def at_goal(make: Callable[[float, int], Oracle], attackers: Sequence[int]) -> Oracle:
        """Return the oracle of the largest loss at which no attacker is right more often."""

        def excess(epsilon: float) -> float:
            oracle = make(epsilon, k)
            return max(oracle.success(known[i], known[i]) - goals[i] for i in attackers)

        return make(largest_epsilon(excess, _ROUNDING, cap), k)

    for equal, attackers in zip(EQUAL, ((), (1,), (0, 1)), strict=True):
        yield row(equal, OURS, ours)
        for name, make in OTHERS.items():
            yield row(equal, name, at_goal(make, attackers) if attackers else make(cap, k))
        if attackers:
            sized = {
                size: at_goal(partial(subset_selection, size=size), attackers)
                for size in _SIZES
                if size <= k // 2
            }
            size = min(sized, key=lambda size: reports_needed(sized[size], SHARES[_MIDDLE]))
            yield row(equal, SIZED, sized[size], size)


def drawn(
    oracle: Oracle, typed: NDArray[np.intp], k: int, generator: np.random.Generator
) -> NDArray[np.int8]:
    """Draw a report of each of ``typed`` [t], as its mechanism is defined.

    Returns:
        int8[t, k]: 1 for symbols that the report supports; of Hadamard response -1 for the others
        of its block; otherwise 0.
    """
    at = np.arange(len(typed))
    if isinstance(oracle, Hadamard):
        block, row = oracle.cells
        column = generator.integers(0, oracle.size, len(typed))
        kept = row[typed]
        own = column ^ np.where(even(kept & column), 0, kept & -kept)
        anything = generator.random(len(typed)) < 2 * oracle.blocks / oracle.total
        column = np.where(anything, column, own)
        place = np.where(anything, generator.integers(0, oracle.blocks, len(typed)), block[typed])
        found: NDArray[np.int8] = np.where(even(column[:, None] & row), 1, -1).astype(np.int8)
        found[place[:, None] != block] = 0
        return found
    assert isinstance(oracle, Pure)
    with_own = generator.random(len(typed)) < oracle.p
    if oracle.chosen is None:  # a bit for each symbol
        supports = generator.random((len(typed), k)) < oracle.q
        supports[at, typed] = with_own
        return supports.astype(np.int8)
    order = generator.random((len(typed), k))
    order[at, typed] = np.where(with_own, -1, 2)  # before all others, or after them
    first = np.argpartition(order, oracle.chosen - 1, axis=1)[:, : oracle.chosen]
    chosen = np.zeros((len(typed), k), np.int8)
    chosen[at[:, None], first] = 1
    return chosen


def simulated(name: str, cap: float, k: int, rounds: int) -> Simulated:
    """Draw reports of typed symbols; compare errors and guesses with the closed forms.

    Args:
        name: one of ``OTHERS``, or ``OURS``.
        cap: the loss.
        k: number of symbols.
        rounds: number of rounds of ``REPORTS`` reports, each with new places of symbols for
            Hadamard response.
    """
    prior = zipf(np.arange(k))
    generator = np.random.default_rng(0)
    oracle = {OURS: randomized_response, **OTHERS}[name](cap, k)
    variances = np.array([oracle.variance(share) for share in prior]) / REPORTS
    errors, success, right, at = 0.0, 0.0, 0, np.arange(REPORTS)
    for _ in range(rounds):
        if isinstance(oracle, Hadamard):
            oracle = replace(oracle, places=generator.permutation(k))
        success += oracle.success(prior, prior)
        typed = generator.choice(k, REPORTS, p=prior)
        reports = drawn(oracle, typed, k, generator)
        likely = np.argmax(reports, axis=1)  # the most probable of those that are supported
        worth = prior[likely] * np.where(reports[at, likely] > 0, exp(cap), 1)
        right += int((np.where(worth >= prior[0], likely, 0) == typed).sum())
        errors += float(((_estimates(oracle, reports) - prior) ** 2 / variances).mean())
    count = rounds * REPORTS
    return Simulated(k, cap, name, errors / rounds, right / count, success / rounds, count)


def _estimates(oracle: Oracle, reports: NDArray[np.int8]) -> Floats:
    """Return unbiased estimates of the shares [k] from ``reports``, as ``drawn`` gives them."""
    found: Floats = reports.mean(axis=0)
    if isinstance(oracle, Pure):
        return (found - oracle.q) / (oracle.p - oracle.q)
    assert isinstance(oracle, Hadamard)
    return found * oracle.total / expm1(oracle.epsilon)


def equal(rows: Sequence[Mapping[str, Any]], what: str) -> tuple[list[str], list[list[str]]]:
    """Return headings and cells of the reports needed at an equal quantity.

    Args:
        rows: the stored rows.
        what: one of ``EQUAL``.
    """
    settings: dict[tuple[int, float], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["equal"] == what:
            settings.setdefault((row["symbols"], row["cap"]), []).append(row)
    names = [row["oracle"] for row in next(iter(settings.values()))][1:]
    cells = []
    for (k, cap), (ours, *others) in settings.items():
        cells.append(
            [
                f"{k:,}",
                f"{cap}",
                *(f"{one:.3g}" for one in (ours["unaided"], *ours["success"])),
                *(_count(needed) for needed in ours["needed"]),
                *(_times(row, ours) for row in others),
                *(
                    f"{min(row['needed'][i] for row in others) / ours['needed'][i]:.2g}"
                    for i in range(len(SHARES))
                ),
            ]
        )
    reports, best = (
        [f"{what}, share {share:g}" for share in SHARES] for what in ("reports", "fewest")
    )
    return [*_COLUMNS, *reports, *names, *best], cells


def _times(row: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    """Return a ratio of reports, with the epsilon in brackets if it is below the cap."""
    times = f"{row['needed'][_MIDDLE] / ours['needed'][_MIDDLE]:.2g}"
    return times if row["epsilon"] == row["cap"] else f"{times} ({row['epsilon']:.2f})"


_BOTH_WAYS = ("success, drawn", "success, computed")


def checked(checks: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return headings and cells of the simulations of the closed forms."""
    columns = ["symbols", "cap", "oracle", "reports", "squared error", *_BOTH_WAYS]
    return columns, [
        [
            f"{check['symbols']:,}",
            f"{check['cap']:g}",
            check["oracle"],
            f"{check['reports']:,}",
            *(f"{check[name]:.3f}" for name in ("error", "guessed", "success")),
        ]
        for check in checks
    ]


def _count(number: float) -> str:
    """Return a count with the two digits that matter."""
    return f"{float(f'{number:.2g}'):,.0f}" if number < 1e12 else f"{number:.1e}"


def main() -> None:
    output = results_parser(__doc__).parse_args().output
    rows: list[Row] = []
    checks: list[Simulated] = []
    for k in SYMBOLS:
        for cap in CAPS:
            progress(f"list-sizes: {k:,} symbols, cap {cap}")
            rows += compared(k, cap)
        for name in (OURS, *OTHERS):
            progress(f"list-sizes: {k:,} symbols, simulation of {name}")
            checks += [simulated(name, cap, k, ROUNDS[k]) for cap in SIMULATED_CAPS]
    found = {
        "rows": [asdict(row) for row in rows],
        "simulated": [asdict(check) for check in checks],
    }
    if output:
        write_alone(output, found)
        tables = [equal(found["rows"], what) for what in EQUAL] + [checked(found["simulated"])]
    print("\n\n".join("\n".join(aligned([columns, *cells])) for columns, cells in tables))


if __name__ == "__main__":
    main()
