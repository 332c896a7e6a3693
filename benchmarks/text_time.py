"""Time of the whole ``brr calibrate --text`` and ``brr measure --text``, by number of words."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict

from benchmarks.bench import Bench, progress
from benchmarks.child import Took, watch_tree
from benchmarks.report import TARGET_SIZE, Claim, Finding
from benchmarks.reviews import imdb
from brrkit_toolchain.attackers.texts.text_attack import TOKENS

REVIEWS = (2_000, 25_000)
"""Numbers of reviews from IMDB's test half; attackers learn from those that aren't attacked."""

_ROUNDS = 3
_TARGETS = {"calibrate": 60.0, "measure": 15.0}  # seconds


def run(bench: Bench) -> Finding:
    """Calibrate a copy of the bundle to reviews, write the setting, and measure it on them."""
    title = f"text-time: attackers of {TOKENS:,} words of IMDB's reviews"
    dataset = imdb()
    if dataset is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    assert dataset.testing is not None
    testing = [text for text, of in zip(dataset.texts, dataset.testing, strict=True) if of]
    file, own = bench.folder / "reviews.txt", bench.folder / "calibrated"
    took: dict[int, dict[str, Took]] = {}
    for count in REVIEWS[:1] if bench.quick else REVIEWS:
        file.write_text("".join(f"{text}\n" for text in testing[:count]), encoding="utf-8")
        shutil.rmtree(own, ignore_errors=True)
        shutil.copytree(bench.bundle.path, own)
        runs: dict[str, list[Took]] = {"calibrate": [], "measure": []}
        for number in range(1 if bench.quick else _ROUNDS):
            progress(f"text-time: {count:,} reviews, round {number + 1}")
            for name, options in (("calibrate", ["--write"]), ("measure", [])):
                command = [sys.executable, "-m", "brrkit_toolchain", name, str(own)]
                runs[name].append(watch_tree([*command, "--text", str(file), *options]))
        took[count] = {name: _middle(each) for name, each in runs.items()}
    last = took[max(took)]
    return Finding(
        title=title,
        columns=("", "reviews", "seconds", "CPU seconds", "peak MB"),
        rows=[
            (
                f"brr {name} --text",
                f"{count:,}",
                f"{one.seconds:.0f}",
                f"{one.cpu:.0f}",
                f"{one.peak / 1e6:,.0f}",
            )
            for count, by_name in took.items()
            for name, one in by_name.items()
        ],
        claims=(
            *(
                Claim(
                    f"brr {name} --text",
                    one.seconds,
                    "<=",
                    _TARGETS[name],
                    "s",
                    f"{TARGET_SIZE}, 2 cores",
                )
                for name, one in last.items()
            ),
            Claim(
                "brr calibrate --text / measure --text",
                last["calibrate"].seconds / last["measure"].seconds,
            ),
        ),
        notes=(
            f"{TOKENS:,} words are attacked, the other reviews are the attackers' language; all "
            f"cores, processes of their own; medians of {_ROUNDS} rounds in turn",
        ),
        numbers={
            str(count): {
                name: {key: value for key, value in asdict(one).items() if key != "printed"}
                for name, one in by_name.items()
            }
            for count, by_name in took.items()
        },
    )


def _middle(runs: list[Took]) -> Took:
    """Return the run of median time."""
    return sorted(runs, key=lambda run: run.seconds)[len(runs) // 2]
