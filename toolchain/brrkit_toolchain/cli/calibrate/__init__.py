"""``brr calibrate``, with its own search and output for words, for a text, and for counts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import click

from brrkit import Frames, WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import MECHANISMS
from brrkit.mechanisms.exponential import BASES
from brrkit.messages import printable
from brrkit.setting import DEFAULT_MECHANISM, check_frames
from brrkit_toolchain.cli.calibrate import text, words
from brrkit_toolchain.cli.calibrate.options import CalibrateOptions
from brrkit_toolchain.cli.shared import (
    BUNDLE,
    COLUMN,
    FILE,
    JSON,
    NUMBER,
    PUBLIC_TEXT,
    check_seed,
    option_of,
    options_as,
    or_default,
    print_json,
)
from brrkit_toolchain.cli.shared.help import ShortHelp
from brrkit_toolchain.counting import CalibrationJob, FoundSetting, counting

F = TypeVar("F", bound=FoundSetting)


@click.command(cls=ShortHelp, common=("--attack-success", "--text", "--column", "--for", "--write"))
@BUNDLE
@click.option(
    "--attack-success",
    metavar="S",
    type=NUMBER,
    help="Limit the attack success, a probability. This is the default goal, at 0.2.",
)
@click.option(
    "--worst",
    metavar="W",
    type=NUMBER,
    help="With --attack-success: limit the success on the worst 1% of words, through the radius. "
    "Default for isolated: the smaller of 2.1 S and (1+S)/2.",
)
@click.option(
    "--attacker",
    type=click.Choice(["isolated", "frequencies", "sentence", "informed"]),
    help="isolated sees one released word; frequencies also knows the words' frequencies; "
    "with --text, sentence sees the released text and knows the language, informed knows "
    "all other typed words. Default: sentence with --text, unless for counts; isolated with "
    "--base uniform; else frequencies.",
)
@click.option(
    "--text",
    type=FILE,
    help="Texts similar to your users' texts: limit the attack success on them.",
)
@PUBLIC_TEXT
@COLUMN
@click.option(
    "--over",
    type=click.Choice(["content", "all", "ordinary"]),
    help="With --text: the words that count. content: beyond the 150 most frequent, no numbers; "
    "ordinary: on no list, not passing. Attackers know a word's class. Default: content.",
)
@click.option(
    "--writer",
    metavar="COLUMN",
    help="With --writer-success: the column of writers.",
)
@click.option(
    "--writer-success",
    metavar="S",
    type=NUMBER,
    help="With --text and --writer: limit how often an attacker identifies the writer from at "
    "most 100 texts or frames.",
)
@click.option(
    "--unchanged",
    metavar="SHARE",
    type=NUMBER,
    help="Limit the share of typed words that are released unchanged.",
)
@click.option(
    "--mechanism",
    help=f"Calibrate only this one: {', '.join(MECHANISMS)}. Default: all; recommend "
    f"{DEFAULT_MECHANISM}'s setting.",
)
@click.option(
    "--base",
    type=click.Choice(BASES),
    help="For exponential: as in brr measure.",
)
@click.option(
    "--cap",
    metavar="C",
    type=NUMBER,
    help="Limit on the privacy loss between any two words. Default for text: the smallest cap that "
    "costs at most 2% of the utility.",
)
@click.option(
    "--task-weight",
    metavar="W",
    type=int,
    help="How many times a differing task bit counts, from 0 to 16. Default: with --text, the "
    "weight that keeps --task-share of the task accuracy and most of the other meaning; else 1.",
)
@click.option(
    "--task-share",
    metavar="SHARE",
    type=NUMBER,
    help="With --text: the share of the best task accuracy to reach at this goal. Default: 0.97.",
)
@click.option(
    "--for",
    "job",
    type=click.Choice(["text", "counts"]),
    default="text",
    show_default=True,
    help="Collected data: text or counts of words. counts takes --attack-success or --cap.",
)
@click.option(
    "--words-a-day",
    metavar="M",
    type=int,
    help="With --for counts: the most words that a device reports a day. Default: 1.",
)
@click.option(
    "--frames",
    metavar="F",
    type=int,
    help="Let a device send text in F frames a day, whatever is typed. Default with "
    "--frame-words: 8.",
)
@click.option(
    "--frame-words",
    metavar="L",
    type=int,
    help="Words of each frame. Default with --frames: 8.",
)
@click.option("--write", is_flag=True, help="Write the recommended setting into the bundle.")
@click.option(
    "--sample",
    metavar="N",
    type=int,
    help="Measure N words; not with --text. Default: 1,000.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the random draws.")
@JSON
@options_as(CalibrateOptions)
def calibrate(
    bundle: Path, options: CalibrateOptions, job: str, write: bool, as_json: bool
) -> None:
    """Find the setting that meets one goal, for text or for counts.

    \b
    brr calibrate my-bundle --text typed.txt --attack-success 0.2 --write
    brr calibrate my-bundle --attack-success 0.2 --worst 0.5 --write
    brr calibrate my-bundle --for counts --attack-success 0.2 --write
    """  # noqa: D301 - click reads the \b
    if job == "counts":
        _run(counting().calibration(), bundle, options, write=write, as_json=as_json)
    elif options.text is not None:
        _run(text, bundle, options, write=write, as_json=as_json)
    else:
        _run(words, bundle, options, write=write, as_json=as_json)


def _run(
    job: CalibrationJob[F], bundle: Path, options: CalibrateOptions, *, write: bool, as_json: bool
) -> None:
    """Search, write and show by the functions of ``job``."""
    from brrkit_toolchain import write_recommended
    from brrkit_toolchain.bundle.writer import check_output

    check_seed(options.seed)
    for name, why in job.REFUSED.items():
        if getattr(options, name) is not None:
            raise ParameterError(f"{option_of(name)} {why}")
    frames = _frames(options)
    opened = WordBundle.open(bundle)
    if write:
        check_output(bundle.resolve(), force=True)
    found = job.find(opened, options)
    if write:
        write_recommended(bundle, found.setting, *([] if frames is None else [frames]))
    if as_json:
        print_json(
            job.to_json(opened, found) | ({} if frames is None else {"frames": asdict(frames)})
        )
        return
    job.show(opened, found)
    if frames is not None:
        click.echo(
            f"frames: {frames.a_day:,} a day, of {frames.words} words each, whatever is typed"
        )
    if write:
        click.echo(printable(f"Wrote the setting into {bundle}. {job.USED}"))


def _frames(options: CalibrateOptions) -> Frames | None:
    """Return the requested frames, if any."""
    words, a_day = options.frame_words, options.frames
    if words is None and a_day is None:
        return None
    usual = Frames()
    return check_frames(Frames(or_default(words, usual.words), or_default(a_day, usual.a_day)))
