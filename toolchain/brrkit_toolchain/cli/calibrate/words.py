"""``brr calibrate``, for words that are typed one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import MECHANISMS, check_name
from brrkit.setting import DEFAULT_MECHANISM, Estimate, Setting
from brrkit_toolchain.cli.calibrate.verdict import against, verdict
from brrkit_toolchain.cli.shared import interval, or_default, stated_parameters
from brrkit_toolchain.cli.shared.tasks import print_tasks
from brrkit_toolchain.rounding import at_most

if TYPE_CHECKING:
    from brrkit_toolchain.calibrate.goals import AttackSuccess, Unchanged
    from brrkit_toolchain.calibrate.search import Calibration
    from brrkit_toolchain.cli.calibrate.options import CalibrateOptions
    from brrkit_toolchain.utility.curves import MeasuredSetting

_NEEDS_TEXT = "needs --text; add it"
REFUSED: Mapping[str, str] = {
    "public_text": _NEEDS_TEXT,
    "column": _NEEDS_TEXT,
    "over": _NEEDS_TEXT,
    "writer": _NEEDS_TEXT,
    "writer_success": _NEEDS_TEXT,
    "words_a_day": "needs --for counts; add it",
    "task_share": _NEEDS_TEXT,
}
USED = "It is used wherever no setting is given"

_BELIEFS = {
    "isolated": "all equally likely (isolated)",
    "frequencies": "as often as in texts (frequencies)",
}
"""Descriptions of the word frequencies that an attacker of one word assumes."""


@dataclass(frozen=True)
class MechanismCalibrations:
    """The settings of the recommended mechanism and of the others, or the reasons for none.

    Attributes:
        recommended: name of the recommended mechanism.
        mechanisms: settings or reasons, by the mechanism's name.
    """

    recommended: Calibration
    mechanisms: Mapping[str, Calibration | str]

    @property
    def setting(self) -> Setting:
        """The recommended setting."""
        return self.recommended.setting


Search = Callable[[str, "Calibration | None"], "Calibration"]
"""Finds a mechanism's setting: the recommended one, or one to compare with it."""


def find(bundle: WordBundle, options: CalibrateOptions) -> MechanismCalibrations:
    """Return the setting of each requested mechanism."""
    from brrkit_toolchain import FixedParameters, calibrate_words
    from brrkit_toolchain.language.word_sample import SAMPLE

    if options.unchanged is not None:
        if options.attack_success is not None:
            raise ParameterError(
                "--attack-success and --unchanged exclude each other; give only one goal"
            )
        if options.worst is not None:
            raise ParameterError("--worst limits attack success, not --unchanged; leave it out")

    def search(mechanism: str, recommended: Calibration | None) -> Calibration:
        if recommended is None:
            goal = _goal(options)
            fixed = FixedParameters(options.base, options.cap, options.task_weight)
        else:
            goal = _goal(replace(options, worst=None, attacker=recommended.goal.attacker))
            fixed = FixedParameters()
        return calibrate_words(
            bundle,
            goal,
            mechanism=mechanism,
            fixed=fixed,
            sample=or_default(options.sample, SAMPLE),
            seed=options.seed,
            progress=True,
        )

    return search_mechanisms(options.mechanism, search)


def _goal(options: CalibrateOptions) -> AttackSuccess | Unchanged:
    from brrkit_toolchain.calibrate.goals import SUCCESS, AttackSuccess, Unchanged, word_attacker

    attacker = None if options.attacker is None else word_attacker(options.attacker)
    if options.unchanged is not None:
        return Unchanged(options.unchanged, attacker)
    return AttackSuccess(or_default(options.attack_success, SUCCESS), options.worst, attacker)


def search_mechanisms(mechanism: str | None, search: Search) -> MechanismCalibrations:
    """Return the search's result for the requested mechanism, or for each mechanism."""
    first = mechanism or DEFAULT_MECHANISM
    check_name(first)
    recommended = search(first, None)
    found: dict[str, Calibration | str] = {first: recommended}
    if mechanism is None:
        for other in MECHANISMS:
            if other not in found:
                try:
                    found[other] = search(other, recommended)
                except ParameterError as error:
                    found[other] = str(error)
    mechanisms = {each: found[each] for each in MECHANISMS if each in found}
    return MechanismCalibrations(recommended, mechanisms)


def to_json(_bundle: WordBundle, found: MechanismCalibrations) -> dict[str, Any]:
    """Return the result as JSON types."""
    goal = found.recommended.goal
    kind, _, _ = str(goal).partition(" ")
    worst = getattr(goal, "worst", None)
    return {
        "goal": {"kind": kind, "target": goal.target, "attacker": goal.attacker}
        | ({} if worst is None else {"worst": worst}),
        "mechanisms": {
            name: {"epsilon": None, "why": each} if isinstance(each, str) else _fields(each)
            for name, each in found.mechanisms.items()
        },
        "recommended": found.setting.mechanism,
        "exceeds": found.recommended.exceeds,
    }


def _fields(each: Calibration) -> dict[str, Any]:
    certificate = each.setting.certificate
    stated = {} if certificate is None else {"certificate": certificate.to_json()}
    tasks = {"tasks": [asdict(task) for task in each.tasks]} if each.tasks else {}
    return {**each.row.to_json(), **stated, **tasks}


def show(bundle: WordBundle, found: MechanismCalibrations) -> None:
    """Print a line for each mechanism."""
    from brrkit_toolchain.channel import Channel
    from brrkit_toolchain.channel.privacy_loss.distances import loss_at, metric_of

    click.echo(_verdict(bundle, found.recommended))
    click.echo(_HEADER)
    for each in found.mechanisms.values():
        if isinstance(each, str):
            continue
        setting = each.setting
        click.echo(_line(each.row) + ("  <- recommended" if each is found.recommended else ""))
        if setting.certificate is not None:
            certified, cap = setting.certificate.certified_epsilon, setting.parameters.get("cap")
            average = metric_of(setting, bundle).average
            click.echo(
                f"  certified privacy loss per bit: at most {at_most(certified)} "
                f"(E {loss_at(certified, average, cap):.1f}); in any vocabulary, at most "
                f"{at_most(setting.epsilon)}"
            )
    if found.setting.mechanism == DEFAULT_MECHANISM and bundle.policy.lists:
        inside = Channel(bundle, found.setting).inside
        said = ", ".join(f"{share:.3f} of {name}" for name, share in inside.items())
        click.echo(f"Listed words released as a word of their list: {said}")
    for name, why in found.mechanisms.items():
        if isinstance(why, str):
            click.echo(f"{name}: {why}")
    click.echo(
        "Attack success is the average over all words, typed one at a time, "
        f"{_BELIEFS[str(found.recommended.goal.attacker)]}. Running text is more exposed; --text "
        "measures it"
    )
    print_tasks(found.recommended.tasks)


def _verdict(bundle: WordBundle, found: Calibration) -> str:
    """Return whether the goal is met, over which words."""
    goal = found.goal
    who = f"attacker: {goal.attacker}, who chooses among {len(bundle):,} words"
    if str(goal).startswith("unchanged"):
        reached = against("all words unchanged", found.reached, goal.target)
        named = f"all words recovered {interval(found.row.attack_success, 3)}"
        return verdict(reached, found.exceeds, named, who)
    worst = getattr(goal, "worst", None)
    beside = []
    if worst is not None and found.row.worst is not None:
        beside = [against("least protected 1%", Estimate.exact(found.row.worst), worst)]
    reached = against("all words", found.reached, goal.target)
    return verdict(reached, found.exceeds, *beside, who)


_HEADER = (
    f"{'mechanism':<46}{'epsilon':>8}{'E':>7}  {'unchanged':<19}{'support':<21}"
    f"{'attack success':<19}{'worst 1%':<10}utility loss"
)


def _line(row: MeasuredSetting) -> str:
    setting = row.setting
    parameters = stated_parameters(setting.parameters)
    worst = "-" if row.worst is None else f"{row.worst:.3f}"
    return (
        f"{setting.mechanism + parameters:<46}{setting.epsilon:>8.4g}{row.estimated_loss:>7.1f}  "
        f"{interval(row.unchanged, 3):<19}{interval(row.support, 1):<21}"
        f"{interval(row.attack_success, 3):<19}{worst:<10}{interval(row.utility_loss, 3)}"
    )
