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
# Of Gradle 9.4.1, as Gradle publishes it; the wrapper starts any version.
WRAPPER = "55243ef57851f12b070ad14f7f5bb8302daceeebc5bce5ece5fa6edb23e1145c"
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
    """The one binary here: nobody reads it in a review."""
    content = (ANDROID / "gradle" / "wrapper" / "gradle-wrapper.jar").read_bytes()
    assert hashlib.sha256(content).hexdigest() == WRAPPER


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_pinned(name: str) -> None:
    """By a commit: whoever owns a tag can move it."""
    uses = re.findall(r"uses: (.*)", text(f".github/workflows/{name}"))
    assert uses
    for use in uses:
        assert re.fullmatch(r"[\w/.-]+@[0-9a-f]{40} # v[\d.]+", use), use
