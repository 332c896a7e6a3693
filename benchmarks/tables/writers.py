"""Tables of attackers who name the writers of released texts, or recognize texts."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks import writers
from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import Table, name_of


def _named(stored: Stored) -> str:
    """Return the success of naming senders."""
    return markdown(writers.COLUMNS, writers.named_rows(stored.numbers["named"]))


def _recognized(stored: Stored) -> str:
    """Return the success of recognizing a message among others."""
    rows = writers.recognized_rows(stored.numbers["recognized"])
    return markdown(writers.RECOGNIZED_COLUMNS, [[*map(name_of, row)] for row in rows])


def _task(stored: Stored) -> str:
    """Return the accuracy of a classifier of frames."""
    return markdown(writers.TASK_COLUMNS, writers.task_rows(stored.numbers["task"]))


_MANY, _WORDS = 100, (6, 9)  # texts of a sender; words of a message


def _short(stored: Stored) -> str:
    """Return the README's table of the strongest attackers, without intervals."""
    whole, frames, *_ = stored.numbers["named"]
    senders = [
        max(each["value"] for each in (success[str(_MANY)] for success in of["success"].values()))
        for of in (whole, frames)
    ]
    messages, _, *_ = stored.numbers["recognized"]
    found = next(row for row in messages if (row["from"], row["to"]) == _WORDS)
    return (
        f"* **A whole text.** A released message of {_WORDS[0]} to {_WORDS[1]} words "
        f"is recognized among\n  {writers.OTHERS} equally long others in "
        f"{found['success']['value']:.0%} of cases.\n"
        f"* **A person over time.** From {_MANY} messages, an attacker identifies "
        f"{senders[0]:.0%} of\n  {whole['writers']} senders; from {_MANY} [frames of "
        f"{frames['frame_words']} words](docs/how-to/send-text.md), {senders[1]:.0%}.\n"
    )


_SOURCE = ("sample/writers",)
TABLES: Mapping[str, Table] = {
    "writers-short": Table(_SOURCE, _short, commands_only=True),
    "writers-named": Table(_SOURCE, _named),
    "writers-recognized": Table(_SOURCE, _recognized),
    "writers-task": Table(_SOURCE, _task),
}
