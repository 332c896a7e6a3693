"""Check what a release gives to users of Python: the wheel, the sdist, and their metadata.

python tests/release/contents.py DIST SOURCE

SOURCE holds the repository's tracked files, which were built. A file in the wheel or the sdist that
isn't expected here is an error.
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

PACKAGES = ("runtime/brrkit", "toolchain/brrkit_toolchain")
BESIDES = {".gitignore", "CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"}  # in the sdist
INFO = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
DEPENDENCIES = {"numpy"}
REPOSITORY = re.compile(
    r"https://(?:github\.com/brrkit/brrkit/blob|raw\.githubusercontent\.com/brrkit/brrkit)"
    r"/v(?P<version>[^/]+)/(?P<path>[^)\"#]+)"
)
LINK = re.compile(r"(?:\]\(|\b(?:src|srcset|href)=\")([^)\"]+)")


def modules(source: Path, package: str) -> dict[str, bytes]:
    """Return the files of a package by their path in the wheel."""
    root = source / package
    files = (path for path in root.rglob("*") if path.is_file())
    return {f"{root.name}/{path.relative_to(root).as_posix()}": path.read_bytes() for path in files}


def check_wheel(path: Path, source: Path, version: str) -> Message:
    """Both packages, all of them and nothing else; return the metadata."""
    with zipfile.ZipFile(path) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
        assert len({entry.date_time for entry in archive.infolist()}) == 1, "times differ"
    expected = {
        name: text for package in PACKAGES for name, text in modules(source, package).items()
    }
    info = {f"brrkit-{version}.dist-info/{name}" for name in INFO}
    assert set(inside) == set(expected) | info, set(inside) ^ (set(expected) | info)
    for name, content in expected.items():
        assert inside[name] == content, f"{name} isn't the one of the source"
    assert (
        inside[f"brrkit-{version}.dist-info/licenses/LICENSE"] == (source / "LICENSE").read_bytes()
    )
    return message_from_bytes(inside[f"brrkit-{version}.dist-info/METADATA"])


def check_sdist(path: Path, source: Path, version: str) -> None:
    """What the wheel is made of, and the changelog."""
    with tarfile.open(path) as archive:
        assert len({entry.mtime for entry in archive.getmembers()}) == 1, "times differ"
        inside = {entry.name.removeprefix(f"brrkit-{version}/") for entry in archive.getmembers()}
    folders = {package.rpartition("/")[0] for package in PACKAGES}
    tracked = (path for folder in folders for path in (source / folder).rglob("*"))
    expected = {p.relative_to(source).as_posix() for p in tracked if p.is_file()} | BESIDES
    assert inside == expected | {"PKG-INFO"}, inside ^ (expected | {"PKG-INFO"})


def check_metadata(metadata: Message, source: Path, version: str) -> None:
    """The runtime's dependencies alone, without an extra; links that lead somewhere from PyPI."""
    required = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    names = {re.split(r"[^\w.-]", line)[0] for line in required}
    assert names == DEPENDENCIES, names
    assert metadata["Version"] == version
    assert metadata["License-Expression"] == "Apache-2.0"
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
    wheel, sdist = sorted(path for path in dist.iterdir() if path.suffix in {".whl", ".gz"})
    version = sdist.name.removeprefix("brrkit-").removesuffix(".tar.gz")
    assert wheel.name == f"brrkit-{version}-py3-none-any.whl", wheel.name
    check_metadata(check_wheel(wheel, source, version), source, version)
    check_sdist(sdist, source, version)
    print(
        f"{wheel.name} {wheel.stat().st_size:,} bytes, {sdist.name} {sdist.stat().st_size:,} bytes"
    )


if __name__ == "__main__":
    main()
