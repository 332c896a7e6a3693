"""The mutations of the Kotlin code (``mutations.py``) fit the code and the tests that there are."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DEMO = HERE.parents[1] / "android_demo"
MUTATIONS = runpy.run_path(str(HERE / "mutations.py"))["MUTATIONS"]


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_line_is_there_once_and_the_test_too(name: str) -> None:
    mutation = MUTATIONS[name]
    source = (DEMO / mutation.file).read_text("utf-8")
    assert source.count(mutation.right) == 1
    assert source.replace(mutation.right, mutation.wrong) != source
    module, tests = mutation.tests
    assert len(list((DEMO / module / "src" / "test").rglob(f"{tests}.kt"))) == 1
