"""The mutations of the TypeScript code (``mutations.py``) fit the code and the tests there are."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WEB = HERE.parents[1] / "web_demo"
MUTATIONS = runpy.run_path(str(HERE / "mutations.py"))["MUTATIONS"]


def test_there_are_many() -> None:
    assert len({(each.file, each.wrong, each.right) for each in MUTATIONS.values()}) >= 40


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_line_is_there_once_and_the_test_too(name: str) -> None:
    mutation = MUTATIONS[name]
    source = (WEB / mutation.file).read_text("utf-8")
    assert source.count(mutation.right) == 1
    assert source.replace(mutation.right, mutation.wrong) != source
    assert (WEB / "test" / f"{mutation.tests}.test.ts").is_file()
