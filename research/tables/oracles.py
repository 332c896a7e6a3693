"""Tables of frequency oracles: reports needed to count words, and a list's symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import Stored, read_alone
from benchmarks.tables.table import LEFT_OUT, Table
from research import LIST_SIZES

_ORACLES = {
    "k-ary randomized response": "`counts`: k-ary randomized response",
    "exponential": "`exponential`, as for text",
}

_WHO = {
    "frequencies": "success, `frequencies`",
    "content": "success, `frequencies`, content words",
    "isolated": "success, `isolated`",
}


def _oracles(equal: str, oracles: Stored) -> str:
    """Return each oracle's reports needed, and its errors, at an ``equal`` quantity."""
    rows = [row for row in oracles.numbers["rows"] if row["equal"] == equal]
    ours = rows[0]["needed"][1]
    columns = [
        "oracle",
        "ε",
        *_WHO.values(),
        *(f"reports, rank {rank}" for rank in ("100", "1,000", "10,000")),
        "reports, rank 1,000, relative to `counts`",
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
    """Return a count with two significant digits, in millions if it is that large."""
    rounded = float(f"{number:.2g}")
    return f"{rounded / 1e6:,g} M" if rounded >= 1e6 else f"{rounded:,.0f}"


def _agreement(oracles: Stored) -> str:
    """Return packages' results on few symbols, and the computed ones."""
    rows: list[Sequence[str]] = [
        [
            f"{name}, `{one['package']}`",
            *(f"{one[side]:.3f}" for side in ("success", "computed_success")),
            *(f"{one[side]:.4f}" for side in ("error", "computed_error")),
        ]
        for name, one in oracles.numbers["packages"].items()
    ]
    columns = [
        "oracle, package",
        *("success, package", "success, computed", "error, package", "error, drawn"),
    ]
    return markdown(columns, rows)


def _list_sizes(what: str) -> str:
    """Return reports by the length of the list, for an equal quantity or the simulation."""
    from research.oracles import list_sizes

    found = read_alone(LIST_SIZES)
    if what == "simulated":
        return markdown(*list_sizes.checked(found[what]))
    return markdown(*list_sizes.equal(found["rows"], what))


TABLES: Mapping[str, Table] = {
    **{
        f"oracles-{equal}": Table(["wikipedia-50k/oracles"], partial(_oracles, equal))
        for equal in ("epsilon", *_WHO)
    },
    "oracles-packages": Table(["wikipedia-50k/oracles"], _agreement),
    **{
        f"list-sizes-{what}": Table(
            (), partial(_list_sizes, what), command="python -m research.oracles.list_sizes"
        )
        for what in ("cap", "isolated", "both", "simulated")
    },
}
