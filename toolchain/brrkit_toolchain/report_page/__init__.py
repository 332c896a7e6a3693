"""The report page, of ``brr report``: for a privacy reviewer and for a product manager."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from brrkit import WordBundle
from brrkit_toolchain.report_page.content import gather
from brrkit_toolchain.report_page.page import render
from brrkit_toolchain.system.files import write_text
from brrkit_toolchain.system.outputs import check_outputs


def write_report_page(
    bundle: WordBundle,
    output: str | os.PathLike[str],
    *,
    words: Sequence[str] | None = None,
    audit: bool = True,
    seed: int = 0,
    progress: bool = False,
) -> None:
    """Measure a bundle and write what it is and does as one self-contained HTML file.

    Args:
        bundle: an opened bundle.
        output: file to write or replace, at once or not at all.
        words: examples to show; some everyday words of the vocabulary by default.
        audit: run ``brr audit`` on every mechanism and show its result.
        seed: of the samples of words. The examples and the audit draw from the operating system.
        progress: show bars on standard error, where that is a terminal.

    Raises:
        BundleError: the manifest has no distances, or a setting that can't be run.
        OutOfVocabularyError: an example isn't in the vocabulary.
        OutputError: the page can't be written.
    """
    output = Path(output)
    check_outputs([bundle.path], [output])
    content = gather(bundle, words, audit=audit, seed=seed, progress=progress)
    write_text(output, render(content))
