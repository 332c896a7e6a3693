"""``brr calibrate``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import DEFAULT_MECHANISM, MECHANISMS
from brrkit.mechanisms.exponential import BASES, UNIFORM, check_base
from brrkit.messages import printable
from brrkit_toolchain.cli.counts import calibrate_for_counts
from brrkit_toolchain.cli.shared import (
    BUNDLE,
    COLUMN,
    FILE,
    JSON,
    LANGUAGE,
    NUMBER,
    PATH,
    interval,
    print_json,
)
from brrkit_toolchain.cli.text_attack import print_attack, refuse_without_text

if TYPE_CHECKING:
    from brrkit_toolchain.attackers.guesses import Attacker
    from brrkit_toolchain.calibrate.goals import Goal, Over, TextAttackSuccess
    from brrkit_toolchain.calibrate.search import Calibration
    from brrkit_toolchain.calibrate.texts import TextCalibration
    from brrkit_toolchain.measure.attack import WordAttacker
    from brrkit_toolchain.measure.curves import MeasuredSetting
    from brrkit_toolchain.measure.losses import Labels


@click.command()
@BUNDLE
@click.option(
    "--attack-success",
    metavar="S",
    type=NUMBER,
    help="Limit the attacker's success, a probability. This is the default goal, with 0.2.",
)
@click.option(
    "--worst",
    metavar="W",
    type=NUMBER,
    help="With --attack-success: limit the success on the worst 1% of words, by the radius. "
    "Default: 2.1 S, if the attacker is isolated.",
)
@click.option(
    "--attacker",
    type=click.Choice(["isolated", "frequencies", "sentence", "informed"]),
    help="isolated sees one released word; frequencies also knows how often words are typed; "
    "with --text, sentence sees the released text and knows the language, informed knows "
    "all other typed words. Default: sentence with --text, isolated with --base uniform, "
    "else frequencies.",
)
@click.option(
    "--text",
    type=FILE,
    help="Texts like those that users type: limit the success on these.",
)
@LANGUAGE
@COLUMN
@click.option(
    "--over",
    type=click.Choice(["content", "all"]),
    help="With --text: which words count; content: beyond the 150 most frequent; attackers know "
    "it. Default: content.",
)
@click.option(
    "--unchanged",
    metavar="SHARE",
    type=NUMBER,
    help="Limit the share of typed words that are released unchanged.",
)
@click.option(
    "--madlib-epsilon",
    metavar="E",
    type=NUMBER,
    help="Match the E of Laplace noise on float vectors at its epsilon E.",
)
@click.option(
    "--utility-loss",
    metavar="C",
    type=NUMBER,
    help="Limit the expected utility loss; for vickrey, t is chosen too (Algorithm 2).",
)
@click.option(
    "--labels",
    type=PATH,
    help="With --utility-loss: CSV or TSV file with columns word and label. Only these words "
    "count; an output with another label or none loses 1.",
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
    help="Limit of the privacy loss between any two words. Default: for text, the smallest "
    "that costs at most 2% of the utility.",
)
@click.option(
    "--for",
    "job",
    type=click.Choice(["text", "counts"]),
    default="text",
    show_default=True,
    help="What is collected: text, or counts of words. counts takes --attack-success or --cap.",
)
@click.option(
    "--words-a-day",
    metavar="M",
    type=int,
    help="With --for counts: the most words of a day that a device reports. Default: 1.",
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
def calibrate(
    bundle: Path,
    worst: float | None,
    attacker: Attacker | None,
    text: Path | None,
    language: Path | None,
    column: str | None,
    over: Over | None,
    labels: Path | None,
    mechanism: str | None,
    base: str | None,
    cap: float | None,
    job: str,
    words_a_day: int | None,
    write: bool,
    sample: int | None,
    seed: int,
    as_json: bool,
    **targets: float | None,
) -> None:
    """Find the setting that meets one goal, for text or for counts.

    \b
    brr calibrate my-bundle --text typed.txt --attack-success 0.2 --write
    brr calibrate my-bundle --attack-success 0.2 --worst 0.5 --write
    brr calibrate my-bundle --for counts --attack-success 0.2 --write
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain.bundle.writer import check_output
    from brrkit_toolchain.calibrate.recommend import write_recommended
    from brrkit_toolchain.calibrate.texts import check_for_text
    from brrkit_toolchain.measure.losses import read_labels
    from brrkit_toolchain.measure.sample import SAMPLE

    if job == "counts":
        attack_success = targets.pop("attack_success")
        of_text = {"worst": worst, "over": over, "labels": labels, "mechanism": mechanism}
        of_text["sample"] = sample
        calibrate_for_counts(
            bundle,
            {**of_text, "base": base, **targets},
            write=write,
            as_json=as_json,
            attack_success=attack_success,
            cap=cap,
            attacker=attacker,
            words_a_day=1 if words_a_day is None else words_a_day,
            text=text,
            language=language,
            column=column,
            seed=seed,
        )
        return
    if words_a_day is not None:
        raise ParameterError("--words-a-day is for counts; give --for counts, too")
    if mechanism is not None and mechanism not in MECHANISMS:
        raise ParameterError(f"there is no such mechanism; choose one of: {', '.join(MECHANISMS)}")
    if labels is not None and targets.get("utility_loss") is None:
        raise ParameterError("--labels says what --utility-loss is of; give that too")
    if text is None:
        refuse_without_text({"language": language, "column": column, "over": over})
    if text is not None:
        check_for_text(mechanism or DEFAULT_MECHANISM, worst)
        text_goal = _text_goal(text, targets, attacker, over, sample)
        find_in_text = partial(_calibrate_to_text, language=language, column=column, seed=seed)
        find_in_text(bundle, text_goal, text, base=base, cap=cap, write=write, as_json=as_json)
        return
    opened = WordBundle.open(bundle)
    of = check_base(base, opened.masses) if mechanism in (None, DEFAULT_MECHANISM) else UNIFORM
    goal = _goal(targets, worst, attacker, of)
    if write:
        check_output(bundle.resolve(), force=True)
    labelled = read_labels(labels, opened) if labels else None
    size = SAMPLE if sample is None else sample
    find = partial(_find, opened, labels=labelled, sample=size, seed=seed, progress=True)
    recommended = find(goal, mechanism=mechanism or DEFAULT_MECHANISM, base=base, cap=cap)
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
    _print(goal, found, recommended, opened)
    click.echo(
        f"Attack success is of words typed one at a time, {_OF_WORDS[goal.attacker]}; running text "
        "is more exposed: --text"
    )
    if write:
        click.echo(printable(_WROTE.format(bundle)))


_WROTE = "Wrote it into {}: used where no epsilon is given"

_OF_WORDS: dict[WordAttacker, str] = {
    "isolated": "all as likely (isolated)",
    "frequencies": "as often as in texts (frequencies)",
}
"""What an attacker who sees one word believes of it."""


def _text_goal(
    text: Path,
    targets: dict[str, float | None],
    attacker: Attacker | None,
    over: Over | None,
    sample: int | None,
) -> TextAttackSuccess:
    """Return the goal for ``text``; a sample of words is refused."""
    from brrkit_toolchain.calibrate import goals

    if sample is not None:
        raise ParameterError("--sample is of words typed one at a time; leave it out, or --text")
    target = targets.pop("attack_success")
    if any(other is not None for other in targets.values()):
        raise ParameterError("--text is for --attack-success; give no other goal")
    return goals.TextAttackSuccess(
        text.name, 0.2 if target is None else target, attacker or "sentence", over or "content"
    )


def _calibrate_to_text(
    bundle: Path, goal: TextAttackSuccess, text: Path, *, write: bool, as_json: bool, **options: Any
) -> None:
    """Find the setting for ``text``, write and print it; the options are those of the search."""
    from brrkit_toolchain.bundle.writer import check_output
    from brrkit_toolchain.calibrate.recommend import write_recommended
    from brrkit_toolchain.calibrate.texts import calibrate_to_text

    if options["seed"] < 0:
        raise ParameterError(f"--seed must be 0 or more, not {options['seed']}")
    opened = WordBundle.open(bundle)
    if write:
        check_output(bundle.resolve(), force=True)
    found = calibrate_to_text(opened, goal, text, **options, progress=True)
    if write:
        write_recommended(bundle, found.setting)
    if as_json:
        _print_text_json(opened, found)
        return
    _print_text(opened, found)
    if write:
        click.echo(printable(_WROTE.format(bundle)))


def _print_text_json(bundle: WordBundle, found: TextCalibration) -> None:
    from brrkit_toolchain.measure.distances import loss_at, stated_distance

    mechanism = found.setting.mechanism
    fields = {
        "mechanism": mechanism,
        "epsilon": found.epsilon,
        "radius": found.radius,
        "base": found.base,
        "cap": found.cap,
        "estimated_loss": loss_at(
            found.epsilon, stated_distance(bundle, "hamming", "average"), found.cap
        ),
        "certificate": found.certificate and asdict(found.certificate),
    }
    print_json(
        {
            "goal": {"kind": "attack-success", **asdict(found.goal)},
            "mechanisms": {mechanism: fields},
            "recommended": mechanism,
            "text": asdict(found.attack),
        }
    )


def _print_text(bundle: WordBundle, found: TextCalibration) -> None:
    from brrkit_toolchain.calibrate.texts import SEARCHED
    from brrkit_toolchain.measure.distances import loss_at, stated_distance

    average = stated_distance(bundle, "hamming", "average")
    click.echo(printable(f"Goal: {found.goal}"))
    click.echo(
        f"{found.setting.mechanism}{_stated(found.setting.parameters)}, epsilon "
        f"{found.epsilon:.4g} (E {loss_at(found.epsilon, average, found.cap):.1f})  <- recommended"
    )
    if found.certificate is not None:
        certified = found.certificate.certified_epsilon
        click.echo(
            f"  certified: these words lose at most {certified:.4g} a bit "
            f"(E {loss_at(certified, average, found.cap):.1f}), any others {found.epsilon:.4g}"
        )
    click.echo(f"  any two words lose at most {found.cap:g}")
    searched = min(SEARCHED, found.attack.tokens)
    click.echo(f"The radius was searched on {searched:,} words. At this setting, on all:")
    print_attack(found.attack)


def _goal(
    targets: dict[str, float | None], worst: float | None, name: str | None, base: str
) -> Goal:
    """Return the goal of which the options say the target."""
    from brrkit_toolchain.calibrate import goals

    attacker = goals.word_attacker(name, base)
    kinds: dict[str, Callable[[float], Goal]] = {
        "attack_success": lambda target: goals.AttackSuccess(target, worst, attacker),
        "unchanged": lambda target: goals.Unchanged(target, attacker),
        "madlib_epsilon": lambda target: goals.MadlibEpsilon(target, attacker),
        "utility_loss": lambda target: goals.UtilityLoss(target, attacker),
    }
    given = {kind: target for kind, target in targets.items() if target is not None}
    if len(given) > 1:
        options = " and ".join(f"--{kind.replace('_', '-')}" for kind in given)
        raise ParameterError(f"{options} exclude each other; give one goal")
    if not given:
        return goals.AttackSuccess(worst=worst, attacker=attacker)
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
    if options.pop("base", None) is not None or options.pop("cap", None) is not None:
        raise ParameterError("--base and --cap are for --attack-success and --unchanged")
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
            "goal": {"kind": kind, "target": goal.target, "attacker": goal.attacker}
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


def _print(
    goal: Goal, found: dict[str, Calibration | str], recommended: Calibration, bundle: WordBundle
) -> None:
    from brrkit_toolchain.measure.distances import loss_at, stated_distance

    average = stated_distance(bundle, "hamming", "average")
    click.echo(f"Goal: {goal}\n{_HEADER}")
    for row in found.values():
        if isinstance(row, str):
            continue
        click.echo(_line(row.measured) + ("  <- recommended" if row is recommended else ""))
        if row.certificate is not None:
            certified, cap = row.certificate.certified_epsilon, row.measured.parameters.get("cap")
            click.echo(
                f"  certified: these words lose at most {certified:.4g} a bit "
                f"(E {loss_at(certified, average, cap):.1f}), any others {row.measured.epsilon:.4g}"
            )
    for name, why in found.items():
        if isinstance(why, str):
            click.echo(f"{name}: {why}")


_HEADER = (
    f"{'mechanism':<46}{'epsilon':>8}{'E':>7}  {'unchanged':<19}{'support':<21}"
    f"{'attack success':<19}{'worst 1%':<10}utility loss"
)


def _stated(parameters: Mapping[str, Any]) -> str:
    values = ((k, v if isinstance(v, str) else f"{v:g}") for k, v in parameters.items())
    return "".join(f" {name}={value}" for name, value in values)


def _line(row: MeasuredSetting) -> str:
    parameters = _stated(row.parameters)
    worst = "-" if row.worst is None else f"{row.worst:.3f}"
    return (
        f"{row.mechanism + parameters:<46}{row.epsilon:>8.4g}{row.estimated_loss:>7.1f}  "
        f"{interval(row.unchanged, 3):<19}{interval(row.support, 1):<21}"
        f"{interval(row.attack_success, 3):<19}{worst:<10}{interval(row.utility_loss, 3)}"
    )
