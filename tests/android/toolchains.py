"""Use the published library as apps do: by Kotlin's oldest compiler, and shrunk by R8.

    python tests/android/toolchains.py LIBRARY WORK MAVEN...

LIBRARY is the archive of brr-runtime, WORK is empty room. Kotlin 1.9 compiles ``Golden.kt``
against it, and with Kotlin 1.9's standard library that answers the golden cases. Then R8 makes one
archive of all of it, by the library's rules and with ``main`` kept; that answers them, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KOTLIN = "1.9.25"
R8 = "com.android.tools:r8:8.13.19"
COMPILER = (
    f"org.jetbrains.kotlin:kotlin-compiler-embeddable:{KOTLIN}",
    f"org.jetbrains.kotlin:kotlin-stdlib:{KOTLIN}",
    f"org.jetbrains.kotlin:kotlin-script-runtime:{KOTLIN}",
    "org.jetbrains.kotlin:kotlin-reflect:1.6.10",
    "org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.6.4",
    "org.jetbrains.intellij.deps:trove4j:1.0.20200330",
    "org.jetbrains:annotations:13.0",
)
KEPT = """\
-keep class GoldenKt { public static void main(java.lang.String[]); }
-dontwarn org.jetbrains.annotations.*
"""
"""Kotlin's own standard library names annotations that an app needn't have."""


def main() -> None:
    """Do it all."""
    library, work = Path(sys.argv[1]), Path(sys.argv[2])
    fetched = work / "fetched"
    for artifact in (*COMPILER, R8):
        fetch(artifact, fetched, sys.argv[3:])
    standard = fetched / f"kotlin-stdlib-{KOTLIN}.jar"
    compiler = os.pathsep.join(map(str, fetched.glob("*.jar")))
    app = work / "app.jar"
    java(
        compiler,
        *("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect"),
        *("-jvm-target", "11", "-Werror", "-cp", os.pathsep.join(map(str, (library, standard)))),
        *("-d", app, ROOT / "tests/android/Golden.kt"),
    )
    cases = work / "cases.tsv"
    answers = write_cases(cases)
    check("Kotlin " + KOTLIN, [app, library, standard], cases, answers)

    rules, kept, shrunk = work / "library.pro", work / "app.pro", work / "shrunk.jar"
    with zipfile.ZipFile(library) as archive:
        rules.write_bytes(archive.read("META-INF/proguard/brr-runtime.pro"))
    kept.write_text(KEPT, "utf-8")
    home = java_home()
    java(
        compiler,
        *("com.android.tools.r8.R8", "--classfile", "--release", "--lib", home),
        *("--pg-conf", rules, "--pg-conf", kept, "--output", shrunk, app, library, standard),
    )
    before = sum(path.stat().st_size for path in (app, library, standard))
    assert shrunk.stat().st_size < before / 4, shrunk.stat().st_size
    with zipfile.ZipFile(shrunk) as archive:
        assert "org/brrkit/Privatizer.class" not in archive.namelist(), "nothing was renamed"
    check(f"R8 {R8.rpartition(':')[2]}", [shrunk], cases, answers)


def fetch(artifact: str, folder: Path, maven: list[str]) -> None:
    """Let Maven copy an artifact."""
    goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
    options = [f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
    project = ROOT / "android_demo/pom.xml"
    subprocess.run([*maven, "-N", "-f", project, goal, *options], check=True)


def java_home() -> str:
    """Return the folder of the JDK that runs."""
    command = ["java", "-XshowSettings:properties", "-version"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    (line,) = (line for line in shown.splitlines() if "java.home =" in line)
    return line.partition("= ")[2]


def java(path: str, *arguments: str | Path) -> str:
    """Run a program; return its output."""
    command = ["java", "-XX:TieredStopAtLevel=1", "-cp", path, *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def golden() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the calls of the conformance bundles, each with its bundle."""
    vectors = json.loads((ROOT / "spec/vectors/releases.json").read_text("utf-8"))["bundles"]
    for file in sorted((ROOT / "spec/conformance").glob("*/parity.json")):
        folder, parity = file.parent, json.loads(file.read_text("utf-8"))
        calls = [*parity.get("calls", ()), *vectors.get(folder.name, {}).get("calls", ())]
        yield from ((folder, call) for call in calls if "words" in call)


def write_cases(path: Path) -> list[str]:
    """Write the cases, a line each; return the answers."""
    lines, answers = [], []
    for folder, case in golden():
        words = case["words"]
        if case.get("oov") == "drop" or " ".join(words).split() != words:
            continue
        parameters = ";".join(
            f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
            for name, value in case.get("parameters", {}).items()
        )
        line = [folder, case["epsilon"], case["mechanism"], parameters, case["random"]]
        lines.append("\t".join(map(str, [*line, " ".join(words)])))
        answers.append(" ".join(case["outputs"]))
    assert len(answers) >= 20, len(answers)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return answers


def check(name: str, path: list[Path], cases: Path, answers: list[str]) -> None:
    """Hold what an app prints against the golden cases."""
    printed = java(os.pathsep.join(map(str, path)), "GoldenKt", cases).splitlines()
    for case, made, answer in zip(
        cases.read_text("utf-8").splitlines(), printed, answers, strict=True
    ):
        assert made == answer, f"{name}: {case}\n{made}\n{answer}"
    print(f"with {name}: {len(answers)} golden cases")


if __name__ == "__main__":
    main()
