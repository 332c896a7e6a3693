"""The subjects of benchmarks: a bundle, its embeddings, and their peers."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.child import all_cores
from benchmarks.peers import Annoy
from benchmarks.searches import build_annoy
from brrkit import WordBundle
from brrkit_toolchain.embeddings import Embeddings
from brrkit_toolchain.embeddings.of_bundle import read_source, source_difference

_LARGE = 20_000  # words; from this number, a training takes minutes


def progress(message: str) -> None:
    """Print the current step on standard error."""
    click.echo(f"[benchmarks] {message}", err=True)


@dataclass
class Bench:
    """A bundle and its embeddings, with common data for several benchmarks.

    Attributes:
        file: file of the embeddings.
        embeddings: the words of the bundle with their float32 vectors.
        bundle: the bundle built from them.
        folder: a temporary directory.
        quick: whether to take few repetitions.
    """

    file: Path
    embeddings: Embeddings
    bundle: WordBundle
    folder: Path
    quick: bool

    @cached_property
    def annoy(self) -> Annoy:
        """An Annoy index of the vectors."""
        progress("building the Annoy index")
        return build_annoy(self.embeddings.vectors)

    def epsilons(self, estimated_loss: float) -> tuple[float, float]:
        """Return epsilon of the bundle and of the full-size mechanism for E = epsilon * P_avg."""
        distances = self.bundle.manifest["distances"]
        return estimated_loss / distances["hamming"]["average"], estimated_loss / distances[
            "euclidean"
        ]["average"]

    def sample(self, count: int, seed: int = 0) -> NDArray[np.intp]:
        """Return the ids of that many random words, or of all if there are fewer."""
        generator = np.random.default_rng(seed)
        size = len(self.bundle)
        return generator.choice(size, min(count, size), replace=False)

    @property
    def brief(self) -> bool:
        """Whether trainings aren't repeated: in a quick run, or if each takes minutes."""
        return self.quick or len(self.bundle) >= _LARGE

    def describe(self) -> str:
        """Return words x dimensions -> bits."""
        dimensions = self.bundle.manifest["source"]["dimensions"]
        return f"{len(self.bundle):,} words x {dimensions} dimensions -> {self.bundle.bits} bits"


def read_words(file: Path, bundle: WordBundle) -> Embeddings:
    """Read the vectors of the bundle's words from its source."""
    progress(f"reading {file.name}")
    embeddings = read_source(bundle, file, progress=False)
    if difference := source_difference(bundle, embeddings):
        raise click.ClickException(difference)
    return embeddings


def build_command(file: Path, output: Path, bits: int, method: str) -> list[str]:
    """Return the command that builds a bundle and prints JSON."""
    options = ["--bits", str(bits), "--method", method, "--json"]
    paths = ["--embeddings", str(file), "--output", str(output)]
    return [sys.executable, "-m", "benchmarks.brr", "build", *paths, *options]


def build_bundle(file: Path, output: Path, bits: int, method: str) -> WordBundle:
    """Build a bundle in a separate process, with all cores, and open it."""
    progress(f"building a bundle of {file.name} ({bits} bits, {method})")
    command = build_command(file, output, bits, method)
    done = subprocess.run(command, capture_output=True, text=True, env=all_cores(), check=False)
    if done.returncode:
        raise click.ClickException(done.stderr.strip() or "the build failed")
    return WordBundle.open(output)
