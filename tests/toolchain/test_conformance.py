"""The frozen cases are the reference's; each rule of the tokenizer decides something in a bundle.

That the runtime answers them is in ``tests/runtime/test_frozen.py``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest
from broken_tokenizers import FAULTS

from brrkit.bundle import MANIFEST, PARITY
from brrkit_toolchain.bundle import reference

sys.path.insert(0, str(Path(__file__).parents[1]))

import vectors
from conformance import FOLDER, Input, made, policy_of, read_inputs

PACKAGE = reference.__name__
INPUTS = read_inputs()


@cache
def _compiled(source: str, name: str) -> CodeType:
    return compile(source, name, "exec")


def _reference(fault: tuple[str, str, str] | None = None) -> dict[str, ModuleType]:
    """Return modules of the reference implementation, with a fault in one of them."""
    modules: dict[str, ModuleType] = {}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("numbers", "policy", "tokenizer", "lists"):
            source = Path(str(reference.__file__)).with_name(f"{name}.py").read_text("utf-8")
            if fault and fault[0] == name:
                assert source.count(fault[1]) == 1, "the source has changed: change the fault, too"
                source = source.replace(fault[1], fault[2])
            module = modules[name] = ModuleType(f"{PACKAGE}.{name}")
            patch.setitem(sys.modules, module.__name__, module)
            patch.setattr(reference, name, module, raising=False)
            exec(_compiled(source, f"{name}.py"), module.__dict__)
    return modules


def _outcomes(modules: dict[str, ModuleType], source: Input) -> Iterator[Any]:
    lists, words = modules["lists"], list(source.words)
    lexicon = modules["tokenizer"].Lexicon.of(
        words, list(source.words.values()), source.writing, source.list_of, policy_of(source)
    )
    for text in source.texts:
        yield (
            lists.read(text, lexicon),
            len(lists.finished(text, lexicon)),
            lists.look_up(text, lexicon) or "",
        )


def _differ(modules: dict[str, ModuleType], stored: dict[str, list[Any]]) -> bool:
    """Tell whether any outcome is another than what is stored."""
    return any(
        found != expected
        for name, source in INPUTS.items()
        for found, expected in zip(_outcomes(modules, source), stored[name], strict=True)
    )


@pytest.fixture(scope="module")
def stored() -> dict[str, list[Any]]:
    """What the bundles have of their texts."""
    found = {}
    for name, source in INPUTS.items():
        golden = json.loads((FOLDER / name / PARITY).read_text("utf-8"))
        alone = golden["counts"][-len(source.texts) :]
        found[name] = [
            (
                list(zip(case["tokens"], case["words"], strict=True)),
                case["finished"],
                counted["output"],
            )
            for case, counted in zip(golden["texts"], alone, strict=True)
        ]
    return found


@pytest.mark.parametrize("name", INPUTS)
def test_what_is_stored_is_made_again(name: str) -> None:
    files = made(INPUTS[name])
    assert {path.name for path in (FOLDER / name).iterdir()} == {*files}
    for file, content in files.items():
        assert (FOLDER / name / file).read_bytes() == content, (
            f"{file} differs: run python tests/conformance.py spec/conformance"
        )


def test_vectors_are_made_again() -> None:
    for name, content in vectors.made():
        stored = (vectors.FOLDER / name).read_text("utf-8")
        assert stored == content, f"{name} differs: run python tests/vectors.py"


@pytest.mark.nightly("test_every_code_point in tests/runtime/test_frozen.py")
def test_characters_are_made_again() -> None:
    stored = json.loads((vectors.FOLDER / "tokenizer.json").read_text("utf-8"))
    assert stored["characters"] == [*vectors.characters()]


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_noticed(fault: str, stored: dict[str, list[Any]]) -> None:
    with suppress(RecursionError):  # it never ends: noticed, too
        assert _differ(_reference(FAULTS[fault]), stored)


def test_without_a_fault_nothing_is(stored: dict[str, list[Any]]) -> None:
    assert not _differ(_reference(), stored)


def test_the_manifests_say_what_the_inputs_say() -> None:
    for name, source in INPUTS.items():
        manifest = json.loads((FOLDER / name / MANIFEST).read_text("utf-8"))
        assert manifest["writing"] == source.writing
        assert manifest["vocabulary_size"] == len(source.words)
