"""The mutations of the Swift code (``mutations.py``) fit the code and the tests that there are."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
DEMO = HERE.parents[1] / "ios_demo"


def mutations() -> dict[str, Any]:
    specification = importlib.util.spec_from_file_location("mutations", HERE / "mutations.py")
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules["mutations"] = module
    specification.loader.exec_module(module)
    return dict(module.MUTATIONS)


MUTATIONS = mutations()


def test_there_are_many() -> None:
    assert len({(each.file, each.wrong, each.right) for each in MUTATIONS.values()}) >= 30


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_line_is_there_once_and_the_test_too(name: str) -> None:
    mutation = MUTATIONS[name]
    source = (DEMO / mutation.file).read_text("utf-8")
    assert source.count(mutation.right) == 1
    assert source.replace(mutation.right, mutation.wrong) != source
    module, suite, test = re.split("[./]", mutation.tests)
    folder = {"BrrkitTests": "Brrkit", "DemoKeyboardTests": "Keyboard"}[module]
    tests = (DEMO / folder / "Tests" / f"{suite}.swift").read_text("utf-8")
    assert f"struct {suite} " in tests
    assert len(re.findall(rf"func {test}\(", tests)) == 1
