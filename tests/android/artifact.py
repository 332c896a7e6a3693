"""Check what is published of the Kotlin library, and what a project that depends on it printed.

python tests/android/artifact.py JAR POM <OUTPUT

``tests/android.sh`` packages the one and runs the other.
"""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

POM = "{http://maven.apache.org/POM/4.0.0}"
STAMP = (2026, 1, 1, 0, 0, 0)  # project.build.outputTimestamp
INSIDE = {"META-INF/LICENSE", "META-INF/proguard/brr-runtime.pro", "org/brrkit/Privatizer.class"}


def check_jar(jar: Path) -> None:
    """Every entry has the one time, in order: a second build gives the same bytes."""
    for path in (jar, jar.with_name(f"{jar.stem}-sources.jar")):
        with zipfile.ZipFile(path) as archive:
            times = {entry.date_time for entry in archive.infolist()}
            assert times == {STAMP}, f"{path}: {times}"
    with zipfile.ZipFile(jar) as archive:
        names = set(archive.namelist())
    assert names >= INSIDE, f"{jar} lacks {INSIDE - names}"
    strange = [n for n in names if not n.startswith(("META-INF/", "org/", "LICENSE"))]
    assert not strange, strange


def check_pom(path: Path) -> None:
    """It stands by itself, says what Maven Central wants to know, and brings Kotlin's library."""
    root = ElementTree.parse(path).getroot()
    assert root.find(f"{POM}parent") is None
    for name in ("name", "description", "url", "licenses", "developers", "scm", "version"):
        assert root.find(POM + name) is not None, f"{path}: no <{name}>"
    brought = [
        found.findtext(f"{POM}artifactId")
        for found in root.iter(f"{POM}dependency")
        if found.findtext(f"{POM}scope") in (None, "compile", "runtime")
    ]
    assert brought == ["kotlin-stdlib"], brought


def check_output(output: str) -> None:
    """Six words from each language, and Java's caught error."""
    sentences = re.findall(r"^(kotlin|java): \S+(?: \S+){5}$", output, re.MULTILINE)
    assert sentences == ["kotlin", "java"], output
    assert "java: epsilon must be a number from" in output, output


def main() -> None:
    """Check it all."""
    jar, pom = map(Path, sys.argv[1:])
    check_jar(jar)
    check_pom(pom)
    output = re.sub(r"\x1b\[[0-9;]*m", "", sys.stdin.read())  # what Maven colours
    check_output(output)
    print(output.strip())


if __name__ == "__main__":
    main()
