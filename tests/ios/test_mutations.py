"""The mutations of the Swift code (``mutations.py``) fit the code and the tests that there are."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DEMO = HERE.parents[1] / "ios_demo"
MUTATIONS = runpy.run_path(str(HERE / "mutations.py"))["MUTATIONS"]


def test_there_are_many() -> None:
    assert len({(each.file, each.wrong, each.right) for each in MUTATIONS.values()}) >= 30


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_line_is_there_once_and_the_test_too(name: str) -> None:
    mutation = MUTATIONS[name]
    source = (DEMO / mutation.file).read_text("utf-8")
    assert source.count(mutation.right) == 1
    assert source.replace(mutation.right, mutation.wrong) != source
    module, suite, test = re.split("[./]", mutation.tests)
    folder = {
        "BrrkitTests": "Brrkit",
        "BrrkitKeyboardTests": "BrrkitKeyboard",
        "DemoKeyboardTests": "Keyboard",
    }[module]
    tests = (DEMO / folder / "Tests" / f"{suite}.swift").read_text("utf-8")
    assert f"struct {suite} " in tests
    assert len(re.findall(rf"func {test}\(", tests)) == 1
