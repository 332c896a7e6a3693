"""``brr report``: one page, for a privacy reviewer and for a product manager."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from brrkit import WordBundle
from brrkit_toolchain.report.content import gather
from brrkit_toolchain.report.page import render
from brrkit_toolchain.system.files import write_text
from brrkit_toolchain.system.outputs import check_outputs


def write_report(
    bundle: str | Path,
    output: str | Path,
    *,
    words: Sequence[str] | None = None,
    audit: bool = True,
    seed: int = 0,
    progress: bool = True,
) -> None:
    """Measure a bundle and write what it is and does as one self-contained HTML file.

    Args:
        bundle: the bundle's directory.
        output: file to write or replace, at once or not at all.
        words: examples to show; some everyday words of the vocabulary by default.
        audit: run ``brr audit`` on every mechanism and show its result.
        seed: of the samples of words. The examples and the audit draw from the operating system.
        progress: show progress bars on standard error.

    Raises:
        BrrError: the bundle, a word or the output is no good.
    """
    output = Path(output)
    check_outputs([Path(bundle)], [output])
    content = gather(WordBundle.open(bundle), words, audit=audit, seed=seed, progress=progress)
    write_text(output, render(content))
