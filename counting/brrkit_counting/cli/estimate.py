"""``brr estimate``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.setting import DEFAULT_MECHANISM, CountsSetting, Setting
from brrkit_toolchain.cli.outputs import OUTPUT
from brrkit_toolchain.cli.shared import (
    FILE,
    JSON,
    NUMBER,
    PATH,
    NumberRange,
    print_json,
    setting_options,
)

if TYPE_CHECKING:
    from brrkit_counting.estimate.from_files import Frequencies
    from brrkit_counting.estimate.periods import Periods


@click.command()
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
    help="Take the bundle's setting for it.",
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
    help="Show the N most frequent words, or surest changes.",
)
@click.option("--word", "words", multiple=True, help="Show this word, too. Can be repeated.")
@click.option(
    "--words",
    "lists",
    type=FILE,
    multiple=True,
    help="Show the total of the words of this file, one a line. Can be repeated.",
)
@click.option(
    "--groups",
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
    help="For text: public frequencies (a file as reports are), worth WEIGHT typed words. "
    "Intervals hold without it only.",
)
@click.option(
    "--compare",
    "second",
    type=PATH,
    multiple=True,
    help="Other reports: show which words differ. Can be repeated.",
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
    default=0.01,
    show_default=True,
    type=NumberRange(0, 1),
    help="Refuse reports of which more than this share is not of the bundle.",
)
@click.option(
    "--leave-out-others",
    is_flag=True,
    help="Leave out batches of another setting than the given one, or than most have.",
)
@click.option(
    "--unexplained",
    is_flag=True,
    help="Go on with reports that the setting cannot have made.",
)
@click.option(
    "--simultaneous",
    is_flag=True,
    help="For counts: make all intervals hold together with 95%.",
)
@click.option(
    "--sum-to-one",
    is_flag=True,
    help="For counts: make shares nonnegative with the sum 1; they are then biased.",
)
@click.option(
    "--shuffled",
    "each",
    metavar="M",
    type=click.IntRange(1),
    help="For shuffled counts, at most M from each reporter: print their central epsilon.",
)
@click.option(
    "--delta",
    type=NumberRange(0, 1, min_open=True, max_open=True),
    default=1e-6,
    show_default=True,
    help="With --shuffled: delta of that guarantee.",
)
@click.option(
    "--output",
    type=OUTPUT,
    help="Write a table of all words.",
)
@click.option("--page", "page_file", type=OUTPUT, help="Write an HTML page.")
@JSON
def estimate(
    reports: tuple[Path, ...],
    bundle: Path,
    column: str | None,
    job: str | None,
    setting: Setting | CountsSetting | None,
    second_cap: float | None,
    repeats: int | None,
    top: int,
    words: tuple[str, ...],
    lists: tuple[Path, ...],
    groups: Path | None,
    by: str | None,
    prior: tuple[Path, float] | None,
    second: tuple[Path, ...],
    false_discoveries: float,
    foreign: float,
    leave_out_others: bool,
    unexplained: bool,
    simultaneous: bool,
    sum_to_one: bool,
    each: int | None,
    delta: float,
    output: Path | None,
    page_file: Path | None,
    as_json: bool,
) -> None:
    """Estimate how often words were typed, from privatized ones.

    REPORTS are made for counts, or of text by exponential: docs/reference/reports.md.

    \b
    brr estimate week.parquet --bundle my-bundle --output words.csv
    brr estimate week-1.csv --bundle my-bundle --compare week-2.csv
    brr estimate reports.jsonl --bundle my-bundle --by week
    """  # noqa: D301 - click reads the \b
    from brrkit_counting import estimate_frequencies, estimate_periods
    from brrkit_counting.cli import print_estimate as estimated
    from brrkit_counting.estimate.groups import read_group, read_groups
    from brrkit_counting.estimate.table import write_table
    from brrkit_toolchain.io.files import write_text
    from brrkit_toolchain.io.tables.formats import table_format

    if output is not None:
        table_format(output)
    if page_file is not None:
        import jinja2  # noqa: F401 - that it is missing is said before the work
    opened = WordBundle.open(bundle)
    options: dict[str, Any] = {
        "setting": setting,
        "second_cap": second_cap,
        "repeats": repeats,
        "words": [opened.tokenizer.normalize(word) for word in words],
        "groups": {str(path): read_group(path, opened) for path in lists}
        | (read_groups(groups, opened) if groups else {}),
        "simultaneous": simultaneous,
        "sum_to_one": sum_to_one,
        "false_discoveries": false_discoveries,
        "most_foreign": foreign,
        "leave_out_others": leave_out_others,
        "unexplained": unexplained,
    }
    found: Frequencies | Periods
    if by is not None:
        _check_counts(
            {"--column": column, "--for text": job == "text", "--prior": prior}
            | {"--compare": second, "--shuffled": each}
        )
        found = estimate_periods(opened, reports, by=by, **options)
    else:
        found = estimate_frequencies(
            opened,
            reports,
            column=column,
            job=job,
            compared=second,
            prior=prior,
            top=top,
            every=output is not None,
            each=each,
            delta=delta,
            progress=True,
            **options,
        )
    if output is not None:
        write_table(output, found)
    if page_file is not None:
        from brrkit_counting.pages.frequencies import render

        write_text(page_file, render(found))
    if as_json:
        print_json(estimated.to_json(found, top))
        return
    for line in estimated.lines(found, top):
        click.echo(printable(line))
    for file in filter(None, (output, page_file)):
        click.echo(printable(f"Wrote {file}"))


def _check_counts(options: Mapping[str, object]) -> None:
    """Refuse options that aren't of several periods of counts."""
    for name, value in options.items():
        if value:
            raise ParameterError(f"{name} isn't of periods; leave it out, or leave out --by")
