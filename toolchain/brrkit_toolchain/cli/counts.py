"""``brr calibrate --for counts``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit_toolchain.cli.shared import print_json

if TYPE_CHECKING:
    from brrkit_toolchain.counts.calibrate import CountsCalibration


def calibrate_for_counts(
    bundle: Path, of_text: Mapping[str, Any], *, write: bool, as_json: bool, **options: Any
) -> None:
    """Find the setting for counts, write and print it; the options are ``calibrate_counts``'s.

    Raises:
        ParameterError: one of the options ``of_text`` is given, or another one is out of range.
    """
    from brrkit_toolchain.bundle.writer import check_output
    from brrkit_toolchain.calibrate.recommend import write_recommended
    from brrkit_toolchain.counts.calibrate import calibrate_counts

    for name, value in of_text.items():
        if value is not None:
            raise ParameterError(f"--{name.replace('_', '-')} is for text; leave it out")
    if options["seed"] < 0:
        raise ParameterError(f"--seed must be 0 or more, not {options['seed']}")
    opened = WordBundle.open(bundle)
    if write:
        check_output(bundle.resolve(), force=True)
    found = calibrate_counts(opened, **options, progress=True)
    if write:
        write_recommended(bundle, found.setting)
    if as_json:
        print_json(asdict(found))
        return
    _print(found)
    if write:
        click.echo(printable(f"Wrote it into {bundle}: used by Counts where no cap is given"))


def _print(found: CountsCalibration) -> None:
    setting = found.setting
    click.echo(f"Goal: {setting.goal}")
    day = found.loss * setting.words_a_day
    click.echo(
        f"counts, cap {setting.cap:g}: any two words lose at most {found.loss:.4g} in a report, "
        f"any two days {day:.4g} ({setting.words_a_day} reports a day)"
    )
    click.echo(f"A word is kept with probability {found.kept:.4f}; else any word comes out")
    named = ", ".join(f"{name} {value:.3f}" for name, value in setting.measured.items())
    click.echo(f"Attack success, of one report: {named}")
    for rank, share in found.shares.items():
        if rank in found.needed:
            click.echo(
                f"  the word of rank {rank:,} ({share:.2e} of what is typed) is known to within "
                f"20% from {found.needed[rank]:,.0f} reports"
            )
