"""A task: a public table of labeled texts, read as ids of the vocabulary's words."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.tokenizer import Tokenizer
from brrkit_toolchain.io.tables.formats import uncompressed
from brrkit_toolchain.tasks.corpus import Corpus, read_corpus
from brrkit_toolchain.tasks.dataset import Dataset, read_dataset

Kind = Literal["classes", "number"]

MOST_CLASSES = 200
FEWEST_TEXTS = 10
"""Smallest number of texts of a class or, for a number, of all texts: enough to learn and test."""

ENDS = ("low", "high")
"""The classes of a task with numbers as labels."""

_FEWEST_NUMBERS = 3  # different numbers in a task of numbers; two are classes, such as 0 and 1
_LONGEST_NAME = 100  # characters of a class's name


@dataclass(frozen=True)
class Task:
    """A public table of labeled texts, from which a bundle learns a task.

    If all labels are finite numbers, and at least three of them differ, the task is a number, such
    as a rating; otherwise labels are classes.

    Attributes:
        path: a CSV, TSV, JSON lines or Parquet file, by its suffix; all but Parquet may be
            compressed.
        text_column: column of the texts.
        label_column: column of their classes or numbers.
        name: name of the task; by default the file's name, without its suffixes.
    """

    path: str | os.PathLike[str]
    text_column: str = "text"
    label_column: str = "label"
    name: str | None = None


@dataclass(frozen=True)
class LabeledTexts:
    """A task's texts as ids.

    Attributes:
        name: name of the task.
        source: name of the file, without its directories.
        sha256: SHA-256 of the file on disk.
        kind: kind of the labels: classes or numbers.
        classes: names of the classes, sorted; ``ENDS`` for numbers.
        corpus: the texts; labels are places in ``classes``, or in ``numbers``.
        numbers: float64, the different numbers, ascending; None for classes.
        shares: int64[n, classes], weight of each text for each class, with the same sum for all
            texts. For a number, the weight for ``high`` is the number of texts with a smaller one,
            and for ``low`` with a larger one; texts with an equal one count half for both. All
            weights are doubled, so that they are integers.
    """

    name: str
    source: str
    sha256: str
    kind: Kind
    classes: tuple[str, ...]
    corpus: Corpus
    numbers: NDArray[np.float64] | None
    shares: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.shares)


def read_labeled(
    tasks: Sequence[Task], tokenizer: Tokenizer, *, progress: bool = False
) -> list[LabeledTexts]:
    """Read the texts of each of ``tasks``.

    Args:
        tasks: tasks with different names.
        tokenizer: tokenizer of the vocabulary.
        progress: show bars on standard error, if that is a terminal.

    Raises:
        ParameterError: a table can't be read, or lacks a column; its texts have no known word; its
            labels aren't 2 to 200 classes or numbers, each class with enough texts; or two tasks
            have the same name.
    """
    names = [task_name(task) for task in tasks]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"two tasks are called '{name}'; give each its own name")
    return [_read(task, name, tokenizer, progress) for task, name in zip(tasks, names, strict=True)]


def task_name(task: Task) -> str:
    """Return the name of a task."""
    return printable(task.name or uncompressed(Path(task.path)).stem)


def _read(task: Task, name: str, tokenizer: Tokenizer, progress: bool) -> LabeledTexts:
    path = Path(task.path)
    dataset = read_dataset(path, task.text_column, task.label_column)
    corpus = read_corpus(dataset, tokenizer, progress=progress)
    column = f"{path}: column '{task.label_column}'"
    values = _numbers(dataset.classes)
    if values is None:
        classes, labels, numbers = _classes(dataset, column), corpus.labels, None
        shares = _one_each(labels, len(classes))
        _check_classes(shares.sum(axis=0), column)
    else:
        numbers, places = np.unique(values, return_inverse=True)
        classes, labels = ENDS, places[corpus.labels]
        shares = _by_rank(labels)
        _check_numbers(labels, column)
    return LabeledTexts(
        name,
        dataset.name,
        dataset.sha256,
        "classes" if numbers is None else "number",
        classes,
        replace(corpus, labels=labels),
        numbers,
        shares,
    )


def _numbers(labels: Sequence[str]) -> NDArray[np.float64] | None:
    """Return ``labels`` [m] as numbers; None if they are classes."""
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        return None
    if not all(map(isfinite, numbers)) or len(set(numbers)) < _FEWEST_NUMBERS:
        return None
    return np.array(numbers)


def _classes(dataset: Dataset, column: str) -> tuple[str, ...]:
    """Return the names of the classes."""
    if len(dataset.classes) > MOST_CLASSES:
        raise ParameterError(
            f"{column} has {len(dataset.classes):,} classes; a task has at most {MOST_CLASSES}: "
            "merge some, or name another column"
        )
    if any(len(label) > _LONGEST_NAME for label in dataset.classes):
        raise ParameterError(
            f"{column} has a class whose name is longer than {_LONGEST_NAME} characters; "
            "shorten it, or name the column of classes"
        )
    return tuple(map(printable, dataset.classes))


def _check_classes(texts: NDArray[np.int64], column: str) -> None:
    """Raise an error if a class has too few ``texts``."""
    few = texts[texts < FEWEST_TEXTS]
    if len(few):
        raise ParameterError(
            f"{column}: {len(few)} of its {len(texts)} classes have fewer than {FEWEST_TEXTS} "
            f"texts that contain a known word, one only {few.min()}; give more texts, leave these "
            "classes out, or merge them"
        )


def _check_numbers(labels: NDArray[np.intp], column: str) -> None:
    """Raise an error for too few numbers, or for equal ones."""
    if len(labels) < FEWEST_TEXTS or (labels == labels[0]).all():
        raise ParameterError(
            f"{column} has {len(labels)} texts that contain a known word; give at least "
            f"{FEWEST_TEXTS}, with different numbers"
        )


def _one_each(labels: NDArray[np.intp], classes: int) -> NDArray[np.int64]:
    """Return 1 for each text's class, 0 for others, int64[n, classes]."""
    return np.equal.outer(labels, np.arange(classes)).astype(np.int64)


def _by_rank(labels: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the weight of each text for ``ENDS``, by the ranks of its number."""
    counts = np.bincount(labels)
    below = np.cumsum(counts) - counts
    high = (2 * below + counts)[labels]
    return np.stack([2 * len(labels) - high, high], axis=1).astype(np.int64)
