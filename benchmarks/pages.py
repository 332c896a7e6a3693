"""Tables and figures of the documentation, written from stored results.

    python -m benchmarks.pages

rewrites in README.md, docs and benchmarks/results what is between

    <!-- numbers: NAME -->
    <!-- end -->

by the table NAME of ``benchmarks.tables``, with the command that made it, and the figures of
``benchmarks.figures``. What isn't stored stays as it is, and is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import click

from benchmarks.figures import FIGURES
from benchmarks.provenance import ROOT, doubt
from benchmarks.store import FOLDER, TIMED, DoubtfulError, Stored, commands, read
from benchmarks.tables import TABLES
from brrkit_toolchain.defaults import DEFAULT_BITS, DEFAULT_EFFORT, DEFAULT_METHOD

_BLOCK = re.compile(r"(<!-- numbers: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


class NotStoredError(Exception):
    """A table or figure lacks a result, or has one that it mustn't show."""


def pages(root: Path = ROOT) -> Iterator[Path]:
    """Return the pages that have tables."""
    folders = (root / "docs", root / "benchmarks" / "results")
    found = (page for folder in folders for page in sorted(folder.rglob("*.md")))
    for page in (root / "README.md", *found):
        if _BLOCK.search(page.read_text(encoding="utf-8")):
            yield page


def names(text: str) -> list[str]:
    """Return the tables that a page asks for."""
    return [match[2] for match in _BLOCK.finditer(text)]


def rewritten(text: str, folder: Path = FOLDER) -> tuple[str, dict[str, str]]:
    """Return a page with its tables as stored, and what couldn't be written, by name.

    Args:
        text: of the page.
        folder: holds the stored results.
    """
    missing: dict[str, str] = {}

    def block(match: re.Match[str]) -> str:
        try:
            return f"{match[1]}\n{table(match[2], folder)}\n{match[3]}"
        except (NotStoredError, DoubtfulError) as error:
            missing[match[2]] = str(error)
            return match[0]

    return _BLOCK.sub(block, text), missing


def table(name: str, folder: Path = FOLDER) -> str:
    """Return a table in Markdown, with the commands that made it in small print.

    Raises:
        NotStoredError: there is no such table, or a result that it needs isn't stored, was quick,
            or isn't of the method, effort and bits that the pages speak of.
    """
    if name not in TABLES:
        raise NotStoredError(f"no table has this name; they are: {', '.join(TABLES)}")
    wanted = TABLES[name]
    results = [_result(source, folder) for source in wanted.sources]
    small = _small_print(results, wanted.command, commands_only=wanted.commands_only)
    return f"{wanted.make(*results)}\n{small}\n"


def figures(folder: Path = FOLDER) -> tuple[dict[str, str], dict[str, str]]:
    """Return the figures by their names, and what couldn't be drawn."""
    drawn: dict[str, str] = {}
    missing: dict[str, str] = {}
    for name, (sources, draw) in FIGURES.items():
        try:
            drawn[name] = draw(*(_result(source, folder) for source in sources))
        except NotStoredError as error:
            missing[name] = str(error)
    return drawn, missing


def _result(source: str, folder: Path) -> Stored:
    result = read(source, folder)
    if result is None:
        raise NotStoredError(f"{source} isn't stored")
    if result.quick:
        raise NotStoredError(f"{source} is of a quick run")
    if (why := doubt(source, asdict(result), timed=result.benchmark in TIMED)) is not None:
        raise NotStoredError(f"{source} {why}; measure it again")
    made = result.method["name"], result.method["effort"]
    if made != (DEFAULT_METHOD, DEFAULT_EFFORT) and source not in LOW_EFFORT:
        raise NotStoredError(f"{source} is of codes by {made[0]} at {made[1]} effort")
    if result.bits != DEFAULT_BITS:
        raise NotStoredError(f"{source} is of {result.bits} bits, not {DEFAULT_BITS}")
    return result


LOW_EFFORT = frozenset(
    {
        "sample-10k/size",
        "sample-10k/repeated",
        "sample-10k/amount",
        "sample-10k/new-words",
        "sample-10k/example",
        "sample-10k/tasks-intents",
        "sample-10k/tasks-atis",
        "wikipedia-10k-atis/tasks-atis",
        "wikipedia-10k-rating/tasks-rating",
        "wikipedia-10k/tasks-unsupervised",
        "wikipedia-10k-sentiment/tasks-peers",
        "wikipedia-10k-sentiment/tasks-writers",
        "wikipedia-10k-sentiment/tasks-vectors",
    }
)
"""Results of small bundles, which are made at low effort."""


def _small_print(results: list[Stored], command: str, *, commands_only: bool) -> str:
    lines = [f"`{line}`" for line in [*filter(None, [command]), *commands(results)]]
    if commands_only:
        return f"<sub>{' · '.join(lines)}</sub>"
    described = dict.fromkeys(result.describe() for result in results)
    machines = dict.fromkeys(result.describe_machine() for result in results)
    return f"<sub>{' · '.join([*lines, *described, *machines])}</sub>"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Rewrite the documentation's tables and figures from the stored results."""
    missing: Mapping[str, str]
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new, missing = rewritten(text)
        page.write_text(new, encoding="utf-8")
        _tell(page, missing, changed=new != text)
    drawn, missing = figures()
    for name, figure in drawn.items():
        path = ROOT / "docs" / "figures" / name
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(figure, encoding="utf-8")
        _tell(path, {}, changed=before != figure)
    _tell(ROOT / "docs" / "figures", missing, changed=False)


def _tell(path: Path, missing: Mapping[str, str], *, changed: bool) -> None:
    if changed:
        click.echo(f"{path.relative_to(ROOT)}: rewritten")
    for name, why in missing.items():
        click.echo(f"{path.relative_to(ROOT)}: {name} stays as it was: {why}")


if __name__ == "__main__":
    main()
