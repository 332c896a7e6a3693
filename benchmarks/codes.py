"""Quality of codes: every method at every length, side by side, on any embeddings.

    python -m benchmarks.codes --embeddings glove.6B.300d.txt --word-pairs wordsim --bits 64

prints two kinds of tables. *Quality*: Spearman x 100 with human judgements for each set of word
pairs, NN@10, words that share a code, and seconds, averaged over seeds. *Under noise*: what a
mechanism keeps of the words (share unchanged / mean centred cosine of output to input) at equal
estimated privacy loss E = epsilon * P_avg, and the cosine at equal shares unchanged.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.report import LIBRARIES, aligned
from brr_runtime import BrrError
from brr_toolchain import DEFAULT_EFFORT
from brr_toolchain.codes import EFFORTS, METHODS, make_codes
from brr_toolchain.embeddings import Embeddings, read_embeddings, sample_path
from brr_toolchain.output.machine import describe_machine
from brr_toolchain.output.plots import Series, Style, line_plot
from brr_toolchain.quality.distances import measure_distances
from brr_toolchain.quality.neighbors import (
    WordPairs,
    find_word_pairs,
    measure_quality,
    read_word_pairs,
)
from brr_toolchain.quality.utility import Utility, epsilon_of_estimated_loss, release_utility
from brr_toolchain.simulate import LAPLACE, ON_CODES, simulate

ESTIMATED_LOSSES = (10.0, 20.0, 30.0, 44.0, 60.0, 80.0)
SHARES = (0.1, 0.25, 0.5, 0.75)
_GRID = np.geomspace(2, 400, 24)  # E between which the cosine at a share is interpolated
_WORDS = 1_000
_UNDER_NOISE = ("brr", "exponential")
_LEFT_OUT = "-"

PATH = click.Path(path_type=Path)


@dataclass(frozen=True)
class Score:
    """Quality of one set of codes.

    Attributes:
        columns: by name: Spearman x 100 for each set of word pairs, NN@10, equal codes, seconds.
    """

    columns: dict[str, float]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--embeddings", default=sample_path, help="Default: the sample of brrkit.")
@click.option("--word-pairs", type=PATH, help="Default: a folder 'wordsim' near the embeddings.")
@click.option("--bits", type=int, multiple=True, default=(64, 128, 256), show_default=True)
@click.option(
    "--method", "methods", type=click.Choice(list(METHODS)), multiple=True, default=tuple(METHODS)
)
@click.option("--seeds", default=3, show_default=True, help="Codes to average over.")
@click.option("--effort", type=click.Choice(list(EFFORTS)), default=DEFAULT_EFFORT)
@click.option("--noise/--no-noise", default=True, help="Also what mechanisms keep (default).")
@click.option("--json", "json_file", type=PATH, help="Write all raw numbers to this file.")
@click.option("--figure", type=PATH, help="Draw what brr keeps into this SVG file.")
def main(
    embeddings: str,
    word_pairs: Path | None,
    bits: Sequence[int],
    methods: Sequence[str],
    seeds: int,
    effort: str,
    noise: bool,
    json_file: Path | None,
    figure: Path | None,
) -> None:
    """Compare methods of making codes."""
    if figure and not noise:
        raise click.UsageError("--figure draws what --noise measures; leave out --no-noise")
    try:
        source = read_embeddings(embeddings)
        folder = word_pairs or find_word_pairs(embeddings)
        pairs = read_word_pairs(folder) if folder else {}
        described = describe_machine(LIBRARIES)
        click.echo(f"{source.source.name}: {source.vectors.shape[0]:,} words, on {described}")
        codes: dict[tuple[str, int], NDArray[np.uint64]] = {}
        scores = {("float32", 0): _float32(source, pairs)}
        for method in methods:
            for length in bits:
                try:
                    made = [_make(source, method, length, effort, seed) for seed in range(seeds)]
                except BrrError as error:
                    click.echo(f"{method} {length}: {error}")
                    continue
                codes[method, length] = made[0][0]
                scores[method, length] = _mean([_score(source, pairs, *one) for one in made])
        click.echo(_quality_table(scores))
        kept = _under_noise(source, codes) if noise else {}
        if noise:
            click.echo(_loss_table(kept))
            click.echo(_share_table(kept))
    except BrrError as error:
        raise click.ClickException(str(error)) from None
    if json_file:
        report = {
            "machine": described,
            "embeddings": source.source.name,
            "quality": {f"{method} {length}": s.columns for (method, length), s in scores.items()},
            "noise": {
                name: {
                    f"{estimated_loss:g}": asdict(utility)
                    for estimated_loss, utility in points.items()
                }
                for name, points in kept.items()
            },
        }
        json_file.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if figure:
        figure.write_text(draw(kept), encoding="utf-8")


def _make(
    source: Embeddings, method: str, bits: int, effort: str, seed: int
) -> tuple[NDArray[np.uint64], float]:
    start = time.perf_counter()
    codes = make_codes(source.vectors, bits=bits, method=method, effort=effort, seed=seed)
    return codes.packed, time.perf_counter() - start


def _score(
    source: Embeddings, pairs: WordPairs, codes: NDArray[np.uint64], seconds: float
) -> Score:
    quality = measure_quality(source.words, source.vectors, codes, pairs)
    columns = {name: 100 * score.codes for name, score in quality.similarity.items()}
    equal = float(len(codes) - len(np.unique(codes, axis=0)))
    return Score({**columns, "NN@10": quality.nn10, "equal codes": equal, "seconds": seconds})


def _float32(source: Embeddings, pairs: WordPairs) -> Score:
    anything = make_codes(source.vectors, bits=64, method="lsh").packed
    quality = measure_quality(source.words, source.vectors, anything, pairs)
    columns = {name: 100 * score.float32 for name, score in quality.similarity.items()}
    return Score({**columns, "NN@10": 1.0})


def _mean(scores: Sequence[Score]) -> Score:
    names = scores[0].columns
    return Score({name: float(np.mean([s.columns[name] for s in scores])) for name in names})


def _quality_table(scores: Mapping[tuple[str, int], Score]) -> str:
    names = list(dict.fromkeys(name for score in scores.values() for name in score.columns))
    digits = {"NN@10": 3, "equal codes": 0, "seconds": 0}
    rows = [["", *names]]
    for (method, bits), score in scores.items():
        cells = (
            f"{score.columns[name]:.{digits.get(name, 1)}f}" if name in score.columns else _LEFT_OUT
            for name in names
        )
        rows.append([f"{method} {bits or ''}".strip(), *cells])
    return "\n".join(aligned(rows)) + "\n"


def _under_noise(
    source: Embeddings, codes: Mapping[tuple[str, int], NDArray[np.uint64]]
) -> dict[str, dict[float, Utility]]:
    """Return, by mechanism and codes, the utility at each E of the grid and of the table."""
    generator = np.random.default_rng(0)
    words = len(source.vectors)
    ids = generator.choice(words, min(words, _WORDS), replace=False)
    estimated_losses = sorted({*_GRID.tolist(), *ESTIMATED_LOSSES})
    kept: dict[str, dict[float, Utility]] = {}
    for (method, bits), packed in codes.items():
        distances = measure_distances(source.vectors, packed)
        names = _UNDER_NOISE if kept else (LAPLACE, *_UNDER_NOISE)
        for name in names:
            metric = distances.hamming if name in ON_CODES else distances.euclidean
            points = {}
            for estimated_loss in estimated_losses:
                epsilon = epsilon_of_estimated_loss(estimated_loss, metric.average)
                mechanism = simulate(
                    name,
                    epsilon,
                    generator,
                    codes=packed,
                    vectors=source.vectors,
                    **({"radius": 0} if name == "exponential" else {}),
                )
                points[estimated_loss] = release_utility(source.vectors, ids, mechanism(ids))
            on = f"{name}, {method} {bits}" if name in ON_CODES else f"{name}, float32"
            kept[on] = points
    return kept


def _loss_table(kept: Mapping[str, Mapping[float, Utility]]) -> str:
    rows = [
        ["unchanged / cosine at E", *(f"{estimated_loss:g}" for estimated_loss in ESTIMATED_LOSSES)]
    ]
    for name, points in kept.items():
        cells = (
            f"{points[estimated_loss].unchanged:.2f} / {points[estimated_loss].cosine:.2f}"
            for estimated_loss in ESTIMATED_LOSSES
        )
        rows.append([name, *cells])
    return "\n".join(aligned(rows)) + "\n"


def _share_table(kept: Mapping[str, Mapping[float, Utility]]) -> str:
    rows = [["cosine at a share unchanged", *(f"{share:g}" for share in SHARES)]]
    for name, points in kept.items():
        unchanged = np.array([point.unchanged for point in points.values()])
        cosines = np.array([point.cosine for point in points.values()])
        order = np.argsort(unchanged, kind="stable")
        cells = (
            f"{np.interp(share, unchanged[order], cosines[order]):.2f}"
            if unchanged.max() >= share
            else _LEFT_OUT
            for share in SHARES
        )
        rows.append([name, *cells])
    return "\n".join(aligned(rows)) + "\n"


def draw(kept: Mapping[str, Mapping[float, Utility]]) -> str:
    """Return an SVG of the cosines that brr keeps on all codes, and the full-size mechanism."""
    names = [name for name in kept if not name.startswith("exponential")]
    methods = list(dict.fromkeys(name.split()[1] for name in names))
    bits = list(dict.fromkeys(name.split()[-1] for name in names))
    styles: tuple[Style, ...] = ("dotted", "solid", "dashed", "dotted", "dashed")
    # The table's lie close to some of the grid, and would show as kinks: draws differ.
    curves = {
        name: {e: u for e, u in kept[name].items() if e not in ESTIMATED_LOSSES} for name in names
    }
    series = [
        Series(
            name.removeprefix("brr, "),
            list(curves[name]),
            [utility.cosine for utility in curves[name].values()],
            style=styles[methods.index(name.split()[1])],
            colour=bits.index(name.split()[-1]),
            markers=False,
        )
        for name in names
    ]
    return line_plot(
        series,
        name="codes",
        title="What brr keeps of the words at equal estimated privacy loss, by codes",
        x_label="E = ε · P_avg",
        y_label="mean centred cosine of output to input",
        log_x=True,
        y_range=(0, 1),
    )


if __name__ == "__main__":
    main()
