"""The command that runs benchmarks by their names, and stores their results."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.bench import Bench, build_bundle, read_words
from benchmarks.report import LIBRARIES, Finding
from benchmarks.store import stored, write
from brrkit import BrrError, WordBundle
from brrkit_toolchain.defaults import DEFAULT_BITS, DEFAULT_METHOD
from brrkit_toolchain.embeddings import sample_path
from brrkit_toolchain.io.machine import describe_machine


def program(benchmarks: Mapping[str, Callable[[Bench], Finding]], described: str) -> click.Command:
    """Return the command.

    Args:
        benchmarks: benchmarks, by name.
        described: description for ``--help``.
    """

    @click.command(help=described, context_settings={"help_option_names": ["-h", "--help"]})
    @click.argument("names", metavar="[NAMES]...", nargs=-1, type=click.Choice(list(benchmarks)))
    @click.option(
        "--embeddings",
        "file",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        default=sample_path,
        help="word2vec or GloVe file. Default: the sample that comes with brrkit.",
    )
    @click.option(
        "--bundle",
        "folder",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        help="A bundle of these embeddings. Default: one is built into a temporary directory.",
    )
    @click.option("--bits", default=DEFAULT_BITS, show_default=True, help="Of a bundle built here.")
    @click.option(
        "--method", default=DEFAULT_METHOD, show_default=True, help="Of a bundle built here."
    )
    @click.option("--quick", is_flag=True, help="Few repetitions: to see that it works.")
    @click.option(
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        help="Store what each benchmark found in this folder, as NAME.json, with all raw numbers.",
    )
    def run(
        *,
        names: tuple[str, ...],
        file: Path,
        folder: Path | None,
        bits: int,
        method: str,
        quick: bool,
        output: Path | None,
    ) -> None:
        machine = describe_machine(LIBRARIES)
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary)
            try:
                bundle = (
                    WordBundle.open(folder)
                    if folder
                    else build_bundle(file, work / "bundle", bits, method)
                )
                bench = Bench(file, read_words(file, bundle), bundle, work, quick)
                click.echo(_header(machine, bench) + "\n")
                options = _options(None if file == sample_path() else file, folder, bits, method)
                for name in names or benchmarks:
                    finding = benchmarks[name](bench)
                    click.echo(finding.to_text())
                    if output and finding.rows:
                        result = stored(
                            name,
                            finding,
                            options=options,
                            machine=machine,
                            manifest=bundle.manifest,
                            quick=quick,
                        )
                        write(result, output)
            except BrrError as error:
                raise click.ClickException(str(error)) from None

    return run


def _options(file: Path | None, folder: Path | None, bits: int, method: str) -> str:
    """Return the options that define the measurement, with the last parts of paths."""
    options = ["--embeddings", file.name] if file else []
    if folder:
        options += ["--bundle", folder.name]
    else:
        options += ["--bits", str(bits)] if bits != DEFAULT_BITS else []
        options += ["--method", method] if method != DEFAULT_METHOD else []
    return shlex.join(options)


def _header(described: Mapping[str, Any], bench: Bench) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in described["versions"].items())
    method = bench.bundle.manifest["method"]["name"]
    return "\n".join(
        (
            f"machine   {described['cpu']}, {described['cores']} cores, load {described['load']}; "
            f"{described['system']}",
            f"software  Python {described['python']}, {versions}",
            f"bundle    {bench.file.name}: {bench.describe()}, {method}",
            f"threads   {os.environ['OMP_NUM_THREADS']}, load and builds aside",
        )
    )
