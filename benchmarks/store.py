"""Stored results of benchmarks, with their origin.

``python -m benchmarks NAME --output benchmarks/results/benchmarks/SUBJECT`` writes
``SUBJECT/NAME.json``; ``python -m benchmarks.pages`` writes the tables and figures of the
documentation from these files. ``research`` does the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.provenance import ROOT, commit, doubt, provenance
from benchmarks.report import Finding

FOLDER = ROOT / "benchmarks" / "results" / "benchmarks"
TIMED = frozenset(
    {
        *("build", "speed", "open", "certify", "corpus", "counted"),
        *("estimate", "languages", "text-time", "vectors", "way"),
    }
)
"""Benchmarks whose tables have times."""
ATTACK_ME = FOLDER / "attack-me.json"
"""What ``benchmarks.attack_me`` wrote: of the sample bundle, and of texts made up for it."""
EMOJI_WEEK = FOLDER / "emoji-week.json"
"""What ``benchmarks.emoji_week`` wrote: of a list, so of no bundle with codes."""
CANDIDATES = FOLDER / "candidates.json"
"""What ``benchmarks.candidates`` wrote: of the sample bundle and IMDB's reviews."""
SHUFFLED = FOLDER / "shuffled.json"
"""What ``benchmarks.shuffled`` wrote: of a number of symbols, so of no bundle."""
WRITTEN_IN = FOLDER / "written-in.json"
"""What ``benchmarks.written_in`` wrote: of a bundle a language."""


class DoubtfulError(Exception):
    """A stored result can't be shown."""


@dataclass(frozen=True)
class Stored:
    """A benchmark's results on one file, with their origin.

    Attributes:
        benchmark: name of the benchmark.
        options: options of the command, without ``--output``.
        commit: commit of the code.
        machine: processor, cores, load, versions.
        embeddings: name of the file.
        words: number of words in the vocabulary.
        dimensions: dimensions of the vectors.
        bits: length of the codes, without task bits.
        method: method of the codes, as in the bundle's manifest.
        quick: whether it was only a short trial.
        title: title of the table.
        columns: its headings.
        rows: its printed cells.
        numbers: all raw results.
        task_bits: number of task bits, the last bits of a code.
    """

    benchmark: str
    options: str
    commit: str
    machine: Mapping[str, Any]
    embeddings: str
    words: int
    dimensions: int
    bits: int
    method: Mapping[str, Any]
    quick: bool
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Mapping[str, Any]
    task_bits: int = 0

    @property
    def length(self) -> str:
        """The length of codes: ``64``, or ``64 + 64`` with task bits last."""
        return f"{self.bits} + {self.task_bits}" if self.task_bits else str(self.bits)

    def describe(self) -> str:
        """Return the subject of the measurement."""
        return (
            f"{self.words:,} words × {self.dimensions} of `{self.embeddings}`; {self.length} bits, "
            f"{self.method['name']} at {self.method['effort']} effort"
        )

    def describe_machine(self) -> str:
        """Return the machine of the measurement; load, commit and all versions are in the file."""
        numpy = self.machine["versions"].get("numpy", "")
        return (
            f"{self.machine['cpu']}, {self.machine['cores']} cores; "
            f"Python {self.machine['python']}, NumPy {numpy}"
        )


def stored(
    name: str,
    finding: Finding,
    *,
    options: str,
    machine: Mapping[str, Any],
    manifest: Mapping[str, Any],
    quick: bool,
) -> Stored:
    """=Return the stored form of a finding.

    Args:
        name: name of the benchmark.
        finding: its outcome.
        options: options of the command.
        machine: result of ``describe_machine``.
        manifest: manifest of the bundle.
        quick: whether it had few repetitions.
    """
    return Stored(
        benchmark=name,
        options=options,
        commit=commit(),
        machine=machine,
        embeddings=manifest["source"]["name"],
        words=manifest["vocabulary_size"],
        dimensions=manifest["source"]["dimensions"],
        bits=manifest["bits"] - manifest.get("task_bits", 0),
        method=manifest["method"],
        quick=quick,
        title=finding.title,
        columns=finding.columns,
        rows=finding.rows,
        numbers=finding.numbers,
        task_bits=manifest.get("task_bits", 0),
    )


def write(result: Stored, folder: Path) -> None:
    """Write ``BENCHMARK.json`` into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(asdict(result), indent=1, ensure_ascii=False)
    (folder / f"{result.benchmark}.json").write_text(text + "\n", encoding="utf-8")


def read(name: str, folder: Path = FOLDER) -> Stored | None:
    """Return the result ``SUBJECT/BENCHMARK``; None if it isn't stored."""
    path = folder / f"{name}.json"
    if not path.exists():
        return None
    return Stored(**json.loads(path.read_text(encoding="utf-8")))


def write_alone(path: Path, found: Mapping[str, Any]) -> None:
    """Write results that don't depend on a bundle, with their commit and machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**provenance(), **found}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def read_alone(path: Path, *, timed: bool = False) -> dict[str, Any]:
    """Return results from ``write_alone``.

    Raises:
        DoubtfulError: the results don't name their commit, or have times from a busy machine.
    """
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if (why := doubt(found, timed=timed)) is not None:
        raise DoubtfulError(f"{path.stem} {why}; measure it again")
    return found


def commands(program: str, results: Sequence[Stored]) -> list[str]:
    """Return the commands of a program for these results."""
    names: dict[str, list[str]] = {}
    for result in results:
        names.setdefault(result.options, []).append(result.benchmark)
    return [
        " ".join(filter(None, [program, *dict.fromkeys(together), options]))
        for options, together in names.items()
    ]
