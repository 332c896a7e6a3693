"""The command line: a command is a module, which reads options, calls the toolchain, and prints."""

from __future__ import annotations

from importlib.metadata import version

import click

from brrkit_toolchain.cli.adept import adept
from brrkit_toolchain.cli.audit import audit
from brrkit_toolchain.cli.build import build
from brrkit_toolchain.cli.calibrate import calibrate
from brrkit_toolchain.cli.estimate import estimate
from brrkit_toolchain.cli.evaluate import evaluate
from brrkit_toolchain.cli.inspect import inspect
from brrkit_toolchain.cli.measure import measure
from brrkit_toolchain.cli.neighbors import neighbors
from brrkit_toolchain.cli.outputs import checked
from brrkit_toolchain.cli.privatize import privatize
from brrkit_toolchain.cli.report import report
from brrkit_toolchain.cli.vectors import vectors
from brrkit_toolchain.cli.verify import verify


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("brrkit"), prog_name="brr")
def cli() -> None:
    """Build, verify and use bundles for on-device text privatization."""


for command in (
    build,
    inspect,
    verify,
    measure,
    calibrate,
    audit,
    report,
    privatize,
    estimate,
    vectors,
    neighbors,
    evaluate,
    adept,
):
    cli.add_command(checked(command))
