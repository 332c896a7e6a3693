"""``brr measure``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brr_runtime import WordBundle
from brr_runtime.errors import ParameterError
from brr_runtime.mechanisms import DEFAULT_MECHANISM
from brr_toolchain.cli.shared import (
    BUNDLE,
    JSON,
    NUMBER,
    given_parameters,
    interval,
    parameter_options,
    print_json,
)

if TYPE_CHECKING:
    from brr_toolchain.measure.setting import Measurement
    from brr_toolchain.measure.support import Support


@click.command()
@BUNDLE
@click.option(
    "--mechanism",
    default=DEFAULT_MECHANISM,
    show_default=True,
    help="brr, vickrey, exponential; full size: laplace, mahalanobis, laplace-vickrey.",
)
@click.option(
    "--epsilon", type=NUMBER, required=True, help="Per unit of the mechanism's own distance."
)
@parameter_options
@click.option("--lambda", "lambda_", type=NUMBER, help="For mahalanobis: from 0 to 1.")
@click.option("--words", help="Measure these words, separated by commas, instead of a sample.")
@click.option(
    "--sample",
    metavar="N",
    default=500,
    show_default=True,
    help="Draw N words, by Zipf's law on the ranks.",
)
@click.option("--draws", metavar="D", default=100, show_default=True, help="Releases of each.")
@click.option("--seed", default=0, show_default=True, help="Of the sample and the draws.")
@click.option(
    "--embeddings", metavar="SRC", help="What the bundle was built from, for full-size mechanisms."
)
@JSON
def measure(
    bundle: Path,
    mechanism: str,
    epsilon: float,
    lambda_: float | None,
    words: str | None,
    sample: int,
    draws: int,
    seed: int,
    embeddings: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure how private a mechanism is at one setting, and what it costs."""
    import numpy as np

    from brr_toolchain.bundle.stated import read_stated
    from brr_toolchain.evaluate.bundle_words import open_bundle_words
    from brr_toolchain.measure.sample import check_sample, chosen_words, draw_words
    from brr_toolchain.measure.setting import measure_setting

    if seed < 0:
        raise ParameterError(f"--seed must be 0 or more, not {seed}")
    parameters = given_parameters(options)
    if lambda_ is not None:
        parameters["lambda_"] = lambda_
    opened = WordBundle.open(bundle)
    if words is None:
        check_sample(sample, draws)
        population = np.arange(len(opened))
        tokens = draw_words(population, sample, np.random.default_rng(seed))
    else:
        tokens = chosen_words(opened, words.split(","))
        check_sample(max(2, len(tokens.tokens)), draws)
    measured = measure_setting(
        opened,
        mechanism,
        epsilon,
        tokens,
        vectors=None if embeddings is None else open_bundle_words(bundle, embeddings).vectors,
        draws=draws,
        seed=seed,
        each_word=words is not None,
        **parameters,
    )
    if as_json:
        print_json(
            {
                **asdict(measured),
                "estimated_loss": measured.estimated_loss,
                "largest_privacy_loss": measured.largest_privacy_loss,
                "privacy_ratio": read_stated(opened.manifest).ratio,
                "sample": {"typed": len(tokens.tokens), "words": len(tokens.words)},
            }
        )
        return
    _print(measured, read_stated(opened.manifest).ratio)
    for word, support in measured.words.items():
        click.echo(f"  {word:<16}{_support(support)}")


def _print(measured: Measurement, ratio: float | None) -> None:
    metric, support = measured.metric, measured.support
    seen = "" if metric.exact else " (the largest seen)"
    settings = "".join(f", {name.rstrip('_')} {v}" for name, v in measured.parameters.items())
    click.echo(f"{measured.mechanism}, epsilon {measured.epsilon:g}{settings}")
    click.echo(
        f"  privacy loss    {measured.estimated_loss:.4g} = epsilon x P_avg {metric.average:.4g}; "
        f"at most {measured.largest_privacy_loss:.4g} = epsilon x P_max {metric.maximum:.4g}{seen}"
    )
    if ratio:
        click.echo(f"  privacy ratio   1 epsilon of the full-size mechanism = {ratio:.4g} on codes")
    click.echo(f"  words           {_support(support)}")
    for prior, attack in measured.attacks.items():
        worst = "" if attack.worst is None else f"; least protected 1%: {attack.worst:.3f}"
        click.echo(f"  attack, {prior:<8}{interval(attack.success, 3)}{worst}")
    click.echo(f"  utility loss    {interval(measured.utility_loss, 3)} of the code's bits")


def _support(support: Support) -> str:
    return (
        f"unchanged {interval(support.unchanged, 3)}, effective support "
        f"{interval(support.effective, 1)}, {interval(support.distinct, 1)} different in "
        f"{support.draws} draws"
    )
