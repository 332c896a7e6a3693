"""tests/phones/names.md says every public name of the four runtimes, and only those.

Python's are read from the package, Kotlin's from the binary interface that a test holds, Swift's
and TypeScript's from the sources.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import brrkit
from brrkit.vocabulary import Vocabulary

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "tests" / "phones" / "names.md"
KOTLIN = ROOT / "android_demo" / "brr" / "brr-runtime.api"
SWIFT = ROOT / "ios_demo" / "Brrkit" / "Sources"
TYPESCRIPT = ROOT / "web_demo" / "src"
NONE = "—"

IN_EVERY_CLASS = {"equals", "hashCode", "toString", "getEntries", "valueOf", "values"}
IN_DATA_CLASSES = {"copy", *(f"component{number}" for number in range(1, 9))}


def of_python() -> set[str]:
    """Return what ``brrkit`` exports, with members, and the options of a privatizer."""
    found = set(brrkit.__all__)
    for name in (*brrkit.__all__, "Vocabulary"):
        value = getattr(brrkit, name, Vocabulary)
        if isinstance(value, type):
            members = {member for member in vars(value) if not member.startswith("_")}
            if dataclasses.is_dataclass(value):
                members |= {field.name for field in dataclasses.fields(value)}
            elif "__init__" in vars(value):
                assigned = re.findall(r"self\.([a-z]\w*)\b(?=[^=\n]* = )", inspect.getsource(value))
                members |= set(assigned)
            found |= {name, *(f"{name}.{member}" for member in members)}
            if hasattr(value, "__len__") and not issubclass(value, tuple):
                found.add(f"len({name})")
    _, _, *options = inspect.signature(brrkit.Privatizer.__init__).parameters
    return found | {f"Privatizer({option}=)" for option in options}


def of_kotlin(dump: str) -> set[str]:
    """Return the types of a dump of the binary interface, their members and other functions."""
    found = set()
    for head, body in re.findall(r"^public (.*?) \{\n(.*?)^\}", dump, re.M | re.S):
        name = head.partition("org/brrkit/")[2].split()[0].replace("$", ".")
        if name.endswith(".Companion"):  # its functions are static ones, too
            continue
        functions = set(re.findall(r" fun (\w+) \(", body))
        functions -= IN_EVERY_CLASS | IN_DATA_CLASSES
        constants = set(re.findall(r" field ([A-Z]+) Lorg/brrkit/(?:Oov|Base|Rest);", body))
        members = {
            re.sub(r"^get([A-Z])", lambda match: match[1].lower(), function)
            for function in functions
        }
        if all(" static " in line for line in body.splitlines()) and not constants:
            found |= members  # of a file
        else:
            found |= {name, *(f"{name}.{member}" for member in members | constants)}
    return found


SWIFT_TYPE = re.compile(r"( *)(public )?(?:final )?(struct|class|enum|protocol|extension) (\w+)")
SWIFT_MEMBER = re.compile(r"( *)(public )?(?:static |mutating )?(let|var|func|case) (\w+)")
SWIFT_OPTION = re.compile(r"^ +(\w+): ", re.M)


def of_swift(source: str) -> set[str]:
    """Return the public types of a file, their members and other functions."""
    found = set()
    types: list[tuple[str, bool]] = []  # that the line is in, and whether all of it is public
    for line in source.splitlines():
        if match := SWIFT_TYPE.match(line):
            indent, public, kind, name = match.groups()
            del types[len(indent) // 4 :]
            types.append((name, bool(public) and kind in ("enum", "protocol")))
            if public:
                found.add(".".join(name for name, _ in types))
        elif match := SWIFT_MEMBER.match(line):
            indent, public, kind, name = match.groups()
            inside = types[: len(indent) // 4]
            if len(inside) != len(indent) // 4:
                continue  # of a function
            if public or (inside and inside[-1][1] and (kind == "case" or "func" in line)):
                found.add(".".join([*(name for name, _ in inside), name]))
    if "public struct Privatizer" in source:
        for parameters in re.findall(r"public init\((.*?)\n    \)", source, re.S):
            found |= {f"Privatizer({option}:)" for option in SWIFT_OPTION.findall(parameters)}
    return found


EXPORTED = re.compile(r'^export (?:type )?\{([^}]*)\} from "\./(\w+)\.js";', re.M)
NO_MEMBERS = {"constructor", "private", "async", "readonly", "static"}
REPORTS = {"consent", "outbox", "transport", "uploader"}  # in Kotlin and Swift the keyboard's


def of_typescript(read: Callable[[str], str]) -> set[str]:
    """Return what the entries export, with members; ``read`` returns a module's source."""
    found = set()
    for entry in ("index", "node"):
        for listed, module in EXPORTED.findall(read(entry)):
            if module in REPORTS:
                continue
            source = re.sub(r"/\*\*.*?\*/", "", read(module), flags=re.S)
            for name in re.findall(r"(?:type )?(\w+)", listed.replace("type ", "")):
                found |= {name, *(f"{name}.{member}" for member in _members(name, source))}
    return found


def _members(name: str, source: str) -> set[str]:
    """Return the public members of a class or an interface."""
    head = rf"^export (?:abstract )?(?:class|interface) {name}\b[^\n]*\{{\n(.*?)^\}}"
    body = re.search(head, source, re.M | re.S)
    if not body:
        return set()
    plain_ones = r"^  (?:static |abstract |override |readonly |async |get )*([a-z]\w*)[?(:<!=; ]"
    assigned = re.findall(r"^    readonly (\w+)", body[1], re.M)
    in_line = re.findall(r"^  constructor\(.*", body[1], re.M)
    assigned += re.findall(r"readonly (\w+)", " ".join(in_line))
    return {*re.findall(plain_ones, body[1], re.M), *assigned} - NO_MEMBERS


def rows() -> list[list[str]]:
    """Return the cells of all tables of the page."""
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "Python" and len(row) == 5]


def names(language: int) -> list[str]:
    return [name for row in rows() for name in re.findall(r"`([^`]+)`", row[language])]


def plain(name: str) -> str:
    """Return the last part of a name without what is the language's."""
    last = re.findall(r"\w+", name)[-1]
    last = re.sub(r"(Error|Exception)$", "", last)
    words = last.lower() if last.isupper() else last
    return re.sub(r"_(\w)", lambda match: match[1].upper(), words[0].lower() + words[1:])


def source_of(module: str) -> str:
    return (TYPESCRIPT / f"{module}.ts").read_text("utf-8")


def changed_or_not(changed: dict[str, str], module: str) -> str:
    return changed.get(module) or source_of(module)


@pytest.mark.parametrize("language", ["python", "kotlin", "swift", "typescript"])
def test_the_page_has_every_name(language: str) -> None:
    public: dict[str, Callable[[], set[str]]] = {
        "python": of_python,
        "kotlin": lambda: of_kotlin(KOTLIN.read_text()),
        "swift": lambda: set().union(
            *(of_swift(file.read_text()) for file in SWIFT.rglob("*.swift"))
        ),
        "typescript": lambda: of_typescript(source_of),
    }
    said = names(list(public).index(language))
    assert len(said) == len(set(said))
    assert set(said) == public[language](), "tests/phones/names.md says otherwise"


def test_what_differs_has_a_reason() -> None:
    for *cells, reason in rows():
        same = {plain(name) for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
        assert (len(same) == 1 and NONE not in cells) or reason, cells
        assert all(cell == NONE or "`" in cell for cell in cells), cells


def test_a_name_that_is_added_or_changed_is_noticed() -> None:
    """In each language: of a type, a member, a function, and an option."""
    dump = KOTLIN.read_text()
    changed = dump.replace("fun texts ", "fun allTexts ").replace("Measured {", "Measure {", 1)
    assert of_kotlin(changed) ^ of_kotlin(dump) >= {
        "Privatizer.texts",
        "Privatizer.allTexts",
        "Measured",
        "Measure",
    }
    source = (SWIFT / "Privatizer.swift").read_text()
    for right, wrong, name in (
        ("public func texts(", "public func all(", "Privatizer.all"),
        ("        oov: Oov", "        unknown: Oov", "Privatizer(unknown:)"),
        ("    case drop", "    case leave", "Oov.leave"),
        ("public struct Privatizer", "public func new() {}\npublic struct Privatizer", "new"),
        ("    private let oov", "    public let oov", "Privatizer.oov"),
    ):
        assert right in source
        assert name in of_swift(source.replace(right, wrong)) - of_swift(source)
    for right, wrong, name in (
        ("  async texts(", "  async all(", "Privatizer.all"),
        ("  readonly oov?:", "  readonly unknown?:", "PrivatizerOptions.unknown"),
        ("  get effectiveEpsilon(", "  get strength(", "Privatizer.strength"),
    ):
        assert right in source_of("privatizer")
        modules = {"privatizer": source_of("privatizer").replace(right, wrong)}
        assert name in of_typescript(partial(changed_or_not, modules)) - of_typescript(source_of)
