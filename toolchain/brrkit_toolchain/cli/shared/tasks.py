"""Options for public labeled texts, and output about the accuracy on tasks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit_toolchain.cli.shared import FILE, Command, Decorator, interval, with_options

if TYPE_CHECKING:
    from brrkit_toolchain.utility.task_accuracy import TaskAccuracy


def task_options(help_: str) -> Decorator:
    """Add the options of tasks to a command, as one list argument ``tasks``.

    Args:
        help_: help of the option ``--task``.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(
            *,
            task: tuple[Path, ...],
            text_column: tuple[str, ...],
            label: tuple[str, ...],
            task_name: tuple[str, ...],
            **options: Any,
        ) -> None:
            from brrkit_toolchain import Task

            fields = {"text_column": text_column, "label_column": label, "name": task_name}
            named = ("--text-column", "--label", "--task-name")
            given = {
                field: _for_each(task, values, option)
                for option, (field, values) in zip(named, fields.items(), strict=True)
                if values
            }
            tasks = [
                Task(path, **{field: values[place] for field, values in given.items()})
                for place, path in enumerate(task)
            ]
            command(tasks=tasks, **options)

        return with_options(
            click.option("--task", type=FILE, multiple=True, help=help_),
            click.option(
                "--text-column",
                metavar="NAME",
                multiple=True,
                help="With --task: the column of texts; once for all tasks, or once for each, in "
                "their order. Default: text.",
            ),
            click.option(
                "--label",
                metavar="NAME",
                multiple=True,
                help="With --task: the column of classes or numbers; once for all tasks, or once "
                "for each. Default: label.",
            ),
            click.option(
                "--task-name",
                metavar="NAME",
                multiple=True,
                help="With --task: the task's name, once for each. Default: the file's name.",
            ),
        )(run)

    return decorate


def _for_each(tasks: Sequence[Path], given: Sequence[str], option: str) -> Sequence[str]:
    """Return an option's value for each of ``tasks``, given once for all, or once for each."""
    if not tasks or len(given) not in (1, len(tasks)):
        raise ParameterError(
            f"{option} is given {len(given)} times and --task {len(tasks)} times; give it once for "
            "all tasks, or once for each"
        )
    return list(given) * (len(tasks) // len(given))


def print_tasks(tasks: Sequence[TaskAccuracy]) -> None:
    """Print the accuracy of classifiers of released and typed text, if it was measured."""
    from brrkit_toolchain.utility.task_accuracy import WORDS

    if not tasks:
        return
    click.echo("Tasks: accuracy with TF-IDF of whole texts, released or typed (95% intervals)")
    for task in tasks:
        released, typed = interval(task.released, 3), interval(task.typed, 3)
        click.echo(
            printable(
                f"  {task.name}: released {released}, typed {typed}, most frequent class "
                f"{task.frequent:.3f} ({task.classes} classes, {task.texts:,} texts)"
            )
        )
        released, typed = interval(task.released_codes, 3), interval(task.typed_codes, 3)
        click.echo(f"    mean code of {WORDS} words: released {released}, typed {typed}")
    click.echo("  An attacker learns the class equally well.")
