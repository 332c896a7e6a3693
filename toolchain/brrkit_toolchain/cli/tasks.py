"""Options that name public labelled texts."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import Any

import click

from brrkit.errors import ParameterError
from brrkit_toolchain.cli.shared import FILE, Command, Decorator, with_options


def task_options(help_: str) -> Decorator:
    """Give a command the options of tasks, as one argument ``tasks``, a list.

    Args:
        help_: of the option ``--task``.
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

            texts = _for_each(task, text_column or ("text",), "--text-column")
            labels = _for_each(task, label or ("label",), "--label")
            names = _for_each(task, task_name or (None,) * len(task), "--task-name")
            command(tasks=list(map(Task, task, texts, labels, names)), **options)

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
                help="With --task: the column of classes or numbers, likewise. Default: label.",
            ),
            click.option(
                "--task-name",
                metavar="NAME",
                multiple=True,
                help="With --task: its name, once for each. Default: the file's.",
            ),
        )(run)

    return decorate


def _for_each(tasks: tuple[Path, ...], given: tuple[Any, ...], option: str) -> tuple[Any, ...]:
    """Return what ``given`` says of each of ``tasks``."""
    if len(given) == len(tasks):
        return given
    if len(given) != 1 or option == "--task-name":
        raise ParameterError(
            f"{option} is given {len(given)} times and --task {len(tasks)} times; give it once for "
            "each task, or leave it out"
        )
    return given * len(tasks)
