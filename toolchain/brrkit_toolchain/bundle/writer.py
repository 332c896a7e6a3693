"""Write a bundle: four or five files in a directory that appears at once or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit import WordBundle
from brrkit.bundle import (
    FORMAT,
    FORMAT_VERSION,
    INDEX,
    MANIFEST,
    PARITY,
    RANDOMIZER,
    manifest_digest,
)
from brrkit.masses import Masses
from brrkit.packed import PackedNumbers, packed_size, width_of
from brrkit.tensors import encode_header
from brrkit.vocabulary import BLOCK, MOST_SHARED
from brrkit_toolchain.io.drafts import draft
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.io.exchange import exchange
from brrkit_toolchain.io.files import read_input, refused, sync_folder
from brrkit_toolchain.io.interrupts import cleanup_on_signal
from brrkit_toolchain.language.model import LanguageModel
from brrkit_toolchain.tasks import TASKS

_NO_DIGEST = "0" * 64

_LISTED = re.compile(rb'^( +"(?:members|forms)": \[)((?:\n +[^\n\]]+)+)\n +\]', re.MULTILINE)
"""The contents of a policy's lists, thousands of words, which are written in one line each."""


@dataclass(frozen=True)
class Kind:
    """A kind of folder with a manifest.

    Attributes:
        name: name for people.
        format: format in the manifest.
        files: names of all files.
    """

    name: str
    format: str
    files: frozenset[str]


NOT_SHIPPED = (PARITY, TASKS)
"""Files of a bundle that no device reads; a bundle is complete without them."""

BUNDLE = Kind("bundle", FORMAT, frozenset({MANIFEST, INDEX, RANDOMIZER, *NOT_SHIPPED}))


def encode_index(words: Sequence[str], codes: NDArray[np.uint64], language: LanguageModel) -> bytes:
    """Return the content of ``index.safetensors``.

    Args:
        words: unique words without control characters below U+0020, in rank order.
        codes: uint64[n, bits / 64].
        language: the masses and bigrams.
    """
    encoded = [word.encode("utf-8") for word in words]
    ids = sorted(range(len(encoded)), key=encoded.__getitem__)
    positions = np.empty(len(ids), np.uint32)
    positions[ids] = np.arange(len(ids))
    coded, offsets = front_code([encoded[i] for i in ids])
    width = width_of(len(ids))
    masses = masses_of(language)
    tensors = (
        np.ascontiguousarray(codes, "<u8"),
        offsets,
        pack_numbers(np.array(ids, np.uint32), width),
        pack_numbers(positions, width),
        masses.words,
        np.frombuffer(masses.before.content, np.uint8),
        np.frombuffer(masses.after.content, np.uint8),
        masses.gains,
        np.frombuffer(coded, np.uint8),
    )
    header = encode_header(len(ids), 64 * codes.shape[1], len(language.gains), len(coded))
    return b"".join([header, *(tensor.tobytes() for tensor in tensors)])


def masses_of(language: LanguageModel) -> Masses:
    """Return the masses and bigrams in a bundle's form."""
    width = width_of(len(language.masses))
    before, after = (
        PackedNumbers(pack_numbers(ids, width).data, len(ids), width)
        for ids in (language.before, language.after)
    )
    return Masses(language.masses, before, after, language.gains)


def model_of(bundle: WordBundle) -> LanguageModel:
    """Return the masses and bigrams of a bundle."""
    masses = bundle.masses
    return LanguageModel(masses.words, masses.before.unpack(), masses.after.unpack(), masses.gains)


def front_code(words: Sequence[bytes]) -> tuple[bytes, NDArray[np.uint32]]:
    """Return the sorted ``words`` front-coded, with the starts and ends of their blocks."""
    coded = bytearray()
    offsets = []
    for position, word in enumerate(words):
        shared = 0
        if position % BLOCK:
            shared = _shared_bytes(words[position - 1], word)
        else:
            offsets.append(len(coded))
        coded.append(shared)
        coded += word[shared:]
    return bytes(coded), np.array([*offsets, len(coded)], "<u4")


def _shared_bytes(before: bytes, word: bytes) -> int:
    """Return how many first bytes, in whole characters, ``word`` shares with the one before."""
    most = min(len(before), len(word), MOST_SHARED)
    shared = next((i for i in range(most) if before[i] != word[i]), most)
    while word[shared : shared + 1] and word[shared] & 0xC0 == 0x80:
        shared -= 1
    return shared


def pack_numbers(numbers: NDArray[np.uint32], width: int) -> NDArray[np.uint8]:
    """Return numbers below 2^width in the form that ``brrkit.packed`` reads."""
    bits = np.unpackbits(
        numbers.astype("<u4").view(np.uint8).reshape(-1, 4), axis=1, bitorder="little"
    )
    packed = np.packbits(bits[:, :width], bitorder="little")
    return np.pad(packed, (0, packed_size(len(numbers), width) - len(packed)))


def encode_json(value: Mapping[str, Any]) -> bytes:
    """Return ``value`` as indented UTF-8 JSON, one entry a line, the same bytes every time."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8") + b"\n"


def encode_fields(fields: Mapping[str, Any]) -> bytes:
    """Return a manifest's ``fields`` like ``encode_json``, but each list in one line."""
    return _LISTED.sub(_in_one_line, encode_json(fields))


def encode_manifest(
    fields: Mapping[str, Any],
    files: Mapping[str, bytes],
    kind: Kind = BUNDLE,
    missing: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the content of ``manifest.json``.

    Args:
        fields: fields of this bundle, without the format, the files and the digest.
        files: content of every other file, by name.
        kind: kind of the folder.
        missing: an earlier manifest's entries about missing files, by name.
    """
    manifest = {
        "format": kind.format,
        "format_version": FORMAT_VERSION,
        **fields,
        "files": {
            name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
        }
        | dict(missing or {}),
        "sha256": _NO_DIGEST,
    }
    text = encode_fields(manifest)
    digest = manifest_digest(text, _NO_DIGEST)
    return text.replace(_NO_DIGEST.encode(), digest.encode())


def _in_one_line(listed: re.Match[bytes]) -> bytes:
    return listed[1] + re.sub(rb"\n +", b" ", listed[2]).lstrip() + b"]"


def check_output(output: Path, *, force: bool, kind: Kind = BUNDLE) -> None:
    """Check an output directory before any work.

    Raises:
        OutputError: the directory exists (without ``force``), isn't of this kind, or can't be made.
    """
    here = Path.cwd()
    if Path(os.path.realpath(output)) in (here, *here.parents):
        raise OutputError(
            f"{output}: contains the current folder, so it can't be replaced; name another "
            "folder, or work from another folder"
        )
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise OutputError(f"{output}: exists and isn't a directory; name another folder")
    if output.is_dir() and any(output.iterdir()):
        if not _is_manifest(output / MANIFEST, kind):
            raise OutputError(
                f"{output}: contains something other than a {kind.name}; name another folder"
            )
        unknown = {p.name for p in output.iterdir()} - kind.files
        if unknown:
            raise OutputError(
                f"{output}: contains files that don't belong to a {kind.name} "
                f"({', '.join(sorted(unknown)[:3])}); remove them, or name another folder"
            )
        if not force:
            raise OutputError(f"{output}: exists; give force to replace it")
    parent = output.absolute().parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise OutputError(
            f"{output}: can't be written, since {parent} isn't a writable directory; change its "
            "permissions, or use another"
        )


def _is_manifest(path: Path, kind: Kind) -> bool:
    """Return whether ``path`` is a manifest of this kind, even if damaged."""
    try:
        return f'"{kind.format}"'.encode() in read_input(path)
    except OSError:
        return False


def write_bundle(
    output: Path, files: Mapping[str, bytes], *, force: bool = False, kind: Kind = BUNDLE
) -> None:
    """Write ``files`` into the directory ``output``, atomically.

    The files are written into a directory next to it. Then the two directories change places, and
    the old one is removed. If the system can't exchange them at once, the old one is first set
    aside, and restored if the new one can't take its place. Remains of killed builds are removed.

    Raises:
        OutputError: as for ``check_output``; or writing failed.
    """
    check_output(output, force=force, kind=kind)
    output = output.absolute()
    replaced = output.with_name(f".{output.name}.replaced-{uuid.uuid4().hex[:8]}")
    parents = [folder for folder in output.parents if not folder.exists()]

    def tidy() -> None:
        if replaced.exists() and not output.exists():
            replaced.rename(output)
        shutil.rmtree(replaced, ignore_errors=True)
        with suppress(OSError):  # not empty if it was written
            for folder in parents:
                folder.rmdir()

    try:
        with cleanup_on_signal(tidy):
            output.parent.mkdir(parents=True, exist_ok=True)
            with draft(output, "building") as new:
                new.mkdir()
                for name, content in files.items():
                    with (new / name).open("xb") as file:
                        file.write(content)
                        file.flush()
                        os.fsync(file.fileno())
                sync_folder(new)
                if output.exists() and not exchange(new, output):
                    output.rename(replaced)
                if not output.exists():
                    new.rename(output)
            sync_folder(output.parent)
    except OSError as error:
        raise refused(output, error) from None
