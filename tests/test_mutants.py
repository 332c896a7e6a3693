"""What ``tests/mutants.py`` gives to the tools fits the code there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import mutants
import pytest


def test_a_module_has_tests() -> None:
    exact = mutants.tests_of("runtime/brrkit/exact.py")
    assert "tests/runtime/test_exact.py" in exact
    bounds = mutants.tests_of("toolchain/brrkit_toolchain/audit/pairs/bounds.py")
    assert "tests/toolchain/audit/test_audit.py" in bounds
    guessed = mutants.tests_of("toolchain/brrkit_toolchain/attackers/texts/guess_words.py")
    assert "tests/toolchain/attackers/test_guess_words.py" in guessed


def test_a_module_s_own_tests_are_enough() -> None:
    """Those that only use its package would run for each mutant that no test notices."""
    groups = mutants.tests_of("counting/brrkit_counting/estimate/groups.py")
    assert "tests/counting/test_periods.py" in groups
    assert len(groups) < 5


def test_a_module_that_no_test_names() -> None:
    nobody = mutants.tests_of("toolchain/brrkit_toolchain/io/nobody.py")
    assert "tests/toolchain/io/test_outputs.py" in nobody
    assert mutants.tests_of("runtime/brrkit/nobody.py") == ["tests/runtime"]


def test_pytest_runs_twice_in_a_process() -> None:
    """As under mutmut: the runtime is imported once, and its default is the one ``os.urandom``."""
    command = "import os, pytest, sys; sys.exit(len({(pytest.main(sys.argv[1:]), os.urandom)"
    command += " for _ in range(2)}) - 1)"
    test = "tests/test_mutants.py::test_a_module_s_own_tests_are_enough"
    done = subprocess.run(
        [sys.executable, "-c", command, "-q", test], cwd=mutants.ROOT, check=False
    )
    assert done.returncode == 0


@pytest.mark.parametrize("language", mutants.LANGUAGES)
def test_a_language_s_library_is_there(language: str) -> None:
    folders, end, _ = mutants.LANGUAGES[language]
    assert all(any((mutants.ROOT / folder).rglob(f"*{end}")) for folder in folders)


def test_classes_of_kotlin() -> None:
    folder = "android_demo/brr/src/main/kotlin/org/brrkit"
    assert mutants.classes_of(f"{folder}/mechanisms/Brr.kt") == [
        f"org.brrkit.mechanisms.{name}" for name in ("Brr", "Brr$*", "BrrKt", "BrrKt$*")
    ]
    declared = re.findall(r"class (\w+)", (mutants.ROOT / folder / "Errors.kt").read_text("utf-8"))
    classes = mutants.classes_of(f"{folder}/Errors.kt")
    assert {f"org.brrkit.{name}" for name in declared} <= set(classes)


def test_an_endless_test_ends(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "from tests import cpu_limit\n"
        "cpu_limit.LIMIT = 0.2\n"
        "def test_short(): pass\n"
        "def test_endless():\n"
        "    while True: pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "tests.cpu_limit", str(tmp_path)]
    done = subprocess.run(command, cwd=mutants.ROOT, capture_output=True, timeout=600, check=False)
    assert done.returncode == 1
    assert b"passed" not in done.stdout
