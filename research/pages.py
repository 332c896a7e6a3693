"""Tables of research/results, written from stored results.

    python -m research.pages

does there what ``python -m benchmarks.pages`` does for the documentation.
"""

from __future__ import annotations

import click

from benchmarks.notebook import Notebook
from research import FOLDER, RESULTS
from research.tables import TABLES

NOTEBOOK = Notebook(
    places=(RESULTS,),
    tables=TABLES,
    results=FOLDER,
    program="python -m research",
    timed=frozenset({"libraries", "new-words"}),
)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Rewrite the tables of research/results from the stored results."""
    NOTEBOOK.write()


if __name__ == "__main__":
    main()
