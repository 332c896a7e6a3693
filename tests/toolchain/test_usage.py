"""A wrong call isn't repeated in its message: it may be a text that somebody typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Brr

SECRET = "zqtypedsecret"
EPSILON = ("--epsilon", 1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ((SECRET,), "There is no such command; choose one of: adept, audit, build"),
        (("adept", f"my {SECRET}"), "There is no such command; choose one of: export"),
        (("inspect", "BUNDLE", SECRET), "Got unexpected extra arguments"),
        (("inspect", "BUNDLE", "my", SECRET, "(a) b"), "Got unexpected extra arguments"),
        (("inspect", "BUNDLE", f"--{SECRET}"), "There is no such option"),
        (("measure", "BUNDLE", "--epslon", SECRET), "did you mean --epsilon"),
        (("measure", "BUNDLE", "--epsilon", SECRET), "'--epsilon': it is not a valid"),
        (("measure", "BUNDLE", "--epsilon", f'it\'s "{SECRET}"\n'), "it is not a valid"),
        (("measure", "BUNDLE", *EPSILON, "--sample", SECRET), "it is not a valid"),
        (("privatize", "BUNDLE", "--jobs", SECRET), "it is not a valid"),
        (("privatize", "BUNDLE", "--budget", SECRET, 1, "state"), "it is not a valid"),
        (("privatize", "BUNDLE", "--format", SECRET), "it is not one of 'text', 'csv'"),
        (("audit", "BUNDLE", "--metric", SECRET), "it is not one of 'hamming'"),
        (("calibrate", "BUNDLE", "--prior", SECRET), "it is not one of 'uniform'"),
        (("calibrate", "BUNDLE", "--mechanism", SECRET), "no such mechanism; choose one of: brr"),
        (
            ("calibrate", "BUNDLE", "--worst", 0.5, "--mechanism", SECRET),
            "no such mechanism; choose one of: brr",
        ),
        (("measure", "BUNDLE", *EPSILON, "--mechanism", SECRET), "no such mechanism; choose"),
        (("audit", "BUNDLE", "--mechanism", SECRET), "no such mechanism; choose one of: brr"),
        (("audit", "BUNDLE", "--factory", SECRET), "isn't of the form module:function"),
        (("privatize", "BUNDLE", *EPSILON, "--mechanism", SECRET), "no such mechanism; choose"),
        (("privatize", "BUNDLE", *EPSILON, "--oov", SECRET), "no such oov policy; choose one of"),
        (("build", "--method", SECRET), "no such method; choose one of: neighborhood"),
        (("build", "--effort", SECRET), "no such effort; choose one of: low"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_what_was_typed_isn_t_repeated(
    brr: Brr,
    bundle: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: tuple[object, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text("text\nthe\n")
    table = ("--input", "in.csv", "--output", "out.csv")
    arguments: list[object] = []
    for part in call:
        arguments += table if part == "TABLE" else [bundle if part == "BUNDLE" else part]
    outcome = brr(*arguments)
    assert outcome.code in {1, 2}
    assert says in outcome.err
    assert SECRET not in outcome.err + outcome.out
    assert outcome.err.count("\n") == 1
