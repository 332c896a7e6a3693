"""Tables of what classifiers reach on released texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks import tasks
from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import Table, as_printed

_README_TASKS = {
    "sentiment of reviews, 2 classes": 0.2,
    "topics of articles, 8 classes": 0.2,
    "intents of requests, 7 classes": 0.42,
}
_README_WEIGHT = 2


def _both(accuracy: Mapping[str, float]) -> str:
    """Return that of TF-IDF on whole texts, and that of mean vectors."""
    return f"{accuracy['whole']:.2f}, {accuracy['vectors']:.2f}"


def _tasks_short(*of_tasks: Stored) -> str:
    """Return what the README says of tasks: with task bits and without."""
    rows = []
    for stored, (label, goal) in zip(of_tasks, _README_TASKS.items(), strict=True):
        points = [point for point in stored.numbers["points"] if point["goal"] == goal]
        reached = {
            point["contender"]["weight"]: point
            for point in points
            if point["contender"]["tasks"] is None
        }
        accuracies = (stored.numbers["typed"], reached[_README_WEIGHT], reached[0])
        rows.append([label, f"{goal:.2f}", *map(_both, accuracies)])
    columns = ["", "success, all words", "typed", "released", "without task bits"]
    return markdown(columns, rows)


_CLASSES = 4
"""So many requests are in the README, of the first classes by name."""


def _requests(example: Stored) -> str:
    """Return requests of some classes, typed and released, what they are taken for, and by whom."""
    numbers = example.numbers
    table = markdown(example.columns, example.rows[:_CLASSES])
    table = "\n".join([table.splitlines()[0], "| --- " * 3 + "|", *table.splitlines()[2:]])
    reads = numbers["guessed"]["sentence"]
    return (
        f"{table}\n\nA classifier trained on other released requests labels {numbers['right']:.2f} "
        f"of {numbers['tested']} correctly. An attacker\nwho knows how requests go names "
        f"{reads['all']:.2f} of all words, and {reads['content']:.2f} of content words (beyond the "
        "150 most frequent).\n"
    )


_of_points = partial(as_printed, columns=tasks.COLUMNS)

TABLES: Mapping[str, Table] = {
    "requests": Table(["sample/example"], _requests, commands_only=True),
    "tasks-short": Table(
        [
            "wikipedia-50k-sentiment/tasks-sentiment",
            "wikipedia-50k-topics/tasks-topics",
            "wikipedia-50k-tasks/tasks-intents",
        ],
        _tasks_short,
        commands_only=True,
    ),
    "tasks-sentiment": Table(["wikipedia-50k-sentiment/tasks-sentiment"], _of_points),
    **{
        f"tasks-both-{task}": Table([f"wikipedia-50k-tasks/tasks-{task}"], _of_points)
        for task in ("sentiment", "intents")
    },
    "tasks-sample-intents": Table(["sample/tasks-intents"], _of_points),
    "tasks-sample-atis": Table(["sample/tasks-atis"], _of_points),
    "tasks-atis": Table(["wikipedia-10k-atis/tasks-atis"], _of_points),
    "tasks-rating": Table(["wikipedia-10k-rating/tasks-rating"], _of_points),
    "tasks-topics": Table(["wikipedia-50k-topics/tasks-topics"], _of_points),
    **{
        f"tasks-{name}": Table([f"wikipedia-10k-sentiment/tasks-{name}"], as_printed)
        for name in ("writers", "vectors")
    },
    "tasks-unsupervised": Table(["wikipedia-10k/tasks-unsupervised"], as_printed),
    "vectors": Table(["wikipedia-50k/vectors"], as_printed),
}
