"""``brr estimate``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms.exponential import UNIFORM, WORDS
from brrkit.messages import printable
from brrkit_toolchain.cli.outputs import OUTPUT
from brrkit_toolchain.cli.shared import FILE, JSON, NUMBER, PATH, Number, print_json

if TYPE_CHECKING:
    from brrkit_toolchain.frequencies.estimate import Share
    from brrkit_toolchain.frequencies.from_files import Frequencies


@click.command()
@click.argument("reports", type=PATH, nargs=-1, required=True)
@click.option("--bundle", type=PATH, required=True, help="The bundle that made the reports.")
@click.option(
    "--column",
    metavar="NAME",
    help="REPORTS are files of privatized texts, in this column, as brr privatize writes them.",
)
@click.option(
    "--epsilon",
    type=NUMBER,
    help="That reports of text were made with. Default: what they say, or else what the bundle "
    "recommends for counts, or if nothing, for text.",
)
@click.option("--radius", type=int, help="With --epsilon, if it isn't the default.")
@click.option(
    "--base", type=click.Choice([UNIFORM, WORDS]), help="With --epsilon, if it isn't the default."
)
@click.option(
    "--cap",
    type=NUMBER,
    help="Without --epsilon: that reports for counts were made with. With it: of text, if any.",
)
@click.option("--second-cap", type=NUMBER, help="With that: of draws after a keyed memory's.")
@click.option(
    "--repeats",
    type=int,
    metavar="N",
    help="With that: how often a device may send one word in a period of its memory.",
)
@click.option("--top", default=20, show_default=True, type=click.IntRange(0, 1_000), metavar="N")
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
    help="For text: public frequencies, a file as reports are; worth as much as WEIGHT typed "
    "words. The intervals hold without it only.",
)
@click.option("--compare", "second", type=PATH, multiple=True, help="Other reports: what differs?")
@click.option(
    "--false-discoveries",
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Expected share of the differing words that don't differ, at most.",
)
@click.option(
    "--foreign",
    default=0.01,
    show_default=True,
    type=Number(0, 1),
    help="Refuse reports of which more than this share isn't of the bundle.",
)
@click.option(
    "--leave-out-others",
    is_flag=True,
    help="Leave out batches of another setting than --epsilon and --radius, or than most have.",
)
@click.option(
    "--simultaneous",
    is_flag=True,
    help="For counts: all intervals hold together with 95%, instead of each.",
)
@click.option(
    "--sum-to-one",
    is_flag=True,
    help="For counts: no share below 0, and 1 together, instead of unbiased shares.",
)
@click.option(
    "--shuffled",
    "each",
    metavar="M",
    type=click.IntRange(1),
    help="For counts that came shuffled, M at most from each reporter: print what that guarantees.",
)
@click.option(
    "--delta",
    type=Number(0, 1, min_open=True, max_open=True),
    default=1e-6,
    show_default=True,
    help="With --shuffled: of that guarantee.",
)
@click.option("--output", type=OUTPUT, help="Table of all words to write: .csv or .parquet.")
@click.option("--page", "page_file", type=OUTPUT, help="HTML page to write.")
@JSON
def estimate(
    reports: tuple[Path, ...],
    bundle: Path,
    column: str | None,
    epsilon: float | None,
    radius: int | None,
    base: str | None,
    cap: float | None,
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
    simultaneous: bool,
    sum_to_one: bool,
    each: int | None,
    delta: float,
    output: Path | None,
    page_file: Path | None,
    as_json: bool,
) -> None:
    """Estimate how often words were typed, from privatized ones.

    REPORTS are files of privatized words: text, .csv or .parquet with columns word and count
    (.parquet may be a folder, and without count), or .json and .jsonl (docs/reference/reports.md).
    They are made for counts (brr calibrate --for counts), or of text by the mechanism exponential.

    \b
    brr estimate week.parquet --bundle my-bundle --output words.csv
    brr estimate week-1.csv --bundle my-bundle --compare week-2.csv
    brr estimate private.csv --bundle my-bundle --column text
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain import estimate_frequencies
    from brrkit_toolchain.frequencies.table import check_name, write_table
    from brrkit_toolchain.system.files import write_text

    if output is not None:
        check_name(output)
    if page_file is not None:
        import jinja2  # noqa: F401 - that it is missing is said before the work
    found = estimate_frequencies(
        WordBundle.open(bundle),
        reports,
        column=column,
        epsilon=epsilon,
        radius=radius,
        base=base,
        cap=cap,
        second_cap=second_cap,
        repeats=repeats,
        compared=second,
        prior=prior,
        top=top,
        words=words,
        lists={str(path): _read_list(path) for path in lists},
        every=output is not None,
        simultaneous=simultaneous,
        sum_to_one=sum_to_one,
        each=each,
        delta=delta,
        false_discoveries=false_discoveries,
        most_foreign=foreign,
        leave_out_others=leave_out_others,
        progress=True,
    )
    if output is not None:
        write_table(output, found.estimate)
    if page_file is not None:
        from brrkit_toolchain.frequencies.page import render

        write_text(page_file, render(found))
    if as_json:
        print_json(_to_json(found))
        return
    for line in _lines(found):
        click.echo(printable(line))
    for file in filter(None, (output, page_file)):
        click.echo(printable(f"Wrote {file}"))


def _read_list(path: Path) -> list[str]:
    from brrkit.tokenizer import normalize
    from brrkit_toolchain.system.files import text_lines

    words = [normalize(line.strip()) for line in text_lines(path, "the word list")]
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
            f"({found.misfit:.0f} standard deviations); check the setting, and who sent them"
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
