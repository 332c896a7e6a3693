"""The Xcode project of the demo keyboard, which no test here can build: its parts fit together."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
KEYBOARD = ROOT / "ios_demo" / "Keyboard"
PROJECT = KEYBOARD / "BrrKeyboard.xcodeproj" / "project.pbxproj"

_SKIPPED = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.S)
_ATOM = re.compile(r'"((?:[^"\\]|\\.)*)"|([\w./$-]+)')


def parse(text: str) -> Any:
    """Return the value of a property list in the old ASCII form, which has all of a project."""
    at = 0

    def skip() -> str:
        nonlocal at
        match = _SKIPPED.match(text, at)
        assert match
        at = match.end()
        return text[at : at + 1]

    def take(expected: str) -> None:
        nonlocal at
        assert skip() == expected, text[at : at + 40]
        at += 1

    def value() -> Any:
        nonlocal at
        if skip() == "{":
            take("{")
            fields: dict[str, Any] = {}
            while skip() != "}":
                key = value()
                assert key not in fields, key
                take("=")
                fields[key] = value()
                take(";")
            take("}")
            return fields
        if skip() == "(":
            take("(")
            items = []
            while skip() != ")":
                items.append(value())
                if skip() != ")":
                    take(",")
            take(")")
            return items
        match = _ATOM.match(text, at)
        assert match, text[at : at + 40]
        at = match.end()
        return match[2] if match[1] is None else match[1].encode().decode("unicode_escape")

    result = value()
    assert skip() == ""
    return result


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """Return the project file."""
    loaded = parse(PROJECT.read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def of_kind(project: dict[str, Any], isa: str) -> list[dict[str, Any]]:
    found = [each for each in project["objects"].values() if each["isa"] == isa]
    assert found
    return found


def test_every_reference_is_to_an_object_and_every_object_is_referred_to(
    project: dict[str, Any],
) -> None:
    objects = project["objects"]
    referred = {project["rootObject"]}

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            for each in value:
                collect(each)
        elif re.fullmatch("[0-9A-F]{24}", value):
            referred.add(value)

    for each in objects.values():
        collect(each)
    assert referred == set(objects)


def test_every_path_exists(project: dict[str, Any]) -> None:
    groups = of_kind(project, "PBXFileSystemSynchronizedRootGroup")
    folders = {"App", "Extension", "Logic", "Resources", "Views"}
    assert {group["path"] for group in groups} == folders
    for group in groups:
        assert (KEYBOARD / group["path"]).is_dir()
        for exceptions in group.get("exceptions", []):
            for name in project["objects"][exceptions]["membershipExceptions"]:
                assert (KEYBOARD / group["path"] / name).is_file()
    for file in of_kind(project, "PBXFileReference"):
        if file["sourceTree"] == "<group>":
            assert (KEYBOARD / file["path"]).is_file()
    for package in of_kind(project, "XCLocalSwiftPackageReference"):
        assert (KEYBOARD / package["relativePath"] / "Package.swift").is_file()
    for product in of_kind(project, "XCSwiftPackageProductDependency"):
        assert f'.library(name: "{product["productName"]}"' in (ROOT / "Package.swift").read_text()


def test_both_targets_have_all_their_sources_and_verify_the_bundle(project: dict[str, Any]) -> None:
    objects = project["objects"]
    targets = {each["name"]: each for each in of_kind(project, "PBXNativeTarget")}
    own = {"BrrKeyboard": "App", "BrrKeyboardExtension": "Extension"}
    assert set(targets) == set(own)
    for name, target in targets.items():
        groups = {objects[each]["path"] for each in target["fileSystemSynchronizedGroups"]}
        assert groups == {own[name], "Logic", "Resources", "Views"}
        phases = [objects[each] for each in target["buildPhases"]]
        scripts = [each for each in phases if each["isa"] == "PBXShellScriptBuildPhase"]
        assert [each["shellScript"] for each in scripts] == ['exec "$SRCROOT/bundle.sh"\n']
        settings = objects[target["buildConfigurationList"]]["buildConfigurations"]
        for each in settings:
            path = KEYBOARD / objects[each]["buildSettings"]["INFOPLIST_FILE"]
            assert path == KEYBOARD / own[name] / "Info.plist"
    settings = [each["buildSettings"] for each in of_kind(project, "XCBuildConfiguration")]
    assert {each["SWIFT_VERSION"] for each in settings if "SWIFT_VERSION" in each} == {"6.0"}
    identifiers = {each.get("PRODUCT_BUNDLE_IDENTIFIER") for each in settings} - {None}
    # iOS installs an extension only if its identifier begins with the app's.
    assert identifiers == {"org.brrkit.keyboard", "org.brrkit.keyboard.extension"}


def test_the_project_and_the_products_name_all_languages(project: dict[str, Any]) -> None:
    languages = {path.stem for path in (KEYBOARD / "Resources").glob("*.lproj")}
    (root,) = of_kind(project, "PBXProject")
    assert set(root["knownRegions"]) == languages | {"Base"}
    for place in ("App", "Extension"):
        info = plistlib.loads((KEYBOARD / place / "Info.plist").read_bytes())
        assert set(info["CFBundleLocalizations"]) == languages
        assert info["CFBundleDevelopmentRegion"] == root["developmentRegion"] == "en"


def test_the_app_has_an_icon(project: dict[str, Any]) -> None:
    catalog = KEYBOARD / "App" / "Assets.xcassets"
    settings = [each["buildSettings"] for each in of_kind(project, "XCBuildConfiguration")]
    named = [each for each in settings if "ASSETCATALOG_COMPILER_APPICON_NAME" in each]
    assert [each["INFOPLIST_FILE"] for each in named] == 2 * ["App/Info.plist"]
    for each in named:
        icons = catalog / f"{each['ASSETCATALOG_COMPILER_APPICON_NAME']}.appiconset"
        (image,) = json.loads((icons / "Contents.json").read_text("utf-8"))["images"]
        content = (icons / image["filename"]).read_bytes()
        width, height, depth, colors = struct.unpack(">II2B", content[16:26])
        assert image["size"] == f"{width}x{height}" == "1024x1024"
        assert (depth, colors) == (8, 2)  # red, green and blue: the store takes no transparency
    assert json.loads((catalog / "Contents.json").read_text("utf-8"))["info"]["version"] == 1


def test_the_extension_is_a_keyboard_without_open_access() -> None:
    info = plistlib.loads((KEYBOARD / "Extension" / "Info.plist").read_bytes())
    extension = info["NSExtension"]
    assert extension["NSExtensionPointIdentifier"] == "com.apple.keyboard-service"
    assert extension["NSExtensionAttributes"]["RequestsOpenAccess"] is False
    module, name = extension["NSExtensionPrincipalClass"].split(".")
    assert module == "$(PRODUCT_MODULE_NAME)"
    sources = [path.read_text("utf-8") for path in (KEYBOARD / "Extension").glob("*.swift")]
    assert any(f"final class {name}: UIInputViewController" in source for source in sources)
    assert not list(KEYBOARD.rglob("*.entitlements"))  # nothing is asked for


@pytest.mark.parametrize(
    "place", ["Brrkit/Sources", "BrrkitKeyboard/Sources", "Keyboard/App", "Keyboard/Extension"]
)
def test_privacy_manifests_name_what_is_used(place: str) -> None:
    folder = ROOT / "ios_demo" / place
    manifest = plistlib.loads((folder / "PrivacyInfo.xcprivacy").read_bytes())
    assert manifest["NSPrivacyTracking"] is False
    assert manifest["NSPrivacyCollectedDataTypes"] == manifest["NSPrivacyTrackingDomains"] == []
    named = {each["NSPrivacyAccessedAPIType"] for each in manifest["NSPrivacyAccessedAPITypes"]}
    others = [KEYBOARD / "Logic", KEYBOARD / "Views"] if place.startswith("Keyboard") else []
    code = "".join(
        path.read_text("utf-8") for each in [folder, *others] for path in each.rglob("*.swift")
    )
    used = {
        "FileTimestamp": r"\bl?f?stat\(",
        "SystemBootTime": r"systemUptime|CLOCK_MONOTONIC",
        "UserDefaults": r"UserDefaults",
        "DiskSpace": r"statfs|volumeAvailableCapacity",
    }
    for category, pattern in used.items():
        if re.search(pattern, code):
            assert f"NSPrivacyAccessedAPICategory{category}" in named
    assert all(
        each["NSPrivacyAccessedAPITypeReasons"] for each in manifest["NSPrivacyAccessedAPITypes"]
    )


def build_phase(
    bundle: Path, product: Path, bundles: Path = Path("none")
) -> subprocess.CompletedProcess[str]:
    settings = {
        "SRCROOT": str(KEYBOARD),
        "TARGET_BUILD_DIR": str(product),
        "UNLOCALIZED_RESOURCES_FOLDER_PATH": "BrrKeyboard.app",
        "BRR_BUNDLE": str(bundle),
        "BRR_BUNDLES": str(bundles),
    }
    command = [str(KEYBOARD / "bundle.sh")]
    return subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, check=False
    )


def test_the_build_phase_copies_a_verified_bundle_of_each_language(
    sample_bundle: Path, tmp_path: Path
) -> None:
    shutil.copytree(sample_bundle, tmp_path / "bundles" / "pt-BR")
    done = build_phase(sample_bundle, tmp_path, tmp_path / "bundles")
    assert done.returncode == 0, done.stdout
    product = tmp_path / "BrrKeyboard.app" / "bundles"
    assert {path.name for path in product.iterdir()} == {"en", "pt-BR"}
    for folder in product.iterdir():
        copied = {path.name for path in folder.iterdir()}
        assert copied == {"manifest.json", "index.safetensors", "randomizer.tflite"}


def test_the_build_phase_refuses_a_damaged_bundle(sample_bundle: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copytree(sample_bundle, tmp_path / "bundle"))
    content = bytearray((damaged / "index.safetensors").read_bytes())
    content[-1] ^= 1
    (damaged / "index.safetensors").write_bytes(content)
    done = build_phase(damaged, tmp_path)
    assert done.returncode == 1
    assert "error:" in done.stdout
    assert not (tmp_path / "BrrKeyboard.app").exists()
    (tmp_path / "others").mkdir()
    damaged.rename(tmp_path / "others" / "fr")
    assert build_phase(sample_bundle, tmp_path, tmp_path / "others").returncode == 1
    assert not (tmp_path / "BrrKeyboard.app" / "bundles" / "fr").exists()
