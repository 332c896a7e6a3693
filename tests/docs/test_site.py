"""What ``make site`` looks for in the pages that it has built."""

from __future__ import annotations

from pathlib import Path

from dashes import main


def test_options_that_lose_a_dash_are_named(tmp_path: Path) -> None:
    page = tmp_path / "cli" / "index.html"
    page.parent.mkdir()
    for content, wrong in (
        ("<style>–a</style><p>give <code>--text</code>, or – well – nothing</p>", None),
        ("<p>give <code> --text</code> or <code>–words</code></p>", "–words has lost a dash"),
        ("<p>give nothing</p>", "no page has an option"),
    ):
        page.write_text(content, encoding="utf-8")
        found = main(str(tmp_path))
        assert found is None if wrong is None else wrong in str(found)
