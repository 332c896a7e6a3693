"""The mutations of Python (``tests/*/mutations.py``) fit the code and the tests that there are."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MUTATIONS = {
    name: mutation
    for part in ("runtime", "toolchain")
    for name, mutation in runpy.run_path(f"{ROOT}/tests/{part}/mutations.py")["MUTATIONS"].items()
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_line_is_there_once_and_the_test_too(name: str) -> None:
    mutation = MUTATIONS[name]
    source = (ROOT / mutation.file).read_text("utf-8")
    assert source.count(mutation.right) == 1
    wrong = source.replace(mutation.right, mutation.wrong)
    assert wrong != source
    compile(wrong, mutation.file, "exec")
    for test in mutation.tests:
        path, *names = test.split("::")
        tests = (ROOT / path).read_text("utf-8")
        for part in names:
            assert f"class {part}:" in tests or f"def {part}(" in tests
