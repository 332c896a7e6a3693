"""The utility of words at equal success of the isolated attacker.

The prior is uniform. ``exponential``, with any radius, is computed. For Laplace noise (Madlib) and
brr, the released word itself is the best guess, and for vickrey nearly so
(``brrkit_toolchain.attackers.one_word``). So their epsilon is the one with this share of unchanged
words, and their least protected words are those with the largest probability of staying.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import ceil, exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import Bench, progress
from benchmarks.report import Claim, Finding
from brrkit.exact import weight_table
from brrkit.setting import Setting
from brrkit_toolchain.attackers.one_word import (
    LEAST_PROTECTED,
    least_protected,
)
from brrkit_toolchain.calibrate.limits import SettingGrid, most_meaning, steepest
from brrkit_toolchain.calibrate.roots import crossing
from brrkit_toolchain.channel import LAPLACE, BatchedMechanism, Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.codes.vectors import directions

SUCCESSES = (0.1, 0.2, 0.3)
RADII = (0, 4, 8, 12, 16)
DRAWN = (LAPLACE, "brr", "vickrey")
_NAMES = {LAPLACE: "Madlib (Laplace)", "vickrey": "vickrey t = 0.5"}

_INPUTS = 1_000  # random words for the cosines
_GRID = (15.0, 20.0, 27.0, 36.0, 50.0, 68.0, 92.0)  # E = epsilon * P_avg for interpolation
_SMALL = 10_000  # largest vocabulary for variants, which need the matrix of all pairs


@dataclass(frozen=True)
class Point:
    """A mechanism at one success.

    Attributes:
        mechanism: its name.
        radius: radius in bits; None without a radius.
        target: the wanted success.
        epsilon: epsilon per unit of the mechanism's metric.
        success: the measured success.
        worst: success on the least protected words.
        cosine: mean centered cosine of output and input.
        unchanged: share of words that are released unchanged.
        estimated_loss: E = epsilon * P_avg.
        certified: E of the certified epsilon; None if there is none.
        chosen: whether ``brr calibrate`` chooses this radius for this success.
    """

    mechanism: str
    radius: int | None
    target: float
    epsilon: float
    success: float
    worst: float
    cosine: float
    unchanged: float
    estimated_loss: float
    certified: float | None = None
    chosen: bool = False

    @property
    def label(self) -> str:
        """The name in the table."""
        if self.radius is not None:
            return f"{self.mechanism} r = {self.radius}" + (", calibrate's" if self.chosen else "")
        return _NAMES.get(self.mechanism, self.mechanism)


def run(bench: Bench) -> Finding:
    """Find every mechanism's setting at each success, and measure there."""
    words = bench.sample(200 if bench.quick else _INPUTS)
    vectors = bench.embeddings.vectors
    centered = directions(vectors - vectors.mean(axis=0))
    points = [p for name in DRAWN for p in _drawn(bench, name, words, centered)]
    points += _exponential(bench, words, centered)
    if len(bench.bundle) <= _SMALL:
        points += _variants(bench, centered)
    points.sort(key=lambda point: point.target)
    return Finding(
        title="frontier: what is kept at equal success of the isolated attacker",
        columns=("", "success", "cosine", "worst 1%", "unchanged", "E", "E certified", "epsilon"),
        rows=[_cells(point) for point in points],
        claims=_claims(points),
        notes=(
            f"{len(words):,} random words; the attacker reckons with all {len(bench.bundle):,}, "
            "equally often typed",
            "cosines of the float vectors with their mean removed",
            "worst 1%: how often the least protected words are named; E = epsilon * P_avg",
            "exponential is computed; the others' success and worst 1% are drawn",
        ),
        numbers={"points": [asdict(point) for point in points]},
    )


def _cells(point: Point) -> tuple[str, ...]:
    return (
        point.label,
        f"{point.success:.3f}",
        f"{point.cosine:.3f}",
        f"{point.worst:.2f}",
        f"{point.unchanged:.3f}",
        f"{point.estimated_loss:.1f}" if point.estimated_loss else "-",
        "-" if point.certified is None else f"{point.certified:.1f}",
        f"{point.epsilon:.3g}",
    )


def _claims(points: list[Point]) -> list[Claim]:
    """Compare the choice of ``brr calibrate`` with the others."""
    claims = []
    for target in SUCCESSES:
        there = [point for point in points if point.target == target]
        own = next(p for p in there if p.chosen)
        madlib = next(p for p in there if p.mechanism == LAPLACE)
        best = max(p.cosine for p in there if p.mechanism in DRAWN)
        assert own.certified is not None
        at = f"radius {own.radius}, success {target:g}"
        claims += [
            Claim(f"cosine / Madlib's, {at}", own.cosine / madlib.cosine, ">=", 1.4),
            Claim(f"cosine / that of the best other here, {at}", own.cosine / best, ">=", 1.0),
            Claim(f"worst 1% / Madlib's, {at}", own.worst / madlib.worst, "<=", 1.0),
            Claim(
                f"certified E / Madlib's, {at}", own.certified / madlib.estimated_loss, "<=", 1 / 3
            ),
        ]
    return claims


def _drawn(
    bench: Bench, name: str, words: NDArray[np.intp], centered: NDArray[np.float32]
) -> list[Point]:
    """Return the points of a mechanism with noise, by its draws."""
    hamming, euclidean = (bench.bundle.manifest["distances"][m] for m in ("hamming", "euclidean"))
    average = (euclidean if name == LAPLACE else hamming)["average"]
    generator = np.random.default_rng(0)

    def make(estimated_loss: float) -> BatchedMechanism:
        return Channel(
            bundle_of(bench.bundle.codes),
            Setting(estimated_loss / average, name),
            bench.embeddings.vectors,
        ).releaser(generator)

    def stays(estimated_loss: float, repeated: int) -> float:
        inputs = np.repeat(words, repeated)
        return float((make(estimated_loss)(inputs) == inputs).mean())

    points = []
    for target in SUCCESSES:
        progress(f"frontier: {name}, success {target:g}")
        estimated_loss = estimated_loss_at(target, stays)
        mechanism = make(estimated_loss)
        repeated = np.repeat(words, 10)
        outputs = mechanism(repeated)
        same = outputs == repeated
        cosine = np.einsum("ij,ij->i", centered[repeated], centered[outputs]).mean()
        points.append(
            Point(
                mechanism=name,
                radius=None,
                target=target,
                epsilon=estimated_loss / average,
                success=float(same.mean()),
                worst=_worst(mechanism, words, same.reshape(-1, 10).mean(axis=1)),
                cosine=float(cosine),
                unchanged=float(same.mean()),
                estimated_loss=estimated_loss,
            )
        )
    return points


def estimated_loss_at(target: float, stays: Callable[[float, int], float]) -> float:
    """Return the E at which a share of words stays, from draws.

    Args:
        target: the share.
        stays: function that returns the share at an E, for a number of draws of each word.
    """
    logits = [logit(stays(estimated_loss, 1)) for estimated_loss in _GRID]
    found = exp(np.interp(logit(target), np.maximum.accumulate(logits), np.log(_GRID)))
    # A second measurement near the first result, where the curve is nearly linear.
    near = [0.92 * found, found, 1.08 * found]
    slope, offset = np.polyfit(np.log(near), [logit(stays(one, 3)) for one in near], 1)
    return exp((logit(target) - offset) / slope)


def _worst(
    mechanism: BatchedMechanism, words: NDArray[np.intp], first: NDArray[np.float64]
) -> float:
    """Return the probability of staying for the 1% of ``words`` in which it is largest.

    A tenth of the words is chosen by 10 draws, ``first``, and a tenth of these by 100 more. New 100
    draws measure them, because the draws of a choice would be biased upwards.
    """
    some = words[np.argsort(-first, kind="stable")[: ceil(len(words) / 10)]]
    again = (mechanism(np.repeat(some, 100)) == np.repeat(some, 100)).reshape(-1, 100).mean(axis=1)
    few = some[np.argsort(-again, kind="stable")[: ceil(len(words) / LEAST_PROTECTED)]]
    return float((mechanism(np.repeat(few, 100)) == np.repeat(few, 100)).mean())


def _exponential(
    bench: Bench, words: NDArray[np.intp], centered: NDArray[np.float32]
) -> list[Point]:
    """Return the exponential mechanism's points; only the words for the cosines are drawn."""
    codes = bench.bundle.codes
    bits = bench.bundle.bits
    average = bench.bundle.manifest["distances"]["hamming"]["average"]
    vocabulary = SettingGrid.of(bundle_of(codes), "uniform")
    similar = centered @ centered[words].T
    sums = np.empty((len(words), bits + 1))  # sums of the cosines at each distance
    for row, word in enumerate(words):
        distances = bench.bundle.index.distances(codes[word])
        sums[row] = np.bincount(distances, similar[:, row], minlength=bits + 1)
    points = []
    for target in SUCCESSES:
        progress(f"frontier: exponential, success {target:g}")
        calibrated = most_meaning(vocabulary, "isolated", target, None)
        for radius in sorted({*RADII, calibrated.radius}):
            chosen = radius == calibrated.radius
            found = calibrated if chosen else steepest(vocabulary, "isolated", radius, target)
            channel = vocabulary.at(found.epsilon, radius)
            probabilities = channel.everything.probabilities(channel.weights)
            certified = (channel.loss or 0.0) * average
            kept = (sums * probabilities[words]).sum(axis=1)
            points.append(
                Point(
                    mechanism="exponential",
                    radius=radius,
                    target=target,
                    epsilon=found.epsilon,
                    success=found.success.mean,
                    worst=found.success.worst,
                    cosine=float(kept.mean()),
                    unchanged=float(probabilities[:, 0].mean()),
                    estimated_loss=found.epsilon * average,
                    certified=certified,
                    chosen=chosen,
                )
            )
    return points


def _variants(bench: Bench, centered: NDArray[np.float32]) -> list[Point]:
    """Return the points of alternatives to one radius for all words.

    ``k-th nearest``: each word's radius is the distance of its k-th nearest other word. Distances
    to two words differ by at most their own distance, and so do these radii, so the theorem holds.
    ``mixture``: radius 0 with probability 1/2, otherwise 12. ``constant``: weights that don't fall
    within the radius.
    """
    codes, bits, count = bench.bundle.codes, bench.bundle.bits, len(bench.bundle)
    distances = np.stack([bench.bundle.index.distances(code) for code in codes])
    similar = centered @ centered.T
    nearest = np.partition(distances, (2, 3), axis=1)

    def table(exponent: float, radius: int) -> NDArray[np.float32]:
        return np.array(weight_table(exp(exponent), bits, count, radius), np.float32)

    def own_radius(k: int, exponent: float) -> NDArray[np.float32]:
        f = table(exponent, 0)[np.maximum(distances, nearest[:, k : k + 1])]
        f /= f.sum(axis=1, keepdims=True)
        return f

    def mixture(exponent: float) -> NDArray[np.float32]:
        f = np.zeros(distances.shape, np.float32)
        for radius in (0, 12):
            part = table(exponent, radius)[distances]
            f += part / (2 * part.sum(axis=1, keepdims=True))
        return f

    def constant(radius: int, exponent: float) -> NDArray[np.float32]:
        f: NDArray[np.float32] = table(exponent, 0)[np.maximum(distances, radius) - radius]
        f /= f.sum(axis=1, keepdims=True)
        return f

    points = []
    for name, make in {
        "constant to 8": lambda exponent: constant(8, exponent),
        "constant to 12": lambda exponent: constant(12, exponent),
        "k-th nearest, k = 2": lambda exponent: own_radius(2, exponent),
        "k-th nearest, k = 3": lambda exponent: own_radius(3, exponent),
        "mixture of 0 and 12": mixture,
    }.items():
        for target in SUCCESSES:
            progress(f"frontier: {name}, success {target:g}")

            def gap(epsilon: float, make: Any = make, target: float = target) -> float:
                return float(make(log(epsilon)).max(axis=0).mean()) - target

            exponent = log(crossing(gap, 0.04, 4.0))
            f = make(exponent)
            named = np.bincount(f.argmax(axis=0), f.max(axis=0).astype(np.float64), minlength=count)
            points.append(
                Point(
                    mechanism=name,
                    radius=None,
                    target=target,
                    epsilon=exp(exponent),
                    success=float(f.max(axis=0).mean()),
                    worst=least_protected(named.astype(np.float64)),
                    cosine=float((f * similar).sum(axis=1).mean()),
                    unchanged=float(f.diagonal().mean()),
                    estimated_loss=exp(exponent)
                    * bench.bundle.manifest["distances"]["hamming"]["average"],
                )
            )
    return points


def logit(share: float) -> float:
    """Return the log odds of a share; for 0 and 1, those of a share near it."""
    within = min(max(share, 1e-3), 1 - 1e-3)
    return log(within / (1 - within))
