"""No output destroys an input, or another output; one that can't be written is refused at once."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from bundle_tools import toy_embeddings

from brrkit import WordBundle
from brrkit.bundle import INDEX, MANIFEST, PARITY
from brrkit_toolchain.cli import cli
from brrkit_toolchain.cli.shared.outputs import Written
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.io.outputs import check_outputs

if TYPE_CHECKING:
    from conftest import Brr


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundle: Path) -> Path:
    """A folder with a bundle and everything that a command may read, where commands run."""
    opened = WordBundle.open(bundle)
    words = [opened.vocabulary.word(number) for number in range(200)]
    for name in ("reports.txt", "more.txt", "list.csv", "text.txt"):
        (tmp_path / name).write_text("\n".join(words) + "\n")
    (tmp_path / "prior.csv").write_text(
        "word,count\n" + "".join(f"{word},{number + 1}\n" for number, word in enumerate(words))
    )
    (tmp_path / "rows.csv").write_text("text\n" + "".join(f"{word}\n" for word in words))
    (tmp_path / "e.txt").write_bytes(toy_embeddings(40))
    (tmp_path / "data.tsv").write_text("text\tlabel\na b\t0\n")
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


ESTIMATE = ("estimate", "reports.txt", "--bundle", "bundle", "--epsilon", 1)
PRIVATIZE = ("privatize", "bundle", "--epsilon", 1, "--input")
CALLS = {
    "the checks of a bundle": ("verify", "bundle", "--json", f"bundle/{MANIFEST}"),
    "the checks of a bundle, as JUnit": ("verify", "bundle", "--junit", f"bundle/{INDEX}"),
    "what a bundle is built from": ("verify", "bundle", "--embeddings", "e.txt", "--json", "e.txt"),
    "an audit": ("audit", "bundle", "--samples", 1_000, "--json", f"bundle/{PARITY}"),
    "a page": ("report", "bundle", "--no-audit", "--output", f"bundle/{MANIFEST}"),
    "texts": (*PRIVATIZE, "text.txt", "--output", "text.txt"),
    "a table": (*PRIVATIZE, "rows.csv", "--column", "text", "--output", "rows.csv"),
    "texts into the bundle": (*PRIVATIZE, "text.txt", "--output", f"bundle/{MANIFEST}"),
    "texts beside the bundle's files": (*PRIVATIZE, "text.txt", "--output", "bundle/new.txt"),
    "an estimate of reports": ("estimate", "prior.csv", *ESTIMATE[2:], "--output", "prior.csv"),
    "a second file of reports": (*ESTIMATE, "--compare", "more.txt", "--page", "more.txt"),
    "an estimate's page": (*ESTIMATE, "--page", "reports.txt"),
    "an estimate's page in the bundle": (*ESTIMATE, "--page", f"bundle/{MANIFEST}"),
    "an estimate's prior": (*ESTIMATE, "--prior", "prior.csv", 10, "--output", "prior.csv"),
    "an estimate's list": (*ESTIMATE, "--words", "list.csv", "--output", "list.csv"),
    "vectors": (
        *("vectors", "bundle", "--epsilon", 1, "--embeddings", "e.txt", "--output", "e.txt"),
    ),
    "a word list": (
        *("build", "--embeddings", "e.txt", "--method", "lsh", "--force", "--output", "bundle"),
        *("--word-list", f"bundle/{PARITY}"),
    ),
}
"""Calls whose last value is an output that is an input, or in the bundle that is read."""


def spelled(path: str, how: str) -> str:
    """Return another name of a file, which is made."""
    target, link = Path(path), Path("elsewhere") / Path(path).name
    if how == "itself":
        return path
    if how == "in other words":
        return f"inner/../{path}"
    link.parent.mkdir()
    if how == "a link":
        link.symlink_to(target.absolute())
    elif how == "a link to its folder":
        link = Path("folder") / target.name
        Path("folder").symlink_to(target.parent.absolute())
    else:
        link.hardlink_to(target)
    return str(link)


HOW = ["in other words", "a link", "a link to its folder", "a hard link"]


@pytest.mark.parametrize(
    ("call", "how"),
    [
        *(pytest.param(name, "itself", id=name) for name in CALLS),
        *(("a table", how) for how in HOW),
        *(("the checks of a bundle", how) for how in HOW),
    ],
)
def test_an_output_that_is_an_input_is_refused(here: Path, brr: Brr, call: str, how: str) -> None:
    *words, output = CALLS[call]
    name = spelled(str(output), how)
    before = contents(here)
    outcome = brr(*words, name)
    assert outcome.code == 1
    assert outcome.err.startswith("Error: ")
    assert outcome.err.count("\n") == 1
    assert "input of this command" in outcome.err or "is a bundle or model" in outcome.err
    assert outcome.out == ""
    assert contents(here) == before


def test_two_outputs_are_two_files(here: Path, brr: Brr) -> None:
    Path("link").symlink_to("one")
    for call in (
        ("verify", "bundle", "--json", "one", "--junit", "one"),
        ("verify", "bundle", "--json", "one", "--junit", "inner/../one"),
        ("verify", "bundle", "--json", "one", "--junit", "link"),
        ("audit", "bundle", "--samples", 1_000, "--json", "one", "--junit", "one"),
        (*ESTIMATE, "--output", "one.csv", "--page", "one.csv"),
        ("privatize", "bundle", "--budget", 5, 60, "one", "--memory", 60, "one"),
    ):
        before = contents(here)
        outcome = brr(*call)
        assert (outcome.code, outcome.out) == (1, "")
        assert "two outputs can't be one file" in outcome.err
        assert contents(here) == before


@pytest.mark.parametrize("option", [("--budget", 5, 60), ("--memory", 60)])
def test_what_is_kept_isn_t_an_input(here: Path, brr: Brr, option: tuple[object, ...]) -> None:
    before = contents(here)
    for name in ("text.txt", f"bundle/{MANIFEST}", "bundle/state"):
        outcome = brr("privatize", "bundle", "--input", "text.txt", *option, name)
        assert outcome.code == 1
        assert "input of this command" in outcome.err or "is a bundle or model" in outcome.err
    assert contents(here) == before


def test_no_other_bundle_is_written_into(here: Path, brr: Brr) -> None:
    """One that the command doesn't even read."""
    shutil.copytree("bundle", "other")
    before = contents(here)
    for call in (
        ("verify", "bundle", "--json", f"other/{MANIFEST}"),
        ("privatize", "bundle", "--epsilon", 1, "--memory", 60, "other/key"),
        ("build", "--embeddings", "e.txt", "--method", "lsh", "--output", "other/below"),
    ):
        outcome = brr(*call)
        assert outcome.code == 1
        assert f"{here / 'other'} is a bundle or model" in outcome.err
    assert contents(here) == before


def _work(*arguments: object, **options: object) -> None:
    raise AssertionError("it worked before it refused")


@pytest.mark.parametrize(
    ("call", "work"),
    [
        (("verify", "bundle", "--json"), "brrkit_toolchain.bundle.verify.verify_bundle"),
        (("verify", "bundle", "--junit"), "brrkit_toolchain.bundle.verify.verify_bundle"),
        (("audit", "bundle", "--json"), "brrkit_toolchain.audit.audit_setting"),
        (("audit", "bundle", "--junit"), "brrkit_toolchain.audit.audit_setting"),
        (("report", "bundle", "--output"), "brrkit_toolchain.report.measure_content"),
        ((*ESTIMATE, "--output"), "brrkit_counting.estimate.from_files.read_reports"),
        ((*ESTIMATE, "--page"), "brrkit_counting.estimate.from_files.read_reports"),
        (
            (*PRIVATIZE, "text.txt", "--output"),
            "brrkit_toolchain.privatize.run.in_processes",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(map(str, value)),
)
def test_what_can_t_be_written_is_refused_before_the_work(
    here: Path, brr: Brr, monkeypatch: pytest.MonkeyPatch, call: tuple[object, ...], work: str
) -> None:
    (here / "folder").mkdir()
    monkeypatch.setattr(work, _work)
    before = contents(here)
    for place in ("folder", "no/such/folder/file", "text.txt/below", "n" * 300):
        outcome = brr(*call, place)
        assert outcome.code == 1
        assert "can't be written" in outcome.err or "not a regular file" in outcome.err
        assert outcome.out == ""
    assert contents(here) == before
    assert not list(here.rglob(".*"))


def test_a_bundle_that_can_t_be_replaced_is_refused_before_the_calibration(
    here: Path, brr: Brr, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed: Callable[..., bool] = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != here and allowed(path, mode))
    monkeypatch.setattr("brrkit_toolchain.calibrate.search.calibrate_words", _work)
    outcome = brr("calibrate", "bundle", "--write")
    assert outcome.code == 1
    assert "isn't a writable directory; change its permissions" in outcome.err
    assert "--output" not in outcome.err


def test_a_file_that_is_there_is_replaced(here: Path, brr: Brr) -> None:
    """One rule for all commands: files are replaced, folders with --force only."""
    for call, name in (
        ((*PRIVATIZE, "rows.csv", "--column", "text", "--output"), "old.csv"),
        (("estimate", "prior.csv", "--bundle", "bundle", "--epsilon", 20, "--page"), "old.html"),
    ):
        Path(name).write_text("old")
        assert brr(*call, name).code == 0
        assert Path(name).read_text() != "old"


@pytest.mark.parametrize("output", ["out.jsonl", "out.parquet", "out.TXT"])
def test_a_table_isn_t_written_under_another_format_s_name(
    here: Path, brr: Brr, output: str
) -> None:
    call = (*PRIVATIZE, "rows.csv", "--column", "text", "--output")
    outcome = brr(*call, output)
    assert outcome.code == 1
    assert f"{output}: is written in the format of rows.csv, csv" in outcome.err
    assert not Path(output).exists()
    assert brr(*call, output, "--format", "csv").code == 0
    assert brr(*call, "out.data").code == 0


def test_inputs_that_aren_t_there_don_t_matter(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    check_outputs([tmp_path / "missing", tmp_path / "loop"], [tmp_path / "out"])
    with pytest.raises(OutputError, match="not a regular file"):
        check_outputs([], [tmp_path / "loop"])
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


def test_a_member_of_an_archive_is_an_input(here: Path, brr: Brr) -> None:
    import zipfile

    with zipfile.ZipFile("e.zip", "w") as archive:
        archive.write("e.txt")
    before = contents(here)
    outcome = brr("verify", "bundle", "--embeddings", "e.zip:e.txt", "--json", "e.zip")
    assert "e.zip: is an input of this command" in outcome.err
    assert contents(here) == before


def test_every_option_that_writes_is_known_as_one() -> None:
    """By its help; and every path that isn't is taken for an input."""
    found = {}

    def look(command: click.Command, name: str) -> None:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for each in command.list_commands(context):
                inner = command.get_command(context, each)
                assert inner is not None
                look(inner, f"{name} {each}".strip())
            return
        for parameter in command.params:
            kinds = parameter.type.types if isinstance(parameter.type, click.Tuple) else []
            for kind in kinds or [parameter.type]:
                if isinstance(kind, Written):
                    found[f"{name} {parameter.opts[0]}"] = kind.role

    look(cli, "")
    assert found == {
        "adept export --output": "folders",
        "adept train --output": "folders",
        "audit --json": "files",
        "audit --junit": "files",
        "build --output": "folders",
        "build --fill-vectors": "files",
        "candidates --output": "files",
        "estimate --output": "files",
        "estimate --page": "files",
        "list --output": "folders",
        "privatize --budget": "places",
        "privatize --memory": "places",
        "privatize --output": "files",
        "report --output": "files",
        "verify --json": "files",
        "vectors --output": "files",
        "verify --junit": "files",
    }
