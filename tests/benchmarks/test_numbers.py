"""Every generated table and figure is what is stored, and is of what its page speaks of."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.notebook import Notebook, NotStoredError, names
from benchmarks.pages import NOTEBOOK
from benchmarks.provenance import ROOT, doubt
from benchmarks.report import Finding
from benchmarks.store import FOLDER, DoubtfulError, read_alone, stored, write, write_alone

MANIFEST = {
    "source": {"name": "file", "dimensions": 3},
    "vocabulary_size": 5,
    "bits": 64,
    "method": {"name": "neighborhood", "effort": "medium", "seed": 0},
}
MACHINE = {"cpu": "x", "cores": 2, "load": 0.0, "python": "3", "versions": {}}
BUSY = {**MACHINE, "load": 2.1}
CLEAN = "0123abcd"


@pytest.mark.parametrize("page", list(NOTEBOOK.pages()), ids=lambda page: page.name)
def test_a_page_has_what_is_stored(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    new, missing = NOTEBOOK.rewritten(text)
    assert not missing
    assert new == text, "run 'make numbers'"


def test_figures_are_what_is_stored() -> None:
    drawn, missing = NOTEBOOK.drawn()
    assert not missing
    assert set(drawn) == set(NOTEBOOK.figures)
    for name, figure in drawn.items():
        assert (ROOT / "docs" / "figures" / name).read_text(encoding="utf-8") == figure


FIGURE = re.compile(r"^!\[[^\]]+\]\([^)]*\.svg\)\n\n(.*)", re.MULTILINE)


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("*/results/*.md")), ids=lambda page: f"{page.parts[-3]}-{page.name}"
)
def test_a_sentence_under_each_figure_says_what_to_see(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    under = FIGURE.findall(text)
    assert len(under) == text.count(".svg)")
    assert [line for line in under if not line.startswith("*")] == []


def test_every_table_is_on_a_page() -> None:
    asked = {name for page in NOTEBOOK.pages() for name in names(page.read_text(encoding="utf-8"))}
    assert asked == set(NOTEBOOK.tables)


def test_every_stored_result_is_shown() -> None:
    of_tables = (table.sources for table in NOTEBOOK.tables.values())
    of_figures = (sources for sources, _ in NOTEBOOK.figures.values())
    shown = {source for sources in (*of_tables, *of_figures) for source in sources}
    stored = {path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*")}
    assert stored == shown


def stored_in(folder: Path) -> Notebook:
    return replace(NOTEBOOK, results=folder)


def _store(folder: Path, cosine: str = "0.5", **changes: object) -> None:
    finding = Finding("t", ("releases", "cosine"), [("radius 0", cosine)])
    result = stored(
        "memory",
        finding,
        options="--embeddings file",
        machine=MACHINE,
        manifest={**MANIFEST, **changes},
        quick=False,
    )
    write(replace(result, commit=CLEAN), folder / "glove-7k")


def test_a_page_that_differs_is_seen(tmp_path: Path) -> None:
    _store(tmp_path)
    asking = "a\n<!-- numbers: memory -->\n<!-- end -->\nb\n"
    page, missing = stored_in(tmp_path).rewritten(asking)
    assert not missing
    assert "| radius 0 | 0.5 |" in page
    assert "python -m benchmarks memory --embeddings file" in page
    assert page.startswith("a\n")
    assert page.endswith("\nb\n")
    assert stored_in(tmp_path).rewritten(page)[0] == page
    _store(tmp_path, cosine="0.6")
    assert stored_in(tmp_path).rewritten(page)[0] != page


def test_other_codes_than_the_default_are_refused(tmp_path: Path) -> None:
    for changes, message in (
        ({"bits": 256}, "256 bits, not 64"),
        ({"method": {"name": "lsh", "effort": "medium"}}, "codes by lsh"),
        ({"method": {"name": "neighborhood", "effort": "low"}}, "low effort"),
    ):
        _store(tmp_path, **changes)
        with pytest.raises(NotStoredError, match=message):
            stored_in(tmp_path).table("memory")


def test_what_is_not_stored_or_quick_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotStoredError, match="isn't stored"):
        stored_in(tmp_path).table("memory")
    with pytest.raises(NotStoredError, match="no table has this name"):
        stored_in(tmp_path).table("nothing")
    _store(tmp_path)
    path = tmp_path / "glove-7k" / "memory.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "quick": True}))
    with pytest.raises(NotStoredError, match="quick"):
        stored_in(tmp_path).table("memory")
    assert stored_in(tmp_path).rewritten("<!-- numbers: memory -->\n<!-- end -->")[1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"commit": "0123abcd-dirty"}, r"memory is of no commit \(0123abcd-dirty\)"),
        ({"commit": "unknown"}, "of no commit"),
        ({"commit": ""}, "names no commit"),
    ],
)
def test_what_no_commit_made_is_refused(
    tmp_path: Path, changes: dict[str, str], message: str
) -> None:
    _store(tmp_path)
    path = tmp_path / "glove-7k" / "memory.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    with pytest.raises(NotStoredError, match=message):
        stored_in(tmp_path).table("memory")


def test_times_of_a_busy_machine_are_refused() -> None:
    assert doubt({"commit": CLEAN, "machine": {**BUSY, "load": 2.0}}, timed=True) is None
    assert doubt({"commit": CLEAN, "machine": BUSY}, timed=False) is None
    for machine in (BUSY, {}):
        why = doubt({"commit": CLEAN, "machine": machine}, timed=True)
        assert why is not None
        assert "busy machine" in why


def test_a_result_of_no_bundle_is_refused_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "alone.json"
    path.write_text('{"rows": []}')
    with pytest.raises(DoubtfulError, match="alone names no commit; measure it again"):
        read_alone(path)
    monkeypatch.setattr("benchmarks.provenance.commit", lambda: CLEAN)
    write_alone(path, {"rows": []})
    assert read_alone(path)["rows"] == []
    assert read_alone(path)["commit"] == CLEAN
    monkeypatch.setattr("benchmarks.provenance.commit", lambda: f"{CLEAN}-dirty")
    write_alone(path, {"rows": []})
    with pytest.raises(DoubtfulError, match="of no commit"):
        read_alone(path)
