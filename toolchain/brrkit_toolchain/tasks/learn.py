"""From public labeled texts to the task bits of a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.tokenizer import Tokenizer
from brrkit_toolchain.codes.packing import pack
from brrkit_toolchain.language.model import LEAST
from brrkit_toolchain.tasks import TASK_BITS
from brrkit_toolchain.tasks.bits import bit_lists, levels, light
from brrkit_toolchain.tasks.held_out import Division, divide, encode_held_out, spread
from brrkit_toolchain.tasks.labeled import LabeledTexts, Task, read_labeled
from brrkit_toolchain.tasks.scores import Scores, learn_scores

_ONE_IN_ASIDE = 5  # one in this number of texts is used to choose the shrinkage
_WORDS_SHOWN = 10  # words named for a class


@dataclass(frozen=True)
class TaskBits:
    """The additions of tasks to a bundle.

    Attributes:
        packed: uint64[words, 1], the task bits of each word's code.
        described: the manifest's ``tasks``.
        held_out: the content of ``tasks.npz``.
    """

    packed: NDArray[np.uint64]
    described: list[dict[str, Any]]
    held_out: bytes


def learn_tasks(
    tasks: Sequence[Task], tokenizer: Tokenizer, *, least: int = LEAST, progress: bool = False
) -> TaskBits:
    """Learn the task bits of a vocabulary's words from the tables of ``tasks``.

    Args:
        tasks: tasks with different names.
        tokenizer: tokenizer of the vocabulary.
        least: smallest number of a task's labeled texts with a word that gets bits from it.
        progress: show bars on standard error.

    Raises:
        ParameterError: as for ``read_labeled``; or the tasks together have too many classes.
    """
    vocabulary = tokenizer.vocabulary
    words = list(vocabulary)
    read = read_labeled(tasks, tokenizer, progress=progress)
    lists = bit_lists(sum(len(task.classes) for task in read))
    bits = np.zeros((len(words), TASK_BITS), np.bool_)
    described, divided = [], []
    for task in read:
        own, lists = lists[: len(task.classes)], lists[len(task.classes) :]
        division = divide(task.corpus.labels)
        scores = _scores(task, division, len(words), least)
        light(bits, levels(scores, own), own)
        telling = [_telling(words, column) for column in scores.values.T]
        described.append(_described(task, own, telling, least))
        divided.append((task, division))
    return TaskBits(pack(bits), described, encode_held_out(divided))


def _scores(task: LabeledTexts, division: Division, words: int, least: int) -> Scores:
    texts = task.corpus.start(division.learning, None)
    count = len(texts.labels)
    aside = spread(count // _ONE_IN_ASIDE, count)
    return learn_scores(texts, task.shares[division.learning], words, aside, least)


def _telling(words: Sequence[str], scores: NDArray[np.int64]) -> list[str]:
    """Return the words with the most evidence for a class."""
    order = np.argsort(-scores, kind="stable")[:_WORDS_SHOWN]
    return [words[i] for i in order if scores[i] > 0]


def _described(
    task: LabeledTexts,
    lists: Sequence[Sequence[int]],
    telling: Sequence[Sequence[str]],
    least: int,
) -> dict[str, Any]:
    return {
        "name": task.name,
        "source": {"name": task.source, "sha256": task.sha256},
        "kind": task.kind,
        "texts": len(task),
        "least": least,
        "classes": [
            {"name": name, "bits": list(bits), "words": list(some)}
            for name, bits, some in zip(task.classes, lists, telling, strict=True)
        ],
    }
