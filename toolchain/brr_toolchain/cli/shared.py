"""Arguments and output that commands share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from brr_runtime.errors import BrrError

BUNDLE = click.argument("bundle", type=click.Path(path_type=Path))
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
PATH = click.Path(path_type=Path)


def print_json(value: Any) -> None:
    """Print ``value`` as indented JSON."""
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))


def write_text(file: Path, content: str) -> None:
    """Write ``content`` to ``file``.

    Raises:
        BrrError: the system refuses.
    """
    try:
        file.write_text(content, encoding="utf-8")
    except OSError as error:
        raise BrrError(f"{file}: can't be written ({error.strerror})") from None
