"""``brr estimate``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.setting import DEFAULT_MECHANISM, CountsSetting, Setting
from brrkit.tokenizer import Tokenizer
from brrkit_toolchain.cli.outputs import OUTPUT
from brrkit_toolchain.cli.shared import (
    FILE,
    JSON,
    NUMBER,
    PATH,
    Number,
    print_json,
    setting_options,
)

if TYPE_CHECKING:
    from brrkit_toolchain.estimate.estimate import Share
    from brrkit_toolchain.estimate.from_files import Frequencies


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
    help="Show the N most frequent words.",
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
    "--prior",
    type=(FILE, Number(0, min_open=True)),
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
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="With --compare: largest expected share of false discoveries.",
)
@click.option(
    "--foreign",
    default=0.01,
    show_default=True,
    type=Number(0, 1),
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
    type=Number(0, 1, min_open=True, max_open=True),
    default=1e-6,
    show_default=True,
    help="With --shuffled: delta of that guarantee.",
)
@click.option("--output", type=OUTPUT, help="Write a table of all words.")
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
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain import estimate_frequencies
    from brrkit_toolchain.estimate.table import write_table
    from brrkit_toolchain.io.files import write_text
    from brrkit_toolchain.io.tables.formats import table_format

    if output is not None:
        table_format(output)
    if page_file is not None:
        import jinja2  # noqa: F401 - that it is missing is said before the work
    opened = WordBundle.open(bundle)
    found = estimate_frequencies(
        opened,
        reports,
        setting=setting,
        column=column,
        job=job,
        second_cap=second_cap,
        repeats=repeats,
        compared=second,
        prior=prior,
        top=top,
        words=[opened.tokenizer.normalize(word) for word in words],
        lists={str(path): _read_list(path, opened.tokenizer) for path in lists},
        every=output is not None,
        simultaneous=simultaneous,
        sum_to_one=sum_to_one,
        each=each,
        delta=delta,
        false_discoveries=false_discoveries,
        most_foreign=foreign,
        leave_out_others=leave_out_others,
        unexplained=unexplained,
        progress=True,
    )
    if output is not None:
        write_table(output, found.estimate)
    if page_file is not None:
        from brrkit_toolchain.report.frequencies import render

        write_text(page_file, render(found))
    if as_json:
        print_json(_to_json(found))
        return
    for line in _lines(found):
        click.echo(printable(line))
    for file in filter(None, (output, page_file)):
        click.echo(printable(f"Wrote {file}"))


def _read_list(path: Path, tokenizer: Tokenizer) -> list[str]:
    from brrkit_toolchain.io.files import text_lines

    words = [tokenizer.normalize(line.strip()) for line in text_lines(path, "the word list")]
    if not any(words):
        raise ParameterError(f"{path}: the word list is empty; write a word on each line")
    return [word for word in words if word]


def _lines(frequencies: Frequencies) -> Iterable[str]:
    origin, found, compared = frequencies.origin, frequencies.estimate, frequencies.comparison
    yield f"{found.reports:,} reports, {origin.foreign:,} others not of this bundle (left out)"
    if origin.repeated:
        yield f"{origin.repeated:,} batches came more than once; they were counted once"
    if origin.others:
        yield f"{origin.others:,} batches were made with another setting (left out)"
    if not found.explained:
        yield (
            "WARNING: these reports don't look like ones of this setting "
            f"({found.misfit:,.0f} standard deviations from the best explanation): unless a prior "
            "is why, the intervals are wrong"
        )
    if found.fit is not None:
        yield (
            f"likelihood: within {found.fit.gap:,.0f} nats of the largest; noise makes about "
            f"{(found.counts > 0).sum() / 2:,.0f}"
        )
    unknown = found.unknown
    yield f"unknown words: {unknown.low:.3g} to {unknown.high:.3g} of what was typed"
    yield f"half of the vocabulary's words are seen if typed more often than {found.detectable:.2g}"
    if (central := frequencies.shuffled) is not None:
        yield (
            f"shuffled: what is known of one reporter differs by at most epsilon "
            f"{central.epsilon:.4g} with delta {central.delta:g}; unshuffled by {central.local:.4g}"
        )
    for title, shares in (
        ("word", found.top),
        ("word asked for", found.asked),
        ("list", found.totals),
    ):
        if shares:
            yield ""
            yield f"{title:<20}{'came out':>12}{'share':>11}   95% interval"
            yield from map(_line, shares)
    if compared is not None:
        yield ""
        yield (
            f"{len(compared.differences)} of {compared.tested} words differ (false discoveries: "
            f"{compared.rate:g} of them at most)"
        )
        if compared.differences:
            yield f"{'word':<20}{'first':>11}{'second':>11}   {'95% of the difference':<24}p, adj."
        for d in compared.differences:
            ends = f"{d.low:+.2e} to {d.high:+.2e}"
            yield f"{d.name:<20}{d.first:>11.3e}{d.second:>11.3e}   {ends:<24}{d.adjusted:.2g}"


def _line(share: Share) -> str:
    line = (
        f"{share.name:<20}{share.reports:>12,}{share.share:>11.3e}   "
        f"{share.low:.3e} to {share.high:.3e}"
    )
    if share.merged:
        line += f"   like {', '.join(share.merged[:3])}"
        line += f" and {len(share.merged) - 3} more" if len(share.merged) > 3 else ""
    return line


def _to_json(frequencies: Frequencies) -> dict[str, Any]:
    found, compared = frequencies.estimate, frequencies.comparison
    return {
        **asdict(frequencies.origin),
        "reports": found.reports,
        "unknown": asdict(found.unknown),
        "detectable": found.detectable,
        "misfit": found.misfit,
        "explained": found.explained,
        "likelihood": found.fit
        and {
            "gap": found.fit.gap,
            "tolerance": found.fit.tolerance,
            "evaluations": found.fit.evaluations,
        },
        "top": [asdict(share) for share in found.top],
        "words": [asdict(share) for share in found.asked],
        "lists": [asdict(share) for share in found.totals],
        "comparison": asdict(compared) if compared else None,
        "shuffled": asdict(frequencies.shuffled) if frequencies.shuffled else None,
    }
