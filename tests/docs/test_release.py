"""What a release consists of fits together: version numbers, Gradle's wrapper, workflows."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
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
HOW = "the version is pyproject.toml's; uvx bump-my-version bump (RELEASING.md) writes the others"
WORKFLOWS = [
    *sorted((ROOT / ".github" / "workflows").glob("*.yml")),
    ROOT / "docs" / "reference" / "examples" / "verify-bundle.yml",
]
MAY = {"release.yml": {"attestations: write", "contents: write", "id-token: write"}}


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def found(pattern: str, path: str) -> str:
    match = re.search(pattern, text(path), re.MULTILINE)
    assert match, path
    return match[1]


def test_one_version_number() -> None:
    """pyproject.toml states it; the other files that do are those that bump-my-version edits."""
    version = found(r'^version = "(.*)"$', "pyproject.toml")
    assert found(r"^version=(.*)$", "android_demo/gradle.properties") == version, HOW
    for library in ("brr-runtime", "brr-keyboard"):
        assert f'implementation("org.brrkit:{library}:{version}")' in text(
            "docs/how-to/android.md"
        ), HOW
    project = text("ios_demo/Keyboard/BrrKeyboard.xcodeproj/project.pbxproj")
    assert set(re.findall(r"MARKETING_VERSION = (.*);", project)) == {version}, HOW
    for file in ("package.json", "package-lock.json"):
        assert json.loads(text(f"web_demo/{file}"))["version"] == version, HOW
    poms = [ANDROID / "pom.xml", *ANDROID.glob("*/pom.xml")]
    stated = set()
    for path in poms:
        root = ElementTree.parse(path).getroot()
        parent = root.find(f"{POM}parent")
        for entry in [root if parent is None else parent, *root.iter(f"{POM}dependency")]:
            if entry.findtext(f"{POM}groupId") == "org.brrkit":
                stated.add(entry.findtext(f"{POM}version"))
    assert len(poms) >= 5
    assert stated - {"${project.version}"} == {version}, HOW


def test_every_file_with_the_version_is_known() -> None:
    """Whoever writes it into one more file adds that to the list."""
    version = found(r'^version = "(.*)"$', "pyproject.toml")
    listed = re.findall(r'^(?:filename|glob) = "(.*)"$', text("pyproject.toml"), re.MULTILINE)
    known = {path for pattern in listed for path in ROOT.glob(pattern)}
    known |= {ROOT / "pyproject.toml", ROOT / "CHANGELOG.md"}
    measured = [
        f":!*.{suffix}" for suffix in ("csv", "json", "svg")
    ]  # others' versions, and numbers
    names = subprocess.run(
        ["git", "grep", "-lIwF", version, "--", ".", *measured],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    unknown = {ROOT / name for name in names} - known
    assert not unknown, (
        f"{unknown} state {version}: add them to [tool.bumpversion] in pyproject.toml"
    )


def test_gradles_wrapper_is_gradles() -> None:
    """The one binary here, of the version that it starts: nobody reads it in a review."""
    content = (ANDROID / "gradle" / "wrapper" / "gradle-wrapper.jar").read_bytes()
    assert hashlib.sha256(content).hexdigest() == WRAPPER
    properties = "android_demo/gradle/wrapper/gradle-wrapper.properties"
    assert found(r"^distributionUrl=.*/gradle-(.*)-bin\.zip$", properties) == GRADLE
    assert found("^distributionSha256Sum=(.*)$", properties) == DISTRIBUTION
    assert f"Gradle {GRADLE}." in text("android_demo/README.md")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned(path: Path) -> None:
    """By a commit: whoever owns a tag can move it."""
    uses = re.findall(r"uses: (?!\./)(.*)", path.read_text(encoding="utf-8"))
    assert uses
    for use in uses:
        assert re.fullmatch(r"[\w/.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use), use


def test_an_action_is_one_commit_everywhere() -> None:
    pins: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for action, commit in re.findall(
            r"uses: ([\w/.-]+)@(.*)", path.read_text(encoding="utf-8")
        ):
            pins.setdefault(action, set()).add(commit)
    assert [action for action, commits in pins.items() if len(commits) > 1] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_job_may_what_it_must(path: Path) -> None:
    """Reading, unless a job says otherwise; and none of them hangs."""
    content = path.read_text(encoding="utf-8")
    assert "\npermissions:\n  contents: read\n" in content
    granted = set(re.findall(r"^      ([\w-]+: write)$", content, re.MULTILINE))
    assert granted == MAY.get(path.name, set())
    assert content.count("runs-on:") == content.count("timeout-minutes:")


def test_a_tag_is_the_version() -> None:
    """One form for all; SwiftPM takes vX.Y.Z for X.Y.Z. PyPI's page links to the tag."""
    release = text(".github/workflows/release.yml")
    assert 'tags: ["v*"]' in release
    assert """grep -qx "version = \\"${GITHUB_REF_NAME#v}\\"" pyproject.toml""" in release
    assert text("pyproject.toml").count("brrkit/v$HFPR_VERSION/") == 1
    assert text("pyproject.toml").count("/blob/v$HFPR_VERSION/") == 1


def test_the_stated_pythons_are_tested() -> None:
    tested = found(r"^        python: \[(.*)\]$", ".github/workflows/ci.yml")
    stated = re.findall(r"Programming Language :: Python :: (3\.\d+)", text("pyproject.toml"))
    assert stated == re.findall(r"3\.\d+", tested)
    assert found(r'^requires-python = ">=(.*)"$', "pyproject.toml") == stated[0]
