"""Take the Kotlin libraries out of a repository, and use Android's tools on them.

    python tests/android/published.py PUBLISHED WORK REPOSITORY KEYBOARD MAVEN...

PUBLISHED has a folder for each library with what ``tests/android.sh`` packaged, WORK is empty room,
REPOSITORY has the plugins, and KEYBOARD is the module's target folder. Maven lays the libraries out
as a repository has them; a project that names brr-keyboard's archive alone gets it and what it
needs, and nothing of the tests. Then aapt2 links its resources with its manifest, and d8, where
there is one, makes the classes into what Android runs. Gradle, which an app builds with, isn't run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

VERSION = "0.2.0"
MINIMUM = "26"  # of Android's API
NEEDED = {
    ("org.brrkit", "brr-keyboard", "aar", "compile"),
    ("org.brrkit", "brr-runtime", "jar", "compile"),
    ("org.jetbrains.kotlin", "kotlin-stdlib", "jar", "compile"),
    ("org.jetbrains", "annotations", "jar", "compile"),
}
PLUGINS = "org.apache.maven.plugins:"
CONSUMER = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>app</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <repositories>
    <repository><id>published</id><url>{{url}}</url></repository>
  </repositories>
  <dependencies>
    <dependency>
      <groupId>org.brrkit</groupId>
      <artifactId>brr-keyboard</artifactId>
      <version>{VERSION}</version>
      <type>aar</type>
    </dependency>
  </dependencies>
</project>
"""


def publish(published: Path, url: str, maven: list[str]) -> None:
    """Lay the libraries out as a repository has them."""
    for name, kind, suffix in (("brr", "jar", ".jar"), ("brr-keyboard", "aar", ".zip")):
        (file,) = [
            path for path in (published / name).glob(f"*{suffix}") if "sources" not in path.stem
        ]
        run(
            *maven,
            f"{PLUGINS}maven-deploy-plugin:3.1.4:deploy-file",
            f"-Durl={url}",
            f"-Dfile={file}",
            f"-Dpackaging={kind}",
            f"-DpomFile={published / name / 'published.xml'}",
        )


def resolve(work: Path, url: str, maven: list[str]) -> list[Path]:
    """Return the files that an app gets which names brr-keyboard's archive."""
    project, listed, files = work / "pom.xml", work / "listed", work / "files"
    project.write_text(CONSUMER.format(url=url), "utf-8")
    run(
        *maven,
        "-f",
        str(project),
        f"{PLUGINS}maven-dependency-plugin:3.8.1:list",
        f"-DoutputFile={listed}",
        f"{PLUGINS}maven-dependency-plugin:3.8.1:copy-dependencies",
        f"-DoutputDirectory={files}",
    )
    found = re.findall(r"^ +([\w.]+):([\w-]+):(\w+):[\w.]+:(\w+)", listed.read_text("utf-8"), re.M)
    assert set(found) == NEEDED, found
    print(f"brr-keyboard's archive brings {len(found) - 1} libraries, and nothing of the tests")
    return sorted(files.iterdir())


def link(archive: Path, work: Path, target: Path) -> None:
    """Link the archive's resources with its manifest: the names are those of its R.txt."""
    (aapt2,) = target.glob("aapt2/**/aapt2")
    (android,) = target.glob("android/android-all-*.jar")
    opened = work / "aar"
    with zipfile.ZipFile(archive) as content:
        content.extractall(opened)
    compiled, symbols, linked = work / "compiled.zip", work / "R.txt", work / "linked.apk"
    run(str(aapt2), "compile", "--dir", str(opened / "res"), "-o", str(compiled))
    run(
        *(
            str(aapt2),
            "link",
            "-I",
            str(android),
            "--manifest",
            str(opened / "AndroidManifest.xml"),
        ),
        *("--non-final-ids", "--target-sdk-version", "36", "--output-text-symbols", str(symbols)),
        *("-o", str(linked), str(compiled)),
    )
    assert names(symbols) == names(opened / "R.txt"), "R.txt isn't that of the resources"
    shown = run(str(aapt2), "dump", "badging", str(linked))
    assert f"minSdkVersion:'{MINIMUM}'" in shown or f"sdkVersion:'{MINIMUM}'" in shown, shown
    assert "uses-permission" not in shown, shown
    for language in ("de", "es", "fr", "pt"):
        assert f"'{language}'" in shown, f"no texts in {language}: {shown}"
    print(f"aapt2 links its {len(names(symbols))} resources; it asks for no permission")


def names(symbols: Path) -> set[tuple[str, str]]:
    """Return the kinds and names of resources."""
    return {
        (kind, name)
        for _, kind, name, *_ in map(str.split, symbols.read_text("utf-8").splitlines())
    }


def dex(files: list[Path], work: Path, target: Path) -> None:
    """Make the classes into what Android runs, if its compiler is here."""
    d8 = shutil.which("d8") or next(
        map(str, sorted(Path(os.environ.get("ANDROID_HOME", "/none")).glob("build-tools/*/d8"))),
        None,
    )
    if d8 is None:
        print("*** SKIPPED: the libraries' classes as Android runs them: d8 isn't here")
        return
    (android,) = target.glob("android/android-all-*.jar")
    jars = [str(path) for path in files if path.suffix == ".jar"] + [str(work / "aar/classes.jar")]
    output = work / "dex.zip"
    run(
        d8, "--release", "--min-api", MINIMUM, "--lib", str(android), "--output", str(output), *jars
    )
    with zipfile.ZipFile(output) as archive:
        assert "classes.dex" in archive.namelist()
    print(f"d8 makes {output.stat().st_size:,} bytes of the {len(jars)} libraries")


def run(*command: str) -> str:
    """Run a command that must succeed, and return what it prints."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} fails\n{done.stdout}")
    return done.stdout


def main() -> None:
    """Do it all."""
    published, work, repository, target = map(Path, sys.argv[1:5])
    maven = [*sys.argv[5:], f"-Dmaven.repo.local={repository}"]
    work.mkdir()
    url = f"file://{work / 'published'}"
    publish(published, url, maven)
    files = resolve(work, url, maven)
    (archive,) = [path for path in files if path.suffix == ".aar"]
    link(archive, work, target)
    dex(files, work, target)


if __name__ == "__main__":
    main()
