"""``brr calibrate``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import DEFAULT_MECHANISM, MECHANISMS
from brrkit.messages import printable
from brrkit_toolchain.cli.shared import BUNDLE, JSON, NUMBER, PATH, interval, print_json

if TYPE_CHECKING:
    from brrkit_toolchain.calibrate.goals import Goal
    from brrkit_toolchain.calibrate.search import Calibration
    from brrkit_toolchain.measure.attack import Prior
    from brrkit_toolchain.measure.curves import MeasuredSetting
    from brrkit_toolchain.measure.losses import Labels


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
    help="With --attack-success: they name the least protected 1% of the words at most so often; "
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
    "--utility-loss",
    metavar="C",
    type=NUMBER,
    help="The expected loss is at most C; for vickrey, t is chosen too (Algorithm 2).",
)
@click.option(
    "--labels",
    type=PATH,
    help="With --utility-loss: a CSV or TSV file with the columns word and label. Measure these "
    "words, and lose 1 when the output has another label or none. Default: all words, distance to "
    "the output / bits.",
)
@click.option(
    "--mechanism",
    help=f"Find the setting of this one only: {', '.join(MECHANISMS)}. Default: of all, and "
    f"recommend {DEFAULT_MECHANISM}'s.",
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
    **targets: float | None,
) -> None:
    """Find the setting that meets one goal.

    \b
    brr calibrate my-bundle --attack-success 0.2 --worst 0.5 --write
    brr calibrate my-bundle --utility-loss 0.1 --labels sentiment.csv --mechanism vickrey --write
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain.bundle.writer import check_output
    from brrkit_toolchain.calibrate.recommend import write_recommended
    from brrkit_toolchain.measure.losses import read_labels

    if mechanism is not None and mechanism not in MECHANISMS:
        raise ParameterError(f"there is no such mechanism; choose one of: {', '.join(MECHANISMS)}")
    if labels is not None and targets.get("utility_loss") is None:
        raise ParameterError("--labels says what --utility-loss is of; give that too")
    goal = _goal(targets, worst, prior)
    opened = WordBundle.open(bundle)
    if write:
        check_output(bundle.resolve(), force=True)
    labelled = read_labels(labels, opened) if labels else None
    find = partial(_find, opened, labels=labelled, sample=sample, seed=seed, progress=True)
    recommended = find(goal, mechanism=mechanism or DEFAULT_MECHANISM)
    found: dict[str, Calibration | str] = {recommended.measured.mechanism: recommended}
    if mechanism is None:
        found = {name: found.get(name) or _beside(find, goal, name) for name in MECHANISMS}
    if write:
        chosen_for = f"{goal}" + (f" ({labels.name})" if labels else "")
        write_recommended(bundle, replace(recommended.setting, goal=chosen_for))
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


def _goal(targets: dict[str, float | None], worst: float | None, prior: Prior) -> Goal:
    """Return the goal of which the options say the target."""
    from brrkit_toolchain.calibrate import goals

    kinds: dict[str, Callable[[float], Goal]] = {
        "attack_success": lambda target: goals.AttackSuccess(target, worst, prior),
        "unchanged": lambda target: goals.Unchanged(target, prior),
        "madlib_epsilon": lambda target: goals.MadlibEpsilon(target, prior),
        "utility_loss": lambda target: goals.UtilityLoss(target, prior),
    }
    given = {kind: target for kind, target in targets.items() if target is not None}
    if len(given) > 1:
        options = " and ".join(f"--{kind.replace('_', '-')}" for kind in given)
        raise ParameterError(f"{options} exclude each other; give one goal")
    if not given:
        return goals.AttackSuccess(worst=worst, prior=prior)
    kind, target = given.popitem()
    if worst is not None and kind != "attack_success":
        raise ParameterError("--worst is a limit beside --attack-success; give that too")
    return kinds[kind](target)


def _find(bundle: WordBundle, goal: Goal, *, labels: Labels | None, **options: Any) -> Calibration:
    """Return the setting of a mechanism that meets the goal; the options are ``calibrate``'s."""
    from brrkit_toolchain.calibrate.goals import AttackSuccess, Unchanged
    from brrkit_toolchain.calibrate.papers import calibrate_as_published
    from brrkit_toolchain.calibrate.search import calibrate

    if isinstance(goal, AttackSuccess | Unchanged):
        return calibrate(bundle, goal, **options)
    return calibrate_as_published(bundle, goal, labels=labels, **options)


def _beside(find: Callable[..., Calibration], goal: Goal, mechanism: str) -> Calibration | str:
    """Return the setting of a mechanism that isn't recommended, or why it has none."""
    from brrkit_toolchain.calibrate.goals import AttackSuccess

    if isinstance(goal, AttackSuccess):  # how its least protected words fare isn't computed
        goal = replace(goal, worst=None)
    try:
        return find(goal, mechanism=mechanism)
    except ParameterError as error:
        return str(error)


def _print_json(goal: Goal, found: dict[str, Calibration | str], recommended: Calibration) -> None:
    kind, _, _ = str(goal).partition(" ")
    worst = getattr(goal, "worst", None)
    print_json(
        {
            "goal": {"kind": kind, "target": goal.target, "prior": goal.prior}
            | ({} if worst is None else {"worst": worst}),
            "mechanisms": {
                name: {"epsilon": None, "why": row} if isinstance(row, str) else _fields(row)
                for name, row in found.items()
            },
            "recommended": recommended.measured.mechanism,
        }
    )


def _fields(row: Calibration) -> dict[str, Any]:
    certificate = {} if row.certificate is None else {"certificate": asdict(row.certificate)}
    return {**row.measured.to_json(), **certificate}


def _print(goal: Goal, found: dict[str, Calibration | str], recommended: Calibration) -> None:
    click.echo(f"Goal: {goal}\n{_HEADER}")
    for row in found.values():
        if isinstance(row, str):
            continue
        click.echo(_line(row.measured) + ("  <- recommended" if row is recommended else ""))
        if row.certificate is not None:
            certified, epsilon = row.certificate.certified_epsilon, row.measured.epsilon
            click.echo(
                f"  certified: these words lose at most {certified:.4g} a bit "
                f"(E {certified / epsilon * row.measured.estimated_loss:.1f}), "
                f"any others {epsilon:.4g}"
            )
    for name, why in found.items():
        if isinstance(why, str):
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
