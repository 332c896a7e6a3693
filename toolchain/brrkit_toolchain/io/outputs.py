"""What a command writes isn't what it reads, and can be written: looked at before any work."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from brrkit.bundle import MANIFEST
from brrkit_toolchain.io.drafts import draft
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.io.files import open_input, refused, written_file

_BYTES_THAT_NAME_THE_FORMAT = 1_000  # of a manifest


def check_outputs(
    inputs: Iterable[Path],
    files: Iterable[Path] = (),
    *,
    places: Iterable[Path] = (),
    folders: Iterable[Path] = (),
) -> None:
    """Refuse outputs that are inputs, by whatever name, or one another; or that can't be written.

    A file is known by its identity, so through links and hard links, too. Nothing is written into
    the folder of a bundle or model, read or not, but by what makes it.

    Args:
        inputs: files and folders that are read; those that aren't there don't matter.
        files: to write or replace, in folders that exist.
        places: files that are kept or folders that grow; whether they can be written, whoever uses
            them finds out.
        folders: to write or replace as a whole.

    Raises:
        OutputError: names the first output that can't be one, and why.
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
    """Tell whether ``folder`` is a bundle, model or export, a damaged one too."""
    try:
        with open_input(folder / MANIFEST) as manifest:
            return b'"brr-' in manifest.read(_BYTES_THAT_NAME_THE_FORMAT)
    except (OSError, ValueError):
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # at least one isn't there
        return False


def _is_in(path: Path, folder: Path) -> bool:
    """Tell whether ``path``, which may not be there yet, is or would be below ``folder``."""
    return any(_same(parent, folder) for parent in _parents(path))


def _parents(path: Path) -> list[Path]:
    return list(Path(os.path.realpath(path)).parents)
