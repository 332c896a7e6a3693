"""What a list may have in its files, and what it is refused for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brrkit import BundleError, ParameterError, Privatizer, WordBundle
from brrkit.bundle import INDEX, MANIFEST, RANDOMIZER, manifest_digest
from brrkit.list_tokenizer import KINDS
from brrkit.setting import Setting

SETTING = {"mechanism": "brr", "epsilon": 1.0, "parameters": {}, "goal": "none"}
ENTRY = {"size": 0, "sha256": "0" * 64}
NO_LISTS = [None, "", "word", "Words", ["words"], {}, 0, True]

Change = Callable[..., Path]


@pytest.fixture
def changed(bundles: Path, tmp_path: Path) -> Change:
    """Return a copy of a bundle with other fields in its manifest, and without some."""

    def change(name: str, fields: dict[str, Any], *without: str) -> Path:
        if not (bundles / name).exists():
            pytest.skip(f"no bundle {name}: 'make bundles' makes it")
        folder = Path(shutil.copytree(bundles / name, tmp_path / "changed", dirs_exist_ok=True))
        manifest = {**json.loads((folder / MANIFEST).read_bytes()), **fields}
        text = json.dumps({k: v for k, v in manifest.items() if k not in without}).encode()
        digest = manifest_digest(text, manifest["sha256"])
        (folder / MANIFEST).write_bytes(text.replace(manifest["sha256"].encode(), digest.encode()))
        return folder

    return change


def refused(folder: Path, message: str) -> None:
    """Check that a bundle is refused, whether digests are verified or not."""
    for verify_hashes in (True, False):
        with pytest.raises(BundleError, match=message):
            WordBundle.open(folder, verify_hashes=verify_hashes)


@pytest.mark.parametrize("name", ["list-emoji", "list-phrases", "list-french", "list-strings"])
def test_a_list_opens_and_has_no_codes(changed: Change, name: str) -> None:
    bundle = WordBundle.open(changed(name, {}))
    assert bundle.list_of in KINDS
    assert (bundle.bits, bundle.codes.shape, bundle.graph) == (0, (len(bundle), 0), b"")
    for refuse in (
        lambda: Privatizer(bundle),
        lambda: Privatizer(bundle, Setting(1.0)),
        lambda: Privatizer(bundle, Setting(1.0, "brr")),
        lambda: bundle.neighbors(bundle.vocabulary.word(0)),
    ):
        with pytest.raises(
            ParameterError, match="a list has no codes, so its strings can only be counted"
        ):
            refuse()


def test_a_list_s_randomizer_is_not_opened(changed: Change) -> None:
    folder = changed("list-emoji", {})
    files = json.loads((folder / MANIFEST).read_bytes())["files"]
    folder = changed("list-emoji", {"files": {**files, RANDOMIZER: {"size": 4, "sha256": "x"}}})
    (folder / RANDOMIZER).write_bytes(b"any")
    assert WordBundle.open(folder).list_of == "emoji"


def test_a_list_s_kind_is_needed(changed: Change) -> None:
    refused(changed("list-emoji", {}, "list_of"), "field 'list_of' is missing or wrong")


@pytest.mark.parametrize("kind", NO_LISTS, ids=repr)
def test_a_kind_is_a_known_one(changed: Change, kind: Any) -> None:
    refused(changed("list-emoji", {"list_of": kind}), "field 'list_of' is missing or wrong")


@pytest.mark.parametrize("kind", [*KINDS, *NO_LISTS], ids=repr)
def test_codes_make_no_list(changed: Change, kind: Any) -> None:
    refused(changed("64", {"list_of": kind}), "field 'list_of' is missing or wrong")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bits", 64),
        *(("bits", value) for value in (None, 0.0, "0", False, 1, -64)),
        *(("task_bits", value) for value in (0, 64, -64, None)),
        *(("bigrams", value) for value in (1, -1, None)),
        *(("recommended", value) for value in (SETTING, None, {})),
        ("counts", {}),
        *(("frames", value) for value in ({"words": 8, "a_day": 8}, None)),
        ("writing", {}),
        *(("vocabulary_size", value) for value in (0, 1, None)),
        ("files", {INDEX: ENTRY}),
        ("files", {RANDOMIZER: ENTRY}),
    ],
    ids=repr,
)
def test_what_a_list_has_not_is_refused(changed: Change, field: str, value: Any) -> None:
    named = {"bits": "list_of"}.get(field, field) if value == 64 else field
    refused(changed("list-emoji", {field: value}), f"field '{named}.*' is missing or wrong")


def test_codes_are_no_list_s(changed: Change) -> None:
    fields = {"bits": 0, "bigrams": 0, "list_of": "words"}
    refused(changed("64", fields, "recommended", "task_bits"), "words x 0 bits and 0 bigrams")
    refused(changed("64", {**fields, "bigrams": 1}), "field 'bigrams' is missing or wrong")


@pytest.mark.parametrize("cut", [1, 8, 100])
def test_a_cut_index_is_refused(changed: Change, cut: int) -> None:
    folder = changed("list-phrases", {})
    content = (folder / INDEX).read_bytes()
    (folder / INDEX).write_bytes(content[:-cut])
    refused(folder, f"{len(content) - cut} bytes, the manifest says {len(content)}")
    (folder / INDEX).write_bytes(content[:-cut] + b"\x00" * cut)
    with pytest.raises(BundleError, match="changed since it was built"):
        WordBundle.open(folder)
    with pytest.raises(BundleError, match="tensor"):
        WordBundle.open(folder, verify_hashes=False)


def test_an_index_of_other_strings_is_refused(changed: Change) -> None:
    size = {"vocabulary_size": 21}
    refused(changed("list-emoji", size), "of 21 words x 0 bits and 0 bigrams")
