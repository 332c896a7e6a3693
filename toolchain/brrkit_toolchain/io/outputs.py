"""Checks before any work that outputs aren't inputs, and can be written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from brrkit.bundle import MANIFEST
from brrkit_toolchain.io.drafts import draft
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.io.files import open_input, refused, written_file

_BYTES_THAT_NAME_THE_FORMAT = 1_000  # first bytes of a manifest


def check_outputs(
    inputs: Iterable[Path],
    files: Iterable[Path] = (),
    *,
    places: Iterable[Path] = (),
    folders: Iterable[Path] = (),
) -> None:
    """Raise an error for outputs that are inputs or equal, by any name, or can't be written.

    A file is identified through links and hard links, too. Only the command that makes a bundle or
    model writes into its folder.

    Args:
        inputs: files and folders that are read; missing ones are ignored.
        files: files to write or replace, in existing folders.
        places: files or folders to which data is added; their users check that they can be written.
        folders: folders to write or replace as a whole.

    Raises:
        OutputError: the message names the first unusable output, and the reason.
    """
    inputs, files, places, folders = map(list, (inputs, files, places, folders))
    outputs = [*files, *places, *folders]
    for number, output in enumerate(outputs):
        for other in outputs[:number]:
            if _same(output, other) or os.path.realpath(output) == os.path.realpath(other):
                raise OutputError(f"{output}: two outputs can't be one file; name another")
        for read in inputs:
            _check(output, read)
        made = [output, *_parents(output)] if output in places else _parents(output)
        for folder in filter(_is_made, made):
            raise OutputError(f"{output}: {folder} is a bundle or model; name another place")
    for output in folders:
        for read in inputs:
            if _is_in(read, output):
                raise OutputError(
                    f"{output}: contains {read}, an input of this command; name another folder"
                )
    for output in files:
        target = written_file(output)
        try:
            with draft(target, "writing"):
                pass
        except OSError as error:
            raise refused(output, error) from None


def _check(output: Path, read: Path) -> None:
    if _same(output, read):
        raise OutputError(f"{output}: is an input of this command; name another file")
    if _is_made(read) and any(_same(output, part) for part in read.iterdir()):
        raise OutputError(
            f"{output}: belongs to {read}, an input of this command; name another place"
        )


def _is_made(folder: Path) -> bool:
    """Return whether ``folder`` is a bundle, model or export, even if damaged."""
    try:
        with open_input(folder / MANIFEST) as manifest:
            return b'"brr-' in manifest.read(_BYTES_THAT_NAME_THE_FORMAT)
    except (OSError, ValueError):
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # at least one is missing
        return False


def _is_in(path: Path, folder: Path) -> bool:
    """Return whether ``path``, which may not exist yet, is or would be below ``folder``."""
    return any(_same(parent, folder) for parent in _parents(path))


def _parents(path: Path) -> list[Path]:
    return list(Path(os.path.realpath(path)).parents)
