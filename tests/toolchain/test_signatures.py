"""How many arguments a function takes, and how many modules lie in one folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from module_graph import packages

MOST_ARGUMENTS = 8
MOST_MODULES = 12
"""Of a folder in which nothing is grouped into folders."""

KERNELS = {
    "brrkit_toolchain.attackers.texts.readers.lanes._sum_row": "intrinsic",
    "brrkit_toolchain.attackers.texts.readers.lanes.sum_row": "inlined",
    "brrkit_toolchain.channel.surroundings._repeats": "compiled",
    "brrkit_toolchain.codes.neighborhood.comparison.weigh": "compiled",
    "brrkit_toolchain.codes.neighborhood.divergence._groups_slopes": "compiled",
}
"""Compiled functions, which take arrays: to group them costs speed."""


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    """Return what a function takes by position or name, without ``self`` and ``cls``."""
    its = function.args
    named = [*its.posonlyargs, *its.args, *its.kwonlyargs]
    return [each for each in named if each.arg not in ("self", "cls")]


def functions(source: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def with_many(source: str) -> set[str]:
    """Return the names of functions that take too many arguments."""
    return {each.name for each in functions(source) if len(arguments(each)) > MOST_ARGUMENTS}


def untyped_options(source: str) -> set[str]:
    """Return the names of functions that take options of which no type is known."""
    return {
        each.name
        for each in functions(source)
        for argument in arguments(each)
        if argument.arg == "options"
        and argument.annotation is not None
        and ast.unparse(argument.annotation) == "dict[str, Any]"
    }


def test_what_is_found() -> None:
    eight = "a, b, c, d, /, e, f, *, g, h=1"
    assert with_many(f"def few({eight}, **more): ...\ndef many({eight}, i=2): ...") == {"many"}
    assert with_many(f"class A:\n def few(self, {eight}): ...") == set()
    assert untyped_options(
        "def one(options: dict[str, Any]): ...\ndef other(options: Kind, more: dict[str, Any]): ..."
    ) == {"one"}


def test_no_function_takes_more_than_eight_arguments() -> None:
    found = {
        f"{module}.{name}"
        for module, file in packages().items()
        for name in with_many(file.read_text(encoding="utf-8"))
    }
    assert found == set(KERNELS)


def test_a_kernel_is_compiled() -> None:
    files = packages()
    for kernel, decorator in KERNELS.items():
        module, name = kernel.rsplit(".", 1)
        source = files[module].read_text(encoding="utf-8")
        (decorators,) = (each.decorator_list for each in functions(source) if each.name == name)
        assert [ast.unparse(each) for each in decorators] == [decorator]


def test_options_have_a_type() -> None:
    for module, file in packages().items():
        assert not untyped_options(file.read_text(encoding="utf-8")), module


def test_no_folder_has_many_modules_side_by_side() -> None:
    folders: dict[Path, int] = {}
    for module, file in packages().items():
        if module.startswith(("brrkit_toolchain.", "brrkit_counting.")):
            folders[file.parent] = folders.get(file.parent, 0) + (file.name != "__init__.py")
    assert len(folders) > 20
    for folder, modules in folders.items():
        grouped = any(other.parent == folder for other in folders)
        assert grouped or modules <= MOST_MODULES, folder
