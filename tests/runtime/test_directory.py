"""A directory's files by name, with and without descriptors of directories."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from brrkit import BundleError, PrivacyBudget, WordBundle, directory
from brrkit.directory import Directory
from brrkit.errors import BudgetFileError
from brrkit.state_file import locked


@pytest.fixture(params=["descriptors", "paths"])
def folder(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, on a system that has descriptors of directories, and on one that hasn't."""
    monkeypatch.setattr(directory, "DESCRIPTORS", request.param == "descriptors")
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


@pytest.fixture
def by_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "DESCRIPTORS", False)


def put(folder: Directory, name: str, content: bytes) -> None:
    file = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, follow=False)
    os.write(file, content)
    os.close(file)


def test_files_are_made_renamed_and_removed(folder: Path) -> None:
    with Directory(folder) as opened:
        put(opened, "new", b"1\r\n2\x1a3")
        opened.replace("new", "file")
        opened.remove("missing")
        opened.sync()
        file = opened.open("file", os.O_RDONLY, follow=False)
        assert os.read(file, 99) == b"1\r\n2\x1a3"
        os.close(file)
        opened.remove("file")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("target", ["file", "missing"])
def test_a_link_is_followed_only_where_that_is_said(folder: Path, target: str) -> None:
    (folder / "file").write_text("content")
    (folder / "link").symlink_to(target)
    with Directory(folder) as opened:
        for flags in (os.O_RDONLY, os.O_RDWR | os.O_CREAT):
            with pytest.raises(OSError, match="link") as refused:
                opened.open("link", flags, follow=False)
            assert refused.value.errno == errno.ELOOP
        if target == "file":
            os.close(opened.open("link", os.O_RDONLY, follow=True))
    assert not (folder / "missing").exists()


def test_what_isn_t_a_directory_is_refused(folder: Path) -> None:
    (folder / "file").touch()
    with pytest.raises(NotADirectoryError):
        Directory(folder / "file")
    with pytest.raises(FileNotFoundError):
        Directory(folder / "missing")


def test_another_in_its_place_is_noticed(folder: Path) -> None:
    with Directory(folder) as opened:
        assert opened.is_current()
        folder.rename(folder.with_name("old"))
        assert not opened.is_current()
        folder.mkdir()
        assert not opened.is_current()


def exchange(folder: Path) -> None:
    """Put another directory with the same files in the place of ``folder``."""
    folder.rename(folder.with_name("old"))
    folder.mkdir()
    for file in folder.with_name("old").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())


@pytest.mark.usefixtures("by_path")
@pytest.mark.parametrize("there", [True, False])
def test_without_descriptors_nothing_happens_in_another_in_its_place(
    tmp_path: Path, there: bool
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    if there:
        (folder / "file").write_text("first")
    with Directory(folder) as opened:
        exchange(folder)
        for attempt in (
            lambda: opened.open("file", os.O_RDONLY, follow=False),
            lambda: opened.replace("file", "other"),
            lambda: opened.remove("file"),
        ):
            with pytest.raises(OSError, match="replaced meanwhile") as refused:
                attempt()
            assert not isinstance(refused.value, FileNotFoundError)  # "there is no state yet"
    assert (folder / "file").exists() == there


@pytest.mark.usefixtures("by_path")
def test_without_descriptors_a_budget_isn_t_spent_in_another_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    PrivacyBudget(2, 3600, folder / "state").spend(1, unit="u")
    with locked(folder / "state", BudgetFileError) as file:
        exchange(folder)
        with pytest.raises(BudgetFileError, match="nothing is released"):
            file.read(1000)
        with pytest.raises(BudgetFileError, match="nothing is released"):
            file.replace(b"lost")
    assert b"lost" not in (folder / "state").read_bytes()


@pytest.mark.usefixtures("by_path")
def test_without_descriptors_a_file_that_becomes_a_link_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at it and its opening."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "other").write_text("another's")
    opened = os.open

    def swapped(path: Path, flags: int, mode: int) -> int:
        (tmp_path / "file").unlink()
        (tmp_path / "file").symlink_to("other")
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "open", swapped)
    with Directory(tmp_path) as folder, pytest.raises(OSError, match="link"):
        folder.open("file", os.O_RDONLY, follow=False)


@pytest.mark.parametrize("verify_hashes", [True, False])
def test_without_descriptors_a_bundle_is_of_one_build(
    bundles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verify_hashes: bool
) -> None:
    """Another build takes its place after each of its files was opened, as a rename does it."""
    monkeypatch.setattr(directory, "DESCRIPTORS", False)
    for name in ("64", "256"):
        shutil.copytree(bundles / name, tmp_path / name)
    path, opened, left = tmp_path / "64", os.open, [5]

    def swapped(name: Path, flags: int, mode: int) -> int:
        file = opened(name, flags, mode)
        if left[0]:
            left[0] -= 1
            path.rename(tmp_path / "aside")
            (tmp_path / "256").rename(path)
            (tmp_path / "aside").rename(tmp_path / "256")
        return file

    monkeypatch.setattr(os, "open", swapped)
    bundle = WordBundle.open(path, verify_hashes=verify_hashes)
    assert left == [0]
    assert bundle.codes.shape[1] * 64 == bundle.bits == len(bundle.codes[0]) * 64
    monkeypatch.setattr(os, "open", opened)
    assert bundle.bits == WordBundle.open(path).bits


def test_without_descriptors_no_file_of_a_bundle_stays_mapped(
    bundles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows keeps the folder of a mapped file where it is: the bundle couldn't be replaced."""
    monkeypatch.setattr(directory, "DESCRIPTORS", False)
    bundle = WordBundle.open(bundles / "64")
    for view in (bundle.codes, bundle.vocabulary.words):
        owner: object = view
        while isinstance(owner, np.ndarray | memoryview):
            owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
        assert isinstance(owner, bytes)
    assert bundle.codes.ctypes.data % 8 == 0


def test_without_descriptors_what_isn_t_a_bundle_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "DESCRIPTORS", False)
    (tmp_path / "file").touch()
    for name in ("file", "missing"):
        with pytest.raises(BundleError, match="not a bundle directory"):
            WordBundle.open(tmp_path / name)
    with pytest.raises(BundleError, match="can't be read"):
        WordBundle.open(tmp_path)
