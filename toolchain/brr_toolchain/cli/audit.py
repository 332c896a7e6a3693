"""``brr audit``."""

from __future__ import annotations

from pathlib import Path

import click

from brr_runtime import BrrError, WordBundle
from brr_runtime.mechanisms import MECHANISMS
from brr_toolchain import AUDIT_FALSE_ALARM_RATE, AUDIT_SAMPLES
from brr_toolchain.cli.shared import BUNDLE, PATH, RADIUS, T, given_parameters
from brr_toolchain.files import write_text


@click.command()
@BUNDLE
@click.option("--mechanism", help=f"What to audit. One of: {', '.join(MECHANISMS)}.")
@T
@RADIUS
@click.option("--factory", metavar="MODULE:FUNCTION", help="Audit what it makes instead.")
@click.option(
    "--metric",
    type=click.Choice(["hamming", "euclidean"]),
    default="hamming",
    show_default=True,
    help="That of the factory's claim.",
)
@click.option("--embeddings", metavar="SRC", help="For euclidean: what BUNDLE was built from.")
@click.option(
    "--samples", type=int, default=AUDIT_SAMPLES, show_default=True, help="Draws of each input."
)
@click.option(
    "--false-alarm-rate",
    type=float,
    default=AUDIT_FALSE_ALARM_RATE,
    show_default=True,
    help="Probability that correct code fails, at most.",
)
@click.option("--json", "json_file", type=PATH, help="Write the audit as JSON to this file.")
@click.option("--junit", "junit_file", type=PATH, help="Write it as JUnit XML to this file.")
def audit(
    *,
    bundle: Path,
    mechanism: str | None,
    ts: tuple[float, ...],
    radius: int | None,
    factory: str | None,
    metric: str,
    embeddings: str | None,
    samples: int,
    false_alarm_rate: float,
    json_file: Path | None,
    junit_file: Path | None,
) -> None:
    """Test on running code that it keeps its guarantee; exit code 0 if nothing violates it, else 1.

    A dozen words are cut from BUNDLE, and placed where a violation can be seen; besides, there are
    texts, unknown words, and the whole vocabulary. The audited code runs in processes of its own.
    Without --mechanism and --factory, it is the setting that BUNDLE recommends, and its epsilon is
    tested on BUNDLE itself. With --factory, say by --radius which radius the factory's mechanism
    has, if any.
    """
    from brr_toolchain.audit import audit_factory, audit_mechanism, audit_recommended

    if mechanism is not None and factory is not None:
        raise click.UsageError("give one of --mechanism and --factory, or neither")
    if mechanism is None and factory is None and (ts or radius is not None):
        raise click.UsageError("-t and --radius are for --mechanism; BUNDLE's setting has its own")
    if factory is not None and ts:
        raise click.UsageError("-t is for --mechanism; the factory knows its own parameters")
    if factory is None and metric != "hamming":
        raise click.UsageError("--metric euclidean is for --factory; mechanisms work on codes")
    if (metric == "euclidean") != (embeddings is not None):
        raise click.UsageError("--metric euclidean and --embeddings go together")
    opened = WordBundle.open(bundle)
    if mechanism is not None:
        result = audit_mechanism(
            opened,
            mechanism,
            samples=samples,
            false_alarm_rate=false_alarm_rate,
            **given_parameters(ts, radius),
        )
    elif factory is None:
        result = audit_recommended(opened, samples=samples, false_alarm_rate=false_alarm_rate)
    else:
        result = audit_factory(
            opened,
            factory,
            embeddings=embeddings,
            radius=radius or 0,
            samples=samples,
            false_alarm_rate=false_alarm_rate,
        )
    for part in result.parts:
        mark = click.style("ok  ", fg="green") if part.passed else click.style("FAIL", fg="red")
        click.echo(f"{mark}  {part.name:<17}{part.detail}")
    for file, content in ((json_file, result.to_json()), (junit_file, result.to_junit())):
        if file is not None:
            write_text(file, content)
    failed = [part.name for part in result.parts if not part.passed]
    if failed:
        raise BrrError(f"{bundle}: {result.subject} failed: {', '.join(failed)}")
    click.echo(
        f"{bundle}: {result.subject} passed {result.pairs} pairs. A loss of "
        f"{1 + result.smallest_violation:.2f} where 1 is claimed would have been caught (event of "
        f"probability 1/2, power 0.99); false-alarm rate {false_alarm_rate:g}"
    )
