"""``brr audit``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brrkit import BrrError, WordBundle
from brrkit.mechanisms import MECHANISMS
from brrkit.setting import DEFAULT_MECHANISM, Setting
from brrkit_toolchain.cli.shared import NUMBER, PATH, options_as, parameter_options
from brrkit_toolchain.cli.shared.help import ShortHelp
from brrkit_toolchain.cli.shared.outputs import OUTPUT, SOURCE
from brrkit_toolchain.defaults import AUDIT_FALSE_ALARM_RATE, AUDIT_SAMPLES
from brrkit_toolchain.io.files import write_text

if TYPE_CHECKING:
    from brrkit_toolchain.audit import Audit


@dataclass(frozen=True)
class AuditOptions:
    """The options for the audited code and the number of draws."""

    mechanism: str | None = None
    epsilon: float | None = None
    factory: str | None = None
    metric: str = "hamming"
    delta: float | None = None
    embeddings: str | None = None
    samples: int = AUDIT_SAMPLES
    false_alarm_rate: float = AUDIT_FALSE_ALARM_RATE


@click.command(
    cls=ShortHelp,
    common=(
        "--mechanism",
        "--epsilon",
        "--factory",
        "--samples",
        "--false-alarm-rate",
        "--json",
        "--junit",
    ),
)
@click.argument("bundle", type=PATH, required=False)
@click.option("--mechanism", help=f"Mechanism to audit: {', '.join(MECHANISMS)}.")
@parameter_options()
@click.option("--epsilon", type=NUMBER, help="Also audit the guarantee of this setting on BUNDLE.")
@click.option(
    "--factory", metavar="MODULE:FUNCTION", help="Audit the mechanism that this function returns."
)
@click.option(
    "--metric",
    type=click.Choice(["hamming", "euclidean", "any"]),
    default="hamming",
    show_default=True,
    help="Metric of the factory's claim. any: one epsilon for any two vectors, without BUNDLE.",
)
@click.option(
    "--delta", type=NUMBER, help="With --metric any: delta of the factory's claim. Default: 0."
)
@click.option(
    "--embeddings",
    type=SOURCE,
    metavar="SRC",
    help="With --metric euclidean: BUNDLE's source.",
)
@click.option(
    "--samples",
    type=int,
    default=AUDIT_SAMPLES,
    show_default=True,
    help="Number of draws for each input.",
)
@click.option(
    "--false-alarm-rate",
    type=NUMBER,
    default=AUDIT_FALSE_ALARM_RATE,
    show_default=True,
    help="Largest probability that a correct mechanism fails.",
)
@click.option("--json", "json_file", type=OUTPUT, help="Write the outcome to this file as JSON.")
@click.option(
    "--junit", "junit_file", type=OUTPUT, help="Write the outcome to this file as JUnit XML."
)
@options_as(AuditOptions)
def audit(
    bundle: Path | None,
    options: AuditOptions,
    parameters: dict[str, Any],
    json_file: Path | None,
    junit_file: Path | None,
) -> None:
    """Test the guarantee on running code; the exit code is 0 if no event violates it, else 1.

    Without --mechanism, --epsilon and --factory, it audits BUNDLE's recommended setting. With
    --factory, give --radius if its mechanism has one.
    """
    _check_usage(bundle, options, parameters)
    result = _run(bundle, options, parameters)
    about = "" if bundle is None else f"{bundle}: "
    for part in result.parts:
        mark = click.style("ok  ", fg="green") if part.passed else click.style("FAIL", fg="red")
        click.echo(f"{mark}  {part.name:<18}{part.detail}")
    click.echo(f"not tested: {'; '.join(result.unseen)}")
    for file, content in ((json_file, result.to_json()), (junit_file, result.to_junit())):
        if file is not None:
            write_text(file, content)
    failed = [part.name for part in result.parts if not part.passed]
    if failed:
        raise BrrError(f"{about}{result.subject} failed: {', '.join(failed)}")
    click.echo(
        f"{about}{result.subject} passed {result.pairs} pairs. A privacy loss of "
        f"{1 + result.smallest_violation:.2f} where 1 is claimed would have been caught (event of "
        f"probability 1/2, power 0.99); false-alarm rate {options.false_alarm_rate:g}"
    )


def _run(bundle: Path | None, options: AuditOptions, parameters: dict[str, Any]) -> Audit:
    """Run the audit of these options."""
    from brrkit_toolchain import (
        audit_factory,
        audit_mechanism,
        audit_setting,
        audit_vectors,
    )

    samples, false_alarm_rate = options.samples, options.false_alarm_rate
    if bundle is None:
        assert options.factory is not None
        return audit_vectors(
            options.factory,
            delta=options.delta or 0.0,
            samples=samples,
            false_alarm_rate=false_alarm_rate,
            progress=True,
        )
    opened = WordBundle.open(bundle)
    if options.factory is not None:
        return audit_factory(
            opened,
            options.factory,
            embeddings=options.embeddings,
            radius=parameters.get("radius", 0),
            samples=samples,
            false_alarm_rate=false_alarm_rate,
            progress=True,
        )
    if options.mechanism is not None and options.epsilon is None:
        return audit_mechanism(
            opened,
            options.mechanism,
            parameters,
            samples=samples,
            false_alarm_rate=false_alarm_rate,
            progress=True,
        )
    setting = None
    if options.epsilon is not None:
        setting = Setting(options.epsilon, options.mechanism or DEFAULT_MECHANISM, parameters)
    return audit_setting(
        opened, setting, samples=samples, false_alarm_rate=false_alarm_rate, progress=True
    )


def _check_usage(bundle: Path | None, options: AuditOptions, parameters: dict[str, Any]) -> None:
    """Refuse options that don't go together."""
    mechanism, epsilon, factory = options.mechanism, options.epsilon, options.factory
    metric = options.metric
    wrong = {
        "give one of --mechanism and --factory, or neither": mechanism is not None
        and factory is not None,
        "parameters are for --mechanism; BUNDLE's setting has its own": mechanism is None
        and epsilon is None
        and factory is None
        and bool(parameters),
        "--epsilon is of a mechanism; a factory is called with several": epsilon is not None
        and factory is not None,
        "only --radius goes with --factory, which knows its own parameters": factory is not None
        and not parameters.keys() <= {"radius"},
        f"--metric {metric} is for --factory; mechanisms work on codes": factory is None
        and metric != "hamming",
        "--metric euclidean and --embeddings go together": (metric == "euclidean")
        != (options.embeddings is not None),
        "give a BUNDLE, or --metric any, which takes none": (metric == "any") != (bundle is None),
        "--delta is for --metric any": options.delta is not None and metric != "any",
        "--radius is for mechanisms on codes": "radius" in parameters and metric == "any",
    }
    for message, there in wrong.items():
        if there:
            raise click.UsageError(message)
