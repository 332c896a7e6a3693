"""Inference error against epsilon and against sentiment flips (Vickrey, figures 2A to 2D and 3).

The words are those of an opinion lexicon, and no others: as in section 4, a mechanism replaces a
lexicon word by a lexicon word, and it is a loss if that has the opposite sentiment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import ParameterError
from brrkit.setting import Setting
from brrkit_toolchain.channel import Channel
from brrkit_toolchain.channel.drawing.on_codes import bundle_of
from brrkit_toolchain.channel.surroundings import Surroundings
from brrkit_toolchain.report.plots import Axis, line_plot
from research.papers.bundle_words import BundleWords
from research.papers.contenders import DEVICE, MADLIB, Contender
from research.papers.inference_error import (
    exact_inference_error,
    inference_error,
    utility_loss,
)
from research.papers.results import Results, Unit, seeded
from research.papers.scale import Scale
from research.papers.summary import Evaluated, Figure, Findings, by_estimated_loss, curve
from research.papers.texts import run_units

NAME = "inference"
METRICS = ("error", "flips", "single")
TITLE = "Inference error on an opinion lexicon (Vickrey, figures 2A-2D and 3)"

ESTIMATED_LOSSES = (5.0, 10.0, 20.0, 40.0, 80.0, 120.0, 160.0, 240.0, 400.0, 1000.0)
"""E = epsilon * P_avg, unless epsilons are chosen."""

_FEWEST = 10  # words of either sentiment
_NEVER = 1e9  # exp(-_NEVER * d) is 0 for any distance above 1e-6, far below those of noised vectors


def _rank(k: int) -> Contender:
    """Return the mechanism that always takes the k-th nearest word (Vickrey, figure 3).

    It is Algorithm 3 with t_k = 0 and all other t so large that exp(-t d) is 0.
    """
    t = (*[_NEVER] * (k - 1), 0.0)
    name = f"always the {k}{'rd' if k == 3 else 'th'} neighbor"
    return Contender("laplace-vickrey", name, f"k={k}", {"t": t})


def _between(t: float) -> Contender:
    return Contender("laplace-vickrey", f"Vickrey on vectors, t = {t:g}", f"t={t:g}", {"t": t})


MAHALANOBIS = Contender("mahalanobis", "Mahalanobis", "lambda=1", {"lambda_": 1.0})
VICKREY = tuple(_between(t) for t in (0.25, 0.5, 0.75, 1.0))
RANKS = tuple(_rank(k) for k in (3, 4, 5))
CONTENDERS: tuple[Contender, ...] = (MADLIB, MAHALANOBIS, *VICKREY, *RANKS, *DEVICE)

# The same measurements, named by the rank that they take.
_FIRST = replace(MADLIB, label="always the 1st neighbor")
_SECOND = replace(VICKREY[-1], label="always the 2nd neighbor")

# Colors, the same for a subject in all figures.
_LINES = dict(zip((MADLIB, MAHALANOBIS, *VICKREY), (0, 6, 4, 5, 7, 8), strict=True))
_LINES |= dict(zip(DEVICE, (1, 2, 3, *range(9, 9 + len(DEVICE))), strict=False))
_RANK_LINES = dict(zip((_FIRST, _SECOND, *RANKS), (0, 8, 4, 5, 7), strict=True))


@dataclass(frozen=True)
class LexiconWords:
    """The words of a lexicon that a vocabulary has.

    Attributes:
        ids: intp[m], ascending.
        positive: bool[m].
        prior: [m], pi of each; sums to 1.
    """

    ids: NDArray[np.intp]
    positive: NDArray[np.bool_]
    prior: NDArray[np.float64]

    def flips(self, inputs: NDArray[Any], outputs: NDArray[Any]) -> NDArray[Any]:
        """Return whether places in ``ids`` have opposite sentiments: the paper's d_L."""
        flipped: NDArray[Any] = self.positive[inputs] != self.positive[outputs]
        return flipped


def find_words(
    words: Sequence[str], lexicon: Mapping[str, bool], counts: NDArray[np.int64] | None
) -> LexiconWords:
    """Look up a lexicon.

    Args:
        words: the vocabulary.
        lexicon: words, with whether each is positive.
        counts: [n], number of occurrences of each word of the vocabulary; None for a uniform prior.

    Raises:
        ParameterError: too few words of a sentiment are in the vocabulary, or occur at all.
    """
    ids = np.array([place for place, word in enumerate(words) if word in lexicon], np.intp)
    positive = np.array([lexicon[words[i]] for i in ids], bool)
    frequencies = np.ones(len(ids)) if counts is None else counts[ids].astype(np.float64)
    for name, chosen in (("positive", positive), ("negative", ~positive)):
        there = int((frequencies[chosen] > 0).sum())
        if there < _FEWEST:
            raise ParameterError(
                f"{there} of the lexicon's {name} words are in the vocabulary"
                f"{'' if counts is None else ' and in the texts'}, {_FEWEST} are needed; check "
                "--lexicon (POSITIVE, then NEGATIVE)"
            )
    return LexiconWords(ids, positive, frequencies / frequencies.sum())


def size(scale: Scale) -> str:
    """Describe the size of a trial."""
    return f"{scale.draws:,} words released by each mechanism at each ε"


def run(
    bundle_words: BundleWords,
    words: LexiconWords,
    scale: Scale,
    estimated_losses: Sequence[float],
    results: Results,
    *,
    progress: bool = True,
) -> None:
    """Measure E_M (Vickrey, eq. 4) and L_M (eq. 2) in each unit without results.

    d_E is 1 for a wrong guess, and d_L for a word of the opposite sentiment. The exponential
    mechanism's results are exact, so they are computed once. For the others, ``scale.draws`` words
    are drawn from the prior and released.

    Args:
        bundle_words: only the lexicon's words (``BundleWords.restricted``).
        words: the same words, with sentiment and prior.
        scale: number of draws and of trials.
        estimated_losses: values of E = epsilon * P_avg.
        results: results to which rows are added, with ``METRICS``.
        progress: show a bar on standard error.
    """
    names = {(c.mechanism, c.parameter): c for c in CONTENDERS}
    bundle = bundle_of(bundle_words.codes)
    secrets = Surroundings(bundle.codes, np.arange(len(words.ids)))
    flips = secrets.losses(words.flips)
    exact = {
        c.mechanism
        for c in CONTENDERS
        if Channel(bundle, Setting(1.0, c.mechanism, c.parameters), bundle_words.vectors).weighted
        is not None
    }
    averages = {c: bundle_words.average(c) for c in CONTENDERS}
    units = [
        Unit(c.mechanism, c.parameter, estimated_loss / averages[c], estimated_loss, trial)
        for trial in range(scale.trials)
        for estimated_loss in estimated_losses
        for c in CONTENDERS
        if trial == 0 or c.mechanism not in exact
    ]

    def measure(unit: Unit) -> Mapping[str, float]:
        assert unit.epsilon is not None
        parameters = names[unit.mechanism, unit.parameter].parameters
        setting = Setting(unit.epsilon, unit.mechanism, parameters)
        mechanism = Channel(bundle, setting, bundle_words.vectors).weighted
        if mechanism is not None:
            weights = mechanism.weights
            error = exact_inference_error(words.prior, secrets.columns(weights))
            lost = float(words.prior @ (flips * secrets.probabilities(weights)).sum(axis=1))
            return {"error": error, "flips": lost, "single": 0.0}
        inputs = seeded("inputs", unit.trial).choice(len(words.ids), scale.draws, p=words.prior)
        release = bundle_words.mechanism(
            names[unit.mechanism, unit.parameter], unit.epsilon, unit.generator("noise")
        )
        outputs = release(inputs)
        inferred = inference_error(inputs, outputs)
        return {
            "error": inferred.estimate.value,
            "flips": utility_loss(inputs, outputs, words.flips).value,
            "single": inferred.single,
        }

    run_units(results, units, measure, progress=progress)


def findings(evaluated: Evaluated) -> Findings:
    """Return figures 2A to 2D and 3, and their numbers."""
    prior = "their frequency in the texts" if evaluated.settings.get("data") else "uniform"
    single = max(row.value for row in evaluated.rows if row.metric == "single")
    return Findings(
        notes=[
            "The mechanisms run on the lexicon's words alone, so every output has a sentiment. The "
            "inference error (eq. 4) is the probability of a wrong guess by an attacker who draws "
            "their guess from the posterior. A flip is an output of the opposite sentiment. "
            "*Always the k-th neighbor* is Algorithm 3 with weights of 0 for all other words. The "
            "numbers of `exponential` are exact. All others are estimates.",
            f"{evaluated.settings['lexicon_words']:,} words of the lexicon are in the vocabulary. "
            f"Their prior is {prior}. At each point of a line, at most {single:.1%} of the draws "
            "gave an output that no other draw gave. This share bounds the bias of the inference "
            "error.",
        ],
        figures=[
            _figure(evaluated, "error", None, _LINES),
            _figure(evaluated, "tradeoff", "flips", _LINES),
            _figure(evaluated, "rank-error", None, _RANK_LINES),
            _figure(evaluated, "rank-tradeoff", "flips", _RANK_LINES),
        ],
        tables=[
            by_estimated_loss(evaluated, "error", "Inference error", list(_LINES)),
            by_estimated_loss(evaluated, "flips", "Share of sentiment flips", list(_LINES)),
            by_estimated_loss(
                evaluated, "error", "Inference error of the k-th neighbor", list(_RANK_LINES)
            ),
        ],
    )


def _figure(
    evaluated: Evaluated, name: str, against: str | None, lines: Mapping[Contender, int]
) -> Figure:
    """Return the inference error against epsilon or another metric, device mechanisms dashed."""
    series = [
        line
        for contender, color in lines.items()
        for line in curve(
            evaluated,
            "error",
            contender,
            color=color,
            against=against,
            style="dashed" if contender in DEVICE else "solid",
            family="on codes" if contender in DEVICE else "on vectors",
        )
    ]
    x_label = "Share of sentiment flips" if against else "ε of Madlib"
    title = f"Inference error against {'sentiment flips' if against else 'ε'}"
    if lines is _RANK_LINES:
        title += ", k-th neighbors"
    each = (
        "Each point belongs to one ε. A line nearer to the upper left keeps more sentiment at the "
        "same error."
        if against
        else "The x-axis shows Madlib's ε. The other mechanisms have the same E = ε·P_avg. A "
        "higher line means more wrong guesses."
    )
    return Figure(
        name,
        title,
        f"{each} Bands: 95% t-intervals over {evaluated.trials} trials.",
        lambda prefix: line_plot(
            series,
            name=prefix,
            title=title,
            x=Axis(x_label, log=against is None),
            y=Axis("Inference error", ends=(0, 1.02)),
        ),
    )
