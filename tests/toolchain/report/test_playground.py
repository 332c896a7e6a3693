"""The playground: one page with a bundle in it, which loads and sends nothing."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from brrkit import WordBundle
from brrkit.bundle import INDEX, MANIFEST, RANDOMIZER
from brrkit_toolchain.report.playground import TEMPLATE, playground_page

MOST = 1_100_000  # bytes, of the page with the sample, which takes 960,000 in base64
SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL)


@pytest.fixture(scope="module")
def page() -> str:
    return playground_page(WordBundle.sample(), note="A note <of> it.", home="index.html")


def data_of(page: str) -> dict[str, Any]:
    (found,) = (match["text"] for match in SCRIPT.finditer(page) if "json" in match["attributes"])
    data: dict[str, Any] = json.loads(found)
    return data


def test_it_has_what_a_device_needs_and_is_small(page: str) -> None:
    data, bundle = data_of(page), WordBundle.sample()
    assert (data["name"], data["note"], data["home"]) == ("sample", "A note <of> it.", "index.html")
    assert list(data["files"]) == [MANIFEST, INDEX, RANDOMIZER]
    for name, encoded in data["files"].items():
        assert b64decode(encoded) == (bundle.path / name).read_bytes()
    assert len(page.encode()) <= MOST


def test_its_policy_allows_its_own_script_and_style_and_no_connection(page: str) -> None:
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    policy = dict(part.split(" ", 1) for part in found[1].split("; "))
    (script,) = (m["text"] for m in SCRIPT.finditer(page) if not m["attributes"])
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)

    def digest(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    assert policy == {
        "default-src": "'none'",
        "connect-src": "'none'",
        "script-src": f"{digest(script)} 'wasm-unsafe-eval'",
        "style-src": digest(style),
        "worker-src": "blob:",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    # The policy counts from where it stands.
    assert found.start() < page.index("<style")


def test_nothing_is_loaded(page: str) -> None:
    assert not re.findall(r"<[a-z]+\b[^>]* (?:src|srcset|action)=", page)
    assert re.findall(r'<link [^>]*href="([^"]*)"', page) == ["data:,"]
    assert "@import" not in page
    assert "url(" not in page
    assert "sourceMappingURL" not in page


def test_a_name_is_text_not_markup(tmp_path: Path) -> None:
    evil = "<script>alert(1)<!--"
    folder = tmp_path / evil
    folder.mkdir()
    sample = WordBundle.sample()
    for name in (MANIFEST, INDEX, RANDOMIZER):
        (folder / name).write_bytes((sample.path / name).read_bytes())
    page = playground_page(WordBundle.open(folder))
    assert data_of(page)["name"] == evil
    assert len(SCRIPT.findall(page)) == len(SCRIPT.findall(TEMPLATE.read_text(encoding="utf-8")))
