"""The results page: Markdown and figures from stored raw results, nothing measured anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from brrkit.errors import ParameterError
from brrkit_toolchain.channel.manifest_info import number
from brrkit_toolchain.io.errors import OutputError
from brrkit_toolchain.io.files import text_lines, write_text, written_file
from brrkit_toolchain.io.outputs import check_outputs
from research.papers import inference, membership, sentiment, storage
from research.papers.results import read_description, read_rows
from research.papers.summary import Evaluated, Findings


class Experiment(NamedTuple):
    """The data of an experiment for the page."""

    title: str
    metrics: Sequence[str]
    findings: Callable[[Evaluated], Findings]


EXPERIMENTS: Mapping[str, Experiment] = {
    module.NAME: Experiment(module.TITLE, module.METRICS, module.findings)
    for module in (sentiment, membership, storage, inference)
}
"""By name, in the order of the page."""

_NUMBERS = ("words", "dimensions", "bits")
_TEXTS = ("embeddings", "method", "size")

REMARKS = "remarks.md"
"""Hand-written text for the page, next to the results: paragraphs under ``## EXPERIMENT``."""

FIGURES = "figures"


def write_page(folder: Path, output: Path) -> None:
    """Write a page of all results in ``folder`` and its subfolders.

    Args:
        folder: folder with ``EXPERIMENT.csv`` and ``EXPERIMENT.json``, and ``remarks.md`` if any;
            subfolders contain those of other bundles.
        output: the Markdown file; figures go into the folder ``figures`` next to it.

    Raises:
        ParameterError: there are no results, or files are damaged.
        OutputError: a file can't be written.
    """
    check_outputs(result_files(folder), places=[output])
    written_file(output)
    found = _found(folder)
    remarks = _remarks(folder / REMARKS)
    figures: dict[str, str] = {}
    parts = [_introduction(found, _command(folder, output))]
    for experiment, (title, _, findings) in EXPERIMENTS.items():
        runs = {name: run for (kind, name), run in found.items() if kind == experiment}
        if not runs:
            continue
        parts.append(f"## {title}\n")
        if experiment in remarks:
            parts.append(remarks[experiment])
        told: set[str] = set()
        for name, run in runs.items():
            parts += _run_parts(f"{name}-{experiment}", findings(run), run, figures, told)
    write_with_figures(output, "\n".join(parts), figures)


def result_files(folder: Path) -> list[Path]:
    """Return the files that a page of ``folder`` is made from."""
    return [path for name in ("*.csv", "*.json", REMARKS) for path in folder.rglob(name)]


def write_with_figures(output: Path, text: str, figures: Mapping[str, str]) -> None:
    """Write a page, and its figures by name into the folder ``figures`` next to it.

    Raises:
        OutputError: a file can't be written.
    """
    place = output.parent / FIGURES
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{place}: can't be made ({error.strerror})") from None
    write_text(output, text)
    for name, figure in figures.items():
        write_text(place / name, figure)


def evaluated(folder: Path, experiment: str) -> Evaluated:
    """Return the results of one experiment in ``folder``.

    Raises:
        ParameterError: a file is missing or damaged.
    """
    description = folder / f"{experiment}.json"
    described = read_description(description)
    settings, machine = described["settings"], described["context"]["machine"]
    needed = _NUMBERS if experiment != inference.NAME else (*_NUMBERS, "lexicon_words")
    averages = settings.get("averages")
    if (
        any(number(settings, name) is None for name in needed)
        or any(not isinstance(settings.get(name), str) for name in _TEXTS)
        or any((number(averages, metric) or 0) <= 0 for metric in ("hamming", "euclidean"))
        or not isinstance(machine.get("versions"), dict)
        or not {"cpu", "cores", "python"} <= machine.keys()
    ):
        raise ParameterError(f"{description}: not the settings of {experiment}; restore the file")
    rows = read_rows(folder / f"{experiment}.csv")
    metrics = {row.metric for row in rows}
    if rows and metrics != set(EXPERIMENTS[experiment].metrics):
        raise ParameterError(
            f"{folder / experiment}.csv: not the results of {experiment}; restore the file"
        )
    return Evaluated(rows, settings, described["context"])


def _found(folder: Path) -> dict[tuple[str, str], Evaluated]:
    """Return all results by experiment and by the name of their folder."""
    found: dict[tuple[str, str], Evaluated] = {}
    for path in sorted(folder.rglob("*.json")):
        if path.stem in EXPERIMENTS and path.with_suffix(".csv").exists():
            results = evaluated(path.parent, path.stem)
            if results.rows:
                place = "-".join(path.parent.relative_to(folder).parts)
                found[path.stem, re.sub(r"[^A-Za-z0-9-]+", "-", place) or "all"] = results
    if not found:
        raise ParameterError(
            f"{folder}: holds no results; run an experiment with --output {folder} first"
        )
    return found


def _remarks(path: Path) -> dict[str, str]:
    """Return the remarks by experiment."""
    if not path.exists():
        return {}
    remarks: dict[str, str] = {}
    text = "".join(text_lines(path, "the list of remarks"))
    for section in re.split(r"^## +", text, flags=re.MULTILINE)[1:]:
        name, _, remark = section.partition("\n")
        if name.strip() not in EXPERIMENTS:
            raise ParameterError(
                f"{path}: '## {name.strip()}' names no experiment; they are: "
                f"{', '.join(EXPERIMENTS)}"
            )
        remarks[name.strip()] = f"{remark.strip()}\n"
    return remarks


def _command(folder: Path, output: Path) -> str:
    """Return the command that writes the page; of absolute paths only the names."""
    paths = [path.name if path.is_absolute() else str(path) for path in (folder, output)]
    return f"python -m research.papers page {paths[0]} --output {paths[1]}"


def _introduction(found: Mapping[tuple[str, str], Evaluated], command: str) -> str:
    machines = {machine_line(run.context["machine"]): None for run in found.values()}
    return "\n".join(
        [
            "# Results of the papers' experiments",
            "",
            "`python -m research.papers` runs the experiments of two papers: BRR (Carvalho et al. "
            f"2021), and Vickrey (Xu et al. 2021). `{command}` writes this page from the stored "
            "results. Mechanisms with different metrics are compared at an equal estimate of the "
            "privacy loss, E = ε·P_avg (BRR, section 5). P_avg is the average distance between "
            "words in the mechanism's metric. *Madlib* is Laplace noise on the vectors.",
            "",
            *(f"Machine: {machine}." for machine in machines),
            "",
        ]
    )


def commands_block(context: Mapping[str, Any]) -> str:
    """Return the commands, by the package that has them now: earlier results name another."""
    commands = "\n".join(context["commands"])
    return f"```\n{commands}\n```\n".replace("python -m benchmarks.", "python -m research.")


def machine_line(machine: Mapping[str, Any]) -> str:
    """Return a machine and its versions in a line."""
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return f"{machine['cpu']}, {machine['cores']} cores; Python {machine['python']}, {versions}"


def _run_parts(
    name: str, findings: Findings, run: Evaluated, figures: dict[str, str], told: set[str]
) -> list[str]:
    """Return a run's part of the page, and add its figures; leave out notes already ``told``."""
    notes = [note for note in findings.notes if note not in told]
    told.update(notes)
    parts = [f"### {_subject(run.settings)}\n", *(f"{note}\n" for note in notes)]
    for figure in findings.figures:
        file = f"{name}-{figure.name}.svg"
        figures[file] = figure.draw(f"{name}-{figure.name}")
        parts.append(f"![{figure.title}]({FIGURES}/{file})\n\n*{figure.title}.* {figure.caption}\n")
    parts += [table.to_markdown() for table in findings.tables]
    parts.append(f"{run.settings['size']}; {run.trials} trials.\n\n{commands_block(run.context)}")
    return parts


def _subject(settings: Mapping[str, Any]) -> str:
    data = f", {settings['data']}" if settings.get("data") else ""
    return (
        f"{settings['embeddings']}: {settings['words']:,} words x {settings['dimensions']} -> "
        f"{settings['bits']} bits ({settings['method']}){data}"
    )
