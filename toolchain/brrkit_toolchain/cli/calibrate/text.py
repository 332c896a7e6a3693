"""``brr calibrate --text``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.setting import DEFAULT_MECHANISM, Frames
from brrkit_toolchain.cli.calibrate.verdict import against, verdict
from brrkit_toolchain.cli.shared import or_default, stated_parameters
from brrkit_toolchain.cli.shared.tasks import print_tasks
from brrkit_toolchain.cli.shared.text_attack import beside_passing, print_attack
from brrkit_toolchain.cli.shared.writers import print_writers, writers_json
from brrkit_toolchain.rounding import at_most

if TYPE_CHECKING:
    from brrkit_toolchain.calibrate.goals import WriterSuccess
    from brrkit_toolchain.calibrate.texts import TextCalibration
    from brrkit_toolchain.cli.calibrate.options import CalibrateOptions

_ANOTHER_GOAL = "is another goal than --attack-success, which --text is for; leave it out"
REFUSED: Mapping[str, str] = {
    "worst": "is a limit for words typed one at a time; leave it out, or --text",
    "unchanged": _ANOTHER_GOAL,
    "sample": "is of words typed one at a time; leave it out, or --text",
    "words_a_day": "needs --for counts; add it",
}
USED = "It is used wherever no setting is given"


def find(bundle: WordBundle, options: CalibrateOptions) -> TextCalibration:
    """Return the setting for the text."""
    from brrkit_toolchain import FixedParameters, TextAttackSuccess, TextFiles, calibrate_text
    from brrkit_toolchain.calibrate.goals import SUCCESS
    from brrkit_toolchain.calibrate.tasks import TASK_SHARE

    assert options.text is not None
    if options.mechanism not in (None, DEFAULT_MECHANISM):
        raise ParameterError(
            f"with a text, only {DEFAULT_MECHANISM!r} can be calibrated: others' probabilities "
            "are estimated, so an attacker may succeed more often than measured"
        )
    return calibrate_text(
        bundle,
        TextFiles(options.text, options.public_text, options.column),
        TextAttackSuccess(
            or_default(options.attack_success, SUCCESS),
            or_default(options.attacker, "sentence"),
            or_default(options.over, "content"),
        ),
        writers=_writers(options),
        fixed=FixedParameters(options.base, options.cap, options.task_weight),
        task_share=or_default(options.task_share, TASK_SHARE),
        seed=options.seed,
        progress=True,
    )


def _writers(options: CalibrateOptions) -> WriterSuccess | None:
    """Return the goal for writers, if there is one."""
    from brrkit_toolchain import WriterSuccess

    if options.writer is None and options.writer_success is None:
        return None
    if options.writer is None or options.writer_success is None:
        raise ParameterError("--writer and --writer-success belong together; give both, or neither")
    framed = options.frames is not None or options.frame_words is not None
    words = or_default(options.frame_words, Frames().words) if framed else None
    return WriterSuccess(options.writer_success, options.writer, words)


def to_json(bundle: WordBundle, found: TextCalibration) -> dict[str, Any]:
    """Return the result as JSON types."""
    from brrkit_toolchain.channel.privacy_loss.distances import loss_at, metric_of

    setting = found.setting
    average = metric_of(setting, bundle).average
    fields = {
        "mechanism": setting.mechanism,
        "epsilon": setting.epsilon,
        **setting.parameters,
        "estimated_loss": loss_at(setting.epsilon, average, setting.parameters["cap"]),
        "certificate": setting.certificate and setting.certificate.to_json(),
    }
    return {
        "goal": {"kind": "attack-success", "text": found.goal.text, **asdict(found.goal)},
        "mechanisms": {setting.mechanism: fields},
        "recommended": setting.mechanism,
        "exceeds": found.exceeds,
        "text": asdict(found.attack),
        "writers": None if found.writers is None else writers_json(found.writers),
        "tasks": [asdict(task) for task in found.tasks],
        "weighed": [asdict(each) for each in found.weighed],
        "radii": [asdict(each) for each in found.radii],
    }


def show(bundle: WordBundle, found: TextCalibration) -> None:
    """Print the setting, and the attack success on the text."""
    from brrkit_toolchain.calibrate.texts import SEARCHED_TOKENS
    from brrkit_toolchain.channel.privacy_loss.distances import loss_at, metric_of

    setting, cap = found.setting, found.setting.parameters["cap"]
    average = metric_of(setting, bundle).average
    click.echo(printable(_verdict(found)))
    click.echo(
        f"{setting.mechanism}{stated_parameters(setting.parameters)}, epsilon "
        f"{setting.epsilon:.4g} (E {loss_at(setting.epsilon, average, cap):.1f})  <- recommended"
    )
    if setting.certificate is not None:
        certified = setting.certificate.certified_epsilon
        click.echo(
            f"  certified privacy loss per bit: at most {at_most(certified)} "
            f"(E {loss_at(certified, average, cap):.1f}); in any vocabulary, at most "
            f"{at_most(setting.epsilon)}"
        )
    click.echo(
        f"  privacy loss between any two words: at most {at_most(cap)}"
        f"{beside_passing(bundle.policy)}"
    )
    searched = min(SEARCHED_TOKENS, found.attack.tokens)
    click.echo(f"The radius was searched on {searched:,} words. This setting, on all words:")
    print_attack(found.attack)
    if bundle.policy.lists:
        _print_radii(found)
    print_tasks(found.tasks)
    if found.writers is not None:
        print_writers(found.writers)
    if len(found.weighed) > 1:
        _print_weighed(found)


def _verdict(found: TextCalibration) -> str:
    """Return the line on whether the goal is met, with the attack success over the other words."""
    goal, expected = found.goal, found.attack.expected[found.goal.attacker]
    other = "content" if goal.over == "all" else "all"
    beside = [f"{other} words {expected[other].value:.3f}"] if other in expected else []
    reached = against(f"{goal.over} words", found.reached, goal.target)
    return verdict(reached, found.exceeds, *beside, f"attacker: {goal.attacker}, on {goal.text}")


def _print_radii(found: TextCalibration) -> None:
    """Print the result for each radius, with the probability that a list's words stay on it."""
    from brrkit_toolchain.calibrate.texts import SEARCHED_TOKENS

    searched = min(SEARCHED_TOKENS, found.attack.tokens)
    click.echo(
        f"Radii at this goal, on {searched:,} words, without a cap. Bits: how many of a word's own "
        "bits changed. Lists: how often a listed word, typed alone, is released as a word of its "
        "list"
    )
    click.echo("  radius  epsilon  bits" + "".join(f"  {name:>12.12}" for name in _lists(found)))
    for each in found.radii:
        radius = each.setting.parameters["radius"]
        inside = "".join(f"  {each.inside[name]:>12.3f}" for name in _lists(found))
        mark = "  <- chosen" if radius == found.setting.parameters["radius"] else ""
        click.echo(
            f"  {radius:>6}  {each.setting.epsilon:>7.4g}  {each.distance:>4.1f}{inside}{mark}"
        )


def _lists(found: TextCalibration) -> tuple[str, ...]:
    return tuple(found.radii[0].inside)


def _print_weighed(found: TextCalibration) -> None:
    """Print the result for each task weight."""
    from brrkit_toolchain.calibrate.texts import SEARCHED_TOKENS

    searched = min(SEARCHED_TOKENS, found.attack.tokens)
    click.echo(
        f"Task weights at this goal, on {searched:,} words, without a cap. Bits: how many of a "
        "word's own bits changed"
    )
    names = "".join(f"  {task.name:>12.12}" for task in found.tasks)
    click.echo(f"  weight  epsilon  radius  bits{names}")
    for each in sorted(found.weighed, key=lambda each: each.setting.parameters["task_weight"]):
        given = each.setting.parameters
        reached = "".join(f"  {task.reached.value:>12.3f}" for task in each.tasks)
        mark = "  <- chosen" if given["task_weight"] == _weight(found) else ""
        click.echo(
            f"  {given['task_weight']:>6}  {each.setting.epsilon:>7.4g}  {given['radius']:>6}  "
            f"{each.distance:>4.1f}{reached}{mark}"
        )


def _weight(found: TextCalibration) -> int | None:
    weight: int | None = found.setting.parameters.get("task_weight")
    return weight
