"""The documentation's lines in Kotlin are those that the consumer project compiles."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent

ROOT = Path(__file__).parents[2]


def test_the_lines_are_the_consumers() -> None:
    source = (ROOT / "android_demo/consumer/src/main/kotlin/KotlinApp.kt").read_text("utf-8")
    lines = source[source.index("fun send(") :]
    assert len(lines.splitlines()) <= 12
    assert f"```kotlin\n{lines}```\n" in (ROOT / "docs/how-to/android.md").read_text("utf-8")


def test_the_kotlin_tabs_are_the_consumers() -> None:
    source = (ROOT / "android_demo/consumer/src/main/kotlin/UseABundle.kt").read_text("utf-8")
    page = (ROOT / "docs/how-to/use-a-bundle.md").read_text("utf-8")
    blocks = re.findall(r"^```kotlin\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) == page.count("{tab-item} Kotlin") > 1
    body = "\n".join(indent(block, "    ") for block in blocks)
    assert source.partition(") {\n")[2] == f"{body}}}\n"
