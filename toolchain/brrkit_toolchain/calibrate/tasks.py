"""The choice of a task weight, among settings that meet one goal, each with another weight.

A larger weight keeps more of a task, and less of the words' other meaning. The accuracy of the
better of two classifiers of released text measures the utility for a task. The distance in the
words' own bits between typed and released words measures the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brrkit import ParameterError, WordBundle
from brrkit.mechanisms.exponential import check_task_weight
from brrkit.setting import Setting
from brrkit_toolchain.utility.task_accuracy import TaskAccuracy

TASK_SHARE = 0.97
"""Default share of a task's best result at a goal that a setting shall reach."""

WEIGHTS = (1, 0, 2, 4)
"""Weights to try; the radius is chosen at the first."""


@dataclass(frozen=True)
class WeightTrial:
    """A setting that meets a goal with one task weight.

    Attributes:
        setting: the setting, with this weight.
        distance: mean distance from a typed word to its output, in the words' own bits.
        tasks: accuracy of classifiers.
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
    """Return the task weights to try on ``bundle``.

    Args:
        bundle: an opened bundle.
        task_weight: the given weight; None to choose one.
        measured: whether there are texts to measure the tasks with; otherwise only the default
            weight is tried.

    Raises:
        ParameterError: the given weight is out of range.
    """
    if task_weight is not None:
        return (check_task_weight(task_weight, bundle.task_bits),)
    return WEIGHTS if measured else (None,)


def keep_most(found: Sequence[WeightTrial], share: float) -> WeightTrial:
    """Return the setting that keeps most other meaning, among those that keep enough of each task.

    Enough is ``share`` of the best result in ``found``. If no setting keeps enough of every task,
    the result is the setting with the best result on its worst task.
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
