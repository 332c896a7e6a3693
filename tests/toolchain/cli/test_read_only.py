"""Commands where nothing but a working folder can be written, and nobody has a home: containers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from brrkit_toolchain.io import compiled as module

ROOT = Path(__file__).parents[3]
CONTAINER = ("env", "-i", "PATH=/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1")
SCRIPT = """
set -e
mount --make-rprivate /
mount -t tmpfs none {work}
mount -o remount,bind,ro /
cd {work}
! touch {root}/pyproject.toml 2>/dev/null
cp -r {root}/runtime/brrkit/sample sample
printf "see you at nine\nwill it rain in boston on monday\n" >typed.txt
brr() {{
    {python} -m brrkit_toolchain "$@" >out 2>err || {{ cat err; echo "$@"; exit 1; }}
    ! grep -i -e traceback -e "not a writable" err
}}
"""

COMMANDS = """
privatize sample --input typed.txt --output released.txt
neighbors sample boston
guess sample --input released.txt
build --vocabulary-size 500 --effort low --output bundle
verify bundle
inspect bundle
calibrate bundle --attack-success 0.2 --write
calibrate sample --for counts --attack-success 0.2
measure bundle --epsilon 1 --sample 10 --draws 2
list typed.txt --output list
candidates sample --text typed.txt --output candidates.csv --least 1
report bundle --output report.html --no-audit
"""


def read_only(work: Path, commands: list[str]) -> subprocess.CompletedProcess[str]:
    """Run commands of brr in a root that can't be written, but for ``work``."""
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    tried = shutil.which("unshare") and subprocess.run(
        [*alone, "mount", "--make-rprivate", "/"], capture_output=True, check=False
    )
    if not tried or tried.returncode:
        pytest.skip("this system lets nobody make mounts of their own")
    script = SCRIPT.format(work=work, root=ROOT, python=sys.executable)
    lines = "\n".join(f"brr {command}" for command in commands)
    return subprocess.run(
        [*alone, *CONTAINER, "sh", "-c", script + lines],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_command_of_a_read_only_installation(tmp_path: Path) -> None:
    done = read_only(tmp_path, COMMANDS.split("\n")[1:3])
    assert done.returncode == 0, done.stdout


@pytest.mark.nightly("test_a_command_of_a_read_only_installation")
def test_all_commands_of_a_read_only_installation(tmp_path: Path) -> None:
    done = read_only(tmp_path, COMMANDS.strip().split("\n"))
    assert done.returncode == 0, done.stdout


def test_without_a_place_for_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.core.caching.FunctionCache._impl_class, "_locator_classes", [])

    def doubled(number: int) -> int:
        return 2 * number

    with pytest.raises(RuntimeError, match="no locator available"):
        numba.njit(cache=True)(doubled)
    assert module.compiled(doubled)(21) == 42
