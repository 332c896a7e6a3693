"""The texts of the iOS demo's interface: the same in all languages, and none in the sources."""

from __future__ import annotations

import plistlib
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
KEYBOARD = ROOT / "ios_demo" / "Keyboard"
ANDROID = ROOT / "android_demo"
LANGUAGES = ["de", "en", "es", "fr", "pt"]
TABLES = ["InfoPlist", "Localizable", "Symbols"]
SOURCES = [
    path
    for each in ("App", "Extension", "Logic", "Views")
    for path in (KEYBOARD / each).glob("*.swift")
]

_PAIR = re.compile(r'"((?:[^"\\]|\\.)*)" = "((?:[^"\\]|\\.)*)";\n')
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def table(language: str, name: str) -> dict[str, str]:
    """Return what a .strings file has."""
    text = (KEYBOARD / "Resources" / f"{language}.lproj" / f"{name}.strings").read_text("utf-8")
    rest = re.sub(r"/\*.*?\*/|\n", "", _PAIR.sub("", text))
    assert not rest, rest
    pairs = _PAIR.findall(text)
    assert len(dict(pairs)) == len(pairs)
    return {unescape(key): unescape(value) for key, value in pairs}


def unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), text)


def plurals(language: str) -> dict[str, Any]:
    """Return the forms of what is counted, by key and category."""
    file = KEYBOARD / "Resources" / f"{language}.lproj" / "Localizable.stringsdict"
    loaded = plistlib.loads(file.read_bytes())
    for entry in loaded.values():
        assert entry["NSStringLocalizedFormatKey"] == "%#@words@"
        assert entry["words"].pop("NSStringFormatSpecTypeKey") == "NSStringPluralRuleType"
        assert entry["words"].pop("NSStringFormatValueTypeKey") == "ld"
    return {key: entry["words"] for key, entry in loaded.items()}


def arguments(text: str) -> list[str]:
    """Return what a text has in the places of arguments, in any order."""
    return sorted(re.findall(r"%(?:\d+\$)?(?:@|l?[a-z])", text))


def code(path: Path) -> str:
    """Return a source without its comments."""
    return re.sub(r"(?<!:)//.*", "", path.read_text("utf-8"))


def test_these_are_the_languages() -> None:
    assert sorted(path.stem for path in (KEYBOARD / "Resources").iterdir()) == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TABLES)
def test_a_language_has_every_text_with_its_arguments(language: str, name: str) -> None:
    english, other = table("en", name), table(language, name)
    assert list(other) == list(english)
    for key, text in other.items():
        assert text.strip() == text != ""
        assert arguments(text) == arguments(english[key]), key
        if language != "en" and re.search(r"[A-Za-z]{3} [A-Za-z]{2}", english[key]):
            assert text != english[key], key
    if language != "en":
        same = {text for key, text in other.items() if text == english[key] and len(text) > 4}
        assert len(same) < 8, same


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_counted_has_the_forms_of_the_language(language: str) -> None:
    forms = plurals(language)
    assert set(forms) == set(plurals("en"))
    wanted = {"one", "other"} | ({"many"} if language in {"es", "fr", "pt"} else set())
    for key, texts in forms.items():
        assert set(texts) == wanted, key
        assert len(set(texts.values())) == len(texts)
        assert all(arguments(text) == ["%ld"] for text in texts.values())


def test_a_file_names_its_own_language() -> None:
    for language in LANGUAGES:
        assert table(language, "Localizable")["language"] == language


def test_the_way_to_the_keyboard_ends_with_its_name() -> None:
    for language in LANGUAGES:
        texts = table(language, "Localizable")
        assert table(language, "InfoPlist") == {"CFBundleDisplayName": texts["app_name"]}
        assert f" › {texts['app_name']}. " in texts["switch_on_how"]


def test_the_sources_use_all_texts_and_no_others() -> None:
    keys = set(table("en", "Localizable")) | set(plurals("en"))
    literals = {each for path in SOURCES for each in _LITERAL.findall(code(path))}
    built = {f"mechanism_{name}_note" for name in ("brr", "vickrey", "exponential")}
    assert keys - literals - built == set()
    asked = {
        each
        for path in SOURCES
        for each in re.findall(r'(?:text|say|title|ends)\(\s*"(\w+)"', code(path))
    }
    assert asked - keys == set()
    assert len(asked) > 30


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_text_stands_in_a_source(path: Path) -> None:
    for_developers = re.compile(r"fatalError|preconditionFailure")
    lines = [line for line in code(path).splitlines() if not for_developers.search(line)]
    for literal in set(_LITERAL.findall("\n".join(lines))) - set(TABLES):
        assert not re.search(r"[A-Za-z]{2,} +[A-Za-z]{2,}|^[A-Z][a-z]{2,}$", literal), literal


# Where the phones differ: in what keeps the secret, in the names of keys, in how one tries it.
OWN = {"key_next", "key_switch", "memory_note", "try_it_hint"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_wording_is_androids(language: str) -> None:
    folder = "values" if language == "en" else f"values-{language}"
    files = [
        ANDROID / "keyboard/src/main/res" / folder / "strings.xml",
        ANDROID / "brr-keyboard/src/main/res" / folder / "brr_strings.xml",
    ]
    if not (ANDROID / "keyboard/src/main/res/values-de").exists():
        pytest.skip("Android's interface speaks English only")
    android = {
        each.attrib["name"]: "".join(each.itertext())
        for file in files
        for each in ElementTree.parse(file).getroot().iter("string")
    }
    compared = 0
    for key, text in table(language, "Localizable").items():
        if key in OWN or key not in android or key.startswith("mechanism_"):
            continue
        theirs = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), android[key])
        assert re.sub(r"%(\d)\$s", r"%\1$@", unescape(theirs)) == text, key
        compared += 1
    assert compared > 60
