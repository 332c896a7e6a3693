"""What a release consists of fits together: version numbers, Gradle's wrapper, pinned actions."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
ANDROID = ROOT / "android_demo"
POM = "{http://maven.apache.org/POM/4.0.0}"
# SHA-256 of Gradle's wrapper, and of the distribution that it starts, as Gradle publishes them.
GRADLE = "9.6.1"
WRAPPER = "497c8c2a7e5031f6aa847f88104aa80a93532ec32ee17bdb8d1d2f67a194a9c7"
DISTRIBUTION = "9c0f7faeeb306cb14e4279a3e084ca6b596894089a0638e68a07c945a32c9e14"
WORKFLOWS = ("android.yml", "release-android.yml")


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def found(pattern: str, path: str) -> str:
    match = re.search(pattern, text(path), re.MULTILINE)
    assert match, path
    return match[1]


def test_one_version_number() -> None:
    """Python's, Maven's and Gradle's."""
    version = found(r'^version = "(.*)"$', "pyproject.toml")
    assert found(r"^version=(.*)$", "android_demo/gradle.properties") == version
    for library in ("brr-runtime", "brr-keyboard"):
        assert f'implementation("org.brrkit:{library}:{version}")' in text("docs/android.md")
    poms = [ANDROID / "pom.xml", *ANDROID.glob("*/pom.xml")]
    stated = set()
    for path in poms:
        root = ElementTree.parse(path).getroot()
        parent = root.find(f"{POM}parent")
        for project in [root if parent is None else parent, *root.iter(f"{POM}dependency")]:
            if project.findtext(f"{POM}groupId") == "org.brrkit":
                stated.add(project.findtext(f"{POM}version"))
    assert len(poms) >= 5
    assert stated - {"${project.version}"} == {version}


def test_gradles_wrapper_is_gradles() -> None:
    """The one binary here, of the version that it starts: nobody reads it in a review."""
    content = (ANDROID / "gradle" / "wrapper" / "gradle-wrapper.jar").read_bytes()
    assert hashlib.sha256(content).hexdigest() == WRAPPER
    properties = "android_demo/gradle/wrapper/gradle-wrapper.properties"
    assert found(r"^distributionUrl=.*/gradle-(.*)-bin\.zip$", properties) == GRADLE
    assert found("^distributionSha256Sum=(.*)$", properties) == DISTRIBUTION
    assert f"Gradle {GRADLE}." in text("android_demo/README.md")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned(name: str) -> None:
    """By a commit: whoever owns a tag can move it."""
    uses = re.findall(r"uses: (.*)", text(f".github/workflows/{name}"))
    assert uses
    for use in uses:
        assert re.fullmatch(r"[\w/.-]+@[0-9a-f]{40} # v[\d.]+", use), use
