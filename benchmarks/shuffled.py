"""The central guarantee of shuffled counts, beside a published one and the least possible.

    python -m benchmarks.shuffled [--output benchmarks/results/benchmarks/shuffled.json]

takes seconds, prints its table, and writes what it found with ``--output``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from benchmarks.commands import results_parser
from benchmarks.report import aligned
from benchmarks.store import write_alone
from brrkit_toolchain.channel.privacy_loss.shuffled import local_loss, shuffling_guarantee

SYMBOLS = 49_969
KEPT = (0.1, 0.2, 0.3)
REPORTERS = (10**4, 10**5, 10**6, 10**7)
EACH = (1, 5)
DELTA = 1e-6
_TRIED = 1_000  # values of epsilon
_WIDE = 14  # standard deviations, and as many reports beyond
COLUMNS = (
    "reporters",
    "reports each",
    "a",
    "local ε",
    "closed form",
    "ε, δ = 10⁻⁶",
    "lower bound on ε",
    "ε, δ = 1/(10 n)",
)


def clones(kept: float, symbols: int, reports: int, epsilon: float) -> float:
    """Return the delta of Feldman, McMillan and Talwar (FOCS 2021), Theorem 3.1, for one report.

    The theorem states epsilon for a delta; this is its inverse. It is 1 if the theorem states
    nothing.
    """
    odds = math.exp(local_loss(kept, symbols))
    least = 2 * math.exp(-reports / (16 * odds))  # required by its condition on the local loss
    root = (math.expm1(epsilon) * (odds + 1) / (odds - 1) - 8 * odds / reports) / 8
    if root <= 0:
        return 1.0
    return min(max(4 * math.exp(-(root**2) * reports / odds), least), 1.0)


def least_possible(kept: float, symbols: int, reports: int, epsilon: float) -> float:
    """Return the delta of an attacker who sees two words' counts, if all others typed a third word.

    No proof can give less. The counts h and i of the two words are multinomial with q = g / k each
    if all N typed the third word. Under x, their probability is multiplied by the expected sum over
    y of H_y K(y|x) / (N q_y), given h and i.
    """
    g = 1 - kept
    q, third = g / symbols, kept + g / symbols
    mean = reports * q
    wide = _WIDE * (math.sqrt(mean) + 1)
    h = np.arange(max(math.floor(mean - wide), 0), math.ceil(mean + wide) + 1)
    first = binom.pmf(h, reports, q)[:, None]
    both = first * binom.pmf(h[None, :], reports - h[:, None], q / (1 - q))
    others = reports - h[:, None] - h[None, :]
    of_third = others * third / (1 - 2 * q)
    rest = others - of_third + of_third * q / third
    one, other = h[:, None] * (third / q) + h, h[None, :] * (third / q) + h[:, None]
    terms = (one + rest) / reports - math.exp(epsilon) * (other + rest) / reports
    return float((both * np.maximum(terms, 0)).sum())


def smallest(delta_of: Callable[[float], float], delta: float, each: int, most: float) -> float:
    """Return the smallest epsilon of ``each`` steps, whose delta is at most ``delta``.

    It is infinite if nothing up to ``most`` per step is enough.
    """

    def enough(epsilon: float) -> bool:
        steps = math.expm1(each * epsilon) / math.expm1(epsilon)
        return delta_of(epsilon) * steps <= delta

    # Several steps at a larger epsilon need a smaller delta each: the largest may not be enough.
    tried = np.linspace(0, most, _TRIED + 1)[1:] if each > 1 else [most]
    low, high = 0.0, next((float(epsilon) for epsilon in tried if enough(epsilon)), math.inf)
    if math.isinf(high):
        return high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return each * high


def row(reporters: int, each: int, kept: float) -> dict[str, float | None]:
    reports = reporters * each
    local = local_loss(kept, SYMBOLS)
    closed = smallest(lambda e: clones(kept, SYMBOLS, reports, e), DELTA, each, local)
    least = (
        smallest(lambda e: least_possible(kept, SYMBOLS, reports, e), DELTA, 1, local)
        if each == 1
        else None
    )
    return {
        "reporters": reporters,
        "each": each,
        "kept": kept,
        "local": each * local,
        "clones": closed if math.isfinite(closed) else None,
        "blanket": shuffling_guarantee(kept, SYMBOLS, reports, each, DELTA).epsilon,
        "least": least,
        "blanket at 1/(10 n)": shuffling_guarantee(
            kept, SYMBOLS, reports, each, 1 / (10 * reporters)
        ).epsilon,
    }


def cells(found: dict[str, float | None]) -> list[str]:
    """Return a line of the table. Proven bounds are rounded up, lower bounds down."""

    def shown(name: str) -> str:
        number = found[name]
        if number is None:
            return "–"
        digits = 3 if number < 10 else 1
        away = math.floor if name == "least" else math.ceil
        return f"{away(number * 10**digits) / 10**digits:.{digits}f}"

    return [
        f"{found['reporters']:,}",
        f"{found['each']}",
        f"{found['kept']}",
        *map(shown, ("local", "clones", "blanket", "least", "blanket at 1/(10 n)")),
    ]


def main() -> None:
    output = results_parser(__doc__).parse_args().output
    rows = [row(n, m, a) for n in REPORTERS for m in EACH for a in KEPT]
    if output:
        write_alone(output, {"symbols": SYMBOLS, "delta": DELTA, "rows": rows})
    print("\n".join(aligned([COLUMNS, *map(cells, rows)])))


if __name__ == "__main__":
    main()
