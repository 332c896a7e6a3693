"""The documentation names what ``toolchains.py`` runs each night."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("toolchains", ROOT / "tests/android/toolchains.py")
assert SPEC is not None
assert SPEC.loader is not None
toolchains = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(toolchains)


def test_the_versions_are_the_documentations() -> None:
    page = " ".join((ROOT / "docs/reference/platforms.md").read_text("utf-8").split())
    assert f"with Kotlin {toolchains.KOTLIN}, " in page
    assert f"R8 {toolchains.R8.rpartition(':')[2]} " in page
    oldest = toolchains.KOTLIN.rpartition(".")[0]
    how_to = " ".join((ROOT / "docs/how-to/android.md").read_text("utf-8").split())
    assert f"Kotlin {oldest} or Java 11" in how_to


def test_the_golden_cases_have_every_mechanism(tmp_path: Path) -> None:
    toolchains.write_cases(tmp_path / "cases")
    lines = (tmp_path / "cases").read_text("utf-8").splitlines()
    assert {line.split("\t")[2] for line in lines} == {"brr", "vickrey", "exponential"}
