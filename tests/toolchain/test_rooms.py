"""What imports what: no circle among modules, none among the rooms of the toolchain."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
Graph = Mapping[str, set[str]]


def modules() -> dict[str, Path]:
    found = {}
    for folder in (ROOT / "runtime", ROOT / "toolchain", ROOT / "adept"):
        for file in folder.rglob("*.py"):
            parts = file.relative_to(folder).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = file
    return found


def imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that run, at the top or later; not those for type checkers alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        yield from imports(child)


def graph() -> dict[str, set[str]]:
    """Return the modules that each imports."""
    files = modules()
    result: dict[str, set[str]] = {}
    for name, file in files.items():
        package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
        found = set()
        for node in imports(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
                continue
            start = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*start, *([node.module] if node.module else [])])
            found |= {f"{source}.{alias.name}" for alias in node.names} | {source}
        result[name] = {target for target in found if target in files} - {name}
    return result


def circle(links: Graph) -> list[str]:
    try:
        tuple(TopologicalSorter(links).static_order())
    except CycleError as error:
        return [str(part) for part in error.args[1]]
    return []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}


def test_no_circle_among_modules() -> None:
    # A package and its modules are one place: whatever imports a module imports the package first.
    links = {
        name: {target for target in targets if not name.startswith(f"{target}.")}
        for name, targets in graph().items()
    }
    assert links["brrkit_toolchain.cli.build"]
    assert circle(links) == []


def test_no_circle_among_rooms() -> None:
    rooms: dict[str, set[str]] = {}
    for name, targets in graph().items():
        room = ".".join(name.split(".")[:2])
        there = {".".join(target.split(".")[:2]) for target in targets}
        rooms.setdefault(room, set()).update(there - {room, "brrkit_toolchain", "brrkit"})
    toolchain = {
        name: links for name, links in rooms.items() if name.startswith("brrkit_toolchain.")
    }
    assert "brrkit_toolchain.measure" in toolchain["brrkit_toolchain.calibrate"]
    assert circle(toolchain) == []


def test_a_package_knows_nothing_of_what_is_built_on_it() -> None:
    order = ("brrkit", "brrkit_toolchain", "brrkit_adept")
    for name, targets in graph().items():
        place = order.index(name.split(".")[0])
        assert {target.split(".")[0] for target in targets} <= set(order[: place + 1]), name
