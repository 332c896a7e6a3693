"""The documentation's lines in Kotlin are those that the consumer project compiles."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent

import pytest

ROOT = Path(__file__).parents[2]


def test_the_lines_are_the_consumers() -> None:
    source = (ROOT / "android_demo/consumer/src/main/kotlin/KotlinApp.kt").read_text("utf-8")
    lines = source[source.index("fun send(") :]
    assert len(lines.splitlines()) <= 12
    assert f"```kotlin\n{lines}```\n" in (ROOT / "docs/how-to/android.md").read_text("utf-8")


def test_the_lines_of_a_section_are_the_consumers() -> None:
    page = (ROOT / "docs/how-to/android.md").read_text("utf-8")
    section = page.partition("## Mark what is secret\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```kotlin\n(.*?)^```$", section, re.M | re.S)
    lines = "\n".join(indent(block, "    ") for block in blocks)
    source = (ROOT / "android_demo/consumer/src/main/kotlin/Secrets.kt").read_text("utf-8")
    assert source.endswith(f" {{\n{lines}}}\n")


@pytest.mark.parametrize(
    ("page", "source", "margin"),
    [
        ("how-to/use-a-bundle.md", "UseABundle.kt", "    "),
        ("how-to/run-for-months.md", "RunForMonths.kt", "    "),
        ("tutorial/keyboard.md", "KeyboardApp.kt", ""),
    ],
)
def test_a_pages_blocks_are_the_end_of_a_consumers_file(
    page: str, source: str, margin: str
) -> None:
    written = (ROOT / "docs" / page).read_text("utf-8")
    blocks = re.findall(r"^```kotlin\n(.*?)^```$", written, re.M | re.S)
    assert len(blocks) > 1
    lines = "\n".join(indent(block, margin) for block in blocks)
    compiled = (ROOT / "android_demo/consumer/src/main/kotlin" / source).read_text("utf-8")
    assert compiled.endswith(f"\n{lines}{margin and '}' + chr(10)}")
