"""``brr measure``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit import Privatizer, WordBundle
from brrkit.errors import ParameterError
from brrkit.mechanisms import DEFAULT_MECHANISM
from brrkit.messages import printable
from brrkit_toolchain.cli.outputs import SOURCE
from brrkit_toolchain.cli.shared import (
    AMONG,
    BUNDLE,
    JSON,
    NUMBER,
    given_parameters,
    interval,
    parameter_options,
    print_json,
)
from brrkit_toolchain.cli.text_attack import print_attack, refuse_without_text, text_options

if TYPE_CHECKING:
    from brrkit.setting import Setting
    from brrkit_toolchain.attackers.among import AmongAttack
    from brrkit_toolchain.measure.mechanism import Measurement
    from brrkit_toolchain.measure.sample import WordSample
    from brrkit_toolchain.measure.support import Support

_DRAWS_OF_A_WORD = 100


@click.command()
@BUNDLE
@click.option(
    "--epsilon",
    type=NUMBER,
    help="Epsilon, per unit of the mechanism's own distance. Default: the recommended setting.",
)
@click.option(
    "--mechanism",
    help="With --epsilon: brr, vickrey, exponential; on float vectors laplace, mahalanobis, "
    f"laplace-vickrey. Default: {DEFAULT_MECHANISM}.",
)
@parameter_options
@click.option("--lambda", "lambda_", type=NUMBER, help="For mahalanobis: a number from 0 to 1.")
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
@AMONG
@JSON
def measure(
    bundle: Path,
    epsilon: float | None,
    mechanism: str | None,
    lambda_: float | None,
    words: str | None,
    sample: int | None,
    draws: int | None,
    seed: int,
    embeddings: str | None,
    text: Path | None,
    language: Path | None,
    column: str | None,
    tokens: int | None,
    among: tuple[Path, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Measure privacy and utility at one setting: docs/reference/metrics.md.

    \b
    brr measure my-bundle --epsilon 0.5 --radius 8
    brr measure my-bundle --text typed.txt
    """  # noqa: D301 - click reads the \b
    from brrkit_toolchain.attackers.among import attack_among, read_list
    from brrkit_toolchain.attackers.measure import measure_attackers
    from brrkit_toolchain.attackers.text import TOKENS
    from brrkit_toolchain.bundle.stated import read_stated
    from brrkit_toolchain.embeddings.of_bundle import read_matching
    from brrkit_toolchain.measure.mechanism import measure_mechanism
    from brrkit_toolchain.measure.sample import DRAWS

    if seed < 0:
        raise ParameterError(f"--seed must be 0 or more, not {seed}")
    parameters = given_parameters(options)
    if lambda_ is not None:
        parameters["lambda_"] = lambda_
    opened = WordBundle.open(bundle)
    if text is None:
        refuse_without_text({"language": language, "column": column, "tokens": tokens})
    recommended, certified = None, None
    if epsilon is None:
        recommended = _recommended(opened, alone=mechanism is None and not parameters)
        mechanism, epsilon = recommended.mechanism, recommended.epsilon
        parameters = dict(recommended.parameters)
        certified = recommended.certified_epsilon
    if draws is None:
        draws = DRAWS if words is None else _DRAWS_OF_A_WORD
    typed = _typed(opened, words, sample, seed, draws)
    lists = [read_list(path, opened) for path in among]
    vectors = (
        None if embeddings is None else read_matching(opened, embeddings, progress=True).vectors
    )
    mechanism = mechanism or DEFAULT_MECHANISM
    read = None
    if text is not None:
        read = measure_attackers(
            opened,
            text,
            mechanism,
            epsilon,
            language=language,
            column=column,
            vectors=vectors,
            tokens=tokens or TOKENS,
            seed=seed,
            progress=True,
            **parameters,
        )
    listed = attack_among(
        opened,
        lists,
        mechanism,
        epsilon,
        vectors=vectors,
        seed=seed,
        progress=True,
        **parameters,
    )
    measured = measure_mechanism(
        opened,
        mechanism,
        epsilon,
        typed,
        vectors=vectors,
        draws=draws,
        seed=seed,
        each_word=words is not None,
        progress=True,
        **parameters,
    )
    if as_json:
        print_json(
            {
                **asdict(measured),
                "recommended": recommended is not None,
                "certified_epsilon": certified,
                "estimated_loss": measured.estimated_loss,
                "largest_privacy_loss": measured.largest_privacy_loss,
                "privacy_ratio": read_stated(opened.manifest).ratio,
                "sample": {"typed": len(typed.tokens), "words": len(typed.words)},
                "text": None if read is None else asdict(read),
                "among": [asdict(found) | {"chance": found.chance} for found in listed],
            }
        )
        return
    if recommended is not None:
        click.echo(printable(f"The recommended setting ({recommended.goal}):"))
    _print(measured, read_stated(opened.manifest).ratio, certified)
    for word, support in measured.words.items():
        click.echo(f"  {word:<16}{_support(support)}")
    if read is not None and text is not None:
        click.echo()
        click.echo(printable(f"Attackers who read {text.name}:"))
        print_attack(read)
    if listed:
        click.echo()
        _print_among(listed)


def _recommended(bundle: WordBundle, *, alone: bool) -> Setting:
    """Return what ``bundle`` recommends, if no part of another setting is given."""
    if not alone:
        raise ParameterError(
            "a mechanism or its parameters need an epsilon; give --epsilon too, or neither"
        )
    Privatizer(bundle)  # or the error of what is recommended
    recommended = bundle.recommended
    assert recommended is not None
    return recommended


def _typed(
    bundle: WordBundle, words: str | None, sample: int | None, seed: int, draws: int
) -> WordSample:
    """Return the ``words``, separated by commas, or else a sample."""
    import numpy as np

    from brrkit_toolchain.measure.sample import SAMPLE, check_sample, chosen_words, sample_words

    if words is None:
        size = SAMPLE if sample is None else sample
        return sample_words(np.arange(len(bundle)), size, seed, draws)
    if sample is not None:
        raise ParameterError("--words are measured instead of a sample; leave out --sample")
    typed = chosen_words(bundle, words.split(","))
    check_sample(max(2, len(typed.tokens)), draws)
    return typed


def _print(measured: Measurement, ratio: float | None, certified: float | None) -> None:
    metric, support = measured.metric, measured.support
    seen = "" if metric.exact else " (the largest seen)"
    settings = "".join(f", {name.rstrip('_')} {v}" for name, v in measured.parameters.items())
    click.echo(f"{measured.mechanism}, epsilon {measured.epsilon:g}{settings}")
    most = f"epsilon x P_max {metric.maximum:.4g}{seen}"
    if measured.largest_privacy_loss == measured.parameters.get("cap"):
        most = "the cap"
    click.echo(
        f"  privacy loss    {measured.estimated_loss:.4g} at P_avg {metric.average:.4g}; "
        f"at most {measured.largest_privacy_loss:.4g} = {most}"
    )
    if certified is not None:
        click.echo(
            f"  certified       epsilon {certified:.4g} on this vocabulary; "
            f"{measured.loss_at(metric.average, certified):.4g} at P_avg, "
            f"at most {measured.loss_at(metric.maximum, certified):.4g}"
        )
    if ratio:
        click.echo(f"  privacy ratio   1 epsilon of the full-size mechanism = {ratio:.4g} on codes")
    click.echo(f"  words           {_support(support)}")
    for attacker, attack in measured.attacks.items():
        worst = "" if attack.worst is None else f"; least protected 1%: {attack.worst:.3f}"
        click.echo(f"  {attacker:<16}right for {interval(attack.success, 3)}{worst}")
    click.echo(f"  utility loss    {interval(measured.utility_loss, 3)} of the code's bits")


def _print_among(listed: Sequence[AmongAttack]) -> None:
    click.echo(
        "Attackers who know that the word is one of a list, by its releases without a memory"
        + (":" if listed[0].exact else "; the channel is estimated: lower bounds:")
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
