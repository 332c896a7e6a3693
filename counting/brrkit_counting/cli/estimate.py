"""``brr estimate``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.setting import DEFAULT_MECHANISM
from brrkit_counting.estimate.options import FrequencyOptions, GroupFiles
from brrkit_toolchain.cli.shared import (
    FILE,
    JSON,
    NUMBER,
    PATH,
    NumberRange,
    options_as,
    print_json,
    setting_options,
)
from brrkit_toolchain.cli.shared.help import ShortHelp
from brrkit_toolchain.cli.shared.outputs import OUTPUT

if TYPE_CHECKING:
    from brrkit_counting.estimate.from_files import Frequencies
    from brrkit_counting.estimate.periods import Periods


@click.command(
    cls=ShortHelp,
    common=(
        "--bundle",
        "--column",
        "--by",
        "--compare",
        "--words",
        "--groups",
        "--top",
        "--output",
        "--page",
    ),
)
@click.argument("reports", type=PATH, nargs=-1, required=True)
@click.option("--bundle", type=PATH, required=True, help="The bundle that made the reports.")
@click.option(
    "--column",
    metavar="NAME",
    help="Column of REPORTS, if they are files of privatized texts.",
)
@click.option(
    "--for",
    "job",
    type=click.Choice(["text", "counts"]),
    help="Use the bundle's setting for text or for counts.",
)
@setting_options([DEFAULT_MECHANISM], counts=True)
@click.option(
    "--second-cap",
    type=NUMBER,
    help="With --cap, for counts with a keyed memory: cap of the second draws.",
)
@click.option(
    "--repeats",
    type=int,
    metavar="N",
    help="With --second-cap: how often a device may send one word in a period of its memory.",
)
@click.option(
    "--top",
    default=20,
    show_default=True,
    type=click.IntRange(0, 1_000),
    metavar="N",
    help="Show the N most frequent words, or the N most significant changes.",
)
@click.option("--word", "words", multiple=True, help="Show this word, too. Repeatable.")
@click.option(
    "--words",
    "lists",
    type=FILE,
    multiple=True,
    help="Show the total of this file's words, one per line. Repeatable.",
)
@click.option(
    "--groups",
    "groups_file",
    type=FILE,
    metavar="FILE",
    help="Show the totals of groups: a table with columns word and group.",
)
@click.option(
    "--by",
    type=click.Choice(["day", "week", "month", "file"]),
    help="For counts: show each period, and what changed.",
)
@click.option(
    "--prior",
    type=(FILE, NumberRange(0, min_open=True)),
    metavar="FILE WEIGHT",
    help="For text: public frequencies (a file like reports), worth WEIGHT typed words. "
    "Intervals are valid only without it.",
)
@click.option(
    "--compare",
    "compared",
    type=PATH,
    multiple=True,
    help="Other reports: show which words differ. Repeatable.",
)
@click.option(
    "--false-discoveries",
    type=NumberRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="With --compare, --by: largest expected share of false discoveries.",
)
@click.option(
    "--foreign",
    "most_foreign",
    default=0.01,
    show_default=True,
    type=NumberRange(0, 1),
    help="Refuse reports if more than this share is not from the bundle.",
)
@click.option(
    "--leave-out-others",
    is_flag=True,
    help="Leave out batches with settings other than the given or most frequent one.",
)
@click.option(
    "--unexplained",
    is_flag=True,
    help="Continue with reports that the setting cannot have produced.",
)
@click.option(
    "--simultaneous",
    is_flag=True,
    help="For counts: make all intervals hold jointly with 95% confidence.",
)
@click.option(
    "--sum-to-one",
    is_flag=True,
    help="For counts: make shares nonnegative with sum 1, which biases them.",
)
@click.option(
    "--shuffled",
    "per_reporter",
    metavar="M",
    type=click.IntRange(1),
    help="For shuffled counts, at most M from each reporter: print the central epsilon.",
)
@click.option(
    "--delta",
    type=NumberRange(0, 1, min_open=True, max_open=True),
    default=1e-6,
    show_default=True,
    help="With --shuffled: the delta for this epsilon.",
)
@click.option(
    "--output",
    type=OUTPUT,
    help="Write a table of all words.",
)
@click.option("--page", "page_file", type=OUTPUT, help="Write an HTML page.")
@JSON
@options_as(GroupFiles, "group_files")
@options_as(FrequencyOptions)
def estimate(
    reports: tuple[Path, ...],
    bundle: Path,
    options: FrequencyOptions,
    group_files: GroupFiles,
    by: str | None,
    output: Path | None,
    page_file: Path | None,
    as_json: bool,
) -> None:
    """Estimate how often words were typed, from privatized words.

    REPORTS contain reports for counts, or text released by exponential: spec/reports.md.

    \b
    brr estimate week.parquet --bundle my-bundle --output words.csv
    brr estimate week-1.csv --bundle my-bundle --compare week-2.csv
    brr estimate reports.jsonl --bundle my-bundle --by week
    """  # noqa: D301 - click reads the \b
    from brrkit_counting import estimate_frequencies, estimate_periods
    from brrkit_counting.cli import print_estimate
    from brrkit_counting.estimate.groups import read_group_files
    from brrkit_counting.estimate.table import write_table
    from brrkit_toolchain.io.files import write_text
    from brrkit_toolchain.io.tables.formats import table_format

    if output is not None:
        table_format(output)
    if page_file is not None:
        import jinja2  # noqa: F401 - reports a missing package before the work
    opened = WordBundle.open(bundle)
    options = replace(
        options,
        words=[opened.tokenizer.normalize(word) for word in options.words],
        groups=read_group_files(group_files, opened),
        every=output is not None,
    )
    found: Frequencies | Periods
    if by is None:
        found = estimate_frequencies(opened, reports, options, progress=True)
    else:
        _check_of_periods(options)
        found = estimate_periods(opened, reports, options, by=by)
    if output is not None:
        write_table(output, found)
    if page_file is not None:
        from brrkit_counting.pages.frequencies import render

        write_text(page_file, render(found))
    if as_json:
        print_json(print_estimate.to_json(found, options.top))
        return
    for line in print_estimate.lines(found, options.top):
        click.echo(printable(line))
    for file in filter(None, (output, page_file)):
        click.echo(printable(f"Wrote {file}"))


def _check_of_periods(options: FrequencyOptions) -> None:
    """Raise an error for options that aren't for several periods of counts."""
    of_one = {
        "--column": options.column,
        "--for text": options.job == "text",
        "--prior": options.prior,
        "--compare": options.compared,
        "--shuffled": options.per_reporter,
    }
    for name, value in of_one.items():
        if value:
            raise ParameterError(f"{name} and --by exclude each other; leave out one of them")
