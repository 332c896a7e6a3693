"""``brr measure``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brrkit import WordBundle
from brrkit.errors import ParameterError
from brrkit.messages import printable
from brrkit.policy import Policy
from brrkit.setting import Setting
from brrkit_toolchain.cli.shared import (
    AMONG,
    BUNDLE,
    JSON,
    check_seed,
    interval,
    options_as,
    or_default,
    print_json,
    setting_options,
)
from brrkit_toolchain.cli.shared.help import ShortHelp
from brrkit_toolchain.cli.shared.outputs import SOURCE
from brrkit_toolchain.cli.shared.tasks import print_tasks
from brrkit_toolchain.cli.shared.text_attack import (
    TextOptions,
    beside_passing,
    print_attack,
    text_options,
)
from brrkit_toolchain.cli.shared.writers import WriterOptions, writer_options
from brrkit_toolchain.rounding import at_most

if TYPE_CHECKING:
    from brrkit_toolchain.attackers.closed_list import AmongAttack
    from brrkit_toolchain.attackers.texts.text_attack import TextAttack
    from brrkit_toolchain.utility.mechanism import Measurement
    from brrkit_toolchain.utility.support import Support
    from brrkit_toolchain.utility.task_accuracy import TaskAccuracy

_DRAWS_OF_A_WORD = 100


@dataclass(frozen=True)
class TypedWords:
    """The options for the typed words, the number of their releases, and the seed."""

    words: str | None = None
    sample: int | None = None
    draws: int | None = None
    seed: int = 0


@click.command(
    cls=ShortHelp,
    common=(
        *("--text", "--column", "--writer", "--epsilon"),
        *("--mechanism", "--radius", "--words", "--json"),
    ),
)
@BUNDLE
@setting_options(full_size="laplace, mahalanobis, laplace-vickrey")
@click.option("--words", help="Measure these words, separated by commas.")
@click.option(
    "--sample",
    metavar="N",
    type=int,
    help="Sample N words by Zipf's law. Default: 1,000.",
)
@click.option(
    "--draws",
    metavar="D",
    type=int,
    help="Release each word D times. Default: 5; with --words 100.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the random draws.")
@click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    help="The bundle's source, for mechanisms on float vectors.",
)
@text_options
@writer_options
@AMONG
@JSON
@options_as(TypedWords, "typed")
@options_as(TextOptions, "read")
@options_as(WriterOptions, "known")
def measure(
    bundle: Path,
    setting: Setting | None,
    typed: TypedWords,
    embeddings: str | None,
    read: TextOptions,
    known: WriterOptions,
    among: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Measure privacy and utility at one setting: docs/reference/metrics.md.

    \b
    brr measure my-bundle --epsilon 0.5 --radius 8
    brr measure my-bundle --text typed.txt
    brr measure my-bundle --text typed.csv --column text --writer sender
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain import measure_among, measure_tasks, measure_text, measure_words
    from brrkit_toolchain.attackers.texts.text_attack import TOKENS
    from brrkit_toolchain.channel.manifest_info import manifest_info
    from brrkit_toolchain.embeddings.of_bundle import read_matching
    from brrkit_toolchain.language.word_sample import DRAWS, SAMPLE

    seed = typed.seed
    check_seed(seed)
    files = read.files()
    known.check(read.text)
    if typed.words is not None and typed.sample is not None:
        raise ParameterError("--words are measured instead of a sample; leave out --sample")
    opened = WordBundle.open(bundle)
    chosen = None if typed.words is None else typed.words.split(",")
    usual = DRAWS if chosen is None else _DRAWS_OF_A_WORD
    source = None if embeddings is None else read_matching(opened, embeddings, progress=True)
    listed: Sequence[AmongAttack] = ()
    if among:
        listed = measure_among(opened, among, setting, embeddings=source, seed=seed, progress=True)
    measured = measure_words(
        opened,
        setting,
        embeddings=source,
        words=chosen,
        sample=or_default(typed.sample, SAMPLE),
        draws=or_default(typed.draws, usual),
        seed=seed,
        progress=True,
    )
    attack: TextAttack | None = None
    tasks: tuple[TaskAccuracy, ...] = ()
    if files is not None:
        tokens = or_default(read.tokens, TOKENS)
        attack = measure_text(
            opened, files, setting, embeddings=source, tokens=tokens, seed=seed, progress=True
        )
        tasks = measure_tasks(opened, setting, embeddings=source, seed=seed, progress=True)
    identified = known.measure(opened, files, setting, source, seed)
    certified = measured.setting.certified_epsilon
    ratio = manifest_info(opened.manifest).ratio
    if as_json:
        print_json(
            {
                **measured.to_json(),
                "recommended": setting is None,
                "certified_epsilon": certified,
                "privacy_ratio": ratio,
                "text": None if attack is None else asdict(attack),
                "tasks": [asdict(task) for task in tasks],
                "among": [asdict(found) | {"chance": found.chance} for found in listed],
                **identified.to_json(),
            }
        )
        return
    if setting is None:
        click.echo(printable(f"The recommended setting ({measured.setting.goal}):"))
    _print(measured, ratio, opened.policy)
    for word, support in measured.words.items():
        click.echo(printable(f"  {word:<16}{_support(support)}"))
    if attack is not None and read.text is not None:
        click.echo()
        click.echo(printable(f"Attackers who read {read.text.name}:"))
        print_attack(attack)
        print_tasks(tasks)
    identified.print()
    if listed:
        click.echo()
        _print_among(listed)


def _print(measured: Measurement, ratio: float | None, policy: Policy) -> None:
    metric, support, setting = measured.metric, measured.support, measured.setting
    certified = setting.certified_epsilon
    seen = "" if metric.exact else " (the largest seen)"
    settings = "".join(f", {name.rstrip('_')} {v}" for name, v in setting.parameters.items())
    click.echo(f"{setting.mechanism}, epsilon {setting.epsilon:g}{settings}")
    most = f"epsilon x P_max {metric.maximum:.4g}{seen}"
    if measured.largest_privacy_loss == setting.parameters.get("cap"):
        most = "the cap"
    click.echo(
        f"  privacy loss    {measured.estimated_loss:.4g} at P_avg {metric.average:.4g}; "
        f"at most {at_most(measured.largest_privacy_loss)}, {most}{beside_passing(policy)}"
    )
    if certified is not None:
        click.echo(
            f"  certified       epsilon {at_most(certified)} on this vocabulary; "
            f"{measured.loss_at(metric.average, certified):.4g} at P_avg, "
            f"at most {at_most(measured.loss_at(metric.maximum, certified))}"
        )
    if ratio:
        click.echo(f"  privacy ratio   1 epsilon of the full-size mechanism = {ratio:.4g} on codes")
    click.echo(f"  words           {_support(support)}")
    for attacker, attack in measured.attacks.items():
        worst = "" if attack.worst is None else f"; least protected 1%: {attack.worst:.3f}"
        click.echo(f"  {attacker:<16}recovers {interval(attack.success, 3)}{worst}")
    click.echo(f"  utility loss    {interval(measured.utility_loss, 3)} of the code's bits")


def _print_among(listed: Sequence[AmongAttack]) -> None:
    click.echo(
        "Success of attackers who know that the word is on a list, by number of its releases "
        "without a memory"
        + (":" if listed[0].exact else " (lower bounds, because the channel is estimated):")
    )
    names = [printable(found.name) for found in listed]
    width = max(map(len, ("list", *names)))
    counts = "".join(f"{count:<20}" for count in listed[0].success)
    click.echo(
        f"  {'list':<{width}}  {'words':>5}  {'unknown':>7}  {'chance':>6}  {counts}".rstrip()
    )
    for name, found in zip(names, listed, strict=True):
        cells = "".join(f"{interval(success, 3):<20}" for success in found.success.values())
        click.echo(
            f"  {name:<{width}}  {found.words:>5,}  {found.unknown:>7,}  {found.chance:>6.3f}  "
            f"{cells}".rstrip()
        )


def _support(support: Support) -> str:
    return (
        f"unchanged {interval(support.unchanged, 3)}, effective support "
        f"{interval(support.effective, 1)}, {interval(support.distinct, 1)} different in "
        f"{support.draws} draws"
    )
