"""Tables of counts estimated from reports: their errors, and the number of reports needed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.markdown import markdown
from benchmarks.store import CANDIDATES, EMOJI_WEEK, SHUFFLED, Stored, read_alone
from benchmarks.tables.table import Table, as_printed

_ERRORS = [
    "typed words",
    "E",
    "released unchanged",
    "error, counts of outputs",
    "error, inverted",
    "error, `brr estimate`",
    "half width of its intervals",
    "coverage of its intervals",
]


def _needed(frequencies: Stored) -> str:
    """Return the number of reports needed."""
    rows = [[row[1], *row[8:]] for row in frequencies.rows if row[0] == "zipf"]
    shares = [column.removeprefix("needed ") for column in frequencies.columns[8:]]
    return markdown(["E", *(f"reports for a share of {share}" for share in shares)], rows)


_COUNTS_COMMAND = "brr calibrate runtime/brrkit/sample --for counts --attack-success 0.2"


def _counts_needed() -> str:
    """Return the results of ``brr calibrate --for counts`` for the sample at three goals."""
    from brrkit import WordBundle
    from brrkit_counting.calibrate import calibrate_counts

    bundle = WordBundle.sample()
    rows = []
    for goal in (0.15, 0.2, 0.3):
        found = calibrate_counts(bundle, attack_success=goal, attacker="frequencies")
        needed = [f"{float(f'{found.needed[rank]:.2g}'):,.0f}" for rank in (100, 1_000)]
        rows.append([f"{goal:g}", f"{found.setting.cap:.2f}", *needed])
    return markdown(
        ["attack success, all words", "cap", "reports, rank 100", "reports, rank 1,000"], rows
    )


def _shuffled() -> str:
    """Return the central guarantee of shuffled counts, by reporters."""
    from benchmarks import shuffled

    found = read_alone(SHUFFLED)
    return markdown(shuffled.COLUMNS, [shuffled.cells(row) for row in found["rows"]])


def _shuffled_few() -> str:
    """Return the central epsilon of a reporter with one report, by reporters."""
    from benchmarks import shuffled

    found = read_alone(SHUFFLED)
    chosen = [0, 5]  # reporters, central epsilon
    return markdown(
        [shuffled.COLUMNS[i] for i in chosen],
        [
            [shuffled.cells(row)[i] for i in chosen]
            for row in found["rows"]
            if row["each"] == 1 and row["kept"] == 0.2
        ],
    )


def _emoji_week() -> str:
    """Return the accuracy of a week's emoji estimated from a list."""
    from benchmarks import emoji_week

    found = read_alone(EMOJI_WEEK)
    rows = [emoji_week.cells(row) for row in found["rows"]]
    holds = f"{100 * found['all']:.1f}%"
    return markdown(emoji_week.COLUMNS, [*rows, ["all", "", "", "", "", holds]])


def _candidates() -> str:
    """Return the number of new words found from a list of candidates."""
    from benchmarks import candidates

    found = read_alone(CANDIDATES)
    return markdown(candidates.COLUMNS, [candidates.cells(row) for row in found["rows"]])


TABLES: Mapping[str, Table] = {
    "frequencies": Table(
        ["encyclopedia-2k/frequencies"], partial(as_printed, keep=range(8), columns=_ERRORS)
    ),
    "reports-needed": Table(["encyclopedia-2k/frequencies"], _needed),
    "estimate": Table(["wikipedia-50k/estimate"], as_printed),
    "counted": Table(["wikipedia-50k/counted"], as_printed),
    "counts-needed": Table((), _counts_needed, command=_COUNTS_COMMAND),
    "shuffled": Table((), _shuffled, command="python -m benchmarks.shuffled"),
    "shuffled-few": Table((), _shuffled_few, command="python -m benchmarks.shuffled"),
    "emoji-week": Table((), _emoji_week, command="python -m benchmarks.emoji_week"),
    "candidates": Table((), _candidates, command="python -m benchmarks.candidates"),
}
