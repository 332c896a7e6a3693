"""Check what is published of a Kotlin library: its archives and its POM.

python tests/android/artifact.py TARGET [TARGET OF ANOTHER BUILD]

``tests/android.sh`` packages it. With a second build, all of it must be the same bytes.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

POM = "{http://maven.apache.org/POM/4.0.0}"
STAMP = (2026, 1, 1, 0, 0, 0)  # project.build.outputTimestamp
PROJECT = "https://github.com/brrkit/brrkit"
BROUGHT = {"brr-runtime": ["kotlin-stdlib"], "brr-keyboard": ["brr-runtime", "kotlin-stdlib"]}
CLASSES = {
    "brr-runtime": "org/brrkit/Privatizer.class",
    "brr-keyboard": "org/brrkit/keyboard/BrrKeyboard.class",
}
MAGIC = bytes.fromhex("cafebabe")
JDK_11 = (0).to_bytes(2, "big") + (55).to_bytes(
    2, "big"
)  # of a class file's format, minor and major
FOR_ANDROID = {"AndroidManifest.xml", "classes.jar", "R.txt", "proguard.txt", "res/"}


def published(target: Path) -> list[Path]:
    """Return the archives and the POM of a library."""
    return sorted([*target.glob("brr-*.jar"), *target.glob("brr-*.zip"), target / "published.xml"])


def check_archives(name: str, target: Path) -> None:
    """Every entry has the one time, in order; what must be in them is there."""
    archives = {path.suffix: path for path in target.glob("brr-*") if "sources" not in path.stem}
    sources = next(target.glob("brr-*-sources.jar"))
    for path in (*archives.values(), sources):
        with zipfile.ZipFile(path) as archive:
            times = {entry.date_time for entry in archive.infolist()}
            assert times == {STAMP}, f"{path}: {times}"
    with zipfile.ZipFile(archives[".jar"]) as archive:
        names = set(archive.namelist())
        for entry in names:
            if entry.endswith(".class"):
                head = archive.read(entry)[:8]
                assert head[:4] == MAGIC and head[4:] == JDK_11, (
                    f"{entry}: not for JDK 11: {head.hex()}"
                )
    inside = {"META-INF/LICENSE", f"META-INF/proguard/{name}.pro", CLASSES[name]}
    assert names >= inside, f"{name} lacks {inside - names}"
    strange = [n for n in names if not n.startswith(("META-INF/", "org/", "LICENSE"))]
    assert not strange, strange
    assert not [n for n in names if "/R.class" in n or "/R$" in n], names
    with zipfile.ZipFile(sources) as archive:
        written = set(archive.namelist())
    assert CLASSES[name].replace(".class", ".kt") in written, written
    assert (".zip" in archives) == (name == "brr-keyboard"), archives
    if ".zip" in archives:
        with zipfile.ZipFile(archives[".zip"]) as archive:
            assert set(archive.namelist()) >= FOR_ANDROID, archive.namelist()
            assert archive.read("classes.jar") == archives[".jar"].read_bytes()
            assert b'package="org.brrkit.keyboard"' in archive.read("AndroidManifest.xml")
            assert b"layout brr_release_strip" in archive.read("R.txt")


def check_pom(name: str, path: Path) -> None:
    """It stands by itself, says what Maven Central wants to know, and brings what is needed."""
    root = ElementTree.parse(path).getroot()
    assert root.find(f"{POM}parent") is None
    assert root.findtext(f"{POM}artifactId") == name
    for field in ("name", "description", "licenses", "developers", "version"):
        assert root.find(POM + field) is not None, f"{path}: no <{field}>"
    for field in ("url", "scm/url"):
        assert root.findtext(POM + field.replace("/", f"/{POM}")) == PROJECT, f"{path}: {field}"
    connection = root.findtext(f"{POM}scm/{POM}connection")
    assert connection == f"scm:git:{PROJECT}.git", connection
    packaging = root.findtext(f"{POM}packaging", "jar")
    assert packaging == ("aar" if name == "brr-keyboard" else "jar"), packaging
    brought = [
        found.findtext(f"{POM}artifactId")
        for found in root.iter(f"{POM}dependency")
        if found.findtext(f"{POM}scope") in (None, "compile", "runtime")
    ]
    assert brought == BROUGHT[name], brought


def main() -> None:
    """Check it all."""
    target, *others = map(Path, sys.argv[1:])
    name = next(target.glob("brr-*-sources.jar")).name.rpartition("-sources")[0].rpartition("-")[0]
    check_archives(name, target)
    check_pom(name, target / "published.xml")
    for other in others:
        for path in published(target):
            assert path.read_bytes() == (other / path.name).read_bytes(), f"{path} isn't the same"
    print(f"{name}: {', '.join(path.name for path in published(target))}")


if __name__ == "__main__":
    main()
