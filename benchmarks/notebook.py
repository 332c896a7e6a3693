"""Notebooks: pages with tables and figures from stored results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click

from benchmarks.provenance import ROOT, doubt
from benchmarks.store import DoubtfulError, Stored, commands, read
from benchmarks.tables.table import Table
from brrkit_toolchain.defaults import DEFAULT_BITS, DEFAULT_EFFORT, DEFAULT_METHOD

_BLOCK = re.compile(r"(<!-- numbers: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
_FIGURES = ROOT / "docs" / "figures"

LOW_EFFORT = frozenset(
    {
        "encyclopedia-10k",
        "sample-ag-news",
        "sample-emoji",
        "sample-sst2",
        "wikipedia-10k",
        "wikipedia-10k-atis",
        "wikipedia-10k-rating",
        "wikipedia-10k-sentiment",
    }
)
"""Small bundles, made with low effort."""


class NotStoredError(Exception):
    """A table or figure lacks a result, or has a result that it must not show."""


@dataclass(frozen=True)
class Notebook:
    """=Pages, with the sources of their tables and figures.

    Attributes:
        places: pages, and folders of pages.
        tables: tables, by the name in a page's marker.
        results: the folder of the stored results.
        program: the program that made them, as typed.
        timed: names of benchmarks whose tables have times.
        figures: stored results and the drawing function of each figure, by its name in
            docs/figures.
    """

    places: Sequence[Path]
    tables: Mapping[str, Table]
    results: Path
    program: str
    timed: frozenset[str]
    figures: Mapping[str, tuple[tuple[str, ...], Callable[..., str]]] = field(default_factory=dict)

    def pages(self) -> Iterator[Path]:
        """Return the pages that have tables."""
        for place in self.places:
            for page in sorted(place.rglob("*.md")) if place.is_dir() else [place]:
                if _BLOCK.search(page.read_text(encoding="utf-8")):
                    yield page

    def rewritten(self, text: str) -> tuple[str, dict[str, str]]:
        """Return a page with its stored tables, and the names of those that couldn't be written."""
        missing: dict[str, str] = {}

        def block(match: re.Match[str]) -> str:
            try:
                return f"{match[1]}\n{self.table(match[2])}\n{match[3]}"
            except (NotStoredError, DoubtfulError) as error:
                missing[match[2]] = str(error)
                return match[0]

        return _BLOCK.sub(block, text), missing

    def table(self, name: str) -> str:
        """Return a table in Markdown, with its commands in small print.

        Raises:
            NotStoredError: there is no such table, or a result for it isn't stored, was quick, or
                has another method, effort or number of bits than on the pages.
        """
        if name not in self.tables:
            raise NotStoredError(f"no table has this name; they are: {', '.join(self.tables)}")
        wanted = self.tables[name]
        results = [self._result(source) for source in wanted.sources]
        return f"{wanted.make(*results)}\n{self._small_print(results, wanted)}\n"

    def drawn(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the figures by their names, and those that couldn't be drawn."""
        drawn: dict[str, str] = {}
        missing: dict[str, str] = {}
        for name, (sources, draw) in self.figures.items():
            try:
                drawn[name] = draw(*map(self._result, sources))
            except NotStoredError as error:
                missing[name] = str(error)
        return drawn, missing

    def write(self) -> None:
        """Rewrite pages and figures from the stored results; print the changed and missing ones."""
        missing: Mapping[str, str]
        for page in self.pages():
            text = page.read_text(encoding="utf-8")
            new, missing = self.rewritten(text)
            page.write_text(new, encoding="utf-8")
            _tell(page, missing, changed=new != text)
        drawn, missing = self.drawn()
        for name, figure in drawn.items():
            path = _FIGURES / name
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            path.write_text(figure, encoding="utf-8")
            _tell(path, {}, changed=before != figure)
        _tell(_FIGURES, missing, changed=False)

    def _result(self, source: str) -> Stored:
        result = read(source, self.results)
        if result is None:
            raise NotStoredError(f"{source} isn't stored")
        if result.quick:
            raise NotStoredError(f"{source} is of a quick run")
        timed = result.benchmark in self.timed
        if (why := doubt(asdict(result), timed=timed)) is not None:
            raise NotStoredError(f"{source} {why}; measure it again")
        made = result.method["name"], result.method["effort"]
        low = source.partition("/")[0] in LOW_EFFORT
        if made != (DEFAULT_METHOD, DEFAULT_EFFORT) and not low:
            raise NotStoredError(f"{source} is of codes by {made[0]} at {made[1]} effort")
        if result.bits != DEFAULT_BITS:
            raise NotStoredError(f"{source} is of {result.bits} bits, not {DEFAULT_BITS}")
        return result

    def _small_print(self, results: list[Stored], wanted: Table) -> str:
        typed = [*filter(None, [wanted.command]), *commands(self.program, results)]
        lines = [f"`{line}`" for line in typed]
        if wanted.commands_only:
            return f"<sub>{' · '.join(lines)}</sub>"
        described = dict.fromkeys(result.describe() for result in results)
        machines = dict.fromkeys(result.describe_machine() for result in results)
        return f"<sub>{' · '.join([*lines, *described, *machines])}</sub>"


def names(text: str) -> list[str]:
    """Return the names of a page's tables."""
    return [match[2] for match in _BLOCK.finditer(text)]


def _tell(path: Path, missing: Mapping[str, str], *, changed: bool) -> None:
    if changed:
        click.echo(f"{path.relative_to(ROOT)}: rewritten")
    for name, why in missing.items():
        click.echo(f"{path.relative_to(ROOT)}: {name} stays as it was: {why}")
