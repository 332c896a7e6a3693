"""Tables and figures of the documentation, written from stored results.

    python -m benchmarks.pages

rewrites in README.md, docs and benchmarks/results what is between

    <!-- numbers: NAME -->
    <!-- end -->

by the table NAME of ``benchmarks.tables``, with the command that made it, and the figures of
``benchmarks.figures``. What isn't stored stays as it is, and is named.
"""

from __future__ import annotations

import click

from benchmarks.figures import FIGURES
from benchmarks.notebook import Notebook
from benchmarks.provenance import ROOT
from benchmarks.store import FOLDER, TIMED
from benchmarks.tables import TABLES

NOTEBOOK = Notebook(
    places=(ROOT / "README.md", ROOT / "docs", ROOT / "benchmarks" / "results"),
    tables=TABLES,
    results=FOLDER,
    program="python -m benchmarks",
    timed=TIMED,
    figures=FIGURES,
)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Rewrite the documentation's tables and figures from the stored results."""
    NOTEBOOK.write()


if __name__ == "__main__":
    main()
