"""What is kept of a text at equal success of an attacker who reads it.

Text: IMDB's test half; the attackers know the language from its training half. Each mechanism is
measured at some strengths, and what it has where the sentence attacker is right so often is read
off between the two nearest. ``exponential``'s channel is exact; of the others the attacker has an
estimate, so they are flattered.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frontier import logit
from benchmarks.report import Finding
from benchmarks.setting import Setting, progress
from brrkit import BrrError
from brrkit_toolchain.attackers.measure import release_and_channel
from brrkit_toolchain.attackers.text import TextAttack, attack_text, sample_texts
from brrkit_toolchain.batched import LAPLACE, label
from brrkit_toolchain.evaluate.dataset import read_dataset
from brrkit_toolchain.language.bigrams import Bigrams, learn_bigrams
from brrkit_toolchain.language.texts import TypedText, ids_of

GOALS = {"content": (0.1, 0.2, 0.3), "all": (0.2, 0.3, 0.4)}
"""Success of the sentence attacker, by the words that it is counted over."""

_IMDB = Path("text") / "imdb_labelled_50k.tsv.gz"
_TOKENS = 10_000
_STRENGTHS = (0.55, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)  # times a contender's start


@dataclass(frozen=True)
class Contender:
    """A mechanism, and where its strengths lie.

    Attributes:
        mechanism: its name.
        parameters: beside epsilon.
        start: E = epsilon * P_avg, in the middle of its strengths.
    """

    mechanism: str
    parameters: Mapping[str, Any]
    start: float

    @property
    def label(self) -> str:
        """What the table calls it."""
        parameters = "".join(f", {name} {value:g}" for name, value in self.parameters.items())
        return label(self.mechanism) + parameters


CONTENDERS = (
    Contender(LAPLACE, {}, 45.0),
    Contender("brr", {}, 24.0),
    Contender("vickrey", {"t": 0.5}, 28.0),
    *(
        Contender("exponential", {"radius": radius}, start)
        for radius, start in ((0, 20.0), (4, 22.0), (8, 25.0), (12, 30.0), (16, 38.0))
    ),
)


@dataclass(frozen=True)
class Point:
    """A mechanism where the sentence attacker is right so often.

    Attributes:
        contender: its label.
        over: the words that success is counted over.
        goal: the success.
        epsilon: per unit of the mechanism's metric.
        values: what it has there, by name.
    """

    contender: str
    over: str
    goal: float
    epsilon: float
    values: Mapping[str, float]


_VALUES: dict[str, Callable[[TextAttack, str], float]] = {
    "cosine": lambda found, over: (found.cosine or {})[over],
    "isolated": lambda found, over: found.attackers["isolated"][over].top1.value,
    "informed": lambda found, over: found.attackers["informed"][over].top1.value,
    "unchanged": lambda found, over: found.unchanged[over].value,
    "worst 1%": lambda found, _: found.worst["sentence"] or 0.0,
    "perplexity": lambda found, _: found.perplexity["released"],
}


def run(setting: Setting) -> Finding:
    """Measure each mechanism at its strengths, and read off what it has at each goal."""
    file = Path(os.environ.get("BRR_DATA", "../shared/data")) / _IMDB
    title = "attackers: what is kept of a text at equal success of an attacker who reads it"
    try:
        reviews = read_dataset(file, "text", "sentiment", "split")
    except BrrError:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    assert reviews.testing is not None
    size, vocabulary = len(setting.bundle), setting.bundle.vocabulary
    texts = ids_of(reviews.texts, vocabulary)
    halves = [
        [t for t, test in zip(texts, reviews.testing, strict=True) if test == side]
        for side in (0, 1)
    ]
    model = learn_bigrams([text.ids for text in halves[0]], size)
    typed = sample_texts(halves[1], 1_500 if setting.quick else _TOKENS)
    points, measured = [], {}
    for contender in CONTENDERS:
        curve = _curve(setting, contender, typed, model)
        measured[contender.label] = [(epsilon, asdict(found)) for epsilon, found in curve]
        points += [
            point
            for over, goals in GOALS.items()
            for goal in goals
            if (point := _read_off(contender.label, curve, over, goal)) is not None
        ]
    points.sort(key=lambda point: (point.over, point.goal))
    return Finding(
        title=title,
        columns=("", "over", "sentence", *_VALUES, "epsilon"),
        rows=[
            (
                point.contender,
                point.over,
                f"{point.goal:.1f}",
                *(
                    f"{value:,.0f}" if value >= 100 else f"{value:.3f}"
                    for value in point.values.values()
                ),
                f"{point.epsilon:.3g}",
            )
            for point in points
        ],
        notes=(
            f"{sum(len(text.ids) for text in typed):,} words of {len(typed):,} reviews; a language "
            f"model of {model.tokens:,} words",
            "attack success at the first guess; cosines of the float vectors with their mean "
            "removed; perplexity of what is released under the language model",
            "of all but exponential the attacker has an estimated channel: a lower bound",
        ),
        numbers={"points": [asdict(point) for point in points], "measured": measured},
    )


def _curve(
    setting: Setting, contender: Contender, typed: list[TypedText], model: Bigrams
) -> list[tuple[float, TextAttack]]:
    """Return what is found at each strength."""
    metric = "euclidean" if contender.mechanism == LAPLACE else "hamming"
    average = setting.bundle.manifest["distances"][metric]["average"]
    vectors: NDArray[np.float32] = setting.embeddings.vectors
    curve = []
    for strength in _STRENGTHS[1:-1:2] if setting.quick else _STRENGTHS:
        epsilon = strength * contender.start / average
        progress(f"attackers: {contender.label}, epsilon {epsilon:.3g}")
        generator = np.random.default_rng(0)
        release, channel = release_and_channel(
            setting.bundle, contender.mechanism, epsilon, generator, vectors, contender.parameters
        )
        curve.append((epsilon, attack_text(typed, model, channel, release, vectors=vectors)))
    return curve


def _read_off(
    name: str, curve: list[tuple[float, TextAttack]], over: str, goal: float
) -> Point | None:
    """Return the point between the two strengths around a goal; None if it isn't between any."""
    found = [attack for _, attack in curve]
    reached = np.maximum.accumulate(
        [logit(f.attackers["sentence"][over].top1.value) for f in found]
    )
    if not reached[0] <= logit(goal) <= reached[-1]:
        return None

    def at(values: list[float]) -> float:
        return float(np.interp(logit(goal), reached, values))

    return Point(
        name,
        over,
        goal,
        at([epsilon for epsilon, _ in curve]),
        {what: at([value(f, over) for f in found]) for what, value in _VALUES.items()},
    )
