"""A mechanism is a module and a line for each implementation, and then it is everywhere.

So is a parameter of its own: nothing but these modules names it.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest
from bundle_tools import ENCYCLOPEDIA
from forks import Forks, forking

IMPORTS = f"""
sys.path.insert(0, {str(Path(__file__).parents[2] / "helpers")!r})
import half
from brrkit.mechanisms import MECHANISMS
from brrkit_toolchain.bundle import reference

MECHANISMS["half"] = half.Half
reference.MECHANISMS["half"] = half.SPECIFIED

from brrkit_toolchain.__main__ import main
import brrkit_toolchain.calibrate.search, brrkit_toolchain.bundle.verify, faiss
from brrkit_toolchain.attackers import closed_list
from brrkit_toolchain.channel import channel
from brrkit_toolchain.utility import mechanism

mechanism._ATTACK_DRAWS = 1_000  # draws: that there are attacks counts, not what they find
channel._ESTIMATION_DRAWS = 20_000
closed_list._DRAWN_HISTORIES = 500
"""

COMMAND = """
MECHANISMS["half"] = getattr(half, sys.argv.pop(1))
main()
"""


class Run(Protocol):
    def __call__(
        self, *arguments: object, mechanism: str = "Half", text: str = ""
    ) -> tuple[int, str]: ...


def run(
    forks: Forks, *arguments: object, mechanism: str = "Half", text: str = ""
) -> tuple[int, str]:
    code, printed, errors = forks.start(mechanism, *arguments, text=text).wait()
    return code, printed + errors


@pytest.fixture(scope="module")
def brr() -> Iterator[Run]:
    """Run a command where the mechanism has been added."""
    with forking(IMPORTS, COMMAND) as forks:
        yield partial(run, forks)


@pytest.fixture(scope="module")
def bundle(brr: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "bundle"
    options = ("--embeddings", ENCYCLOPEDIA, "--effort", "low", "--vocabulary-size", 100)
    code, said = brr("build", *options, "--output", folder)
    assert code == 0, said
    return folder


def test_golden_cases_and_statements(bundle: Path) -> None:
    cases = json.loads((bundle / "parity.json").read_bytes())
    for kind in ("cases", "memory"):
        assert {case["mechanism"] for case in cases[kind]} >= {"half", "brr"}
    assert {case["coin"] for case in cases["cases"] if case["mechanism"] == "half"} >= {0, 1}
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    utility = manifest["utility"]["mechanisms"]
    assert 0.4 < utility["half"][-1]["unchanged"] < 0.6 < utility["brr"][-1]["unchanged"]
    assert len(manifest["attack"]["mechanisms"]["half"]) == len(
        manifest["attack"]["mechanisms"]["brr"]
    )


def test_verify_replays_it(brr: Run, bundle: Path) -> None:
    code, said = brr("verify", bundle)
    assert code == 0, said
    code, said = brr("verify", bundle, mechanism="Wrong")
    assert code == 1
    differs = r"\(half\) has another output|more random bytes are drawn than a case recorded"
    assert re.search(rf"FAIL  golden cases .*({differs})", said)


@pytest.mark.false_alarm(1e-9)
def test_privatize(brr: Run, bundle: Path, tmp_path: Path) -> None:
    """A share of half of 400 words, or a bit more, is 8 standard deviations from either bound."""
    setting = ("privatize", bundle, "--mechanism", "half", "--epsilon", 20)
    code, said = brr(*setting, text="the old town of london\n" * 400)
    assert code == 0, said
    assert 0.3 < said.split().count("the") / 400 < 0.75
    (tmp_path / "texts.txt").write_text("the old town of london\n" * 400)
    output = tmp_path / "private.txt"
    files = ("--input", tmp_path / "texts.txt", "--output", output)
    code, said = brr(*setting, "--sides", 50, *files)
    assert code == 0, said
    assert output.read_text().split().count("the") / 400 > 0.8
    code, said = brr(*setting, "--sides", 1, text="the")
    assert (code, said.splitlines()[-1]) == (1, "Error: --sides must be from 2 to 100, not 1")


def test_measure_and_calibrate(brr: Run, bundle: Path) -> None:
    setting = ("--mechanism", "half", "--epsilon", 20, "--sides", 4)
    code, said = brr("measure", bundle, *setting, "--draws", 20, "--json")
    assert code == 0, said
    unchanged = json.loads(said)["support"]["unchanged"]["value"]
    assert unchanged == pytest.approx(0.7525, abs=0.02)
    goal = ("calibrate", bundle, "--unchanged", 0.3, "--sample", 200, "--json")
    code, said = brr(*goal, "--mechanism", "half", "--write")
    assert code == 0, said
    assert set(json.loads(said)["mechanisms"]) == {"half"}
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    assert manifest["recommended"]["mechanism"] == "half"


def test_report(brr: Run, bundle: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, said = brr("report", bundle, "--output", page, "--no-audit")
    assert code == 0, said
    assert "half" in page.read_text()
