"""Check what a release gives to users of Python: the wheels, the sdists, and their metadata.

python tests/release/contents.py DIST SOURCE

SOURCE holds the repository's tracked files, which were built. A file in a wheel or an sdist that
isn't expected here is an error.
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from pathlib import Path

INFO = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
REPOSITORY = re.compile(
    r"https://(?:github\.com/brrkit/brrkit/blob|raw\.githubusercontent\.com/brrkit/brrkit)"
    r"/v(?P<version>[^/]+)/(?P<path>[^)\"#]+)"
)
LINK = re.compile(r"(?:\]\(|\b(?:src|srcset|href)=\")([^)\"]+)")


@dataclass(frozen=True)
class Distribution:
    """What is expected of one.

    Attributes:
        name: as its files have it.
        root: its folder in the repository.
        packages: their folders in that.
        besides: what is in its sdist, too.
        dependencies: without an extra.
    """

    name: str
    root: str
    packages: tuple[str, ...]
    besides: frozenset[str]
    dependencies: frozenset[str]


_BESIDES = frozenset({".gitignore", "LICENSE", "README.md", "pyproject.toml"})
DISTRIBUTIONS = (
    Distribution(
        "brrkit",
        ".",
        ("runtime/brrkit", "toolchain/brrkit_toolchain", "counting/brrkit_counting"),
        _BESIDES | {"CHANGELOG.md"},
        frozenset({"numpy"}),
    ),
    Distribution(
        "brrkit_adept", "adept", ("brrkit_adept",), _BESIDES, frozenset({"brrkit", "tensorflow"})
    ),
)


def modules(source: Path, package: str) -> dict[str, bytes]:
    """Return the files of a package by their path in the wheel."""
    root = source / package
    files = (path for path in root.rglob("*") if path.is_file())
    return {f"{root.name}/{path.relative_to(root).as_posix()}": path.read_bytes() for path in files}


def check_wheel(path: Path, root: Path, made: Distribution, version: str) -> Message:
    """The packages, all of them and nothing else; return the metadata."""
    with zipfile.ZipFile(path) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
        assert len({entry.date_time for entry in archive.infolist()}) == 1, "times differ"
    expected = {
        name: text for package in made.packages for name, text in modules(root, package).items()
    }
    folder = f"{made.name}-{version}.dist-info"
    info = {f"{folder}/{name}" for name in INFO}
    assert set(inside) == set(expected) | info, set(inside) ^ (set(expected) | info)
    for name, content in expected.items():
        assert inside[name] == content, f"{name} isn't the one of the source"
    assert inside[f"{folder}/licenses/LICENSE"] == (root / "LICENSE").read_bytes()
    return message_from_bytes(inside[f"{folder}/METADATA"])


def check_sdist(path: Path, root: Path, made: Distribution, version: str) -> None:
    """What the wheel is made of, and a few pages."""
    with tarfile.open(path) as archive:
        assert len({entry.mtime for entry in archive.getmembers()}) == 1, "times differ"
        top = f"{made.name}-{version}/"
        inside = {entry.name.removeprefix(top) for entry in archive.getmembers()}
    folders = {package.rpartition("/")[0] or package for package in made.packages}
    tracked = (path for folder in folders for path in (root / folder).rglob("*"))
    expected = {p.relative_to(root).as_posix() for p in tracked if p.is_file()} | made.besides
    assert inside == expected | {"PKG-INFO"}, inside ^ (expected | {"PKG-INFO"})


def check_metadata(metadata: Message, made: Distribution, version: str) -> None:
    """The dependencies that are needed without an extra, and the license."""
    required = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    names = {re.split(r"[^\w.-]", line)[0] for line in required}
    assert names == made.dependencies, names
    assert metadata["Version"] == version
    assert metadata["License-Expression"] == "Apache-2.0"


def check_readme(metadata: Message, source: Path, version: str) -> None:
    """Links that lead somewhere from PyPI."""
    text = metadata.get_payload(decode=True)
    assert isinstance(text, bytes)
    links = LINK.findall(text.decode())
    assert len(links) > 10, links
    for link in links:
        assert link.startswith(("https://", "http://", "#")), f"relative: {link}"
    ours = list(REPOSITORY.finditer(text.decode()))
    assert ours
    for match in ours:
        assert match["version"] == version, match[0]
        assert (source / match["path"]).exists(), f"nothing there: {match[0]}"


def main() -> None:
    """Check it all."""
    dist, source = map(Path, sys.argv[1:])
    (first,) = dist.glob("brrkit-*.tar.gz")
    version = first.name.removeprefix("brrkit-").removesuffix(".tar.gz")
    built = {path.name for path in dist.iterdir() if path.suffix in {".whl", ".gz"}}
    for made in DISTRIBUTIONS:
        wheel = dist / f"{made.name}-{version}-py3-none-any.whl"
        sdist = dist / f"{made.name}-{version}.tar.gz"
        built -= {wheel.name, sdist.name}
        root = source / made.root
        metadata = check_wheel(wheel, root, made, version)
        check_metadata(metadata, made, version)
        if made.root == ".":
            check_readme(metadata, source, version)
        check_sdist(sdist, root, made, version)
        sizes = [f"{path.name} {path.stat().st_size:,} bytes" for path in (wheel, sdist)]
        print(", ".join(sizes))
    assert not built, built


if __name__ == "__main__":
    main()
