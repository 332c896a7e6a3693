"""Each night only, or a file that is named: research isn't what a day's change is about."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from toolchain_fixtures import *  # noqa: F403

RESULTS = Path(__file__).parents[2] / "research" / "results"

collect_ignore_glob = [] if os.environ.get("BRR_NIGHTLY") else ["test_*.py"]


@pytest.fixture
def rewritten_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str, Callable[[Path, Path], object]], tuple[Path, str]]:
    """Write a page of stored results anew, elsewhere; return its folder and what is on it."""

    def run(stored: str, page: str, write_page: Callable[[Path, Path], object]) -> tuple[Path, str]:
        made = tmp_path / "research" / "results"
        made.mkdir(parents=True)
        (made / stored).symlink_to(RESULTS / stored)
        monkeypatch.chdir(tmp_path)
        write_page(Path("research/results") / stored, Path("research/results") / page)
        written = (made / page).read_text(encoding="utf-8")
        assert written == (RESULTS / page).read_text(encoding="utf-8")
        return made, written

    return run
