"""What every system must do is done without what Windows lacks, and by this system as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
PORTABLE = TESTS / "portable.py"
PARTS = """builds and replaces
opens what is whole
verifies
calibrates
privatizes
audits where it can
keeps to a budget
shares locks
removes what killed processes left
refuses links
"""


@pytest.fixture
def without(tmp_path: Path) -> Callable[..., str]:
    """Run Python as it would be on Windows; return what it printed."""
    (tmp_path / "openers").mkdir()
    environment = {
        **os.environ,
        "BRR_OPENERS": str(tmp_path / "openers"),
        "PYTHONPATH": os.pathsep.join([str(TESTS / "windows"), *filter(None, sys.path)]),
    }

    def run(*arguments: object) -> str:
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=1_200,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.nightly("CI's job on Windows itself, and test_every_module_can_be_imported")
def test_without_what_windows_lacks(without: Callable[..., str]) -> None:
    assert without(PORTABLE) == PARTS


TAKEN = """
import ctypes, errno, importlib, mmap, os, shutil, signal
from pathlib import Path

def fails(kind, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind:
        return
    raise AssertionError(call)

folder = Path("folder")
folder.mkdir()
(folder / "file").write_bytes(b"content")
fails(ModuleNotFoundError, importlib.import_module, "fcntl")
fails(PermissionError, os.open, folder, os.O_RDONLY)
fails(NotImplementedError, os.open, "file", os.O_RDONLY, dir_fd=3)
assert os.open not in os.supports_dir_fd and not shutil.rmtree.avoids_symlink_attacks
assert not any(hasattr(os, name) for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK"))
assert not hasattr(signal, "SIGHUP")
text = os.open(folder / "file", os.O_RDONLY)
fails(RuntimeError, os.read, text, 1)
os.close(text)
for keep in (lambda file: file, lambda file: mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)):
    with (folder / "file").open("rb") as file:
        kept = keep(file)
        for attempt in (
            lambda: (folder / "file").unlink(),
            lambda: (folder / "file").rename("other"),
            lambda: folder.rename("elsewhere"),
        ):
            fails(PermissionError, attempt)
    if kept is not file:
        fails(PermissionError, folder.rename, "elsewhere")
        kept.close()
Path("new").write_bytes(b"")
fails(FileExistsError, Path("new").rename, folder / "file")
folder.rename("elsewhere")
Path("brrkit_module.py").write_text("import os, ctypes\\n"
    "def call(name): return getattr(os, name)()\\ndef load(): return ctypes.CDLL(None)")
import sys; sys.path.insert(0, ".")
import brrkit_module
for name in ("fork", "getuid", "uname"):
    fails(AttributeError, brrkit_module.call, name)
fails(TypeError, brrkit_module.load)
print("taken away")
"""


def test_it_is_taken_away(without: Callable[..., str]) -> None:
    """Else the test above would test nothing."""
    assert without("-c", TAKEN) == "taken away\n"


IMPORTS = """
import importlib, pkgutil, sys
import brrkit, brrkit_toolchain
for package in (brrkit, brrkit_toolchain):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name.split(".")[-1] not in ("__main__", "train"):
            importlib.import_module(module.name)
print("imported")
"""


def test_every_module_can_be_imported(without: Callable[..., str]) -> None:
    assert without("-c", IMPORTS).endswith("imported\n")


def test_ci_runs_it_on_other_systems() -> None:
    workflow = (TESTS.parent / ".github" / "workflows" / "ci.yml").read_text()
    for runner in ("macos-15", "windows-2025", "ubuntu-24.04-arm"):
        assert runner in workflow
    assert "python tests/portable.py" in workflow
