"""The mutations of the Python code (``mutations.py``) fit the code and the tests that there are."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MUTATIONS = runpy.run_path(str(HERE / "mutations.py"))["MUTATIONS"]


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_line_is_there_once_and_the_test_too(name: str) -> None:
    mutation = MUTATIONS[name]
    source = (ROOT / mutation.file).read_text("utf-8")
    assert source.count(mutation.right) == 1
    wrong = source.replace(mutation.right, mutation.wrong)
    assert wrong != source
    compile(wrong, mutation.file, "exec")
    for test in mutation.tests:
        path, _, function = test.partition("::")
        tests = (ROOT / path).read_text("utf-8")
        assert f"class {function}:" in tests or f"def {function}(" in tests
