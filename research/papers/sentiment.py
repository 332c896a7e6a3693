"""Utility: accuracy of a classifier that is trained on privatized texts (BRR, figure 1a).

As in section 6: half of the training texts train it, each word privatized; its accuracy is that on
half of the testing texts, as they were typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brrkit_toolchain.tasks.corpus import Corpus
from brrkit_toolchain.utility.evaluate.classifier import Classifier
from brrkit_toolchain.utility.evaluate.parts import split
from research.papers.bundle_words import BundleWords
from research.papers.results import Results, Unit, seeded
from research.papers.scale import Scale
from research.papers.summary import Evaluated, Findings, by_estimated_loss
from research.papers.texts import (
    CONTENDERS,
    attacked,
    privatized,
    run_units,
    text_figure,
    text_table,
    text_units,
)

NAME = "sentiment"
METRICS = ("accuracy", "unchanged", "named")
TITLE = "Utility for sentiment (BRR, figure 1a)"

_READING = "At a given ε, a higher line means more utility. The dotted line: unprivatized text."


def run(
    bundle_words: BundleWords,
    corpus: Corpus,
    scale: Scale,
    estimated_losses: Sequence[float],
    results: Results,
    *,
    progress: bool = True,
) -> None:
    """Train a classifier in each unit without results.

    Args:
        bundle_words: the bundle and its vectors.
        corpus: labeled texts.
        scale: number of texts, of their words, and of trials.
        estimated_losses: values of E = epsilon * P_avg.
        results: results to which rows are added, with ``METRICS``.
        progress: show a bar on standard error.
    """

    def measure(unit: Unit) -> Mapping[str, float]:
        parts = split(corpus, scale.texts, seeded("split", unit.trial))
        train = corpus.start(parts.train, scale.tokens)
        test = corpus.start(parts.test, scale.tokens)
        released = privatized(bundle_words, unit, train, "train")
        return {
            "accuracy": Classifier(released, bundle_words.vectors).accuracy(test),
            "unchanged": float((released.ids == train.ids).mean()),
            "named": attacked(bundle_words, unit),
        }

    run_units(
        results,
        text_units(bundle_words, estimated_losses, scale.trials),
        measure,
        progress=progress,
    )


def findings(evaluated: Evaluated) -> Findings:
    """Return the accuracy, the number of unchanged words, and that of recovered ones."""
    return Findings(
        notes=[
            "A linear classifier on the mean word vector of a text is trained on privatized texts, "
            "and tested on other, unprivatized texts. Every trial has a new split and new noise.",
            "The isolated attacker sees one released word, knows the mechanism and its setting, "
            "and assumes that all words of the vocabulary are equally likely, as they are in this "
            "measurement. If the probabilities of a mechanism cannot be computed, the attacker "
            "estimates them from 10,000 draws in each trial.",
        ],
        figures=[text_figure(evaluated, "accuracy", "Accuracy", _READING)],
        tables=[
            text_table(evaluated, "accuracy", "Accuracy"),
            by_estimated_loss(
                evaluated, "unchanged", "Share of words released unchanged", CONTENDERS
            ),
            by_estimated_loss(
                evaluated,
                "named",
                "Attack success of the isolated attacker",
                CONTENDERS,
            ),
        ],
    )
