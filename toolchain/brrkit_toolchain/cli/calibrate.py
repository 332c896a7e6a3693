"""``brr calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import DEFAULT_MECHANISM, MECHANISMS
from brrkit.messages import printable
from brrkit_toolchain.cli.shared import BUNDLE, JSON, NUMBER, PATH, interval, print_json

if TYPE_CHECKING:
    from brrkit_toolchain.calibrate.search import Calibration, Goal, MeasuredSetting
    from brrkit_toolchain.measure.attack import Prior


@click.command()
@BUNDLE
@click.option(
    "--attack-success",
    metavar="S",
    type=NUMBER,
    help="The best possible attacker names at most this share of typed words. The default goal, "
    "with 0.2.",
)
@click.option(
    "--worst",
    metavar="W",
    type=NUMBER,
    help="With --attack-success: he names the least protected 1% of the words at most so often; "
    "the radius is the largest that keeps it. Default: 2.1 times S, if the prior is uniform.",
)
@click.option(
    "--prior",
    type=click.Choice(["uniform", "text"]),
    default="uniform",
    show_default=True,
    help="How often the attacker reckons with each word: all alike, or as in running text.",
)
@click.option(
    "--unchanged",
    metavar="SHARE",
    type=NUMBER,
    help="At most this share of typed words come out as themselves.",
)
@click.option(
    "--madlib-epsilon",
    metavar="E",
    type=NUMBER,
    help="The estimated privacy loss of the full-size mechanism at its epsilon E.",
)
@click.option(
    "--support", metavar="N", type=NUMBER, help="Words hide among at least N outputs, effectively."
)
@click.option(
    "--utility-loss",
    metavar="C",
    type=NUMBER,
    help="The expected loss is at most C; for vickrey, t is chosen too (Algorithm 2).",
)
@click.option(
    "--labels",
    type=PATH,
    help="CSV or TSV file with the columns word and label: measure these words, and lose 1 when "
    "the output has another label or none. Default: all words, distance to the output / bits.",
)
@click.option(
    "--mechanism",
    help=f"The mechanism to recommend: {', '.join(MECHANISMS)}. Default: {DEFAULT_MECHANISM} under "
    "a limit on the attacker; for other goals the one that loses least where it reaches it.",
)
@click.option("--write", is_flag=True, help="Write the recommended setting into the bundle.")
@click.option("--sample", metavar="N", default=1_000, show_default=True, help="Words to measure.")
@click.option("--seed", default=0, show_default=True, help="Of the words and the draws.")
@JSON
def calibrate(
    bundle: Path,
    worst: float | None,
    prior: Prior,
    labels: Path | None,
    mechanism: str | None,
    write: bool,
    sample: int,
    seed: int,
    as_json: bool,
    **goals: float | None,
) -> None:
    """Find the epsilon of every mechanism that meets one goal.

    \b
    brr calibrate my-bundle --attack-success 0.2 --worst 0.5 --write
    brr calibrate my-bundle --utility-loss 0.1 --labels sentiment.csv --mechanism vickrey --write
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain.bundle.writer import check_output
    from brrkit_toolchain.calibrate.recommend import write_recommended
    from brrkit_toolchain.calibrate.search import DEFAULT_GOAL, Goal
    from brrkit_toolchain.calibrate.search import calibrate as find
    from brrkit_toolchain.measure.losses import read_labels

    given = {name.replace("_", "-"): goal for name, goal in goals.items() if goal is not None}
    if len(given) > 1:
        raise ParameterError(f"--{' and --'.join(given)} exclude each other; give one goal")
    if mechanism is not None and mechanism not in MECHANISMS:
        raise ParameterError(f"there is no such mechanism; choose one of: {', '.join(MECHANISMS)}")
    kind, target = given.popitem() if given else (DEFAULT_GOAL.kind, DEFAULT_GOAL.target)
    goal = Goal(kind, target, worst, prior)
    opened = WordBundle.open(bundle)
    if write:
        check_output(bundle.resolve(), force=True)
    labelled = read_labels(labels, opened) if labels else None
    found = find(opened, goal, labels=labelled, sample=sample, seed=seed)
    recommended = found.recommended(mechanism)
    if write:
        chosen_for = f"{goal}" + (f" ({labels.name})" if labels else "")
        write_recommended(bundle, recommended.setting(chosen_for, prior))
    if as_json:
        _print_json(goal, found, recommended)
        return
    if labelled is not None:
        click.echo(
            printable(
                f"{len(labelled.words):,} labelled words ({', '.join(labelled.names)}); "
                f"{labelled.unknown:,} others are out of vocabulary"
            )
        )
    _print(goal, found, recommended)
    if write:
        click.echo(printable(f"Wrote it into {bundle}: used where no epsilon is given"))


def _print_json(goal: Goal, found: Calibration, recommended: MeasuredSetting) -> None:
    chosen = {name: row.to_json() for name, row in found.chosen.items()}
    unreached = {name: {"epsilon": None, "why": why} for name, why in found.unreached.items()}
    print_json(
        {
            "goal": {"kind": goal.kind, "target": goal.target, "prior": goal.prior}
            | ({} if goal.worst is None else {"worst": goal.worst}),
            "mechanisms": {name: (chosen | unreached)[name] for name in MECHANISMS},
            "recommended": recommended.mechanism,
            "table": [row.to_json() for row in found.table],
        }
    )


def _print(goal: Goal, found: Calibration, recommended: MeasuredSetting) -> None:
    click.echo(_HEADER)
    for row in found.table:
        click.echo(_line(row))
    click.echo(f"\nGoal: {goal}\n{_HEADER}")
    for row in found.chosen.values():
        click.echo(_line(row) + ("  <- recommended" if row is recommended else ""))
        if row.certificate is not None:
            certified = row.certificate.certified_epsilon
            click.echo(
                f"  certified: these words lose at most {certified:.4g} a bit (E "
                f"{certified / row.epsilon * row.estimated_loss:.1f}), any others {row.epsilon:.4g}"
            )
    for name, why in found.unreached.items():
        click.echo(f"{name}: {why}")


_HEADER = (
    f"{'mechanism':<22}{'epsilon':>8}{'E':>7}  {'unchanged':<19}{'support':<21}"
    f"{'attack success':<19}{'worst 1%':<10}utility loss"
)


def _line(row: MeasuredSetting) -> str:
    parameters = "".join(f" {name}={value:g}" for name, value in row.parameters.items())
    worst = "-" if row.worst is None else f"{row.worst:.3f}"
    return (
        f"{row.mechanism + parameters:<22}{row.epsilon:>8.4g}{row.estimated_loss:>7.1f}  "
        f"{interval(row.unchanged, 3):<19}{interval(row.support, 1):<21}"
        f"{interval(row.attack_success, 3):<19}{worst:<10}{interval(row.utility_loss, 3)}"
    )
