"""Tables of classifiers' accuracy on released texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks import tasks
from benchmarks.store import Stored
from benchmarks.tables.table import Table, as_printed


def _requests(example: Stored) -> str:
    """Return typed and released requests, with their assigned classes; all columns are text."""
    columns = ("typed", "released", "class assigned by a classifier")
    head, _, *rows = as_printed(example, columns=columns).splitlines(keepends=True)
    return "".join([head, "| --- " * len(example.columns) + "|\n", *rows])


def _requests_short(example: Stored) -> str:
    """Return the accuracy on released requests, and the share of recovered words."""
    numbers = example.numbers
    reads = numbers["guessed"]["sentence"]
    return (
        f"A classifier trained on other released requests labels {numbers['right']:.0%} of "
        f"{numbers['tested']} correctly. An attacker\nwith a model of such requests recovers "
        f"{reads['all']:.0%} of all words, and {reads['content']:.0%} of content words (beyond\n"
        "the 150 most frequent).\n"
    )


_VECTORS_COLUMNS = ("", "own vectors", "posterior vectors", "CPU time of posterior vectors, s")
_SENTIMENT_COLUMNS = {
    "writers": (
        "reviews",
        "attack success",
        "accuracy from 1 review",
        "from 5 reviews",
        "from 20 reviews",
    ),
    "vectors": (
        "reviews",
        "attack success",
        "accuracy with own vectors",
        "with posterior vectors",
        "with learned vectors",
        "correlation with MEN, learned vectors",
    ),
}
_UNSUPERVISED_COLUMNS = ("task", "bits", "attack success", "accuracy with mean vectors", "cosine")
_of_points = partial(as_printed, columns=tasks.COLUMNS)

TABLES: Mapping[str, Table] = {
    "requests": Table(["sample/example"], _requests),
    "requests-short": Table(["sample/example"], _requests_short, commands_only=True),
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
        f"tasks-{name}": Table(
            [f"wikipedia-10k-sentiment/tasks-{name}"], partial(as_printed, columns=columns)
        )
        for name, columns in _SENTIMENT_COLUMNS.items()
    },
    "tasks-unsupervised": Table(
        ["wikipedia-10k/tasks-unsupervised"], partial(as_printed, columns=_UNSUPERVISED_COLUMNS)
    ),
    "vectors": Table(["wikipedia-50k/vectors"], partial(as_printed, columns=_VECTORS_COLUMNS)),
}
