"""``--help`` of every module of the benchmarks says what it does, and does nothing."""

from __future__ import annotations

import pytest
from help_text import help_of, mains

MAINS = mains("benchmarks")
WRITE = {f"benchmarks.{name}" for name in ("shuffled", "candidates", "emoji_week", "written_in")}


@pytest.mark.parametrize("module", MAINS)
def test_help_is_safe(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(MAINS) >= WRITE
    assert ("--output FILE" in help_of(module, monkeypatch, capsys)) == (module in WRITE)
