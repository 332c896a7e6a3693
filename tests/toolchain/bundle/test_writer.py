"""Writing a bundle: the bytes of the index and the manifest, and the directory's replacement."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, FILES, contents, index_of, leftovers
from hypothesis import assume, given
from hypothesis import strategies as st
from safetensors.numpy import load

from brrkit import WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY, RANDOMIZER
from brrkit.normal_form import normalize
from brrkit_toolchain.bundle import writer
from brrkit_toolchain.bundle.writer import (
    check_output,
    encode_index,
    encode_json,
    encode_manifest,
    write_bundle,
)
from brrkit_toolchain.codes.graph import read_randomizer
from brrkit_toolchain.embeddings import read_embeddings
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.io.exchange import exchange
from brrkit_toolchain.language.model import LanguageModel

# Bytes of UTF-8 sort as code points do, but not as UTF-16 or a locale would have it.
WORDS = ["zoo", "the", "éclair", "ångström", "straße", "𐍈", "ｚ", "日本", "мир", "o'clock", "1984"]
OTHER = {name: f"other {name}".encode() for name in FILES}
OLD = {name: f"old {name}".encode() for name in FILES}
NEW = {name: f"new {name}".encode() for name in FILES}
for _files in (OLD, NEW, OTHER):
    _files[MANIFEST] = encode_manifest({}, {INDEX: _files[INDEX]})


def codes_of(rows: list[list[int]], bits: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return codes whose bits at the given positions are 1."""
    codes = np.zeros((len(rows), bits // 64), np.uint64)
    for row, positions in enumerate(rows):
        for j in positions:
            codes[row, j // 64] |= np.uint64(1) << np.uint64(j % 64)
    return codes


@pytest.mark.parametrize("bits", [64, 128, 512])
def test_codes_come_first_and_are_aligned(bits: int) -> None:
    codes = np.random.default_rng(bits).integers(0, 2**64, (len(WORDS), bits // 64), np.uint64)
    content = index_of(WORDS, codes)
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    in_file_order = sorted(header, key=lambda name: header[name]["data_offsets"])
    assert length % 8 == 0
    in_bytes = ["ids", "positions", "masses", "before", "after", "gains", "words"]
    assert in_file_order == ["codes", "offsets", *in_bytes]
    assert header["codes"]["data_offsets"][0] == 0
    types = {"codes": "U64", "offsets": "U32", **dict.fromkeys(in_bytes, "U8")}
    assert {name: entry["dtype"] for name, entry in header.items()} == types
    start = 8 + length
    assert content[start : start + codes.nbytes] == codes.astype("<u8").tobytes()
    assert index_of(WORDS, np.asfortranarray(codes)) == content


@pytest.mark.parametrize("j", [0, 1, 7, 8, 63, 64, 65, 127])
def test_bit_order_in_the_file(j: int) -> None:
    content = index_of(["a", "b"], codes_of([[j], []], 128))
    start = 8 + int.from_bytes(content[:8], "little")
    code = content[start : start + 16]
    assert code[j // 8] == 1 << j % 8
    assert sum(code) == code[j // 8]
    assert not any(content[start + 16 : start + 32])


def unpack(content: bytes, count: int) -> list[int]:
    """Read packed numbers as the format's page has it: four bytes, a shift, a mask."""
    width = (count - 1).bit_length()
    numbers = []
    for i in range(count):
        first = i * width // 8
        four = content[first : first + 4]
        assert len(four) == 4
        numbers.append(int.from_bytes(four, "little") >> i * width % 8 & (1 << width) - 1)
    return numbers


def decode(tensors: dict[str, np.ndarray[Any, Any]], position: int) -> str:
    """Read a word as the format's page has it: from the start of its block."""
    coded = tensors["words"].tobytes()
    at = int(tensors["offsets"][position // 16])
    word = b""
    for _ in range(position % 16 + 1):
        word = word[: coded[at]]
        at += 1
        while at < len(coded) and coded[at] > 31:
            word += coded[at : at + 1]
            at += 1
    return word.decode()


def test_the_example_of_the_format_s_page() -> None:
    words = ["the", "naïve", "they", "nave", "them", "naïf"]
    tensors = load(index_of(words, np.zeros((6, 1), np.uint64)))
    assert tensors["words"].tobytes() == b"\0nave\2\xc3\xaff\4ve\0the\3m\3y"
    assert tensors["offsets"].tolist() == [0, 20]
    assert unpack(tensors["ids"].tobytes(), 6) == [3, 5, 1, 0, 4, 2]
    assert tensors["ids"].tobytes() == bytes([0x6B, 0x40, 0x01, 0, 0, 0])
    assert unpack(tensors["positions"].tobytes(), 6) == [3, 2, 5, 0, 4, 1]
    assert tensors["positions"].tobytes() == bytes([0x53, 0xC1, 0x00, 0, 0, 0])


def test_masses_and_bigrams_are_written_as_specified() -> None:
    """Of 11 words an id takes 4 bits: two in a byte, the first in the lower half."""
    language = LanguageModel(
        np.arange(1, 12, dtype=np.uint8),
        np.array([0, 3, 3], np.uint32),
        np.array([10, 1, 2], np.uint32),
        np.array([255, 7, 16], np.uint8),
    )
    tensors = load(encode_index(WORDS, np.zeros((len(WORDS), 1), np.uint64), language))
    assert tensors["masses"].tolist() == [*range(1, 12)]
    assert tensors["before"].tobytes() == bytes([0x30, 0x03, 0, 0, 0])
    assert tensors["after"].tobytes() == bytes([0x1A, 0x02, 0, 0, 0])
    assert tensors["gains"].tolist() == [255, 7, 16]


def test_words_are_in_the_order_of_their_bytes() -> None:
    tensors = load(index_of(WORDS, np.zeros((len(WORDS), 1), np.uint64)))
    assert [decode(tensors, position) for position in range(len(WORDS))] == [
        "1984", "o'clock", "straße", "the", "zoo", "ångström", "éclair", "мир", "日本", "ｚ", "𐍈",
    ]  # fmt: skip


def test_a_word_shares_all_it_can() -> None:
    words = ["a" * 40, "a" * 40 + "b", "é" * 20, "é" * 20 + "x", "éa", "éb", "êa"]
    coded = load(index_of(words, np.zeros((7, 1), np.uint64)))["words"].tobytes()
    # At most 31 bytes, and whole characters: é and ê have their first byte in common.
    assert [byte for byte in coded if byte < 32] == [0, 31, 0, 2, 2, 30, 0]


def zeros(words: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a bundle of zero codes."""
    files = {
        INDEX: index_of(words, np.zeros((len(words), 1), np.uint64)),
        RANDOMIZER: read_randomizer(64),
        PARITY: b"",
    }
    fields = {"bits": 64, "vocabulary_size": len(words), "bigrams": 0}
    return {MANIFEST: encode_manifest(fields, files), **files}


def write(folder: Path, words: Sequence[str]) -> WordBundle:
    """Write a bundle of zero codes, and open it."""
    for name, content in zeros(words).items():
        (folder / name).write_bytes(content)
    return WordBundle.open(folder)


ENDINGS = st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cs"]), min_size=1)
BEGINNINGS = st.sampled_from(["", "a", "ab", "x" * 29, "é" * 15, "世" * 11, "\U00020000" * 8])


@given(
    st.lists(st.builds(lambda *parts: normalize("".join(parts)), BEGINNINGS, ENDINGS), min_size=2)
)
def test_any_words_come_back(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    words = list(dict.fromkeys(words))
    assume(len(words) > 1)
    folder = tmp_path_factory.mktemp("words")
    vocabulary = write(folder, words).vocabulary
    tensors = load((folder / INDEX).read_bytes())
    ordered = sorted(words)
    for word_id, word in enumerate(words):
        assert vocabulary.word(word_id) == word
        for typed in (word, word[:-1], word + "a", word[:-1] + "\U0010ffff"):
            assert vocabulary.find(typed) == (words.index(typed) if typed in words else None)
        assert decode(tensors, ordered.index(word)) == word


@pytest.mark.parametrize("count", [2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 257, 4097])
def test_any_number_of_words(tmp_path: Path, count: int) -> None:
    words = [f"{i * 7919 % count:b}" for i in range(count)]  # a prime: each once
    vocabulary = write(tmp_path, words).vocabulary
    assert [vocabulary.find(word) for word in words] == list(range(count))
    assert [vocabulary.word(i) for i in range(count)] == words


def test_fifty_thousand_words_are_small() -> None:
    # The sample's words, and each again with an "s": as many letters as real words have.
    real = list(read_embeddings(ENCYCLOPEDIA).words)
    words = list(dict.fromkeys(real + [word + "s" for word in real]))
    words += [word + "x" for word in real][: 50_000 - len(words)]
    assert len(words) == 50_000
    assert sum(map(len, zeros(words).values())) + 4_000 <= 900_000  # of the manifest


def test_manifest_has_its_own_digest() -> None:
    text = encode_manifest({"bits": 64, "name": "naïve"}, {"a": b"123", "b": b""})
    manifest = json.loads(text)
    own = manifest["sha256"].encode()
    assert re.fullmatch(rb"[0-9a-f]{64}", own)
    assert hashlib.sha256(text.replace(own, b"0" * 64)).hexdigest().encode() == own
    assert (manifest["format"], manifest["format_version"]) == ("brr-bundle", 3)
    assert manifest["files"] == {
        "a": {"size": 3, "sha256": hashlib.sha256(b"123").hexdigest()},
        "b": {"size": 0, "sha256": hashlib.sha256(b"").hexdigest()},
    }


def test_json_is_utf_8_and_has_no_nan() -> None:
    assert "naïve".encode() in encode_json({"word": "naïve"})
    with pytest.raises(ValueError, match="JSON"):
        encode_json({"number": float("nan")})


def unable(first: Path, second: Path) -> bool:
    """Exchange nothing, as a file system that can't."""
    return False


def refuse_to_write(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


WRITE_HALF = f"""
import os, signal, sys
from pathlib import Path
from brrkit_toolchain.io.drafts import draft
with draft(Path(sys.argv[1]), "building") as new:
    new.mkdir()
    (new / {INDEX!r}).write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


class TestReplacing:
    @pytest.fixture
    def output(self, tmp_path: Path) -> Path:
        write_bundle(tmp_path / "bundle", OLD)
        return tmp_path / "bundle"

    def test_writes_all_files_and_nothing_else(self, tmp_path: Path) -> None:
        write_bundle(tmp_path / "new" / "deep" / "bundle", NEW)
        assert contents(tmp_path / "new" / "deep" / "bundle") == NEW
        assert leftovers(tmp_path / "new" / "deep") == ["bundle"]

    def test_takes_an_empty_directory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whose name may be relative."""
        (tmp_path / "bundle").mkdir()
        monkeypatch.chdir(tmp_path)
        write_bundle(Path("bundle"), NEW)
        assert contents(tmp_path / "bundle") == NEW
        assert leftovers(tmp_path) == ["bundle"]

    @pytest.mark.parametrize("exchanged", [True, False])
    def test_force_replaces_a_bundle(
        self, output: Path, exchanged: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also where directories can't be exchanged, and the bundle is damaged."""
        if not exchanged:
            monkeypatch.setattr(writer, "exchange", unable)
        write_bundle(output, NEW, force=True)
        assert contents(output) == NEW
        assert leftovers(output.parent) == ["bundle"]
        (output / INDEX).unlink()
        (output / PARITY).write_bytes(b"")
        write_bundle(output, OLD, force=True)
        assert contents(output) == OLD

    def test_a_reader_never_misses_the_bundle(
        self, output: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One call of the system puts the new one in the old one's place; neither is renamed."""
        seen = []

        def watched(first: Path, second: Path) -> bool:
            seen.append(contents(output))
            assert exchange(first, second)
            seen.append(contents(output))
            return True

        monkeypatch.setattr(writer, "exchange", watched)
        monkeypatch.setattr(Path, "rename", lambda *_: pytest.fail("there was none for a while"))
        write_bundle(output, NEW, force=True)
        assert seen == [OLD, NEW]

    def test_what_a_killed_build_left_is_removed(self, output: Path) -> None:
        for name in ("bundle", "another"):
            command = [sys.executable, "-c", WRITE_HALF, output.with_name(name)]
            subprocess.run(command, check=False)
        (output.parent / ".bundle.building-mine").mkdir()
        left = leftovers(output.parent)
        assert len(left) == 4
        write_bundle(output, NEW, force=True)
        assert contents(output) == NEW
        old = re.compile(r"\.bundle\.building-[0-9a-f]{8}")
        assert leftovers(output.parent) == [name for name in left if not old.fullmatch(name)]

    @pytest.mark.parametrize("name", [".", "..", "../bundle", "inner/.."])
    @pytest.mark.parametrize("force", [False, True])
    def test_never_replaces_the_current_folder(
        self, output: Path, monkeypatch: pytest.MonkeyPatch, name: str, force: bool
    ) -> None:
        monkeypatch.chdir(output)
        with pytest.raises(OutputError, match="contains the current folder"):
            write_bundle(Path(name), NEW, force=force)
        assert contents(output) == OLD

    def test_folders_that_were_made_for_nothing_go(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "fsync", refuse_to_write)
        with pytest.raises(OutputError, match="No space left"):
            write_bundle(tmp_path / "new" / "deep" / "bundle", NEW)
        assert leftovers(tmp_path) == []

    def test_refuses_an_existing_bundle_without_force(self, output: Path) -> None:
        with pytest.raises(OutputError, match="exists; give force"):
            write_bundle(output, NEW)
        assert contents(output) == OLD
        assert leftovers(output.parent) == ["bundle"]

    @pytest.mark.parametrize("force", [False, True])
    @pytest.mark.parametrize(
        ("files", "says"),
        [
            ({"thesis.tex": b"mine"}, "something other than a bundle"),
            ({"index.safetensors": b"mine"}, "something other than a bundle"),
            ({MANIFEST: b'{"manifest_version": 3}'}, "something other than a bundle"),
            (OLD | {"notes.txt": b"mine"}, r"don't belong to a bundle \(notes\.txt\)"),
            (OLD | {".git": b"mine"}, r"don't belong to a bundle \(\.git\)"),
        ],
    )
    def test_never_replaces_something_else(
        self, tmp_path: Path, files: dict[str, bytes], says: str, force: bool
    ) -> None:
        (tmp_path / "bundle").mkdir()
        for name, content in files.items():
            (tmp_path / "bundle" / name).write_bytes(content)
        with pytest.raises(OutputError, match=says):
            write_bundle(tmp_path / "bundle", NEW, force=force)
        assert contents(tmp_path / "bundle") == files

    @pytest.mark.parametrize("force", [False, True])
    def test_never_replaces_a_file_or_a_link(self, output: Path, force: bool) -> None:
        file, link = output.with_name("file"), output.with_name("link")
        file.write_text("mine")
        link.symlink_to(output)
        for name in (file, link):
            with pytest.raises(OutputError, match="isn't a directory"):
                write_bundle(name, NEW, force=force)
        assert file.read_text() == "mine"
        assert link.is_symlink()
        assert contents(output) == OLD

    @pytest.mark.parametrize("below", ["bundle", "deep/bundle"])
    def test_refuses_an_output_below_a_file(self, tmp_path: Path, below: str) -> None:
        (tmp_path / "file").write_text("mine")
        with pytest.raises(OutputError, match="isn't a writable directory"):
            check_output(tmp_path / "file" / below, force=False)

    def test_refuses_a_folder_that_is_not_writable(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        allowed: Callable[..., bool] = os.access
        monkeypatch.setattr(
            os, "access", lambda path, mode: path != tmp_path and allowed(path, mode)
        )
        with pytest.raises(OutputError, match="isn't a writable directory"):
            check_output(tmp_path / "deep" / "bundle", force=False)
        assert leftovers(tmp_path) == []


class TestDiskTrouble:
    """The disk refuses at each step of writing: the old bundle stays, nothing else does."""

    @pytest.fixture(params=[False, True], ids=["fresh", "replacing"])
    def output(self, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
        if request.param:
            write_bundle(tmp_path / "bundle", OLD)
        return tmp_path / "bundle"

    def fails(self, output: Path, reason: int) -> None:
        before = leftovers(output.parent)
        with pytest.raises(OutputError) as raised:
            write_bundle(output, NEW, force=True)
        assert os.strerror(reason) in str(raised.value)
        assert str(output) in str(raised.value)
        remedy = "free some space" if reason == errno.ENOSPC else "check the path"
        assert remedy in str(raised.value)
        assert leftovers(output.parent) == before
        assert not before or contents(output) == OLD

    @pytest.mark.parametrize("number", [0, 3, 4])
    def test_full_at_a_file(
        self, output: Path, number: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        synced = iter(range(5))

        def full(descriptor: int) -> None:
            if next(synced) == number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", full)
        self.fails(output, errno.ENOSPC)

    @pytest.mark.parametrize("method", ["mkdir", "open"])
    def test_refusal_to_create(
        self, output: Path, method: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        original = getattr(Path, method)

        def refuse(path: Path, *arguments: Any, **options: Any) -> Any:
            if ".building-" in str(path):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            return original(path, *arguments, **options)

        monkeypatch.setattr(Path, method, refuse)
        self.fails(output, errno.EROFS)

    @pytest.mark.parametrize("moved", ["the new one in", "either"])
    def test_failure_to_move_puts_the_old_one_back(
        self, output: Path, moved: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rename = Path.rename

        def refuse(path: Path, target: Path) -> Path:
            if moved == "either" or ".building-" in path.parent.name:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return rename(path, target)

        monkeypatch.setattr(writer, "exchange", unable)
        monkeypatch.setattr(Path, "rename", refuse)
        self.fails(output, errno.EIO)


def test_somebody_else_makes_the_output_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def race(path: Path, target: Path) -> Path:
        target.mkdir()
        for name, content in OTHER.items():
            (target / name).write_bytes(content)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", race)
    with pytest.raises(OutputError, match="can't be written"):
        write_bundle(tmp_path / "bundle", NEW)
    assert contents(tmp_path / "bundle") == OTHER
    assert leftovers(tmp_path) == ["bundle"]


def test_a_bundle_that_is_rebuilt_is_opened_old_or_new(tmp_path: Path) -> None:
    """Bundles of other sizes in turn, each in the other's place at once: nothing of both."""
    builds = [zeros([f"w{i}" for i in range(count)]) for count in (100, 3000)]
    write_bundle(tmp_path / "bundle", builds[0])
    opening = threading.Event()
    stop = threading.Event()
    rebuilt = 0

    def rebuild() -> None:
        nonlocal rebuilt
        while not stop.is_set():
            # At most two builds per opening, even on a busy machine: many are refused.
            opening.wait()
            opening.clear()
            rebuilt += 1
            write_bundle(tmp_path / "bundle", builds[rebuilt % 2], force=True)

    thread = threading.Thread(target=rebuild)
    thread.start()
    opened = Counter({100: 0, 3000: 0})
    try:
        while thread.is_alive() and (rebuilt < 150 or min(opened.values()) <= 10):
            opening.set()
            verify = opened.total() % 2 == 0
            opened[len(WordBundle.open(tmp_path / "bundle", verify_hashes=verify))] += 1
    finally:
        stop.set()
        opening.set()
        thread.join()
    assert rebuilt >= 150
    assert set(opened) == {100, 3000}
