"""How heavy task bits are to be: of settings that meet one goal, with a weight each.

A heavier weight keeps more of a task and less of the rest of what words mean. What is kept of a
task is what the better of two classifiers of released text reaches; of the rest, how far in the
word's own bits a typed word is from what comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brrkit import ParameterError, WordBundle
from brrkit.mechanisms.exponential import check_task_weight
from brrkit.setting import Setting
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy

TASK_SHARE = 0.97
"""Of what a task can have at a goal: what a setting is to reach."""

WEIGHTS = (1, 0, 2, 4)
"""Weights that are tried; the radius is chosen at the first."""


@dataclass(frozen=True)
class WeightTrial:
    """A setting that meets a goal with one task weight.

    Attributes:
        setting: with that weight.
        distance: from a typed word to its output, the mean over the word's own bits, in bits.
        tasks: what classifiers reach.
    """

    setting: Setting
    distance: float
    tasks: tuple[TaskAccuracy, ...]


def check_share(share: float) -> float:
    """Return ``share``.

    Raises:
        ParameterError: it isn't between 0 and 1.
    """
    if not 0 < share <= 1:
        raise ParameterError(f"task_share must be a number above 0 and up to 1, not {share!r}")
    return share


def weights_to_try(
    bundle: WordBundle, task_weight: int | None, *, measured: bool
) -> Sequence[int | None]:
    """Return the task weights that are tried on ``bundle``.

    Args:
        bundle: an opened bundle.
        task_weight: the given one.
        measured: whether there are texts that tell what is kept of the tasks; else the default
            weight is the only one.

    Raises:
        ParameterError: the given weight is out of range.
    """
    if task_weight is not None:
        return (check_task_weight(task_weight, bundle.task_bits),)
    return WEIGHTS if measured else (None,)


def keep_most(found: Sequence[WeightTrial], share: float) -> WeightTrial:
    """Return the setting that keeps most of the rest, of those that keep enough of each task.

    Enough is ``share`` of the most that any of ``found`` reaches. If none keeps enough of every
    task, it is the one that keeps most of that of which it keeps least.
    """
    most = [
        max(task.reached.value for task in tasks)
        for tasks in zip(*(each.tasks for each in found), strict=True)
    ]

    def kept(each: WeightTrial) -> float:
        return min(
            (task.reached.value / best for task, best in zip(each.tasks, most, strict=True)),
            default=1.0,
        )

    enough = [each for each in found if kept(each) >= share]
    if not enough:
        return max(found, key=kept)
    return min(enough, key=lambda each: each.distance)
