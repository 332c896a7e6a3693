"""Opening bundles: good ones are mapped, damaged ones are refused by an error that names the file.

Damage past the hash check (``resealed``: sizes and digests are recomputed) stands for a bundle
that was built wrongly, or opened with ``verify_hashes=False``.
"""

from __future__ import annotations

import gc
import hashlib
import json
import mmap
import os
import random
import re
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brrkit import (
    BundleError,
    CountsSetting,
    Estimate,
    Measured,
    OutOfVocabularyError,
    ParameterError,
    Privatizer,
    Setting,
    Shares,
    WordBundle,
)
from brrkit.bundle import BITS, GRAPHS, manifest_digest, read_manifest
from brrkit.writing import ENGLISH

FILES = ("manifest.json", "index.safetensors", "randomizer.tflite")


@pytest.fixture
def folder(bundles: Path, tmp_path: Path) -> Path:
    """Return a copy of the 64-bit bundle, to be damaged."""
    return Path(shutil.copytree(bundles / "64", tmp_path / "bundle"))


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest with a digest that fits it, unless it has none to begin with."""
    if re.fullmatch("[0-9a-f]{64}", str(manifest.get("sha256"))):
        manifest = {**manifest, "sha256": "0" * 64}
    text = json.dumps(manifest).encode()
    digest = manifest_digest(text, "0" * 64)
    (folder / "manifest.json").write_bytes(text.replace(b"0" * 64, digest.encode()))


def resealed(folder: Path) -> Path:
    """Make the manifest fit the other files."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for name in manifest["files"]:
        content = (folder / name).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        manifest["files"][name] = {"size": len(content), "sha256": digest}
    write_manifest(folder, manifest)
    return folder


def refused(folder: Path, name: str, *, verify_hashes: bool = True) -> str:
    """Return the message of the error that opening raises; it names the file."""
    with pytest.raises(BundleError) as caught:
        WordBundle.open(folder, verify_hashes=verify_hashes)
    message = str(caught.value)
    assert str(folder / name) in message
    assert "\n" not in message
    assert len(message) <= 400
    assert message.isprintable()
    return message


def test_opens(bundle: WordBundle) -> None:
    assert len(bundle) == bundle.manifest["vocabulary_size"] == len(bundle.codes)
    assert bundle.codes.shape == (len(bundle), bundle.bits // 64)
    assert bundle.codes.dtype == np.uint64
    assert bundle.graph == (bundle.path / "randomizer.tflite").read_bytes()


@pytest.mark.parametrize("as_type", [str, Path])
def test_a_path_is_a_path_or_a_string(folder: Path, as_type: Callable[[Path], str | Path]) -> None:
    assert WordBundle.open(as_type(folder)).path == folder


def test_codes_are_mapped_and_aligned(bundle: WordBundle) -> None:
    owner: Any = bundle.codes
    while isinstance(owner, np.ndarray | memoryview):
        if isinstance(owner, np.ndarray):
            assert not owner.flags.owndata
            assert not owner.flags.writeable
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    assert isinstance(owner, mmap.mmap)
    assert bundle.codes.ctypes.data % 8 == 0
    assert bundle.codes.flags.c_contiguous
    if bundle.bits == 64:
        assert np.shares_memory(bundle.index.planes, bundle.codes)


def test_the_vocabulary_and_its_masses_are_mapped(bundle64: WordBundle) -> None:
    vocabulary = bundle64.vocabulary
    for view in (
        vocabulary.words.data,
        vocabulary.offsets,
        vocabulary.ids.content,
        vocabulary.positions.content,
        bundle64.masses.before.content,
        bundle64.masses.after.content,
        bundle64.masses.words.data,
        bundle64.masses.gains.data,
    ):
        assert view.readonly
        assert not view.obj.flags.owndata


def test_the_bytes_are_the_file_s(bundle: WordBundle) -> None:
    content = (bundle.path / "index.safetensors").read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    assert start % 8 == 0
    assert content[start:].startswith(bundle.codes.tobytes())
    assert content.endswith(bytes(bundle.vocabulary.words))


def test_golden_cases_aren_t_needed(folder: Path) -> None:
    (folder / "parity.json").unlink()
    assert len(WordBundle.open(folder)) > 0


def test_golden_cases_aren_t_opened(folder: Path) -> None:
    (folder / "parity.json").write_bytes(b"")
    assert len(WordBundle.open(folder)) > 0


@pytest.mark.parametrize("name", ["ids", "positions"])
def test_what_stands_behind_packed_numbers_isn_t_looked_at(folder: Path, name: str) -> None:
    content = bytearray((folder / "index.safetensors").read_bytes())
    start = 8 + int.from_bytes(content[:8], "little")
    end = start + json.loads(content[8:start])[name]["data_offsets"][1]
    content[end - 3 : end] = b"\xff\xff\xff"
    (folder / "index.safetensors").write_bytes(content)
    assert len(WordBundle.open(resealed(folder))) > 0


@pytest.mark.parametrize("zero", ["-0.0", "-0e0", "-0E+5"])
def test_negative_zeros_are_numbers_with_a_fraction_or_exponent(folder: Path, zero: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    write_manifest(folder, {**manifest, "sha256": None, "later": "zero"})
    text = (folder / "manifest.json").read_text().replace('"zero"', zero)
    text = text.replace('"sha256": null', f'"sha256": "{"0" * 64}"')
    digest = manifest_digest(text.encode(), "0" * 64)
    (folder / "manifest.json").write_text(text.replace("0" * 64, digest))
    assert len(WordBundle.open(folder)) > 0


@pytest.mark.parametrize("over", ["", "all", "foo", "\u0000"])
def test_over_which_words_is_any_string(folder: Path, over: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    measured = {**MEASURED, "over": over}
    write_manifest(folder, {**manifest, "recommended": {**SETTING, "measured": measured}})
    recommended = WordBundle.open(folder).recommended
    assert recommended is not None
    assert recommended.measured is not None
    assert recommended.measured.over == over


def test_unknown_fields_and_files_are_ignored(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    write_manifest(folder, {**manifest, "later": {"version": [1, None]}})
    (folder / "README").write_text("hello")
    assert len(WordBundle.open(folder)) > 0


# --- missing, cut, flipped, swapped


@pytest.mark.parametrize("path", ["", "missing", "manifest.json", "manifest.json/x", "nul\0"])
def test_what_isn_t_a_directory_is_refused(folder: Path, path: str) -> None:
    if path:
        with pytest.raises(BundleError, match="not a bundle directory"):
            WordBundle.open(folder / path)
    else:
        shutil.rmtree(folder)
        with pytest.raises(BundleError, match="not a bundle directory; make one with 'brr build'"):
            WordBundle.open(folder)


def test_an_empty_directory_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, "manifest.json")


@pytest.mark.parametrize("verify_hashes", [True, False])
@pytest.mark.parametrize("name", FILES)
class TestStructure:
    """What is found without hashing, too."""

    def test_missing(self, folder: Path, name: str, verify_hashes: bool) -> None:
        (folder / name).unlink()
        refused(folder, name, verify_hashes=verify_hashes)

    def test_a_directory_in_its_place(self, folder: Path, name: str, verify_hashes: bool) -> None:
        (folder / name).unlink()
        (folder / name).mkdir()
        refused(folder, name, verify_hashes=verify_hashes)

    @pytest.mark.parametrize("kept", [0.0, 0.5, 0.999])
    def test_cut_short(self, folder: Path, name: str, kept: float, verify_hashes: bool) -> None:
        content = (folder / name).read_bytes()
        end = min(int(len(content) * kept), len(content) - 3)
        (folder / name).write_bytes(content[:end])
        refused(folder, name, verify_hashes=verify_hashes)

    def test_something_appended(self, folder: Path, name: str, verify_hashes: bool) -> None:
        with (folder / name).open("ab") as file:
            file.write(b"\0")
        refused(folder, name, verify_hashes=verify_hashes)


@pytest.mark.parametrize("name", FILES)
def test_swapped_with_another_bundle_s(folder: Path, bundles: Path, name: str) -> None:
    shutil.copy(bundles / "256" / name, folder / name)
    damaged = "index.safetensors" if name == "manifest.json" else name
    refused(folder, damaged)


@pytest.mark.parametrize("position", [0, 9, 0.25, 0.5, 0.75, -1])
@pytest.mark.parametrize("name", ["index.safetensors", "randomizer.tflite"])
def test_one_flipped_bit_is_refused(folder: Path, name: str, position: float) -> None:
    content = bytearray((folder / name).read_bytes())
    content[int(position * len(content)) if 0 < position < 1 else int(position)] ^= 16
    (folder / name).write_bytes(content)
    assert "SHA-256" in refused(folder, name)


def test_any_flipped_bit_of_the_manifest_is_refused(folder: Path) -> None:
    path = folder / "manifest.json"
    content = path.read_bytes()
    generator = random.Random(1)
    positions = list(range(len(content)))
    for position in generator.sample(positions, min(600, len(positions))):
        damaged = bytearray(content)
        damaged[position] ^= 1 << generator.randrange(8)
        path.write_bytes(damaged)
        with pytest.raises(BundleError, match=r"manifest\.json: "):
            read_manifest(folder)
    path.write_bytes(content)
    assert read_manifest(folder)["bits"] == 64


def test_without_verification_hashes_are_skipped(folder: Path) -> None:
    with (folder / "index.safetensors").open("r+b") as file:
        file.seek(4000)
        byte = file.read(1)[0]
        file.seek(4000)
        file.write(bytes([byte ^ 1]))
    refused(folder, "index.safetensors")
    assert len(WordBundle.open(folder, verify_hashes=False)) > 0


# --- manifest


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"1",
        b'"brr-bundle"',
        b"\xff\xfe{}",
        '{"ä": 1}'.encode("latin-1"),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"bits": ' + b"1" * 5000 + b"}",
        b"{" + b" " * (1 << 20) + b"}",
        b"{}",
    ],
    ids=range(13),
)
def test_what_isn_t_a_manifest_is_refused(folder: Path, text: bytes) -> None:
    (folder / "manifest.json").write_bytes(text)
    refused(folder, "manifest.json")


def test_a_huge_manifest_isn_t_read(folder: Path) -> None:
    os.truncate(folder / "manifest.json", 1 << 40)  # sparse
    refused(folder, "manifest.json")


WRONG: dict[str, list[Any]] = {
    "format": [None, "brr", 1, ["brr-bundle"]],
    "format_version": [None, "1", 1.0, True, [1]],
    "bits": [None, "64", 64.0, 0.0, -64, 63, 65, 576, 2**70, True, [64]],
    "vocabulary_size": [None, "2000", 2000.0, -1, 0, 1, 2**24 + 1, 2**70, True, {}],
    "bigrams": [None, "1", 1.0, -1, 2**24 + 1, 2**70, -(2**70), True, [1], {}],
    "files": [None, [], "x", 1, {}],
    "sha256": [None, 1, "", "0" * 63, "g" * 64, "A" * 64, ["0" * 64], {"a": "0" * 64}],
}


@pytest.mark.parametrize("verify_hashes", [True, False])
@pytest.mark.parametrize(
    ("field", "value"), [(f, v) for f, values in WRONG.items() for v in values]
)
def test_wrong_fields_are_refused(
    folder: Path, field: str, value: Any, verify_hashes: bool
) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    write_manifest(folder, {**manifest, field: value})
    assert f"field '{field}" in refused(folder, "manifest.json", verify_hashes=verify_hashes)


SETTING = {"mechanism": "brr", "epsilon": 0.5, "parameters": {}, "goal": "unchanged 0.5"}


def test_a_recommended_setting_is_read(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for setting in (SETTING, {**SETTING, "epsilon": 1}, {**SETTING, "mechanism": "new", "more": 1}):
        write_manifest(folder, {**manifest, "recommended": setting})
        assert WordBundle.open(folder).manifest["recommended"] == setting


@pytest.mark.parametrize(
    "parameters",
    [
        {"t": 0},
        {"t": 0.5},
        {"t": [0.5]},
        {"t": [0, 1.5, 7] * 21 + [1]},
        {"t": [1, 2], "k": 2},
        {"k": 7},
        {"radius": 0},
        {"radius": 8, "t": 0.5},
        {"radius": 64},
        {"base": "unigram", "cap": 9.25},
        {"base": "later", "cap": 0, "radius": 1},
        {"cap": -1.5},
        {"other": "x", "t": 0.1},
    ],
)
def test_parameters_of_the_right_kind_are_read(folder: Path, parameters: Any) -> None:
    """``Privatizer`` checks what they mean."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    setting = {**SETTING, "mechanism": "vickrey", "parameters": parameters}
    write_manifest(folder, {**manifest, "recommended": setting})
    assert WordBundle.open(folder).manifest["recommended"] == setting


CERTIFICATE = {"certified_epsilon": 0.375, "index": "0123456789abcdef" * 4}

WRONG_CERTIFICATES: list[Any] = [
    None,
    [],
    0.375,
    {},
    {"certified_epsilon": 0.375},
    {"index": CERTIFICATE["index"]},
    *({**CERTIFICATE, "certified_epsilon": e} for e in (None, "0.375", True, [0.375], {})),
    {"slope": 0.375, "index": CERTIFICATE["index"]},
    *({**CERTIFICATE, "index": index} for index in (None, 1, "", "0" * 63, "0" * 65, "G" * 64)),
    {**CERTIFICATE, "index": "ABCDEF0123456789" * 4},
]


@pytest.mark.parametrize(
    "certificate",
    [
        CERTIFICATE,
        {**CERTIFICATE, "certified_epsilon": 1, "more": []},
        {**CERTIFICATE, "certified_epsilon": -1e300},
    ],
)
def test_a_certificate_is_read(folder: Path, certificate: Any) -> None:
    """``Privatizer`` checks what it means: of which bundle it is, and its epsilon."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    setting = {**SETTING, "certificate": certificate}
    write_manifest(folder, {**manifest, "recommended": setting})
    recommended = WordBundle.open(folder).recommended
    assert recommended is not None
    assert recommended.certified_epsilon == certificate["certified_epsilon"]


SHARE = {"value": 0.2, "low": 0.125, "high": 0.25}
SHARES = {"unchanged": SHARE, "attack_success": SHARE, "worst": SHARE}

MEASURED = {
    "attacker": "sentence",
    "over": "content",
    "text": "typed.txt",
    **SHARES,
}

WRONG_SHARES: list[Any] = [
    *({key: SHARE[key] for key in SHARE if key != left_out} for left_out in SHARE),
    *({**SHARE, end: number} for end in SHARE for number in (-1e-9, 1.0000001, 10**30)),
    *({**SHARE, end: number} for end in SHARE for number in (None, "0.2", True, [0.2])),
]

WRONG_MEASUREMENTS: list[Any] = [
    None,
    [],
    0.2,
    {},
    *({key: MEASURED[key] for key in MEASURED if key != left_out} for left_out in MEASURED),
    *({**MEASURED, name: value} for name in ("attacker", "over") for value in (None, 1, ["all"])),
    *({**MEASURED, "text": text} for text in (0, True, ["typed.txt"], {})),
    {**MEASURED, "unchanged": None},
    {**MEASURED, "attack_success": None},
    *({**MEASURED, "worst": worst} for worst in (0.2, [], {}, "0.2", True)),
    *({**MEASURED, name: share} for name in SHARES for share in WRONG_SHARES),
    *({**MEASURED, "unknown_recognized": share} for share in ({}, 0.2, *WRONG_SHARES[:4])),
    *({**MEASURED, "all_words": words} for words in (0.2, True, "all", [], {}, SHARE)),
    *({**MEASURED, "all_words": {**SHARES, name: 0.2}} for name in SHARES),
    *(
        {**MEASURED, "all_words": {name: SHARES[name] for name in SHARES if name != left_out}}
        for left_out in SHARES
    ),
]


def test_what_was_measured_is_read(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    write_manifest(folder, {**manifest, "recommended": {**SETTING, "measured": MEASURED}})
    share = Estimate(0.2, 0.125, 0.25)
    expected = Measured("sentence", "content", "typed.txt", share, share, share)
    assert WordBundle.open(folder).recommended == Setting(
        0.5, "brr", {}, "unchanged 0.5", None, expected
    )
    for ends in ({"value": 0, "low": 0, "high": 1}, {"value": 1, "low": 0.0, "high": 1.0}):
        measured = {**MEASURED, "attack_success": ends, "text": None, "worst": None, "more": 1}
        write_manifest(folder, {**manifest, "recommended": {**SETTING, "measured": measured}})
        recommended = WordBundle.open(folder).recommended
        assert recommended is not None
        assert recommended.measured is not None
        assert recommended.measured.worst is None
        assert recommended.measured.attack_success == Estimate(**ends)
        assert recommended.measured.all_words is recommended.measured.unknown_recognized is None


@pytest.mark.parametrize("every", [None, {**SHARES, "worst": None}, {**SHARES, "more": 1}])
@pytest.mark.parametrize("unknown", [None, SHARE])
def test_all_words_and_unknown_ones_are_read(folder: Path, every: Any, unknown: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    measured = {**MEASURED, "all_words": every, "unknown_recognized": unknown}
    write_manifest(folder, {**manifest, "recommended": {**SETTING, "measured": measured}})
    recommended = WordBundle.open(folder).recommended
    assert recommended is not None
    assert recommended.measured is not None
    share = Estimate(0.2, 0.125, 0.25)
    worst = None if every is None or every["worst"] is None else share
    assert recommended.measured.all_words == (every and Shares(share, share, worst))
    assert recommended.measured.unknown_recognized == (unknown and share)


def test_a_bundle_may_recommend_nothing(bundle: WordBundle) -> None:
    assert bundle.recommended is None


WRONG_PARAMETERS: list[Any] = [
    *({"t": t} for t in (None, "1", True, {}, [], ["1"], [True], [None], [[1]], [0.5] * 65)),
    *({"k": k} for k in (None, "2", True, 2.0, [2])),
    *({"base": base} for base in (None, 1, True, ["unigram"], {})),
    *({"cap": cap} for cap in (None, "9", True, [9.25], {})),
    *({"radius": r} for r in (None, "8", True, 8.0, [8], {}, -1, 65, 128, 2**32, 2**64, -(10**30))),
]


def test_a_recommended_setting_is_protected_by_the_digest(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    write_manifest(folder, {**manifest, "recommended": SETTING})
    text = (folder / "manifest.json").read_bytes()
    (folder / "manifest.json").write_bytes(text.replace(b'"epsilon": 0.5', b'"epsilon": 5.5'))
    assert "changed since it was built" in refused(folder, "manifest.json")


@pytest.mark.parametrize("verify_hashes", [True, False])
@pytest.mark.parametrize(
    "setting",
    [
        None,
        [],
        0.5,
        {},
        *({key: SETTING[key] for key in SETTING if key != left_out} for left_out in SETTING),
        *(
            {**SETTING, "epsilon": epsilon}
            for epsilon in (
                None,
                "0.5",
                True,
                0,
                -1,
                1e-10,
                22.19,
                10**30,
                [1],
            )
        ),
        {**SETTING, "mechanism": 1},
        {**SETTING, "parameters": [0.5]},
        *({**SETTING, "parameters": parameters} for parameters in WRONG_PARAMETERS),
        {**SETTING, "goal": None},
        *({**SETTING, "certificate": certificate} for certificate in WRONG_CERTIFICATES),
        *({**SETTING, "measured": measured} for measured in WRONG_MEASUREMENTS),
    ],
)
def test_a_wrong_recommended_setting_is_refused(
    folder: Path, setting: Any, verify_hashes: bool
) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    write_manifest(folder, {**manifest, "recommended": setting})
    message = refused(folder, "manifest.json", verify_hashes=verify_hashes)
    assert "field 'recommended' is missing or wrong" in message


COUNTS = {"cap": 9.5, "words_a_day": 20, "goal": "isolated 0.2", "measured": {"isolated": 0.2}}


@pytest.mark.parametrize(
    "other",
    [
        {"cap": 1e-9, "words_a_day": 1},
        {"cap": 88, "words_a_day": 1000},
        {"measured": {}},
        {"measured": {"isolated": 0, "frequencies": 1, "later": 0.5}, "more": None},
    ],
)
def test_a_setting_for_counts_is_read(folder: Path, other: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    setting = {**COUNTS, **other}
    write_manifest(folder, {**manifest, "counts": setting})
    setting.pop("more", None)
    assert WordBundle.open(folder).counts == CountsSetting(**setting)


@pytest.mark.parametrize(
    "setting",
    [
        None,
        [],
        9.5,
        {},
        *({key: COUNTS[key] for key in COUNTS if key != left_out} for left_out in COUNTS),
        *({**COUNTS, "cap": cap} for cap in (None, "9", True, [9], 0, -1, 9e-10, 88.1, 10**30)),
        *({**COUNTS, "words_a_day": m} for m in (None, "20", True, 20.0, [20], 0, 1001, 2**64 + 1)),
        {**COUNTS, "goal": None},
        *({**COUNTS, "measured": measured} for measured in (None, [], 0.2, "0.2")),
        *(
            {**COUNTS, "measured": {"isolated": 0.2, "frequencies": share}}
            for share in (None, "0.2", True, [0.2], {}, -1e-9, 1.0000001, 10**30)
        ),
    ],
)
def test_a_wrong_setting_for_counts_is_refused(folder: Path, setting: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    write_manifest(folder, {**manifest, "counts": setting})
    assert "field 'counts' is missing or wrong" in refused(folder, "manifest.json")


WRITING: dict[str, Any] = {**ENGLISH.to_json(), "joiners": ["-"], "unspaced": [[0x4E00, 0x9FFF]]}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("language", value) for value in ("", "x" * 65, "é", "a\n", 1, None)],
        *[("replaced", value) for value in ([], {"ab": ""}, {"": "a"}, {"a": "12345"}, {"a": 1})],
        ("replaced", {chr(0x4E00 + i): "" for i in range(257)}),
        *[("joiners", value) for value in ({}, "-", ["--"], ["-", "-"], [""], ["a"], ["'"], [1])],
        *[("joiners", value) for value in (["你"], ["7"], [chr(0x2010 + i) for i in range(17)])],
        *[("before", value) for value in ([""], ["a", "a"], ["a" * 65], [None])],
        ("before", [str(i) for i in range(65)]),
        *[("endings", value) for value in ("s", [""], ["s", "s"], [str(i) for i in range(257)])],
        *[("shortest_stem", value) for value in (0, 65, 1.0, True, "1", None)],
        *[("spellings", value) for value in ([], {"a": ""}, {"": "a"}, {"a" * 65: "a"})],
        ("spellings", {str(i): "a" for i in range(4097)}),
        *[("longest_run", value) for value in (-1, 65, 2.0, True, "2", None)],
        *[("rewritten", value) for value in ({}, [["a"]], [["a", "a"]], [["", "a"]], ["ab"])],
        ("rewritten", [["a", "b"], ["a", "b"]]),
        ("rewritten", [[str(i), "a"] for i in range(65)]),
        *[("unspaced", value) for value in ([[1]], [[2, 1]], [[0, 0x110000]], [[-1, 1]], [1, 2])],
        *[("unspaced", value) for value in ([[0.0, 1]], [[0, 5], [5, 6]], [[7, 8], [1, 2]])],
        *[("unspaced", value) for value in ([[0xD800, 0xDFFF]], [[0xD7FF, 0xD800]])],
        *[("unspaced", value) for value in ([[0xDFFF, 0xE000]], [[0x20, 0x2F]])],  # a joiner in it
        ("unspaced", [[1000 + 2 * i, 1000 + 2 * i] for i in range(65)]),
        *[("links", value) for value in (["abcde"], ["", ""], "", [str(i) for i in range(9)])],
        *[("shortest_part", value) for value in (0, 65, None)],
        ("other", 1),
    ],
)
def test_a_wrong_writing_is_refused(folder: Path, key: str, value: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    write_manifest(folder, {**manifest, "writing": WRITING})
    WordBundle.open(folder)
    write_manifest(folder, {**manifest, "writing": {**WRITING, key: value}})
    assert "field 'writing' is missing or wrong" in refused(folder, "manifest.json")


@pytest.mark.parametrize("key", WRITING)
def test_a_writing_has_all_its_keys(folder: Path, key: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    some = {name: value for name, value in WRITING.items() if name != key}
    write_manifest(folder, {**manifest, "writing": some})
    assert "field 'writing' is missing or wrong" in refused(folder, "manifest.json")


@pytest.mark.parametrize("field", WRONG)
def test_missing_fields_are_refused(folder: Path, field: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    del manifest[field]
    write_manifest(folder, manifest)
    assert f"field '{field}" in refused(folder, "manifest.json")


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        {},
        {"size": 1},
        {"sha256": "0" * 64},
        {"size": -1, "sha256": "0" * 64},
        {"size": "1", "sha256": "0" * 64},
        {"size": True, "sha256": "0" * 64},
        {"size": 1.5, "sha256": "0" * 64},
        {"size": 2**31, "sha256": "0" * 64},
        {"size": 1, "sha256": "F" * 64},
        {"size": 1, "sha256": 1},
    ],
)
@pytest.mark.parametrize("name", [*FILES[1:], "parity.json"])
def test_wrong_file_entries_are_refused(folder: Path, name: str, entry: Any) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["files"][name] = entry
    write_manifest(folder, manifest)
    assert f"field 'files.{name}'" in refused(folder, "manifest.json")


@pytest.mark.parametrize("version", [0, 1, 2, 4, -1, 10**30])
def test_unknown_versions_are_refused(folder: Path, version: int) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    write_manifest(folder, {**manifest, "format_version": version, "bits": None})
    message = refused(folder, "manifest.json")
    assert f"format version {version} is unknown" in message
    assert "update brrkit or rebuild the bundle" in message


@pytest.mark.parametrize("depth", [100, 500, *range(900, 1000, 5), 5000])
def test_a_deep_field_is_refused(folder: Path, depth: int) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    text = json.dumps({**manifest, "sha256": 0}).encode()
    nested = b'"sha256": ' + b"[" * depth + b"]" * depth
    (folder / "manifest.json").write_bytes(text.replace(b'"sha256": 0', nested))
    refused(folder, "manifest.json")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bits", 128),
        ("bits", 512),
        ("vocabulary_size", 2),
        ("bigrams", 0),
        ("bigrams", 1),
        ("bigrams", 2**24),
        ("size", 1),
    ],
)
def test_a_manifest_that_doesn_t_fit_the_index_is_refused(
    folder: Path, field: str, value: int
) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    if field == "size":
        manifest["files"]["index.safetensors"]["size"] += value
    write_manifest(folder, {**manifest, field: value})
    refused(folder, "index.safetensors")


# --- index


Header = dict[str, Any]


def read_index(folder: Path) -> tuple[Header, bytes]:
    content = (folder / "index.safetensors").read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:end]), content[end:]


def write_index(folder: Path, header: Any, data: bytes) -> None:
    text = header
    if not isinstance(header, bytes):
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
    content = len(text).to_bytes(8, "little") + text + data
    (folder / "index.safetensors").write_bytes(content)
    resealed(folder)


def test_rewriting_the_index_keeps_it_good(folder: Path) -> None:
    """The helpers of the tests below do no damage themselves."""
    write_index(folder, *read_index(folder))
    assert len(WordBundle.open(folder)) > 0


@pytest.mark.parametrize("length", [0, 1, 8, 2**20, 2**31, 2**32, 2**63, 2**64 - 1])
def test_lying_header_lengths_are_refused(folder: Path, length: int) -> None:
    content = (folder / "index.safetensors").read_bytes()
    (folder / "index.safetensors").write_bytes(length.to_bytes(8, "little") + content[8:])
    refused(resealed(folder), "index.safetensors")


@pytest.mark.parametrize(
    "content", [b"x", b"1234567", bytes(8), b"\x02" + bytes(7) + b"{}", b"\xff" * 100]
)
def test_tiny_indexes_are_refused(folder: Path, content: bytes) -> None:
    (folder / "index.safetensors").write_bytes(content)
    refused(resealed(folder), "index.safetensors")


@pytest.mark.parametrize(
    "header", [b"", b"x", b"[]", b"{", b"\xff\xff", b"[" * 10_000, b"{}", b"{}      ", b"null"]
)
def test_headers_that_aren_t_headers_are_refused(folder: Path, header: bytes) -> None:
    _, data = read_index(folder)
    write_index(folder, header, data)
    refused(folder, "index.safetensors")


def change(tensor: str, field: str, value: Any) -> Callable[[Header], None]:
    def apply(header: Header) -> None:
        header[tensor][field] = value(header[tensor][field]) if callable(value) else value

    return apply


def rename(header: Header) -> None:
    header["code"] = header.pop("codes")


def swap_columns(header: Header) -> None:
    header["offsets"], header["codes"] = header["codes"], header["offsets"]


HEADER_DAMAGE: dict[str, Callable[[Header], Any]] = {
    "no codes": lambda h: h.pop("codes"),
    "no offsets": lambda h: h.pop("offsets"),
    "no ids": lambda h: h.pop("ids"),
    "no positions": lambda h: h.pop("positions"),
    "no masses": lambda h: h.pop("masses"),
    "no first words": lambda h: h.pop("before"),
    "no second words": lambda h: h.pop("after"),
    "no gains": lambda h: h.pop("gains"),
    "no words": lambda h: h.pop("words"),
    "renamed": rename,
    "names exchanged": swap_columns,
    "one more": lambda h: h.update(x={"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}),
    "codes of floats": change("codes", "dtype", "F64"),
    "codes of signed numbers": change("codes", "dtype", "I64"),
    "codes of an unknown type": change("codes", "dtype", "Q64"),
    "offsets of signed numbers": change("offsets", "dtype", "I32"),
    "ids of signed numbers": change("ids", "dtype", "I8"),
    "positions of true and false": change("positions", "dtype", "BOOL"),
    "masses of signed numbers": change("masses", "dtype", "I8"),
    "first words of wider numbers": change("before", "dtype", "U16"),
    "more gains than bytes": change("gains", "shape", lambda shape: [shape[0] + 1]),
    "fewer masses than words": change("masses", "shape", lambda shape: [shape[0] - 1]),
    "words of signed numbers": change("words", "dtype", "I8"),
    "codes of half the width": change("codes", "dtype", "U32"),
    "flat codes": change("codes", "shape", lambda shape: [shape[0]]),
    "codes on their side": change("codes", "shape", lambda shape: shape[::-1]),
    "more codes than bytes": change("codes", "shape", lambda shape: [shape[0] + 1, 1]),
    "fewer codes than bytes": change("codes", "shape", lambda shape: [shape[0] - 1, 1]),
    "a huge shape": change("codes", "shape", [2**60, 2**60]),
    "a negative shape": change("codes", "shape", [-1, 1]),
    "no shape": lambda h: h["codes"].pop("shape"),
    "offsets in two dimensions": change("offsets", "shape", lambda shape: [1, *shape]),
    "ids in two dimensions": change("ids", "shape", lambda shape: [1, *shape]),
    "words in two dimensions": change("words", "shape", lambda shape: [1, *shape]),
    "words without dimensions": change("words", "shape", []),
    "overlapping": change("offsets", "data_offsets", lambda ends: [ends[0] - 8, ends[1] - 8]),
    "backwards": change("codes", "data_offsets", lambda ends: ends[::-1]),
    "behind the end": change("words", "data_offsets", lambda ends: [ends[0] + 1, ends[1] + 1]),
    "far behind the end": change("words", "data_offsets", [2**62, 2**62 + 5]),
    "a gap": change("codes", "data_offsets", lambda ends: [ends[0] + 8, ends[1] + 8]),
    "metadata of numbers": lambda h: h.update(__metadata__={"a": 1}),
}


@pytest.mark.parametrize("damage", HEADER_DAMAGE)
def test_lying_headers_are_refused(folder: Path, damage: str) -> None:
    header, data = read_index(folder)
    HEADER_DAMAGE[damage](header)
    write_index(folder, header, data)
    refused(folder, "index.safetensors")
    refused(folder, "index.safetensors", verify_hashes=False)


@pytest.mark.parametrize(
    "change_text",
    [
        lambda text: text.rstrip() + b" " * (-len(text.rstrip()) % 8 + 1),
        lambda text: text.rstrip() + b" " * (-len(text.rstrip()) % 8 + 8),
        lambda text: text.rstrip() + b"\n" * (-len(text.rstrip()) % 8),
        lambda text: b" " * 8 + text,
        lambda text: text + b" " * (1 << 20),
        lambda text: text.replace(b":", b": ") + b" " * (-text.count(b":") % 8),
        lambda text: text.replace(b'"codes"', b'"c\\u006fdes"') + b"   ",
        lambda text: text.replace(b"{", b'{"__metadata__":{},     ', 1),
        lambda text: text.replace(b"[0,", b"[00,") + b" " * 7,
        lambda text: text.replace(b"[0,", b"[-0,") + b" " * 7,
        lambda text: text.replace(b'"shape"', b'"shape":[1],"shape"') + b" " * 4,
    ],
    ids=range(11),
)
def test_another_spelling_of_the_header_is_refused(
    folder: Path, change_text: Callable[[bytes], bytes]
) -> None:
    """The first has a length that isn't a multiple of 8."""
    content = (folder / "index.safetensors").read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    text = change_text(content[8:end])
    assert text != content[8:end]
    write_index(folder, text, content[end:])
    refused(folder, "index.safetensors")


@pytest.mark.parametrize("change_data", [lambda d: d[:-1], lambda d: d + b"a", lambda d: b""])
def test_data_of_another_size_is_refused(
    folder: Path, change_data: Callable[[bytes], bytes]
) -> None:
    header, data = read_index(folder)
    write_index(folder, header, change_data(data))
    refused(folder, "index.safetensors")


@pytest.mark.parametrize(
    ("first", "second"), [("ids", "positions"), ("before", "after"), ("masses", "words")]
)
def test_tensors_in_another_order_are_refused(folder: Path, first: str, second: str) -> None:
    header, data = read_index(folder)
    parts = {name: data[slice(*entry["data_offsets"])] for name, entry in header.items()}
    data, start = b"", 0
    names = [*header]
    places = names.index(first), names.index(second)
    names[places[0]], names[places[1]] = second, first
    for name in names:
        data += parts[name]
        header[name]["data_offsets"] = [start, len(data)]
        start = len(data)
    write_index(folder, header, data)
    refused(folder, "index.safetensors")


def test_no_words_at_all_are_refused(folder: Path) -> None:
    header, data = read_index(folder)
    start = header["words"]["data_offsets"][0]
    header["words"] = {"dtype": "U8", "shape": [0], "data_offsets": [start, start]}
    write_index(folder, header, data[:start])
    refused(folder, "index.safetensors")


def edited(folder: Path, tensor: str, edit: Callable[[np.ndarray], None]) -> Path:
    """Change the numbers of a tensor in place."""
    header, data = read_index(folder)
    changed = bytearray(data)
    first, last = header[tensor]["data_offsets"]
    dtype = {"U64": "<u8", "U32": "<u4", "U8": "|u1"}[header[tensor]["dtype"]]
    edit(np.frombuffer(memoryview(changed)[first:last], dtype))
    write_index(folder, header, bytes(changed))
    return folder


def assign(index: Any, value: Any) -> Callable[[np.ndarray], None]:
    def edit(array: np.ndarray) -> None:
        where = index(array) if callable(index) else index
        array[where] = value(array) if callable(value) else value

    return edit


def resized(folder: Path, tensor: str, difference: int) -> Path:
    """Cut bytes off a tensor of bytes, or append zeros."""
    header, data = read_index(folder)
    parts = {name: data[slice(*entry["data_offsets"])] for name, entry in header.items()}
    size = len(parts[tensor]) + difference
    parts[tensor] = parts[tensor][:size].ljust(size, b"\0")
    header[tensor]["shape"] = [size]
    data = b""
    for name, part in parts.items():
        header[name]["data_offsets"] = [len(data), len(data) + len(part)]
        data += part
    write_index(folder, header, data)
    return folder


@pytest.mark.parametrize("difference", [-4, -3, -1, 1, 4])
@pytest.mark.parametrize("tensor", ["ids", "positions", "masses", "before", "after", "gains"])
def test_packed_numbers_of_another_size_are_refused(
    folder: Path, tensor: str, difference: int
) -> None:
    """One of them ending early would be read beyond its end."""
    assert "not the tensors" in refused(resized(folder, tensor, difference), "index.safetensors")


@pytest.mark.parametrize("difference", [-1, 1, 100_000])
def test_words_of_another_size_are_refused(folder: Path, difference: int) -> None:
    assert "'offsets'" in refused(resized(folder, "words", difference), "index.safetensors")


@pytest.mark.parametrize(
    "edit",
    [
        assign(0, 1),
        assign(1, 0),  # an empty block
        assign(5, lambda a: a[7]),
        assign(5, lambda a: a[4]),
        assign(5, lambda a: a[5] + 1),
        assign(5, 2**32 - 1),
        assign(-1, lambda a: a[-1] - 1),
        assign(-1, lambda a: a[-1] + 1),
        assign(slice(None), 0),
        assign(slice(None), lambda a: a[::-1].copy()),
    ],
)
def test_offsets_that_don_t_cut_the_words_are_refused(
    folder: Path, edit: Callable[[np.ndarray], None]
) -> None:
    assert "'offsets'" in refused(edited(folder, "offsets", edit), "index.safetensors")


def numbers_edited(folder: Path, tensor: str, edit: Callable[[np.ndarray], None]) -> Path:
    """Change packed numbers in place."""
    header, data = read_index(folder)
    words = header["codes"]["shape"][0]
    count = header["gains"]["shape"][0] if tensor in ("before", "after") else words
    width = (words - 1).bit_length()
    first, last = header[tensor]["data_offsets"]
    packed = int.from_bytes(data[first:last], "little")
    numbers = np.array([packed >> i * width & (1 << width) - 1 for i in range(count)])
    edit(numbers)
    packed = sum(int(number) << i * width for i, number in enumerate(numbers))
    changed = packed.to_bytes(last - first, "little")
    write_index(folder, header, data[:first] + changed + data[last:])
    return folder


@pytest.mark.parametrize("tensor", ["ids", "positions", "before", "after"])
def test_editing_no_number_keeps_the_index_good(folder: Path, tensor: str) -> None:
    before = (folder / "index.safetensors").read_bytes()
    numbers_edited(folder, tensor, lambda numbers: None)
    assert read_index(folder)[1] == before[8 + int.from_bytes(before[:8], "little") :]
    assert len(WordBundle.open(folder)) == 2000


@pytest.mark.parametrize("value", [2000, 2001, 2047])  # 11 bits hold no more
@pytest.mark.parametrize("position", [0, 100, -1])
def test_ids_outside_the_vocabulary_are_refused(folder: Path, position: int, value: int) -> None:
    numbers_edited(folder, "ids", assign(position, value))
    assert "'ids'" in refused(folder, "index.safetensors")


@pytest.mark.parametrize(
    "edit",
    [
        assign(0, lambda a: a[1]),
        assign(-1, lambda a: a[-2]),
        assign([7, 1900], lambda a: a[[1900, 7]]),
        assign(slice(None), 0),
        assign(slice(None), lambda a: a[::-1].copy()),
        assign(slice(None), np.argsort),
    ],
)
@pytest.mark.parametrize("tensor", ["ids", "positions"])
def test_ids_and_positions_that_aren_t_inverse_are_refused(
    folder: Path, tensor: str, edit: Callable[[np.ndarray], None]
) -> None:
    numbers_edited(folder, tensor, edit)
    assert "'positions' isn't the inverse of 'ids'" in refused(folder, "index.safetensors")


@pytest.mark.parametrize("value", [2000, 2047])
@pytest.mark.parametrize("position", [0, 100, -1])
def test_positions_outside_the_vocabulary_are_refused(
    folder: Path, position: int, value: int
) -> None:
    numbers_edited(folder, "positions", assign(position, value))
    assert "'positions'" in refused(folder, "index.safetensors")


@pytest.mark.parametrize("position", [0, 7, -1])
@pytest.mark.parametrize("tensor", ["masses", "gains"])
def test_a_mass_of_0_is_refused(folder: Path, tensor: str, position: int) -> None:
    message = refused(edited(folder, tensor, assign(position, 0)), "index.safetensors")
    assert f"tensor {tensor!r} has a 0; rebuild the bundle" in message
    refused(folder, "index.safetensors", verify_hashes=False)


@pytest.mark.parametrize("value", [2000, 2047])
@pytest.mark.parametrize("position", [0, 30, -1])
@pytest.mark.parametrize("tensor", ["before", "after"])
def test_bigrams_of_a_missing_word_are_refused(
    folder: Path, tensor: str, position: int, value: int
) -> None:
    numbers_edited(folder, tensor, assign(position, value))
    assert f"{tensor!r} names a missing word" in refused(folder, "index.safetensors")
    refused(folder, "index.safetensors", verify_hashes=False)


@pytest.mark.parametrize(
    ("tensor", "edit"),
    [
        ("before", assign(0, 1999)),
        ("before", assign(-1, 0)),
        ("before", assign(slice(None), lambda a: a[::-1].copy())),
        ("after", assign(slice(None), 0)),  # some word has several
        ("after", assign(slice(None), lambda a: a[::-1].copy())),
    ],
    ids=range(5),
)
def test_bigrams_that_aren_t_in_order_are_refused(
    folder: Path, tensor: str, edit: Callable[[np.ndarray], None]
) -> None:
    numbers_edited(folder, tensor, edit)
    message = refused(folder, "index.safetensors")
    assert "'before' and 'after' aren't in order, or have a pair twice" in message


def headers(words: np.ndarray) -> np.ndarray:
    """Return where the words of the tensor start: at a number of shared bytes."""
    return np.flatnonzero(words < 32)


def add_nothing(words: np.ndarray) -> None:
    """Give a word's bytes to the word before it."""
    start, end = headers(words)[900:902]
    words[start], words[end - 1] = ord("a"), 0


def cut_a_character(words: np.ndarray) -> None:
    """End a word in é, and let the next one share its first byte."""
    starts = headers(words)
    for i, (start, end) in enumerate(pairwise(starts)):
        length = words[start] + end - start - 1
        if (i + 1) % 16 and end - start > 2 and words[end] < length:
            words[end - 2 : end + 1] = 0xC3, 0xA9, length - 1
            return


WORDS_DAMAGE: dict[str, Callable[[np.ndarray], Any]] = {
    "not UTF-8 at the start": assign(1, 0xFF),
    "not UTF-8 inside": assign(lambda a: headers(a)[900] + 1, 0xFF),
    "not UTF-8 at the end": assign(-1, 0xC3),
    "not UTF-8 where a character is cut": cut_a_character,
    "a word too few": assign(lambda a: headers(a)[900], ord("a")),
    "a word too many": assign(-1, 0),
    "first word without a number": assign(0, ord("a")),
    "first word that shares": assign(0, 1),
    "first word of a block that shares": assign(lambda a: headers(a)[16 * 40], 1),
    "a word that shares more than there is": assign(lambda a: headers(a)[900], 31),
    "a word that adds nothing": add_nothing,
    "all zero": assign(slice(None), 0),
    "all text": assign(slice(None), ord("a")),
    "all continuation bytes": assign(slice(None), 0x80),
}


@pytest.mark.parametrize("damage", WORDS_DAMAGE)
def test_words_that_aren_t_front_coded_are_refused(folder: Path, damage: str) -> None:
    """Else the error would come when such a word is drawn, and not as one of brrkit's."""
    edited(folder, "words", WORDS_DAMAGE[damage])
    message = refused(folder, "index.safetensors")
    assert "'words'" in message
    assert ("UTF-8" in message) == ("UTF-8" in damage)


# --- graph


@pytest.mark.parametrize("verify_hashes", [True, False])
@pytest.mark.parametrize("graph", [b"x", bytes(100), b"\xff" * 3000, b"{}" * 99], ids=range(4))
def test_a_graph_that_isn_t_one_is_refused(folder: Path, graph: bytes, verify_hashes: bool) -> None:
    (folder / "randomizer.tflite").write_bytes(graph)
    message = refused(resealed(folder), "randomizer.tflite", verify_hashes=verify_hashes)
    assert "not the randomizer of 64 bits" in message


@pytest.mark.parametrize("verify_hashes", [True, False])
def test_a_graph_with_a_flipped_bit_is_refused(folder: Path, verify_hashes: bool) -> None:
    """Some of these flip other bits of a code, and some bring down an interpreter."""
    content = (folder / "randomizer.tflite").read_bytes()
    generator = random.Random(2)
    for position in generator.sample(range(len(content)), 100):
        damaged = bytearray(content)
        damaged[position] ^= 1 << generator.randrange(8)
        (folder / "randomizer.tflite").write_bytes(damaged)
        message = refused(resealed(folder), "randomizer.tflite", verify_hashes=verify_hashes)
        assert "not the randomizer of 64 bits" in message


@pytest.mark.parametrize("verify_hashes", [True, False])
def test_a_graph_for_another_number_of_bits_is_refused(
    folder: Path, bundles: Path, verify_hashes: bool
) -> None:
    shutil.copy(bundles / "256" / "randomizer.tflite", folder)
    refused(resealed(folder), "randomizer.tflite", verify_hashes=verify_hashes)


def test_every_number_of_bits_has_its_graph() -> None:
    assert list(GRAPHS) == list(BITS)
    assert len(set(GRAPHS.values())) == len(BITS)


# --- what isn't a file, or can't be opened


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["pipe", "device", "socket", "link to a pipe", "loop of links"])
def test_what_isn_t_a_file_is_refused_at_once(folder: Path, name: str, kind: str) -> None:
    (folder / name).unlink()
    if kind == "pipe":
        os.mkfifo(folder / name)
    elif kind == "device":
        (folder / name).symlink_to("/dev/zero")
    elif kind == "socket":
        os.mknod(folder / name, stat.S_IFSOCK | 0o600)
    elif kind == "link to a pipe":
        os.mkfifo(folder / "pipe")
        (folder / name).symlink_to("pipe")
    else:
        (folder / name).symlink_to(name)
    assert "can't be read" in refused(folder, name)
    assert "can't be read" in refused(folder, name, verify_hashes=False)


@pytest.mark.parametrize(
    "path",
    ["n" * 300, "n/" * 3000, "nul\0", "lone\ud800", "loop", "fifo", "/dev/null"],
    ids=["long name", "long path", "nul", "surrogate", "loop", "fifo", "device"],
)
def test_paths_that_can_t_be_opened_are_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(BundleError) as caught:
        WordBundle.open(tmp_path / path)
    message = str(caught.value)
    assert len(message) <= 400
    assert message.isprintable()
    assert "a bundle directory" in message


AS_NOBODY = """
import os, sys
from pathlib import Path
from brrkit import WordBundle, BundleError
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for path in sys.argv[1:]:
    try:
        WordBundle.open(path)
        print("opened")
    except BundleError as error:
        print(error)
"""


def test_what_isn_t_permitted_is_a_bundle_error(
    bundles: Path, run_python: Callable[..., str]
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        top = Path(name)
        top.chmod(0o755)
        for child in ("good", "closed", *FILES):
            shutil.copytree(bundles / "64", top / child)
            (top / child).chmod(0o755)
        (top / "closed").chmod(0)
        for file in FILES:
            (top / file / file).chmod(0)
        lines = run_python(AS_NOBODY, *(top / child for child in ("good", "closed", *FILES)))
        (top / "closed").chmod(0o755)
        opened, closed, *others = lines.splitlines()
        assert opened == "opened"
        assert closed.startswith(f"{top}/closed: can't be opened (Permission denied)")
        for file, line in zip(FILES, others, strict=True):
            assert line.startswith(f"{top / file / file}: can't be read (Permission denied)")


def test_messages_are_short_and_printable(tmp_path: Path) -> None:
    folder = tmp_path / "bell\a\nline\x1b[2J\u202e\u2028\x85"
    for name in ("a" * 200, "b" * 200):
        folder /= name
    folder.mkdir(parents=True)
    with pytest.raises(BundleError) as caught:
        WordBundle.open(folder)
    message = str(caught.value)
    assert len(message) == 400
    assert message.startswith(str(tmp_path))
    assert r"bell\u0007\u000aline\u001b[2J\u202e\u2028\u0085/aaa" in message
    assert message.endswith("can't be read (No such file or directory); rebuild the bundle")
    assert message.isprintable()


# --- replaced meanwhile


def test_a_bundle_that_is_replaced_is_opened_old_or_new(
    bundles: Path, tmp_path: Path, run_python: Callable[..., str]
) -> None:
    """Nothing of both, and no error: each of the two is there at any time, whole."""
    for name in ("64", "256"):
        shutil.copytree(bundles / name, tmp_path / name)
    current = tmp_path / "current"
    current.symlink_to("64")
    stop = threading.Event()
    opening = threading.Event()
    replaced = 0

    def replace() -> None:
        nonlocal replaced
        while not stop.is_set():
            # At most two replacements per opening, even on a busy machine: many are refused.
            opening.wait()
            opening.clear()
            # What a build does: another bundle takes its place at once; the old one is deleted.
            new = "256" if replaced % 2 == 0 else "64"
            fresh = f"{new}-{replaced}"
            shutil.copytree(bundles / new, tmp_path / fresh)
            (tmp_path / "next").symlink_to(fresh)
            before = current.readlink()
            (tmp_path / "next").replace(current)
            shutil.rmtree(tmp_path / before)
            replaced += 1

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        opened = {64: 0, 256: 0}
        number = 0
        # On a busy machine one of the two may hardly get its turn.
        while number < 800 or min(*opened.values(), replaced) <= 20:
            number += 1
            opening.set()
            bundle = WordBundle.open(current, verify_hashes=number % 2 == 0)
            assert bundle.codes.shape == (len(bundle), bundle.bits // 64)
            assert hashlib.sha256(bundle.graph).hexdigest() == GRAPHS[bundle.bits]
            opened[bundle.bits] += 1
    finally:
        stop.set()
        opening.set()
        thread.join()


def test_a_bundle_that_is_replaced_without_end_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "index.safetensors").unlink()
    monkeypatch.setattr("brrkit.folder.Folder.is_current", lambda self: False)
    with pytest.raises(BundleError, match="replaced again and again while it was opened"):
        WordBundle.open(folder)


def test_no_descriptor_stays_open(folder: Path) -> None:
    gc.collect()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        WordBundle.open(folder)
    (folder / "randomizer.tflite").unlink()
    for _ in range(20):
        refused(folder, "randomizer.tflite")
    gc.collect()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# --- what an object shows of itself


def test_a_bundle_is_shown_in_one_line(bundle: WordBundle) -> None:
    text = f"{bundle.path}: {len(bundle)} words x {bundle.bits} bits, digest {bundle.digest[:8]}"
    assert repr(bundle) == f"<WordBundle {text}, recommends nothing>"
    setting = {"mechanism": "a\nb", "epsilon": 0.5, "parameters": {"x": "\n"}, "goal": ""}
    other = replace(bundle, manifest={**bundle.manifest, "recommended": setting})
    assert repr(other) == f"<WordBundle {text}, recommends a\\u000ab, epsilon=0.5, x='\\n'>"


def test_a_bundle_is_equal_to_itself_alone(bundle: WordBundle) -> None:
    again = WordBundle.open(bundle.path)
    assert bundle == bundle  # noqa: PLR0124
    assert bundle != again
    assert bundle.digest == again.digest
    assert len({bundle, again, bundle}) == 2


def test_the_first_private_word_takes_two_lines() -> None:
    privatizer = Privatizer(WordBundle.sample())
    assert len(privatizer.text("Book me a flight to Boston!").split(" ")) == 6
    setting = WordBundle.sample().recommended
    assert setting is not None and setting.measured is not None
    assert setting.goal.startswith("attack-success 0.2")
    success = setting.measured.attack_success
    assert 0.17 < success.value < success.high <= 0.2
    certified = setting.certified_epsilon or privatizer.effective_epsilon
    assert privatizer.certified_epsilon == certified


# --- neighbors


def test_neighbors_are_the_nearest_other_words(bundle: WordBundle) -> None:
    codes = [int.from_bytes(code.tobytes(), "little") for code in bundle.codes]
    for word_id in (0, 7, len(bundle) - 1):
        distances = [(codes[word_id] ^ code).bit_count() for code in codes]
        ranked = sorted(set(range(len(codes))) - {word_id}, key=lambda i: (distances[i], i))
        expected = [(bundle.vocabulary.word(i), distances[i]) for i in ranked]
        word = bundle.vocabulary.word(word_id)
        assert bundle.neighbors(word) == expected[:10]
        assert bundle.neighbors(word)[0].distance == expected[0][1]
        assert bundle.neighbors(word.upper(), 1) == expected[:1]
        assert bundle.neighbors(word, len(bundle) - 1) == expected


def test_words_with_the_same_code_are_neighbors(bundle_of: Callable[..., WordBundle]) -> None:
    bundle = bundle_of([5, 5, 5, 4, 5])
    assert bundle.neighbors("w4", 2) == [("w0", 0), ("w1", 0)]
    assert bundle.neighbors("w1", 4) == [("w0", 0), ("w2", 0), ("w4", 0), ("w3", 1)]


@pytest.mark.parametrize("k", [0, -1, 2000, 10**9])
def test_neighbors_takes_a_sensible_k(bundle64: WordBundle, k: int) -> None:
    assert len(bundle64) <= 2000
    with pytest.raises(ParameterError, match="k must be from 1 to "):
        bundle64.neighbors("the", k)


def test_neighbors_doesn_t_repeat_an_unknown_word(bundle64: WordBundle) -> None:
    with pytest.raises(OutOfVocabularyError) as caught:
        bundle64.neighbors("hunter2secret")
    assert "hunter2" not in str(caught.value)
