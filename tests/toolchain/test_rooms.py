"""What imports what: no circle among modules, none among the rooms of the toolchain."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from module_graph import Graph, graph, packages


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
        for name, targets in graph(packages()).items()
    }
    assert links["brrkit_toolchain.cli.build"]
    assert circle(links) == []


def test_no_circle_among_rooms() -> None:
    rooms: dict[str, set[str]] = {}
    for name, targets in graph(packages()).items():
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
    for name, targets in graph(packages()).items():
        place = order.index(name.split(".")[0])
        assert {target.split(".")[0] for target in targets} <= set(order[: place + 1]), name
