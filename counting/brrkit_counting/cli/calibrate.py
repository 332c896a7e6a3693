"""``brr calibrate --for counts``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import ceil
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit_toolchain.channel.manifest_info import word_of
from brrkit_toolchain.cli.calibrate.verdict import against, verdict
from brrkit_toolchain.cli.shared import or_default
from brrkit_toolchain.rounding import at_most, exact

if TYPE_CHECKING:
    from brrkit_counting.calibrate import CountsCalibration
    from brrkit_toolchain.cli.calibrate.options import CalibrateOptions

_OPTIONS_OF_TEXT = (
    *("worst", "over", "writer", "writer_success", "unchanged"),
    *("mechanism", "base", "sample", "task_weight", "task_share", "frames", "frame_words"),
)
REFUSED: Mapping[str, str] = dict.fromkeys(_OPTIONS_OF_TEXT, "is for text; leave it out")
USED = "Counts uses it wherever no setting is given"


def find(bundle: WordBundle, options: CalibrateOptions) -> CountsCalibration:
    """Return the setting for counts."""
    from brrkit_counting import calibrate_counts
    from brrkit_toolchain import TextFiles

    text = None
    if options.text is not None:
        text = TextFiles(options.text, options.public_text, options.column)
    elif options.public_text is not None or options.column is not None:
        raise ParameterError("public_text and column need a text; add it")
    return calibrate_counts(
        bundle,
        attack_success=options.attack_success,
        cap=options.cap,
        attacker=options.attacker,
        words_a_day=or_default(options.words_a_day, 1),
        text=text,
        seed=options.seed,
        progress=True,
    )


def to_json(_bundle: WordBundle, found: CountsCalibration) -> dict[str, Any]:
    """Return the result as JSON types."""
    return asdict(found) | {"exceeds": found.exceeds}


def show(bundle: WordBundle, found: CountsCalibration) -> None:
    """Print the setting, and its cost."""
    setting, word = found.setting, word_of(bundle.list_of)
    who = f"attacker: {found.attacker}, who sees one report"
    named = f"all {word}s"
    if found.target is None:
        reached = f"privacy loss of a report at most the given cap, {setting.cap:g}"
        click.echo(verdict(reached, 0.0, f"{named} {found.reached.value:.3f}", who))
    else:
        click.echo(verdict(against(named, found.reached, found.target), found.exceeds, who))
    day = exact(found.loss) * setting.words_a_day
    reports = "one report" if setting.words_a_day == 1 else f"{setting.words_a_day} reports"
    click.echo(
        f"counts, cap {setting.cap:g}: privacy loss at most {at_most(found.loss)} between any two "
        f"{word}s of a report, {at_most(day)} between any two days of {reports}"
    )
    click.echo(
        f"A {word} is kept with probability {found.kept:.4f}, and so is the symbol for unknown "
        f"{word}s; otherwise, a random one of all these is released"
    )
    measured = ", ".join(f"{name} {value:.3f}" for name, value in setting.measured.items())
    click.echo(f"Attack success on one report, over all {word}s of the vocabulary: {measured}")
    for rank, share in found.shares.items():
        if rank in found.needed:
            click.echo(
                f"  the {word} of rank {rank:,} ({share:.2e} of what is typed) is estimated to "
                f"within 20% from {ceil(found.needed[rank]):,} reports"
            )
