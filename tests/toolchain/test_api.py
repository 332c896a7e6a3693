"""The functions of the toolchain: what is public, what an import costs, the docs' example."""

from __future__ import annotations

import csv
import dataclasses
import inspect
import re
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from bundle_tools import ENCYCLOPEDIA, text_embeddings

import brrkit_counting
import brrkit_toolchain
from brrkit import BrrError, ParameterError, WordBundle
from brrkit.setting import Setting
from brrkit_counting import FrequencyOptions
from brrkit_toolchain import FixedParameters
from brrkit_toolchain.codes import EFFORTS
from brrkit_toolchain.embeddings import read_embeddings

DOCS = Path(__file__).parents[2] / "docs"
HEAVY = ("faiss", "gensim", "numba", "numpy", "pyarrow", "pyspark", "scipy", "tensorflow", "tqdm")
PACKAGES = (brrkit_toolchain, brrkit_counting)
PUBLIC = {name: getattr(package, name) for package in PACKAGES for name in package.__all__}
FUNCTIONS = [name for name in PUBLIC if name.islower()]
CLASSES = [name for name in PUBLIC if not name.islower()]


def heavy_imports(module: str) -> str:
    code = f"import sys, {module}; print(*(m for m in {HEAVY} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("package", PACKAGES)
def test_its_import_is_cheap(package: ModuleType) -> None:
    assert heavy_imports(package.__name__) == ""


def test_all_commands_together_need_no_library_but_the_runtimes() -> None:
    assert heavy_imports("brrkit_toolchain.cli") == "numpy"


@pytest.mark.parametrize("package", PACKAGES)
def test_names(package: ModuleType) -> None:
    assert sorted(chain(*package.MODULES.values())) == package.__all__
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_is_hidden_by_a_module(package: ModuleType) -> None:
    """An import of ``brrkit_toolchain.defaults``, say, would put the module in a name's place."""
    folder = Path(str(package.__file__)).parent
    modules = {path.stem for path in folder.iterdir()}
    assert not modules & set(package.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_what_it_takes_and_raises(name: str) -> None:
    function = PUBLIC[name]
    says = inspect.getdoc(function) or ""
    assert "Raises:" in says
    for parameter in inspect.signature(function).parameters.values():
        assert re.search(rf"^ +\**{parameter.name}: ", says, re.M), parameter.name
        if parameter.name == "progress":
            assert parameter.default is False
        elif parameter.default is not parameter.empty:
            assert parameter.kind is not parameter.POSITIONAL_ONLY


@pytest.mark.parametrize("name", CLASSES)
def test_a_result_says_what_it_has(name: str) -> None:
    kind = PUBLIC[name]
    if issubclass(kind, BrrError | UserWarning):
        assert kind.__doc__
        return
    assert kind.__dataclass_params__.frozen
    described = [each for each in kind.__mro__ if dataclasses.is_dataclass(each)]
    says = "\n".join(inspect.getdoc(each) or "" for each in described)
    for field in dataclasses.fields(kind):
        assert re.search(rf"^ +{field.name}: ", says, re.M), field.name


@pytest.mark.parametrize("package", PACKAGES)
def test_the_reference_has_every_name(package: ModuleType) -> None:
    room = package.__name__.removeprefix("brrkit_")
    page = (DOCS / "reference" / "api" / f"{room}.rst").read_text("utf-8")
    shown = set(re.findall(rf"^\.\. auto\w+:: {package.__name__}\.(\w+)$", page, re.M))
    assert shown == set(package.__all__)


def test_the_example_of_the_docs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It runs, and prints what it says alone: no bar, no line."""
    text = (
        (DOCS / "how-to" / "use-a-bundle.md")
        .read_text("utf-8")
        .partition("## Build and check from Python")[2]
    )
    [example] = re.findall(r"```python\n(.*?)```", text.partition("\n## ")[0], re.S)
    words = read_embeddings(ENCYCLOPEDIA, vocabulary_size=400)
    monkeypatch.setitem(EFFORTS, "medium", EFFORTS["low"])  # a minute less, for codes not so good
    monkeypatch.chdir(tmp_path)
    Path("vectors.txt").write_bytes(text_embeddings(words.words, words.vectors))
    with Path("reviews.csv").open("w", newline="") as file:
        rows = [("text", "stars")] + [("the king of the old town", 5)] * 200
        csv.writer(file).writerows(rows)
    capsys.readouterr()
    names: dict[str, object] = {}
    exec(example, names)
    assert names["rows"] == 200
    assert WordBundle.open("bundle").recommended == names["setting"]
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 20
    assert all(0 <= float(end) <= 1 for line in out.splitlines() for end in line.split()[1:])
    assert err == ""


class TestMeasure:
    def test_the_recommended_setting_is_measured_as_it_was_calibrated(
        self, eight: WordBundle, tmp_path: Path
    ) -> None:
        folder = Path(shutil.copytree(eight.path, tmp_path / "bundle"))
        goal = brrkit_toolchain.AttackSuccess(0.5, attacker="frequencies")
        found = brrkit_toolchain.calibrate_words(eight, goal).setting
        brrkit_toolchain.write_recommended(folder, found)
        measured = brrkit_toolchain.measure_words(WordBundle.open(folder))
        assert measured.setting == found
        assert found.measured
        stated = found.measured.attack_success.value
        assert 0.4 < stated <= 0.5
        assert np.isclose(measured.attacks["frequencies"].success.value, stated)

    def test_another_setting(self, eight: WordBundle) -> None:
        measured = brrkit_toolchain.measure_words(eight, Setting(2, "brr"), sample=10, draws=2)
        assert measured.setting == Setting(2, "brr")


@pytest.mark.parametrize(
    ("function", "arguments", "options", "says"),
    [
        ("privatize_file", ("in.csv", "out.csv"), {"jobs": 0}, "jobs must be"),
        ("privatize_file", ("in.csv", "out.csv"), {"file_format": "doc"}, "no such format; choose"),
        ("estimate_frequencies", ("in.csv",), {}, "list of paths"),
        ("estimate_frequencies", ([],), {}, "no files of reports"),
        (
            "estimate_frequencies",
            (["in.csv"], FrequencyOptions(top=-1)),
            {},
            "top must be 0 or more",
        ),
        (
            "estimate_frequencies",
            (["in.csv"], FrequencyOptions(most_foreign=2)),
            {},
            "most_foreign must be",
        ),
        ("measure_among", ("in.txt",), {}, "lists must be a list of paths"),
        ("calibrate_words", (), {"fixed": FixedParameters(cap=0)}, "cap must be a number"),
    ],
)
def test_wrong_arguments(
    eight: WordBundle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    function: str,
    arguments: tuple[object, ...],
    options: dict[str, object],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match=says):
        PUBLIC[function](eight, *arguments, **options)
    assert list(tmp_path.iterdir()) == []
