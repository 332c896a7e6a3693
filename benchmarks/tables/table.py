"""Common parts of tables on all topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.markdown import markdown
from benchmarks.store import Stored

LEFT_OUT = "–"
NOT_REACHED = "not reached"
SUBJECTS = {"glove": "glove-7k", "wikipedia": "wikipedia-50k"}
"""Folders of results, by the suffixes of tables that exist for two embeddings."""

_NAMES = {
    "laplace": "Laplace noise on float vectors (Madlib)",
    "Madlib (Laplace)": "Laplace noise on float vectors (Madlib)",
    "brr": "`brr`",
    "vickrey": "`vickrey`, t = 0.5",
    "exponential": "`exponential`",
    "find": "look-up of a word in the vocabulary",
    "search": "search for the nearest code",
    "open": "opening the bundle and verifying its hashes",
    "open, cold": "opening the bundle in a new process",
    "exponential, by the clock": "`exponential`, elapsed",
    "with a budget, by the clock": "`exponential` with a budget",
    "with a new budget, by the clock": "`exponential` with a new budget, first 300 words",
    "typing, budget on: p50": "typing with a budget, median",
    "typing, budget on: p99": "typing with a budget, 99th percentile",
    "zipf": "Zipf",
    "imdb": "IMDB",
    "`unigram`, of ranks": "`unigram`, from ranks",
    "`unigram`, of reviews": "`unigram`, from reviews",
    "`bigram`, of reviews": "`bigram`, from reviews",
    "`bigram`, of reviews, no cap": "`bigram`, from reviews, no cap",
    "`bigram`, of Wikipedia": "`bigram`, from Wikipedia",
    "the most frequent class": "constant: the most frequent class",
    "label alone, randomized response, ε 17": "label alone, randomized response, ε = 17",
    "label alone, randomized response, ε 1.1": "label alone, randomized response, ε = 1.1",
    "nothing": "no reviews",
    "typed text": "typed reviews",
    "released, `uniform`, radius 8": "released reviews, `uniform`, radius 8",
    "released, `unigram`, of reviews": "released reviews, `unigram`, from reviews",
    "released, `bigram`, of reviews": "released reviews, `bigram`, from reviews",
    "`uniform`, radius 8, ε .785": "`uniform`, radius 8, ε = 0.785",
    "`uniform`, radius 8, ε .6": "`uniform`, radius 8, ε = 0.6",
    "`unigram`, radius 16, ε 1.07, cap 17": "`unigram`, radius 16, ε = 1.07, cap 17",
    "constant to 8": "constant weights up to 8 bits",
    "constant to 12": "constant weights up to 12 bits",
    "k-th nearest, k = 2": "a radius for each word, k = 2",
    "k-th nearest, k = 3": "a radius for each word, k = 3",
    "mixture of 0 and 12": "a mixture of radius 0 and 12",
    "full-size files": "files for Laplace noise",
}


@dataclass(frozen=True)
class Table:
    """A table of a page.

    Attributes:
        sources: stored results, as SUBJECT/BENCHMARK.
        make: function from these to Markdown.
        command: command that makes it, if no stored result of a bundle names it.
        commands_only: whether to leave out the subject and the machine, which another page states.
    """

    sources: Sequence[str]
    make: Callable[..., str]
    command: str = ""
    commands_only: bool = False


def as_printed(
    stored: Stored, keep: Sequence[int] | None = None, columns: Sequence[str] | None = None
) -> str:
    """Return the table that a benchmark printed.

    Args:
        stored: its result.
        keep: columns to keep; by default, all.
        columns: other headings for these.
    """
    chosen = range(len(stored.columns)) if keep is None else keep
    return markdown(
        columns or [stored.columns[i] for i in chosen],
        [[name_of(row[i]) for i in chosen] for row in stored.rows],
    )


def name_of(cell: str) -> str:
    """Return the pages' name for a printed label."""
    return _NAMES.get(cell, LEFT_OUT if cell == "-" else cell)
