"""What imports what: no circle among modules, none among the rooms of the toolchain."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter

from module_graph import ROOT, Graph, everything, graph, packages

COMMON = ("confidence", "counting", "defaults", "rounding")
"""Modules of the toolchain that any room may use."""


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


def listed() -> list[str]:
    """Return the toolchain's rooms as CONTRIBUTING lists them, from the lowest."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page.partition("| package | contents |")[2]
    return re.findall(r"^\| `(\w+)` \|", table.partition("\n\n")[0], re.MULTILINE)


def test_a_room_imports_from_those_below_it_only() -> None:
    order = listed()
    folders = {path.parent.name for path in ROOT.glob("toolchain/brrkit_toolchain/*/__init__.py")}
    assert set(order) == folders
    below = {room: {*order[:place], *COMMON} for place, room in enumerate(order)}
    above = 0
    for name, targets in graph(packages()).items():
        package, _, inner = name.partition(".")
        room = inner.split(".")[0]
        if package != "brrkit_toolchain" or room not in below:
            continue
        there = {target.split(".")[1] for target in targets if target.startswith(f"{package}.")}
        assert there - {room} <= below[room], name
        above += bool(there - {room})
    assert above > len(order)


def test_a_package_knows_nothing_of_what_is_built_on_it() -> None:
    order = ("brrkit", "brrkit_toolchain", "brrkit_counting", "brrkit_adept")
    for name, targets in graph(packages()).items():
        place = order.index(name.split(".")[0])
        assert {target.split(".")[0] for target in targets} <= set(order[: place + 1]), name


def test_nothing_but_its_own_tests_knows_of_research() -> None:
    files = everything()
    of_research = {name for name in files if name.startswith("research.")}
    assert len(of_research) > 40
    for name, targets in graph(files, strings=True).items():
        if "research" not in files[name].relative_to(ROOT).parts:
            assert not targets & of_research, name


def test_a_report_goes_one_way() -> None:
    order = ("response", "reports", "estimate", "lists", "candidates", "calibrate", "pages", "cli")
    for name, targets in graph(packages()).items():
        package, _, inner = name.partition(".")
        room = inner.split(".")[0]
        if package == "brrkit_counting" and room in order:
            there = {each.split(".")[1] for each in targets if each.startswith(f"{package}.")}
            assert there <= set(order[: order.index(room) + 1]), name
