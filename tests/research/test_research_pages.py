"""Pages of research have what is stored, and its command lines say what they do."""

from __future__ import annotations

from pathlib import Path

import pytest
from help_text import help_of, mains

from benchmarks.notebook import names
from research import FOLDER, RESULTS
from research.__main__ import EXPERIMENTS
from research.pages import NOTEBOOK


@pytest.mark.parametrize("page", list(NOTEBOOK.pages()), ids=lambda page: page.name)
def test_a_page_has_what_is_stored(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    new, missing = NOTEBOOK.rewritten(text)
    assert not missing
    assert new == text, "run 'make numbers'"


def test_every_table_is_on_a_page() -> None:
    asked = {name for page in NOTEBOOK.pages() for name in names(page.read_text(encoding="utf-8"))}
    assert asked == set(NOTEBOOK.tables)


def test_every_stored_result_is_shown() -> None:
    shown = {source for table in NOTEBOOK.tables.values() for source in table.sources}
    stored = {path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*")}
    assert stored == shown
    assert {name.rpartition("/")[2] for name in stored} == set(EXPERIMENTS)


@pytest.mark.parametrize("page", sorted(RESULTS.glob("*.md")), ids=lambda page: page.name)
def test_the_readme_names_every_page(page: Path) -> None:
    readme = (RESULTS.parent / "README.md").read_text(encoding="utf-8")
    assert f"(results/{page.name})" in readme


@pytest.mark.parametrize("module", mains("research"))
def test_help_is_safe(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--help" in help_of(module, monkeypatch, capsys)
