"""What imports what, in the packages, the benchmarks, research, the examples and the tests."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = (ROOT / "runtime", ROOT / "toolchain", ROOT / "counting", ROOT / "adept")

Files = Mapping[str, Path]
Graph = Mapping[str, set[str]]
"""The modules that each module imports."""


def packages() -> dict[str, Path]:
    """Return the file of each module of the packages."""
    return {
        name: file for folder in PACKAGES for name, file in _modules(folder, folder.rglob("*.py"))
    }


def everything() -> dict[str, Path]:
    """Return the file of each module that a test can import, and of each test, by its name there.

    What lies in a folder of tests is imported by its stem, but for a ``conftest``, which isn't.
    """
    found = packages()
    for folder in ("benchmarks", "research", "examples"):
        found |= _modules(ROOT, (ROOT / folder).rglob("*.py"))
    for file in (ROOT / "tests").rglob("*.py"):
        name = file.relative_to(ROOT).as_posix() if file.stem == "conftest" else file.stem
        found[name] = file
    return found


def _modules(folder: Path, files: Iterator[Path]) -> Iterator[tuple[str, Path]]:
    for file in files:
        name = ".".join(file.relative_to(folder).with_suffix("").parts)
        yield name.removesuffix(".__init__"), file


def graph(files: Files, strings: bool = False) -> dict[str, set[str]]:
    """Return which of these modules each imports.

    With ``strings`` also those that a string names, in full or as in the same package: what is
    imported by its name, or started.
    """
    result: dict[str, set[str]] = {}
    for name, file in files.items():
        package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
        imports, texts = _imports_and_strings(file)
        found = {target for node in imports for target in _targets(node, package)}
        if strings:
            found |= texts | {".".join([*package, text]) for text in texts}
        result[name] = {target for target in found if target in files} - {name}
    return result


@cache
def _imports_and_strings(file: Path) -> tuple[list[ast.Import | ast.ImportFrom], set[str]]:
    """Return what runs, at the top or later; not what is for type checkers alone."""
    imports: list[ast.Import | ast.ImportFrom] = []
    strings: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Import() | ast.ImportFrom():
                imports.append(node)
            case ast.Constant(value=str(text)):
                strings.add(text)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                waiting += node.orelse
            case _:
                waiting += ast.iter_child_nodes(node)
    return imports, strings


def _targets(node: ast.Import | ast.ImportFrom, package: list[str]) -> set[str]:
    """Return the names of modules that an import may mean."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    start = package[: len(package) - node.level + 1] if node.level else []
    source = ".".join([*start, *([node.module] if node.module else [])])
    return {f"{source}.{alias.name}" for alias in node.names} | {source}


def distances(links: Graph, changed: Collection[str]) -> dict[str, int]:
    """Return how many arrows lead from each module to the nearest changed one, where some do."""
    importers: dict[str, set[str]] = {}
    for name, targets in links.items():
        for target in targets:
            importers.setdefault(target, set()).add(name)
    found = dict.fromkeys(changed, 0)
    waiting = deque(changed)
    while waiting:
        name = waiting.popleft()
        for importer in importers.get(name, set()) - found.keys():
            found[importer] = found[name] + 1
            waiting.append(importer)
    return found


def reached(links: Graph, start: str) -> set[str]:
    """Return a module and all that it imports, and so on."""
    found, waiting = {start}, [start]
    while waiting:
        new = links[waiting.pop()] - found
        found |= new
        waiting += new
    return found
