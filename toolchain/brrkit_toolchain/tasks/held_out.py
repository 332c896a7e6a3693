"""A bundle's labeled texts for measurements, as ids: ``tasks.npz``.

No score was learned from them. Like the golden cases, the file is never read at run time, and a
bundle is complete without it.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import BundleError
from brrkit_toolchain.codes.portable import Draws
from brrkit_toolchain.io.files import open_input
from brrkit_toolchain.tasks import TASKS
from brrkit_toolchain.tasks.labeled import MOST_CLASSES, LabeledTexts

_MOST_TEXTS = 4_000  # largest number of held-out texts of a task
_ONE_IN = 4  # one in this number of texts is held out, if these are fewer
_MOST_WORDS = 10_000  # number of a text's first words; all words, except for books
_MOST_BYTES = _MOST_TEXTS * _MOST_WORDS * 4  # largest size of an array, that of a part's ids
_ENTRY_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest in a zip archive
_ARRAY_NAMES = ("ids", "offsets", "labels")
_ARRAY_TYPES = ("<u4", "<i8", "<f8")


@dataclass(frozen=True)
class Division:
    """The purposes of a task's texts, as the texts' numbers, in the order of their labels.

    Attributes:
        learning: texts from which scores are learned.
        training: held-out texts that train a classifier of released text.
        testing: held-out texts that test it.
    """

    learning: NDArray[np.intp]
    training: NDArray[np.intp]
    testing: NDArray[np.intp]


@dataclass(frozen=True)
class HeldOut:
    """Held-out texts of a task. Labels are places in its classes, or numbers.

    Attributes:
        ids: uint32[total], the first 10,000 known words of each text, one text after the other.
        offsets: uint32[n + 1]; text i is ``ids[offsets[i]:offsets[i + 1]]``, never empty.
        labels: int64[n], or float64[n] of a number.
    """

    ids: NDArray[np.uint32]
    offsets: NDArray[np.uint32]
    labels: NDArray[np.int64] | NDArray[np.float64]


def held_out_count(texts: int) -> int:
    """Return the number of held-out texts among a task's ``texts``."""
    return min(_MOST_TEXTS, texts // _ONE_IN)


def divide(labels: NDArray[np.intp]) -> Division:
    """Divide texts with ``labels`` [n]; each part has about the same shares of labels."""
    order = np.lexsort((Draws(0).shares(len(labels)), labels))
    held = spread(held_out_count(len(labels)), len(labels))
    return Division(order[~held], order[held][::2], order[held][1::2])


def spread(count: int, size: int) -> NDArray[np.bool_]:
    """Return ``count`` of ``size`` places, as evenly spaced as possible."""
    found: NDArray[np.bool_] = np.diff(np.arange(size + 1) * count // size) > 0
    return found


def encode_held_out(tasks: Sequence[tuple[LabeledTexts, Division]]) -> bytes:
    """Return the content of ``tasks.npz``, the same bytes every time.

    ``numpy.load`` reads it. For task i (from 0), it contains the arrays ``training_i_ids``,
    ``training_i_offsets``, ``training_i_labels``, and the same for ``testing``. They are compressed
    by bzip2, whose bytes are the same everywhere, unlike those of zlib's implementations.
    """
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number, (task, division) in enumerate(tasks):
            for part in ("training", "testing"):
                texts = task.corpus.start(getattr(division, part), _MOST_WORDS)
                labels = texts.labels if task.numbers is None else task.numbers[texts.labels]
                kind = "<i8" if task.numbers is None else "<f8"
                arrays = (texts.ids.astype("<u4"), texts.offsets.astype("<u4"), labels.astype(kind))
                for name, array in zip(_ARRAY_NAMES, arrays, strict=True):
                    entry = zipfile.ZipInfo(f"{part}_{number}_{name}.npy", _ENTRY_TIME)
                    entry.compress_type = zipfile.ZIP_BZIP2
                    entry.create_system = 3  # Unix, on Windows, too
                    array_file = BytesIO()
                    np.lib.format.write_array(array_file, array, (1, 0), allow_pickle=False)
                    archive.writestr(entry, array_file.getvalue())
    return content.getvalue()


def read_held_out(folder: Path, number: int, words: int) -> tuple[HeldOut, HeldOut]:
    """Return the texts of a bundle's task ``number`` (from 0) for training and for testing.

    Args:
        folder: directory of the bundle, whose manifest has this task.
        number: number of the task.
        words: number of words in the bundle's vocabulary.

    Raises:
        BundleError: the file is missing or damaged.
    """
    path = folder / TASKS
    try:
        with open_input(path) as file, zipfile.ZipFile(file) as archive:
            parts = [
                HeldOut(*(_array(archive, f"{part}_{number}_{name}.npy") for name in _ARRAY_NAMES))
                for part in ("training", "testing")
            ]
    except FileNotFoundError:
        raise BundleError(
            f"{path}: isn't there; measure a task on the bundle as it was built"
        ) from None
    except Exception:  # libraries may raise anything for damaged archives
        raise BundleError(f"{path}: not labeled texts; rebuild the bundle") from None
    for part in parts:
        _check(path, part, words)
    return parts[0], parts[1]


def _array(archive: zipfile.ZipFile, name: str) -> Any:
    """Return an array of one dimension; memory is only allocated for data that is present."""
    if archive.getinfo(name).file_size > _MOST_BYTES:
        raise ValueError(name)
    with archive.open(name) as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError(name)
        shape, _, kind = np.lib.format.read_array_header_1_0(file)
        if len(shape) != 1 or kind.str not in _ARRAY_TYPES:
            raise ValueError(name)
        return np.frombuffer(file.read(), kind, *shape)


def _check(path: Path, texts: HeldOut, words: int) -> None:
    """Raise an error if the arrays aren't texts of a vocabulary of this size."""
    whole = texts.ids.dtype == texts.offsets.dtype == np.dtype("<u4")
    whole = whole and len(texts.offsets) == len(texts.labels) + 1 > 1
    whole = whole and texts.offsets[0] == 0 and texts.offsets[-1] == len(texts.ids)
    whole = whole and bool((np.diff(texts.offsets.astype(np.int64)) > 0).all())
    whole = whole and bool((texts.ids < words).all())
    if texts.labels.dtype == np.dtype("<i8"):
        whole = whole and 0 <= texts.labels.min() <= texts.labels.max() < MOST_CLASSES
    else:
        whole = whole and texts.labels.dtype == np.dtype("<f8")
        whole = whole and bool(np.isfinite(texts.labels).all())
    if not whole:
        raise BundleError(f"{path}: not labeled texts; rebuild the bundle")
