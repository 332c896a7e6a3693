"""The tables of the documentation, made of stored results."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks import review
from benchmarks.markdown import markdown
from benchmarks.store import (
    ADEPT_MODEL,
    AUDIT_VECTORS,
    CANDIDATES,
    EMOJI_WEEK,
    FOLDER,
    LIST_SIZES,
    SHUFFLED,
    WRITTEN_IN,
    Stored,
)

_NAMES = {
    "laplace": "Laplace noise on float vectors (Madlib)",
    "Madlib (Laplace)": "Laplace noise on float vectors (Madlib)",
    "brr": "`brr`",
    "vickrey": "`vickrey`, t = 0.5",
    "exponential": "`exponential`",
    "find": "look-up of a word",
    "search": "search: the scan of all codes",
    "open": "opening the bundle, hashes verified",
    "open, cold": "the same in a process that has just started",
    "exponential, by the clock": "`exponential`, by the clock",
    "with a budget, by the clock": "the same with a budget",
    "with a new budget, by the clock": "the same with a new budget, its first 300 words",
    "zipf": "Zipf",
    "imdb": "IMDB",
}
_LEFT_OUT = "–"
_NOT_REACHED = "not reached"
_REACHED = 0.85  # of a success: what falls shorter couldn't get there

PROGRAM = FOLDER / "near-lossless.json"
"""What the C program of the near-lossless paper reached: no code of ours decides it."""


@dataclass(frozen=True)
class Table:
    """A table of a page.

    Attributes:
        sources: stored results, as SUBJECT/BENCHMARK.
        make: takes them, returns Markdown.
        command: that makes it, where no stored result of a bundle tells.
        commands_only: on what and where it was measured is left to another page that has it.
    """

    sources: Sequence[str]
    make: Callable[..., str]
    command: str = ""
    commands_only: bool = False


def as_printed(
    stored: Stored, keep: Sequence[int] | None = None, columns: Sequence[str] | None = None
) -> str:
    """Return the table that a benchmark printed.

    Args:
        stored: its result.
        keep: which columns; all by default.
        columns: other headings for these.
    """
    chosen = range(len(stored.columns)) if keep is None else keep
    return markdown(
        columns or [stored.columns[i] for i in chosen],
        [[_name(row[i]) for i in chosen] for row in stored.rows],
    )


def _name(cell: str) -> str:
    return _NAMES.get(cell, _LEFT_OUT if cell == "-" else cell)


def _cost_rows(build: Stored, size: Stored, opened: Stored, speed: Stored) -> list[list[str]]:
    """Return what the default costs beside float vectors: one value a cell."""
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
    """Return what the default costs: every row, or those ``shown``."""
    rows = _cost_rows(*results)
    return markdown(
        ["", "brrkit", "float vectors", "searched by", "ratio"],
        rows if shown is None else [rows[i] for i in shown],
    )


def _points(frontier: Stored) -> list[dict[str, Any]]:
    return list(frontier.numbers["points"])


def _label(point: Mapping[str, Any]) -> str:
    if point["mechanism"] == "exponential":
        return f"`exponential`, r = {point['radius']}"
    return _name(point["mechanism"])


def _at(
    points: Sequence[Mapping[str, Any]], value: Callable[[Mapping[str, Any]], str]
) -> list[list[str]]:
    """Return a row for each mechanism and radius, with a value for each success."""
    targets = sorted({point["target"] for point in points})
    order: dict[str, float] = {}
    for point in points:
        order.setdefault(_label(point), -1 if point["radius"] is None else point["radius"])
    drawn = ("laplace", "brr", "vickrey")
    first = [_name(name) for name in drawn]
    labels = [
        *(label for label in first if label in order),
        *sorted((label for label in order if order[label] >= 0), key=lambda label: order[label]),
        *(label for label in order if order[label] < 0 and label not in first),
    ]
    found = {(_label(point), point["target"]): point for point in points}

    def cell(label: str, target: float) -> str:
        point = found.get((label, target))
        if point is None:
            return _LEFT_OUT
        return value(point) if point["success"] > _REACHED * target else _NOT_REACHED

    return [[label, *(cell(label, target) for target in targets)] for label in labels]


def _frontier(value: Callable[[Mapping[str, Any]], str], frontier: Stored) -> str:
    """Return one quantity of the frontier, at each success."""
    points = _points(frontier)
    targets = sorted({point["target"] for point in points})
    rows = [row for row in _at(points, value) if set(row[1:]) - {_LEFT_OUT, _NOT_REACHED}]
    return markdown(["attack success", *(f"{target:.1f}" for target in targets)], rows)


def _bold(point: Mapping[str, Any], text: str) -> str:
    return f"**{text}**" if point["chosen"] else text


def _cosine(point: Mapping[str, Any]) -> str:
    return _bold(point, f"{point['cosine']:.2f}")


def _worst(point: Mapping[str, Any]) -> str:
    return _bold(point, f"{point['worst']:.2f}")


def _loss(point: Mapping[str, Any]) -> str:
    return _bold(point, f"{point['estimated_loss']:.1f}" if point["estimated_loss"] else _LEFT_OUT)


def _certified(point: Mapping[str, Any]) -> str:
    return _bold(point, _LEFT_OUT if point["certified"] is None else f"{point['certified']:.1f}")


def _equal_attack(frontier: Stored) -> str:
    """Return what the README says of equal attack: five mechanisms."""
    points = _points(frontier)
    targets = sorted({point["target"] for point in points})
    middle = targets[1]
    kinds: dict[str, Callable[[Mapping[str, Any]], bool]] = {
        "Laplace noise on float vectors (Madlib)": lambda p: p["mechanism"] == "laplace",
        "`brr`": lambda p: p["mechanism"] == "brr",
        "`vickrey`, t = 0.5": lambda p: p["mechanism"] == "vickrey",
        "`exponential`, radius 0": lambda p: p["radius"] == 0,
        "**`exponential`, as calibrated**": lambda p: p["chosen"],
    }
    rows = []
    for name, belongs in kinds.items():
        at = {point["target"]: point for point in points if belongs(point)}
        loss = (
            at[middle]["estimated_loss"]
            if at[middle]["certified"] is None
            else at[middle]["certified"]
        )
        rows.append(
            [
                name,
                *(f"{at[target]['cosine']:.2f}" for target in targets),
                f"{at[middle]['worst']:.2f}",
                f"{loss:.0f}",
            ]
        )
    return markdown(
        [
            "cosine at an attack success of",
            *(f"{target:.1f}" for target in targets),
            f"worst 1%, at {middle:.1f}",
            f"E, at {middle:.1f}",
        ],
        rows,
    )


def _utility(bases: Stored, attackers: Stored) -> str:
    """Return what is kept at one success of the attacker who reads: a peer, and each base."""
    typed = attackers.numbers["typed"]["perplexity"]
    rows = [
        [
            _contender(point["contender"]),
            f"{point['values']['cosine']:.2f}",
            f"{point['values']['perplexity'] / typed:,.0f}",
            _LEFT_OUT,
        ]
        for point in attackers.numbers["points"]
        if (point["over"], point["goal"]) == ("all", 0.3) and point["contender"] in _BESIDE
    ]
    names = {name: f"`exponential`, base {name}" for name in bases.numbers["points"]}
    rows += [
        [
            names[name],
            f"{point['cosine']:.2f}",
            f"{point['perplexity']:,.1f}"
            if point["perplexity"] < 10
            else f"{point['perplexity']:,.0f}",
            f"{point['loss']:.0f}",
        ]
        for name, point in bases.numbers["points"].items()
        if name in _SHOWN
    ]
    columns = ["", "cosine", "perplexity, times the typed", "loss between any two words, at most"]
    return markdown(columns, rows)


_BESIDE = ("Madlib (Laplace)", "brr")


def _tasks_short(*of_tasks: Stored) -> str:
    """Return what the README says of tasks: with task bits and without."""
    rows = []
    for stored, (label, goal) in zip(of_tasks, _README_TASKS.items(), strict=True):
        points = [point for point in stored.numbers["points"] if point["goal"] == goal]
        reached = {
            point["contender"]["weight"]: point["vectors"]
            for point in points
            if point["contender"]["tasks"] is None
        }
        cells = (goal, stored.numbers["typed"]["vectors"], reached[_README_WEIGHT], reached[0])
        rows.append([label, *(f"{value:.2f}" for value in cells)])
    columns = ["", "attack success", "typed", "released", "without task bits"]
    return markdown(columns, rows)


_README_TASKS = {
    "sentiment of reviews, 2 classes": 0.2,
    "topics of articles, 8 classes": 0.2,
    "intents of requests, 7 classes": 0.42,
}
_README_WEIGHT = 2


_REQUESTS = 2, 3, 4, 5
"""Classes of the README, by place; one request is taken for another class."""


def _requests(example: Stored) -> str:
    """Return requests of some classes, typed and released, what they are taken for, and by whom."""
    numbers = example.numbers
    table = markdown(example.columns, [example.rows[place] for place in _REQUESTS])
    table = "\n".join([table.splitlines()[0], "| --- " * 3 + "|", *table.splitlines()[2:]])
    reads = numbers["guessed"]["sentence"]
    return (
        f"{table}\n\nThe classifier was trained on other released requests. It is right for "
        f"{numbers['right']:.2f} of {numbers['tested']} requests. An attacker\nwho knows how "
        f"requests go names {reads['all']:.2f} of the words, and {reads['content']:.2f} of those "
        "beyond the 150 most frequent.\n"
    )


_SHOWN = {
    "typed": "typed",
    "`uniform`, radius 8": "`uniform`, radius 8",
    "`unigram`, of ranks": "`unigram`, of ranks",
    "`bigram`, of reviews": "`bigram`, of reviews",
}


def _examples(bases: Stored) -> str:
    """Return the starts of the first reviews, as typed and as released: drawn once, not chosen."""
    examples = bases.numbers["examples"]
    rows = [
        [f"{number + 1}. {label}", examples[name][number]]
        for number in range(len(examples["typed"]))
        for name, label in _SHOWN.items()
    ]
    return markdown(["", "the first words of a review"], rows).replace(
        "| --- | --: |", "| --- | --- |"
    )


_READERS = {
    "isolated": "sees one word, holds all to be as likely",
    "frequencies": "sees one word, knows how frequent each is",
    "sentence": "sees all released words, knows the language",
    "informed": "sees one word, knows the language and all others as typed",
    "language_alone": "the same, and sees no released word",
}


def _text_attack(stored: Stored) -> str:
    """Return how often attackers who read a text are right."""
    return markdown(
        ["attacker", "all words", "content words"],
        [
            [
                f"`{name}`: {_READERS[name]}",
                *(f"{by_class[over]['top1']['value']:.2f}" for over in ("all", "content")),
            ]
            for name, by_class in stored.numbers["found"]["attackers"].items()
        ],
    )


def _equal_reader(over: str, attackers: Stored) -> str:
    """Return what each mechanism keeps of a text where the attacker who reads is right so often."""
    points = [point for point in attackers.numbers["points"] if point["over"] == over]
    goals = sorted({point["goal"] for point in points})
    middle = goals[len(goals) // 2]
    found = {(point["contender"], point["goal"]): point["values"] for point in points}

    def cell(name: str, goal: float, what: str) -> str:
        if (name, goal) not in found:
            return _NOT_REACHED
        value = found[name, goal][what]
        if value is None:
            return _LEFT_OUT
        return f"{value:,.0f}" if what == "perplexity" else f"{value:.2f}"

    typed = attackers.numbers["typed"]
    as_typed = [f"{typed['sentiment']:.2f}"] * len(goals)
    typed_perplexity = f"{typed['perplexity']:,.0f}"
    told = [attackers.numbers["notes"][0]]
    told += [
        note
        for note in attackers.numbers["missing"]
        if f"over {over};" in note or " over " not in note
    ]
    table = markdown(
        [
            "success of `sentence`",
            *(f"cosine, {goal:.2f}" for goal in goals),
            *(f"sentiment, {goal:.2f}" for goal in goals),
            f"worst 1%, {middle:.2f}",
            f"perplexity, {middle:.2f}",
        ],
        [
            ["as typed", *("1.00" for _ in goals), *as_typed, _LEFT_OUT, typed_perplexity],
            *(
                [
                    _contender(name),
                    *(cell(name, goal, "cosine") for goal in goals),
                    *(cell(name, goal, "sentiment") for goal in goals),
                    cell(name, middle, "worst 1%"),
                    cell(name, middle, "perplexity"),
                ]
                for name in attackers.numbers["measured"]
            ),
        ],
    )
    return table + "\n" + "\n".join(f"* {note}" for note in told) + "\n"


def _contender(name: str) -> str:
    mechanism, _, rest = name.partition(", ")
    if "-" in mechanism:  # a package
        return f"`{mechanism}`, {rest}"
    return _name(mechanism) + (
        f", {rest.replace('radius', 'r =')}" if mechanism == "exponential" else ""
    )


_LOSSES = ("20", "30", "44", "80")
_DEFAULT_CODES = "neighborhood 64"


def _equal_loss(what: str, codes: Stored) -> str:
    """Return one quantity of every mechanism on the default's codes, at equal E."""
    noise = codes.numbers["noise"]
    kinds = {
        name.split(", ")[0]: points
        for name, points in noise.items()
        if name.endswith((_DEFAULT_CODES, "float32"))
    }
    return markdown(
        ["E", *(_name(kind) for kind in kinds)],
        [[loss, *(f"{points[loss][what]:.2f}" for points in kinds.values())] for loss in _LOSSES],
    )


def _noise(what: str, codes: Stored) -> str:
    """Return one quantity of every mechanism on every kind of codes, at equal E."""
    losses = ("10", "20", "30", "44", "60", "80")
    return markdown(
        ["E", *losses],
        [
            [_codes_label(name), *(f"{points[loss][what]:.2f}" for loss in losses)]
            for name, points in codes.numbers["noise"].items()
        ],
    )


def _codes_label(name: str) -> str:
    mechanism, _, kind = name.partition(", ")
    method, _, bits = kind.partition(" ")
    return _name(mechanism) if not bits else f"{_name(mechanism)}, `{method}` {bits}"


def _equal_share(codes: Stored) -> str:
    """Return the cosine where equally many words stay, between the stored points."""
    shares = (0.1, 0.25, 0.5, 0.75)
    rows = []
    for name, points in codes.numbers["noise"].items():
        unchanged = np.array([point["unchanged"] for point in points.values()])
        order = np.argsort(unchanged, kind="stable")
        cosines = np.array([point["cosine"] for point in points.values()])[order]
        there = np.interp(shares, unchanged[order], cosines)
        cells = (
            f"{cosine:.2f}" if unchanged.max() >= share else _NOT_REACHED
            for share, cosine in zip(shares, there, strict=True)
        )
        rows.append([_codes_label(name), *cells])
    return markdown(["share unchanged", *(f"{share:g}" for share in shares)], rows)


_PAIRS = {
    "MEN": "MEN",
    "SimLex": "SimLex-999",
    "SimVerb": "SimVerb-3500",
    "WS353": "WordSim-353",
}


def _quality(only: str | None, codes: Stored) -> str:
    """Return quality before noise, beside the C program's of the near-lossless paper."""
    quality = codes.numbers["quality"]
    theirs = json.loads(PROGRAM.read_text(encoding="utf-8"))["quality"].get(codes.embeddings, {})
    columns = [*_PAIRS, "NN@10"] + ([] if only else ["equal codes"])
    rows = []

    def line(name: str, scores: Mapping[str, float]) -> list[str]:
        digits = {"NN@10": 3, "equal codes": 0}
        return [
            name,
            *(
                f"{scores[column]:.{digits.get(column, 1)}f}" if column in scores else ""
                for column in columns
            ),
        ]

    for kind, scores in quality.items():
        method, _, bits = kind.partition(" ")
        if not bits:
            rows.append(line("float vectors", scores))
        elif only is None or method == only:
            rows.append(line(f"{bits} bits, " + ("brrkit" if only else f"`{method}`"), scores))
            if method == _DEFAULT_CODES.split(maxsplit=1)[0] and bits in theirs:
                rows.append(line(f"{bits} bits, the paper's C program", theirs[bits]))
    return markdown(["", *(_PAIRS.get(column, column) for column in columns)], rows)


def _making(build: Stored) -> str:
    """Return time and memory of a build, by effort."""
    rows = []
    for label, effort in (("medium", "brr"), ("low", "low")):
        runs = build.numbers[effort]
        rows.append(
            [
                f"{build.words:,} × {build.dimensions}, `--effort {label}`",
                f"{median(run['stages']['codes'] for run in runs):.0f}",
                f"{median(run['seconds'] for run in runs):.0f}",
                f"{median(run['peak'] for run in runs) / 1e9:.2f}",
            ]
        )
    return markdown(["", "codes, s", "all of `brr build`, s", "peak RAM, GB"], rows)


_OF_AN_APP = (
    "exponential",
    "brr",
    "with a budget, by the clock",
    "typing, budget on: p50",
    "typing, budget on: p99",
    "open",
    "open, cold",
)
"""Rows for who plans an app."""


def _languages(shown: Sequence[str] | None, languages: Stored) -> str:
    """Return microseconds of the runtimes: every row, or those ``shown``."""
    rows = languages.numbers["microseconds"]
    rows = rows if shown is None else {task: rows[task] for task in shown}
    return markdown(
        ["µs", *rows["exponential"]],
        [[_name(task), *map(_micro, times.values())] for task, times in rows.items()],
    )


def _micro(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def _package(*sizes: Stored) -> str:
    """Return what bundles add to an app."""
    return markdown(
        ["bundle", "in the package, MB", "compressed, MB"],
        [
            [
                f"{size.words:,} words × {size.length} bits",
                f"{size.numbers['bundle'] / 1e6:.2f}",
                f"{size.numbers['compressed'] / 1e6:.2f}",
            ]
            for size in sizes
        ],
    )


def _memory(memory: Stored) -> str:
    return as_printed(memory, columns=["releases", *memory.columns[1:]])


def _printed_lines(stored: Stored) -> str:
    """Return what a command printed."""
    return "\n".join(["```", *(line for (line,) in stored.rows), "```", ""])


def _certify(certify: Stored) -> str:
    """Return what certifying saves, without the times."""
    return as_printed(
        certify, (0, 1, 2, 3, 5), ["", "ε", "ε*", "less by", "largest ε for that loss"]
    )


def _corpus(corpus: Stored) -> str:
    """Return time and memory of a whole corpus, and what that makes for a terabyte of such text."""
    words = 1e12 / corpus.numbers["bytes_per_word"]
    found = dict(corpus.numbers["took"])
    start = found.pop("brr privatize, one text")
    for name in ("brr privatize, brr", "brr privatize, vickrey"):  # few texts, mostly start
        took = found[name]
        found[name] = {
            **took,
            "cpu": max(took["cpu"] - start["cpu"], 0.0),
            "seconds": max(took["seconds"] - start["seconds"], 1e-9),
        }
    return markdown(
        ["", "words", "CPU, µs a word", "words a second", "peak RAM, GB", "core-hours a TB"],
        [
            [
                name,
                f"{took['words']:,}",
                f"{1e6 * took['cpu'] / took['words']:,.1f}",
                f"{took['words'] / took['seconds']:,.0f}",
                f"{took['peak'] / 1e9:.1f}",
                f"{took['cpu'] / took['words'] * words / 3600:,.0f}",
            ]
            for name, took in found.items()
        ],
    )


def _audit(what: str) -> str:
    """Return what an audit can see, by exact sums."""
    from benchmarks import audit_power

    sizes = [f"{size:,}" for size in audit_power.SIZES]
    if what == "leaks":
        return markdown(["leak", *sizes], audit_power.limits())
    rows = [[f"`{name}`", *cells] for name, *cells in audit_power.powers()]
    return markdown(["name in `broken.py`", *sizes[:3]], rows)


def _audit_counted() -> str:
    """Return how often audits rejected what is broken, and what isn't."""
    found = json.loads(AUDIT_VECTORS.read_text(encoding="utf-8"))
    return markdown(
        ["", "samples", "rejected"],
        [
            [
                f"`{row['name'].rpartition(':')[2]}`",
                f"{row['samples']:,}",
                f"{row['rejected']} of {row['trials']}",
            ]
            for row in found["rows"]
        ],
    )


def _shuffled() -> str:
    """Return the central guarantee of shuffled counts, by reporters."""
    from benchmarks import shuffled

    found = json.loads(SHUFFLED.read_text(encoding="utf-8"))
    return markdown(shuffled.COLUMNS, [shuffled.cells(row) for row in found["rows"]])


def _written_in(columns: Sequence[int]) -> str:
    """Return what is measured of each language, some columns of it."""
    from benchmarks import written_in

    found = json.loads(WRITTEN_IN.read_text(encoding="utf-8"))
    cells = [[row[i] for i in columns] for row in written_in.rows(found["languages"])]
    measured = [row for row in cells if any(cell != "–" for cell in row[1:])]
    return markdown([written_in.COLUMNS[i] for i in columns], measured)


def _written_in_short() -> str:
    """Return what the README says of the languages that have vectors: no intervals."""
    lines = _written_in((0, 3, 8, 9)).splitlines(keepends=True)
    shown = "".join(line for line in lines if not line.endswith("– |\n"))
    return re.sub(r" \([\d.]+–[\d.]+\)", "", shown)


def _list_sizes(what: str) -> str:
    """Return reports by the length of the list: what is equal, or the simulation."""
    from benchmarks import list_sizes

    found = json.loads(LIST_SIZES.read_text(encoding="utf-8"))
    if what == "simulated":
        return markdown(*list_sizes.checked(found[what]))
    return markdown(*list_sizes.equal(found["rows"], what))


def _shuffled_few() -> str:
    """Return the central epsilon of a reporter with one report, by reporters."""
    from benchmarks import shuffled

    found = json.loads(SHUFFLED.read_text(encoding="utf-8"))
    chosen = [0, 5]  # reporters, central epsilon
    return markdown(
        [shuffled.COLUMNS[i] for i in chosen],
        [
            [shuffled.cells(row)[i] for i in chosen]
            for row in found["rows"]
            if row["each"] == 1 and row["kept"] == 0.2
        ],
    )


def _emoji_week() -> str:
    """Return how well emoji of a week are estimated from a list."""
    from benchmarks import emoji_week

    found = json.loads(EMOJI_WEEK.read_text(encoding="utf-8"))
    rows = [emoji_week.cells(row) for row in found["rows"]]
    holds = f"{100 * found['all']:.1f}%"
    return markdown(emoji_week.COLUMNS, [*rows, ["all", "", "", "", "", holds]])


def _candidates() -> str:
    """Return how many new words are found from a list of candidates."""
    from benchmarks import candidates

    found = json.loads(CANDIDATES.read_text(encoding="utf-8"))
    return markdown(candidates.COLUMNS, [candidates.cells(row) for row in found["rows"]])


_COUNTS_COMMAND = "brr calibrate runtime/brrkit/sample --for counts --attack-success 0.2"


def _counts_needed() -> str:
    """Return what ``brr calibrate --for counts`` finds for the sample bundle at three goals."""
    from brrkit import WordBundle
    from brrkit_toolchain.choose.counts import calibrate_counts

    bundle = WordBundle.sample()
    rows = []
    for goal in (0.15, 0.2, 0.3):
        found = calibrate_counts(bundle, attack_success=goal, attacker="frequencies")
        needed = [f"{float(f'{found.needed[rank]:.2g}'):,.0f}" for rank in (100, 1_000)]
        rows.append([f"{goal:g}", f"{found.setting.cap:.2f}", *needed])
    return markdown(["attack success", "cap", "reports, rank 100", "reports, rank 1,000"], rows)


def _audit_peers(found: Stored) -> str:
    """Return what was found in each package, and which parts of an audit it passed."""
    rows = []
    for package, command, part, said in found.rows:
        rows.append([package.replace("==", " "), f"`{command}`", part, said])
    for name, audit in found.numbers["audits"].items():
        passed = [part["name"] for part in audit.get("parts", ()) if part["passed"]]
        if passed:
            last = max(i for i, row in enumerate(rows) if row[1] == f"`{name}`")
            rows.insert(last + 1, [rows[last][0], f"`{name}`", "passed", ", ".join(passed)])
    return markdown(["", "shown by", "part", "found"], rows)


_ADEPT_COMMAND = "python -m benchmarks.adept.model --train snips-train.tsv --test snips-test.tsv"


def _rebuttal() -> str:
    """Return the simulation in section 6 of the rebuttal of ADePT."""
    from benchmarks.adept import rebuttal

    return markdown(rebuttal.COLUMNS, rebuttal.rows())


def _adept(make: Callable[[Any], str]) -> str:
    """Return a table of what a model of ``brr adept`` is or does."""
    return make(json.loads(ADEPT_MODEL.read_text(encoding="utf-8")))


def _adept_model(found: Any) -> str:
    training = found["training"]
    rows = [
        ["machine", f"{found['machine']['cpu']}, {found['machine']['cores']} cores"],
        ["sentences trained on", f"{training['sentences']:,}"],
        ["tokens of the vocabulary", f"{found['tokens']:,}"],
        ["training, s", f"{training['seconds']:.0f}"],
        ["training, s of processor time", f"{training['CPU seconds']:.0f}"],
        ["loss, nats a token", f"{training['loss']:.3f}"],
        *(
            [f"`{name}`, MB", f"{size / 1e6:.2f}"]
            for name, size in found["bytes"]["graphs"].items()
            if not name.endswith(".json")
        ),
        [
            "pairs of test sentences beyond the sensitivity that ADePT's proof claims",
            f"{found['exceeding']:.1%}",
        ],
    ]
    return markdown(["", ""], rows)


def _adept_returned(found: Any) -> str:
    back = {name: f"{share:.1%}" for name, share in found["returned"].items()}
    rows = [
        ["words that stand in their place", back["words"], back["known"]],
        ["sentences that are the same, word for word", back["sentences"], back["possible"]],
        ["labels", back["labels"], ""],
    ]
    return markdown(["", "share", "possible"], rows)


def _adept_times(found: Any) -> str:
    rows = [[name, f"{value:.2g}"] for name, value in found["milliseconds"].items()]
    return markdown(["", "ms"], rows)


_ERRORS = [
    "words",
    "E",
    "come out unchanged",
    "counts of outputs",
    "inverted",
    "`brr estimate`",
    "half width of intervals",
    "intervals with the truth",
]


def _needed(frequencies: Stored) -> str:
    """Return how many reports it takes."""
    rows = [[row[1], *row[8:]] for row in frequencies.rows if row[0] == "zipf"]
    shares = [column.removeprefix("needed ") for column in frequencies.columns[8:]]
    return markdown(["E", *(f"share {share}" for share in shares)], rows)


_ORACLES = {
    "k-ary randomized response": "`counts`: k-ary randomized response",
    "exponential": "`exponential`, as for text",
}

_WHO = {
    "frequencies": "`frequencies`",
    "content": "the same, content words",
    "isolated": "`isolated`",
}


def _oracles(equal: str, oracles: Stored) -> str:
    """Return what each oracle needs, and its errors, where something is ``equal``."""
    rows = [row for row in oracles.numbers["rows"] if row["equal"] == equal]
    ours = rows[0]["needed"][1]
    columns = [
        "",
        "ε",
        *_WHO.values(),
        *(f"reports, rank {rank}" for rank in ("100", "1,000", "10,000")),
        "times those of `counts`",
        *(f"error, ranks {ranks}" for ranks in ("1–100", "101–1,000", "1,001–3,000")),
        "total variation",
    ]
    return markdown(
        columns,
        [
            [
                _ORACLES.get(row["oracle"], row["oracle"])
                + (f" ({row['size']})" if row["size"] else ""),
                f"{row['loss']:.1f}",
                *(f"{row['success'][attacker]:.3f}" for attacker in _WHO),
                *(_two_digits(needed) for needed in row["needed"]),
                f"{row['needed'][1] / ours:.2g}",
                *(
                    [_LEFT_OUT] * 4
                    if row["distance"] is None
                    else [*(f"{error:.3f}" for error in row["relative"]), f"{row['distance']:.2f}"]
                ),
            ]
            for row in rows
        ],
    )


def _two_digits(number: float) -> str:
    """Return a count with the two digits that matter, in millions where it is that large."""
    rounded = float(f"{number:.2g}")
    return f"{rounded / 1e6:,g} M" if rounded >= 1e6 else f"{rounded:,.0f}"


def _oracles_few(oracles: Stored) -> str:
    """Return what oracles need at equal success of the attacker who knows frequencies."""
    rows = [row for row in oracles.numbers["rows"] if row["equal"] == "frequencies"]
    ours = rows[0]["needed"][1]
    return markdown(
        ["", "ε", "reports, rank 1,000", "times those of `counts`"],
        [
            [
                _ORACLES.get(row["oracle"], row["oracle"]),
                f"{row['loss']:.1f}",
                _two_digits(row["needed"][1]),
                f"{row['needed'][1] / ours:.2g}",
            ]
            for row in rows
            if not row["size"] and row["oracle"] != "optimized unary encoding"  # as hashing
        ],
    )


def _agreement(oracles: Stored) -> str:
    """Return what packages give on few symbols, and what is computed."""
    rows: list[Sequence[str]] = [
        [
            f"{name}, `{one['package']}`",
            *(f"{one[side]:.3f}" for side in ("success", "computed_success")),
            *(f"{one[side]:.4f}" for side in ("error", "computed_error")),
        ]
        for name, one in oracles.numbers["packages"].items()
    ]
    columns = ["", "attack success, package", "computed", "error, package", "drawn"]
    return markdown(columns, rows)


def _new_words(what: str, found: Stored) -> str:
    """Return what finds new words, the noise of counts, or what a report of STAR costs."""
    from benchmarks import new_words

    if what == "star":
        columns, *rows = new_words.star_table(found.numbers["star"])
        return markdown(columns, rows)
    if what == "noise":
        return markdown(*new_words.agreement(found.numbers["rows"]))
    return markdown(new_words.COLUMNS, new_words.cells(found.numbers["rows"]))


_GUESSES = [
    "attacker",
    *(f"{over}, {n}" for over in ("all words", "content") for n in ("first guess", "ten guesses")),
]
_BASES_COLUMNS = [
    "base",
    "cosine",
    "of content",
    "success, content",
    "at the first row's cosine of content",
    "perplexity",
    "sentiment",
    "loss between any two words",
    "ε",
]
_FRONTIER = {
    "cosine": _cosine,
    "worst": _worst,
    "loss": _loss,
    "certified": _certified,
}
_SUBJECTS = {"glove": "glove-7k", "wikipedia": "wikipedia-50k"}

TABLES: Mapping[str, Table] = {
    **{
        name: Table(
            [f"wikipedia-50k/{source}" for source in ("build", "size", "open", "speed")],
            partial(_cost, shown),
            commands_only=shown is not None,
        )
        for name, shown in {"cost": _COST_SHOWN, "cost-all": None}.items()
    },
    "requests": Table(["sample-10k/example"], _requests, commands_only=True),
    "speed": Table(["wikipedia-50k/speed"], as_printed),
    "text-attack": Table(["wikipedia-50k/text-attack"], _text_attack),
    "equal-attack": Table(["glove-7k/frontier"], _equal_attack),
    "equal-loss-cosine": Table(["wikipedia-50k/codes"], partial(_equal_loss, "cosine")),
    "equal-loss-unchanged": Table(["wikipedia-50k/codes"], partial(_equal_loss, "unchanged")),
    "quality": Table(["glove-7k/codes"], partial(_quality, "neighborhood")),
    **{
        f"{name}-{subject}": table
        for subject, folder in _SUBJECTS.items()
        for name, table in {
            "codes-quality": Table([f"{folder}/codes"], partial(_quality, None)),
            "codes-cosine": Table([f"{folder}/codes"], partial(_noise, "cosine")),
            "codes-unchanged": Table([f"{folder}/codes"], partial(_noise, "unchanged")),
            "codes-share": Table([f"{folder}/codes"], _equal_share),
            **{
                f"frontier-{what}": Table([f"{folder}/frontier"], partial(_frontier, value))
                for what, value in _FRONTIER.items()
            },
        }.items()
    },
    **{
        f"attackers-{over}": Table(["wikipedia-50k/attackers"], partial(_equal_reader, over))
        for over in ("content", "all")
    },
    "making": Table(["wikipedia-50k/build"], _making),
    "languages": Table(["wikipedia-50k/languages"], partial(_languages, None)),
    "languages-short": Table(["wikipedia-50k/languages"], partial(_languages, _OF_AN_APP)),
    "package": Table(["sample-10k/size", "wikipedia-50k/size"], _package),
    "memory": Table(["glove-7k/memory"], _memory),
    "repeated": Table(["sample-10k/repeated"], as_printed),
    "amount": Table(["sample-10k/amount"], as_printed),
    "calibrate": Table(["glove-7k/calibrate"], _printed_lines),
    "certify": Table(["glove-7k/certify"], _certify),
    "optimum": Table(["glove-7k/optimum"], as_printed),
    "frequencies": Table(
        ["sample-2k/frequencies"], partial(as_printed, keep=range(8), columns=_ERRORS)
    ),
    "reports-needed": Table(["sample-2k/frequencies"], _needed),
    "estimate": Table(["wikipedia-50k/estimate"], as_printed),
    "counted": Table(["wikipedia-50k/counted"], as_printed),
    "counts-needed": Table((), _counts_needed, command=_COUNTS_COMMAND),
    **{
        f"review-{name}": Table((), make, command=review.COMMAND)
        for name, make in {
            "statements": review.of_statements,
            "bound": review.of_bound,
            "day": review.of_day,
            "risks": review.of_risks,
        }.items()
    },
    "review-attackers": Table(["sample-10k/repeated"], review.of_attackers, command=review.COMMAND),
    "emoji-week": Table((), _emoji_week, command="python -m benchmarks.emoji_week"),
    "candidates": Table((), _candidates, command="python -m benchmarks.candidates"),
    "shuffled": Table((), _shuffled, command="python -m benchmarks.shuffled"),
    "shuffled-few": Table((), _shuffled_few, command="python -m benchmarks.shuffled"),
    **{
        f"list-sizes-{what}": Table(
            (), partial(_list_sizes, what), command="python -m benchmarks.list_sizes"
        )
        for what in ("cap", "isolated", "both", "simulated")
    },
    "written-in-short": Table((), _written_in_short, command="python -m benchmarks.written_in"),
    **{
        name: Table((), partial(_written_in, columns), command="python -m benchmarks.written_in")
        for name, columns in {
            "written-in-found": (0, 1, 2, 3, 4, 5),
            "written-in-kept": (0, 6, 7, 8, 9, 10),
            "written-in-tasks": (0, 11, 12, 13),
            "written-in-costs": (0, 14, 15, 16),
        }.items()
    },
    **{
        f"oracles-{equal}": Table(["wikipedia-50k/oracles"], partial(_oracles, equal))
        for equal in ("epsilon", *_WHO)
    },
    **{
        f"new-words{what and '-'}{what}": Table(
            ["sample-10k/new-words"], partial(_new_words, what), commands_only=what != "star"
        )
        for what in ("", "noise", "star")
    },
    "oracles-few": Table(["wikipedia-50k/oracles"], _oracles_few),
    "oracles-packages": Table(["wikipedia-50k/oracles"], _agreement),
    **{
        f"audit-{what}": Table(
            (), partial(_audit, what), command="python -m benchmarks.audit_power --limits"
        )
        for what in ("leaks", "vectors")
    },
    "audit-counted": Table(
        (), _audit_counted, command="python -m benchmarks.audit_power --vectors --trials 100"
    ),
    "adept-rebuttal": Table((), _rebuttal, command="python -m benchmarks.adept.rebuttal"),
    **{
        f"adept-{what}": Table((), partial(_adept, make), command=_ADEPT_COMMAND)
        for what, make in {
            "model": _adept_model,
            "returned": _adept_returned,
            "times": _adept_times,
        }.items()
    },
    "corpus": Table(["wikipedia-50k/corpus"], _corpus),
    "vectors": Table(["wikipedia-50k/vectors"], as_printed),
    "libraries-cost": Table(["glove-7k/libraries"], partial(as_printed, keep=range(4))),
    "libraries-tokens": Table(["glove-7k/libraries"], partial(as_printed, keep=(0, 4, 5, 6, 7))),
    "libraries-meaning": Table(
        ["glove-7k/libraries"],
        partial(as_printed, keep=(0, 8, 9), columns=["", "attack success (isolated)", "cosine"]),
    ),
    "bases": Table(["wikipedia-50k/bases"], partial(as_printed, columns=_BASES_COLUMNS)),
    "utility": Table(["wikipedia-50k/bases", "wikipedia-50k/attackers"], _utility),
    "tasks-short": Table(
        [
            "wikipedia-50k-sentiment/tasks-sentiment",
            "wikipedia-50k-topics/tasks-topics",
            "wikipedia-50k-tasks/tasks-intents",
        ],
        _tasks_short,
        commands_only=True,
    ),
    "bases-examples": Table(["wikipedia-50k/bases"], _examples),
    "next-word": Table(["wikipedia-50k/next-word"], as_printed),
    "neural-attacker": Table(
        ["wikipedia-50k/neural-attacker"], partial(as_printed, columns=_GUESSES)
    ),
    "tasks-sentiment": Table(["wikipedia-50k-sentiment/tasks-sentiment"], as_printed),
    **{
        f"tasks-both-{task}": Table([f"wikipedia-50k-tasks/tasks-{task}"], as_printed)
        for task in ("sentiment", "intents")
    },
    "tasks-sample-intents": Table(["sample-10k/tasks-intents"], as_printed),
    "tasks-sample-atis": Table(["sample-10k/tasks-atis"], as_printed),
    "tasks-atis": Table(["wikipedia-10k-atis/tasks-atis"], as_printed),
    "tasks-rating": Table(["wikipedia-10k-rating/tasks-rating"], as_printed),
    "tasks-topics": Table(["wikipedia-50k-topics/tasks-topics"], as_printed),
    **{
        f"tasks-{name}": Table([f"wikipedia-10k-sentiment/tasks-{name}"], as_printed)
        for name in ("peers", "writers", "vectors")
    },
    "tasks-unsupervised": Table(["wikipedia-10k/tasks-unsupervised"], as_printed),
    "identify": Table(["wikipedia-50k/identify"], as_printed),
    "audit-peers": Table(["glove-50d-2k/audit-peers"], _audit_peers),
}
"""By the name in a page's marker."""
