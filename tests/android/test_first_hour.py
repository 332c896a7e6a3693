"""The lines of docs/how-to/android.md are those that the consumer project runs."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_lines_are_the_consumers() -> None:
    source = (ROOT / "android_demo/consumer/src/main/kotlin/KotlinApp.kt").read_text("utf-8")
    lines = source[source.index("fun send(") :]
    assert len(lines.splitlines()) <= 12
    assert f"```kotlin\n{lines}```\n" in (ROOT / "docs/how-to/android.md").read_text("utf-8")
