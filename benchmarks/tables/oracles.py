"""Tables of frequency oracles: what each needs to count words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import LEFT_OUT, Table

_ORACLES = {
    "k-ary randomized response": "`counts`: k-ary randomized response",
    "exponential": "`exponential`, as for text",
}

_WHO = {
    "frequencies": "`frequencies`",
    "content": "the same, content words",
    "isolated": "`isolated`",
}


def _oracles(equal: str, oracles: Stored) -> str:
    """Return what each oracle needs, and its errors, where something is ``equal``."""
    rows = [row for row in oracles.numbers["rows"] if row["equal"] == equal]
    ours = rows[0]["needed"][1]
    columns = [
        "",
        "ε",
        *_WHO.values(),
        *(f"reports, rank {rank}" for rank in ("100", "1,000", "10,000")),
        "times those of `counts`",
        *(f"error, ranks {ranks}" for ranks in ("1–100", "101–1,000", "1,001–3,000")),
        "total variation",
    ]
    return markdown(
        columns,
        [
            [
                _ORACLES.get(row["oracle"], row["oracle"])
                + (f" ({row['size']})" if row["size"] else ""),
                f"{row['loss']:.1f}",
                *(f"{row['success'][attacker]:.3f}" for attacker in _WHO),
                *(_two_digits(needed) for needed in row["needed"]),
                f"{row['needed'][1] / ours:.2g}",
                *(
                    [LEFT_OUT] * 4
                    if row["distance"] is None
                    else [*(f"{error:.3f}" for error in row["relative"]), f"{row['distance']:.2f}"]
                ),
            ]
            for row in rows
        ],
    )


def _two_digits(number: float) -> str:
    """Return a count with the two digits that matter, in millions where it is that large."""
    rounded = float(f"{number:.2g}")
    return f"{rounded / 1e6:,g} M" if rounded >= 1e6 else f"{rounded:,.0f}"


def _oracles_few(oracles: Stored) -> str:
    """Return what oracles need at equal success of the attacker who knows frequencies."""
    rows = [row for row in oracles.numbers["rows"] if row["equal"] == "frequencies"]
    ours = rows[0]["needed"][1]
    return markdown(
        ["", "ε", "reports, rank 1,000", "times those of `counts`"],
        [
            [
                _ORACLES.get(row["oracle"], row["oracle"]),
                f"{row['loss']:.1f}",
                _two_digits(row["needed"][1]),
                f"{row['needed'][1] / ours:.2g}",
            ]
            for row in rows
            if not row["size"] and row["oracle"] != "optimized unary encoding"  # as hashing
        ],
    )


def _agreement(oracles: Stored) -> str:
    """Return what packages give on few symbols, and what is computed."""
    rows: list[Sequence[str]] = [
        [
            f"{name}, `{one['package']}`",
            *(f"{one[side]:.3f}" for side in ("success", "computed_success")),
            *(f"{one[side]:.4f}" for side in ("error", "computed_error")),
        ]
        for name, one in oracles.numbers["packages"].items()
    ]
    columns = ["", "success (all words), package", "computed", "error, package", "drawn"]
    return markdown(columns, rows)


TABLES: Mapping[str, Table] = {
    **{
        f"oracles-{equal}": Table(["wikipedia-50k/oracles"], partial(_oracles, equal))
        for equal in ("epsilon", *_WHO)
    },
    "oracles-few": Table(["wikipedia-50k/oracles"], _oracles_few),
    "oracles-packages": Table(["wikipedia-50k/oracles"], _agreement),
}
